"""Gradient boosting of oblivious trees: every level of a tree asks one question of all rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from phasa.overview.extract.features import Matrix
from phasa.overview.extract.scorer import Trees

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Settings:
    """How many trees, how deep, and how much each may say."""

    trees: int = 240
    depth: int = 4
    rate: float = 0.07
    bins: int = 32
    l2: float = 3.0
    features_per_tree: float = 0.3
    rows_per_tree: float = 0.5
    seed: int = 1


def fit(X: Matrix, y: Floats, w: Floats, settings: Settings = Settings()) -> Trees:  # noqa: B008 - frozen
    """Trees for the columns of X with labels y (0 or 1) and weights w. Same input and seed, same trees."""
    random = np.random.default_rng(settings.seed)
    edges = [_edges(row, settings.bins) for row in X]
    binned = np.array([np.searchsorted(edge, row) for edge, row in zip(edges, X, strict=True)])
    usable = [number for number, edge in enumerate(edges) if len(edge)]
    sampled = max(1, int(len(usable) * settings.features_per_tree))
    w = w / w.mean()
    share = float(np.average(y, weights=w))
    base = float(np.log(share / (1.0 - share)))
    score = np.full(len(y), base)
    shape = (settings.trees, settings.depth)
    feature, threshold = np.zeros(shape, dtype=np.intp), np.zeros(shape, dtype=np.float32)
    leaf = np.zeros((settings.trees, 1 << settings.depth), dtype=np.float32)
    for tree in range(settings.trees):
        chance = 1.0 / (1.0 + np.exp(-score))
        rows = np.flatnonzero(random.random(len(y)) < settings.rows_per_tree)
        pull, weight = (w * (y - chance))[rows], (w * chance * (1.0 - chance))[rows]
        candidates = {number: binned[number][rows] for number in random.choice(usable, sampled, replace=False)}
        place = np.zeros(len(rows), dtype=np.int64)
        for level in range(settings.depth):
            best, cut = _best_question(candidates, place, 1 << level, pull, weight, edges, settings)
            feature[tree, level], threshold[tree, level] = best, edges[best][cut]
            place = 2 * place + (candidates[best] > cut)
        sums = [np.bincount(place, values, 1 << settings.depth) for values in (pull, weight)]
        leaf[tree] = settings.rate * sums[0] / (sums[1] + settings.l2)
        everywhere = np.zeros(len(y), dtype=np.int64)
        for number, bound in zip(feature[tree], threshold[tree], strict=True):
            everywhere = 2 * everywhere + (X[number] > bound)
        score += leaf[tree][everywhere]
    return Trees(feature, threshold, leaf, base)


def joined(parts: Sequence[Trees]) -> Trees:
    """Trees that say what several sets of them say on average."""
    return Trees(
        np.vstack([part.feature for part in parts]),
        np.vstack([part.threshold for part in parts]),
        np.vstack([part.leaf for part in parts]) / np.float32(len(parts)),
        sum(part.base for part in parts) / len(parts),
    )


def _edges(values: npt.NDArray[np.float32], bins: int) -> npt.NDArray[np.float32]:
    """Where the values of a feature may be cut: between all of them, or at quantiles when there are many."""
    distinct = np.unique(values)
    if len(distinct) <= bins:
        return ((distinct[1:] + distinct[:-1]) / 2).astype(np.float32)
    return np.unique(np.quantile(values, np.linspace(0, 1, bins + 1)[1:-1])).astype(np.float32)


def _best_question(
    candidates: dict[int, npt.NDArray[np.int64]],
    place: npt.NDArray[np.int64],
    leaves: int,
    pull: Floats,
    weight: Floats,
    edges: list[npt.NDArray[np.float32]],
    settings: Settings,
) -> tuple[int, int]:
    """The feature and the cut that lower the loss most over all leaves at once."""
    width = settings.bins + 1
    best, best_gain = (-1, 0), -1.0
    for number, bins in candidates.items():
        key = place * width + bins
        pulls = np.bincount(key, pull, leaves * width).reshape(leaves, width).cumsum(axis=1)
        weights = np.bincount(key, weight, leaves * width).reshape(leaves, width).cumsum(axis=1)
        cuts = len(edges[number])
        left, left_weight = pulls[:, :cuts], weights[:, :cuts]
        right, right_weight = pulls[:, -1:] - left, weights[:, -1:] - left_weight
        gain = (left**2 / (left_weight + settings.l2) + right**2 / (right_weight + settings.l2)).sum(axis=0)
        cut = int(gain.argmax())
        if gain[cut] > best_gain:
            best, best_gain = (number, cut), float(gain[cut])
    return best
