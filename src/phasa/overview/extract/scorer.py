"""The learned judge of blocks: boosted oblivious trees, evaluated for all blocks of a page at once.

Every level of a tree asks one question of all blocks, so a tree is a few comparisons and one look-up in a table. The
weights are made by `python -m phasa.overview.learn`; the card next to them (blocks.md) says from what and how well.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]

_AT_ONCE: Final = 512  # blocks: their answers stay in the processor's cache, and a page of megabytes is no problem


@dataclass(frozen=True)
class Trees:
    """`feature` and `threshold` (trees x depth), `leaf` (trees x 2^depth), and the score of no evidence."""

    feature: npt.NDArray[np.intp]
    threshold: Floats
    leaf: Floats
    base: float

    def judge(self, X: Floats) -> Floats:
        """The probability that each column (one value per feature) is key content."""
        blocks = X.shape[1]
        score = np.empty(blocks, dtype=np.float32)
        for at in range(0, blocks, _AT_ONCE):
            score[at : at + _AT_ONCE] = self._pairs.score(X[:, at : at + _AT_ONCE])
        chances: Floats = (1.0 / (1.0 + np.exp(-(self.base + score)))).astype(np.float32)
        return chances

    @cached_property
    def _pairs(self) -> _Pairs:
        return _Pairs.of(self.feature, self.threshold, self.leaf)

    def to_array(self) -> Floats:
        """One matrix that holds everything: a row per tree, the first row the base score."""
        rows = np.hstack([self.feature.astype(np.float32), self.threshold, self.leaf])
        return np.vstack([np.full((1, rows.shape[1]), self.base, np.float32), rows]).astype(np.float32)

    @classmethod
    def from_array(cls, rows: Floats) -> Trees:
        """The trees that `to_array` wrote."""
        depth = next(depth for depth in range(1, 12) if 2 * depth + (1 << depth) == rows.shape[1])
        body = rows[1:]
        return cls(body[:, :depth].astype(np.intp), body[:, depth : 2 * depth], body[:, 2 * depth :], float(rows[0, 0]))


class _Pairs(NamedTuple):
    """Trees two by two: half as many look-ups, and a question that several trees ask is answered once."""

    feature: npt.NDArray[np.intp]  # by question
    threshold: Floats
    asked: npt.NDArray[np.intp]  # level x pair: the number of a question
    leaf: Floats  # of all pairs, one after another
    offset: npt.NDArray[np.intp]  # by pair: where its leaves begin

    @classmethod
    def of(cls, feature: npt.NDArray[np.intp], threshold: Floats, leaf: Floats) -> _Pairs:
        """The pairs of the first tree and the second, and so on; the last of an odd number asks its questions twice."""
        trees, depth = feature.shape
        if trees % 2:
            feature, threshold = np.vstack([feature, feature[-1:]]), np.vstack([threshold, threshold[-1:]])
            leaf = np.vstack([leaf, np.zeros_like(leaf[-1:])])
        questions, asked = np.unique(feature + 1j * threshold, return_inverse=True)  # two numbers as one: exact
        leaves = leaf.reshape(-1, 2, 1 << depth)
        sums = leaves[:, 0, :, None] + leaves[:, 1, None, :]
        return cls(
            questions.real.astype(np.intp),
            questions.imag.astype(np.float32)[:, None],
            np.ascontiguousarray(asked.reshape(-1, 2 * depth).T),
            sums.ravel(),
            np.arange(0, sums.size, 1 << 2 * depth)[:, None],
        )

    def score(self, X: Floats) -> Floats:
        """The sum of what all trees say of each column."""
        answers = (X.take(self.feature, axis=0) > self.threshold).view(np.uint8)
        levels = iter(self.asked)
        places = answers.take(next(levels), axis=0)
        if len(self.asked) > 8:
            places = places.astype(np.uint32)
        for questions in levels:
            places <<= 1
            places |= answers.take(questions, axis=0)
        score: Floats = self.leaf.take(places + self.offset).sum(axis=0)
        return score


@cache
def load_trees(name: str) -> Trees:
    """The trees in the package's file `name`."""
    return Trees.from_array(np.load(os.path.join(os.path.dirname(__file__), name)))
