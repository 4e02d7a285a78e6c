"""The best m polling points on a circle of bins: exactly, by a dynamic program instead of enumeration (spec §5.5-5.8).

A histogram has B bins, numbered 1..B; bin i holds the posts of [i-1, i) bin widths after the period's start. A point
τ in 1..B is a poll at the end of bin τ, so τ = B is the end of the period (midnight). Posts of a bin wait for the next
point, round the circle. All costs are whole-bin ("rounded") delays; the sub-bin part does not depend on the points
(Theorem 1). Sums are made in float64, exact for whole counts as long as posts × B² < 2⁵³.

The cost of serving bins a+1..b by a poll at b, C(a, b), has the Monge property, which gives three things used here:
best predecessors move monotonically (a layer costs O(B log B)); optimal solutions from different starts can be taken
not to cross (only starts inside one gap need trying, each in a narrow window); the optimum is convex in m.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from phasa.errors import InputError

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class Optimum(NamedTuple):
    """Chosen points, ascending, and the total rounded delay of the histogram under them, in bins."""

    points: tuple[int, ...]
    total: float


def total_delay(counts: ArrayLike, points: ArrayLike) -> float:
    """Lemma 5: what the posts of the histogram wait in total, in bins, under the given points (any order)."""
    histogram, taus = np.asarray(counts, dtype=np.float64), np.sort(np.asarray(points, dtype=np.int64))
    bins = len(histogram)
    if len(taus) == 0 or taus[0] < 1 or taus[-1] > bins:
        raise InputError(f"polling points {tuple(taus)}: give at least one, each from 1 to {bins}")
    circle = np.append(taus, taus[0] + bins)
    each = np.arange(1, bins + 1)
    return float(histogram @ (circle[np.searchsorted(circle, each)] - each))


def optimum(counts: ArrayLike, m: int, spacing: int = 1) -> Optimum:
    """The m points with least total delay; among equals the lexicographically first tuple, as enumeration finds it.

    `spacing` is the least distance between two polls in bins (also across the period's end). Raises InputError when m
    points do not fit.
    """
    return optima(counts, [m], spacing)[0]


def optima(counts: ArrayLike, ms: Sequence[int], spacing: int = 1) -> list[Optimum]:
    """`optimum` for several m at once, sharing what they have in common.

    The tie-break is kept for whole counts; where rates are fractions, ties are a matter of rounding anyway.
    """
    histogram = _checked(counts, max(ms), spacing)
    whole = bool((histogram == np.floor(histogram)).all())
    opened = _Line(histogram, 1, spacing)
    layers = opened.layers(max(ms)) if max(ms) > 1 else []
    found: list[Optimum] = []
    for m in ms:
        if m == 1:
            singles = _every_single(histogram)
            found.append(Optimum((int(singles.argmin()) + 1,), float(singles.min())))
            continue
        total, cycle = _best_cycle(histogram, spacing, opened.rebuild(layers, m))
        start = int(cycle[0]) + 1
        if whole:
            line = opened if start == 1 else _Line(histogram, start, spacing)
            cycle = line.rebuild(layers if start == 1 else line.layers(m), m) + (start - 1)
        # Points pass the period's end only when fractions tie within rounding: turn them back.
        points = np.sort(cycle[:-1] % len(histogram) + 1)
        found.append(Optimum(tuple(points.tolist()), total if whole else total_delay(histogram, points)))
    return found


def _every_single(histogram: Floats) -> Floats:
    """Total delay of the single point τ, for every τ = 1..B."""
    bins = len(histogram)
    doubled = np.concatenate((histogram, histogram))
    posts = np.concatenate(([0.0], np.cumsum(doubled)))
    moments = np.concatenate(([0.0], np.cumsum(doubled * np.arange(1, 2 * bins + 1))))
    b = np.arange(bins + 1, 2 * bins + 1)
    a = b - bins
    totals: Floats = b * (posts[b] - posts[a]) - (moments[b] - moments[a])
    return totals


def _checked(counts: ArrayLike, m: int, spacing: int) -> Floats:
    histogram = np.asarray(counts, dtype=np.float64)
    if histogram.ndim != 1 or len(histogram) == 0 or not np.isfinite(histogram).all() or (histogram < 0).any():
        raise InputError("a histogram is one row of counts, none negative")
    if m < 1 or spacing < 1 or m * spacing > len(histogram):
        raise InputError(
            f"{m} polls at least {spacing} bins apart do not fit into {len(histogram)} bins; ask for fewer"
        )
    return histogram


class _Line:
    """The circle cut open at one point: nodes 0..B, node 0 the poll at `start`, node B the same poll one period on."""

    def __init__(self, histogram: Floats, start: int, spacing: int = 1) -> None:
        self.bins = len(histogram)
        turned = np.roll(histogram, -start)
        self.posts = np.concatenate(([0.0], np.cumsum(turned)))
        self.moments = np.concatenate(([0.0], np.cumsum(turned * np.arange(1, self.bins + 1))))
        self.spacing = spacing
        # Too close a pair costs more than any schedule; growing with the lack, it keeps the Monge property.
        self.penalty = (self.posts[-1] + 1.0) * self.bins

    def cost(self, a: Ints, b: Ints) -> Floats:
        """C(a, b) = Σ of the posts of bins a+1..b times their wait for b."""
        served: Floats = b * (self.posts[b] - self.posts[a]) - (self.moments[b] - self.moments[a])
        if self.spacing > 1:
            served = served + self.penalty * np.maximum(0, self.spacing - (b - a))
        return served

    def layers(self, m: int) -> list[Floats]:
        """layers[r][b]: least cost of everything after node b with r polls strictly between b and node B."""
        nodes = np.arange(self.bins + 1)
        values = [self.cost(nodes, np.full(self.bins + 1, self.bins))]
        for rest in range(1, m):
            values.append(self._next_layer(values[-1], self.bins - rest - 1))
        return values

    def _next_layer(self, after: Floats, last: int) -> Floats:
        """W(b) = min over c in b+1..last+1 of C(b, c) + after(c), for b = 0..last, by halving."""
        values = np.full(self.bins + 1, np.inf)
        best = np.full(last + 3, last + 1, dtype=np.int64)  # best[b + 1]; guards at both ends
        best[0] = 1
        step = 1 << max(0, last.bit_length())
        while step:
            rows = np.arange(step - 1, last + 1, 2 * step)
            if len(rows):
                left = np.maximum(best[np.maximum(rows - step + 1, 0)], rows + 1)
                right = best[np.minimum(rows + step + 1, last + 2)]
                values[rows], best[rows + 1] = self._row_minima(rows, left, right, after)
            step >>= 1
        return values

    def _row_minima(self, rows: Ints, left: Ints, right: Ints, after: Floats) -> tuple[Floats, Ints]:
        lengths = right - left + 1
        offsets = np.cumsum(lengths) - lengths
        columns = np.arange(int(lengths.sum())) + np.repeat(left - offsets, lengths)
        sums = self.cost(np.repeat(rows, lengths), columns) + after[columns]
        minima = np.minimum.reduceat(sums, offsets)
        hits = np.flatnonzero(sums == np.repeat(minima, lengths))
        return minima, columns[hits[np.searchsorted(hits, offsets)]]

    def rebuild(self, layers: list[Floats], m: int) -> Ints:
        """The nodes 0 = p₀ < p₁ < … < p_m = B of the best cycle, each as early as possible."""
        nodes = np.zeros(m + 1, dtype=np.int64)
        nodes[m] = self.bins
        for k in range(1, m):
            rest = m - k - 1
            here = nodes[k - 1]
            choices = np.arange(here + 1, self.bins - rest)
            sums = self.cost(np.full(len(choices), here), choices) + layers[rest][choices]
            nodes[k] = choices[int(sums.argmin())]
        return nodes


def _best_cycle(histogram: Floats, spacing: int, guide: Ints) -> tuple[float, Ints]:
    """The least total and its cycle with the first such start, among starts in the first gap of the cycle `guide`.

    Cycles of neighbouring starts need not cross, so each start is solved between the cycles of two solved starts.
    """
    m, bins = len(guide) - 1, len(histogram)
    doubled = np.concatenate((histogram, histogram))
    posts = np.concatenate(([0.0], np.cumsum(np.roll(doubled, -1))))
    moments = np.concatenate(([0.0], np.cumsum(np.roll(doubled, -1) * np.arange(1, 2 * bins + 1))))
    penalty = (histogram.sum() + 1.0) * bins

    def cost(a: Ints, b: Ints) -> Floats:
        served = b * (posts[b] - posts[a]) - (moments[b] - moments[a])
        return np.where(b > a, served + penalty * np.maximum(0, spacing - (b - a)), np.inf)

    def solve(offset: int, low: Ints, high: Ints) -> tuple[float, Ints]:
        """The best cycle through node `offset` with point k inside low[k]..high[k]."""
        windows = [np.arange(low[k], high[k] + 1) for k in range(1, m)]
        after = cost(windows[-1], np.full(len(windows[-1]), offset + bins))
        choices: list[Ints] = []
        for k in range(m - 2, 0, -1):
            sums = cost(windows[k - 1][:, None], windows[k][None, :]) + after[None, :]
            best = sums.argmin(axis=1)
            after = sums[np.arange(len(best)), best]
            choices.append(best)
        sums = cost(np.full(len(windows[0]), offset), windows[0]) + after
        at = int(sums.argmin())
        cycle = np.empty(m + 1, dtype=np.int64)
        cycle[0], cycle[1], cycle[m] = offset, windows[0][at], offset + bins
        for k, best in enumerate(reversed(choices), start=2):
            at = int(best[at])
            cycle[k] = windows[k - 1][at]
        return float(sums.min()), cycle

    last = int(guide[1])
    # A start at node `last` may follow the guide one point on, so its cycle is bounded by the guide turned by one.
    turned = np.append(guide[1:], guide[1] + bins)
    solved: dict[int, tuple[float, Ints]] = {0: solve(0, guide, guide), last: solve(last, guide, turned)}
    open_ranges = [(0, last)]
    while open_ranges:
        left, right = open_ranges.pop()
        if right - left >= 2:
            middle = (left + right) // 2
            solved[middle] = solve(middle, solved[left][1], solved[right][1])
            open_ranges += [(left, middle), (middle, right)]
    return min((solved[offset] for offset in sorted(solved)), key=lambda found: found[0])
