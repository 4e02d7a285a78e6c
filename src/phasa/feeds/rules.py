"""The published ways to place polls: enumeration, RS, even spacing, both papers' rules (spec §5)."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from phasa.errors import InputError
from phasa.feeds.circle import Optimum, optimum, total_delay
from phasa.feeds.rhythm import DailyCounts


def place_polls(rule: str, counts: ArrayLike, m: int) -> Optimum:
    """m points of a day by a published rule: dorpm (the optimum), exhaustive (the same by enumeration), rs, rs-falling
    (only where the rate falls), uniform."""
    if rule == "dorpm":
        return optimum(counts, m)
    if rule == "exhaustive":
        return exhaustive(counts, m)
    if rule in ("rs", "rs-falling"):
        return retrieval_scheduling(counts, m, falling=rule == "rs-falling")
    if rule == "uniform":
        points = uniform(m, len(np.asarray(counts)))
        return Optimum(points, total_delay(counts, points))
    raise InputError(f"unknown rule '{rule}'; choose dorpm, exhaustive, rs, rs-falling or uniform")


def exhaustive(counts: ArrayLike, m: int) -> Optimum:
    """Retrieval_Points (Fig. 4.16): every one of the C(B, m) tuples in lexicographic order, the first best one kept."""
    histogram = np.asarray(counts, dtype=np.float64)
    best: Optimum | None = None
    for points in combinations(range(1, len(histogram) + 1), m):
        delay = total_delay(histogram, points)
        if best is None or delay < best.total:
            best = Optimum(points, delay)
    if best is None:
        raise InputError(f"{m} polls do not fit into {len(histogram)} bins")
    return best


def uniform(m: int, bins: int = 24) -> tuple[int, ...]:
    """m points as evenly spaced as the bins allow, the last at the period's end."""
    if not 1 <= m <= bins:
        raise InputError(f"{m} polls do not fit into {bins} bins")
    return tuple(-(-k * bins // m) for k in range(1, m + 1))


def retrieval_scheduling(counts: ArrayLike, m: int, falling: bool = False) -> Optimum:
    """RS (Sia and Cho): the tuple nearest to its stationarity condition, the first on ties; `total` is its delay.

    The condition is necessary only, so the points can be bad on feeds with empty hours (§7.4). With `falling` only
    points where the rate falls are taken (the second-order check), if at least m such points exist.
    """
    p = np.asarray(counts, dtype=np.float64)
    bins = len(p)
    if not 1 <= m <= bins:
        raise InputError(f"{m} polls do not fit into {bins} bins")
    allowed = p > np.roll(p, -1) if falling else np.ones(bins, dtype=bool)
    nodes = np.flatnonzero(allowed if allowed.sum() >= m else np.ones(bins, dtype=bool)) + 1
    points = _nearest_to_stationary(p, nodes, m)
    return Optimum(points, total_delay(p, points))


def rs_residual(counts: ArrayLike, points: tuple[int, ...]) -> float:
    """How far points are from the condition of RS (§2.3): Σ_j |p(τ_j)(τ_{j+1} - τ_j) - posts of gap j|."""
    p = np.asarray(counts, dtype=np.float64)
    sums = np.concatenate(([0.0], np.cumsum(np.tile(p, 3))))
    at = np.array(points, dtype=np.int64)
    before, after = np.append(at[-1] - len(p), at[:-1]), np.append(at[1:], at[0] + len(p))
    posts = sums[at + len(p)] - sums[before + len(p)]
    return float(np.abs(p[at - 1] * (after - at) - posts).sum())


def _nearest_to_stationary(p: NDArray[np.float64], nodes: NDArray[np.int64], m: int) -> tuple[int, ...]:
    """Least residual over m of the nodes. A residual needs both neighbours, so the state is a pair of points."""
    bins, size = len(p), len(nodes)
    if m == 1:
        # τ_0 = τ_1 - B and τ_2 = τ_1 + B: p(τ)·B against all posts.
        return (int(nodes[np.abs(p[nodes - 1] * bins - p.sum()).argmin()]),)
    sums = np.concatenate(([0.0], np.cumsum(np.tile(p, 3))))

    def residual(before: NDArray[np.int64], at: NDArray[np.int64], after: NDArray[np.int64]) -> NDArray[np.float64]:
        posts = sums[at + bins] - sums[before + bins]
        return np.asarray(np.abs(p[at - 1] * (after - at) - posts), dtype=np.float64)

    a, b, c = nodes[:, None, None], nodes[None, :, None], nodes[None, None, :]
    inner = np.where((a < b) & (b < c), residual(a, b, c), np.inf)
    best_value, best_points = np.inf, tuple[int, ...]()
    for first in range(size - m + 1):
        start = nodes[first]
        for second in range(first + 1, size - m + 2):
            # after[a, b]: least residual of everything from point b on, when a precedes it; b is the last one at first.
            opening = residual(nodes - bins, np.full(size, start), np.full(size, nodes[second]))
            closing = residual(nodes[:, None], nodes[None, :], np.full((1, 1), start + bins))
            after = np.where(nodes[:, None] < nodes[None, :], closing + opening[None, :], np.inf)
            layers = [after]
            for _ in range(m - 2):
                after = (inner[first:, first:, first:] + layers[-1][None, first:, first:]).min(axis=2)
                full = np.full((size, size), np.inf)
                full[first:, first:] = after
                layers.append(full)
            value = layers[-1][first, second]
            if value < best_value:
                best_value, best_points = value, _follow(inner, layers, first, second, nodes)
    return best_points


def _follow(
    inner: NDArray[np.float64], layers: list[NDArray[np.float64]], first: int, second: int, nodes: NDArray[np.int64]
) -> tuple[int, ...]:
    chosen = [first, second]
    for after in reversed(layers[:-1]):
        a, b = chosen[-2:]
        chosen.append(int((inner[a, b] + after[b]).argmin()))
    return tuple(int(nodes[k]) for k in chosen)


def paper_rule(days: DailyCounts, m: int, absolute: bool = False) -> Optimum:
    """The selection rules of the two papers (§5.15): among the optima τ(j) of the first j days, the best over all i.

    ICACC 2011 sums D(i, τ(j)); NCSEC 2010 (`absolute`) sums |D(i, τ(j)) - D(i, τ(i))|. They choose alike.
    """
    cumulative = days.counts.cumsum(axis=0)
    if len(cumulative) == 0:
        return optimum(np.zeros(days.bins), m)
    optima = [optimum(row, m) for row in cumulative]
    delays = np.array([[total_delay(row, choice.points) for row in cumulative] for choice in optima])
    own = np.array([choice.total for choice in optima])
    scores = np.abs(delays - own).sum(axis=1) if absolute else delays.sum(axis=1)
    chosen = optima[int(scores.argmin())]
    return Optimum(chosen.points, total_delay(cumulative[-1], chosen.points))


def choose_m(counts: ArrayLike, target: float) -> int | None:
    """The fewest polls per period whose learned mean delay (bins per post) is at most the target; None if none is.

    It asks the feed itself where the thesis reads a table made of other feeds (§5.10).
    """
    histogram = np.asarray(counts, dtype=np.float64)
    posts = histogram.sum()
    low, high = 1, len(histogram)
    if posts == 0:
        return 1
    if target < 0:
        return None
    while low < high:  # the optimum never grows with m
        middle = (low + high) // 2
        if optimum(histogram, middle).total / posts <= target:
            high = middle
        else:
            low = middle + 1
    return low


# Table 5.10: upper end of the mean delay (rounded hours per item) with m = 1..8 polls a day, over all 15 feeds.
TABLE_5_10 = (10.0, 5.0, 3.3, 2.5, 1.9, 1.4, 1.2, 1.0)


def choose_m_by_table(target: float) -> int | None:
    """The smallest m of Table 5.10 whose upper bound is at most the target in hours (§5.10); None below an hour."""
    return next((m for m, upper in enumerate(TABLE_5_10, start=1) if upper <= target), None)
