"""The learned judge of blocks: boosted oblivious trees, evaluated for all blocks of a page at once.

Every level of a tree asks one question of all blocks, so a tree is a few comparisons and one look-up in a table. The
weights are made by `python -m phasa.overview.learn`; the card next to them (blocks.md) says from what and how well.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cache
from typing import Final

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]

_AT_ONCE: Final = 1024  # blocks


@dataclass(frozen=True, slots=True)
class Trees:
    """`feature` and `threshold` (trees x depth), `leaf` (trees x 2^depth), and the score of no evidence."""

    feature: npt.NDArray[np.intp]
    threshold: Floats
    leaf: Floats
    base: float

    def judge(self, X: Floats) -> Floats:
        """The probability that each column (one value per feature) is key content."""
        if X.shape[1] > _AT_ONCE:  # a page of megabytes must not take gigabytes
            return np.concatenate([self.judge(X[:, at : at + _AT_ONCE]) for at in range(0, X.shape[1], _AT_ONCE)])
        trees, depth = self.feature.shape
        answers = (X[self.feature.ravel()] > self.threshold.reshape(-1, 1)).view(np.uint8).reshape(trees, depth, -1)
        places: npt.NDArray[np.integer] = answers[:, 0]
        for level in range(1, depth):
            places = (places << 1) | answers[:, level]
        offsets = np.arange(0, trees * (1 << depth), 1 << depth)
        score = self.base + self.leaf.ravel()[places + offsets[:, None]].sum(axis=0)
        chances: Floats = (1.0 / (1.0 + np.exp(-score))).astype(np.float32)
        return chances

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


@cache
def load_trees(name: str) -> Trees:
    """The trees in the package's file `name`."""
    return Trees.from_array(np.load(os.path.join(os.path.dirname(__file__), name)))
