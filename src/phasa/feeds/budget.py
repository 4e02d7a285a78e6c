"""How many polls each of many feeds should get under one budget (spec §2.3; research/feeds.md §3.2).

The least delay of a feed is convex in its number of polls, so the best split gives each next poll to the feed that it
helps most, until the budget is used: equal marginal gain. Limits per host are one more counter in the same pass.

What m polls a day are worth to each feed (`curves`) is the program of `circle.optimum` for every m at once, laid out so
that one array operation serves a block of feeds (the feed is the last axis). For B bins it costs about B⁴/24 additions
per feed, so it is meant for 24 or 48 bins; 100,000 feeds of 24 bins take seconds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from phasa.errors import InputError

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# Slow feeds may be polled every 7, 6, … 2 days only.
SLOWEST = 7
RARE = np.arange(SLOWEST, 1, -1)
# Feeds that one array operation serves.
BLOCK = 256


@dataclass(frozen=True)
class Allocation:
    """What one feed gets: polls a day (a fraction when polled every few days), its points, and the expected delays."""

    per_day: float
    points: tuple[int, ...]
    every_days: int
    mean_delay: float
    next_gain: float


def square_root(rates: ArrayLike, budget: float, weights: ArrayLike | None = None) -> Floats:
    """Resource allocation (Sia and Cho): m_i = M √(w_i λ_i) / Σ_j √(w_j λ_j), as real numbers."""
    rate = np.asarray(rates, dtype=np.float64)
    weight = np.ones_like(rate) if weights is None else np.asarray(weights, dtype=np.float64)
    roots = np.sqrt(rate * weight)
    total = roots.sum()
    if total == 0:
        return np.full(len(rate), budget / max(1, len(rate)))
    return np.asarray(budget * roots / total, dtype=np.float64)


def allocate(
    delays: Floats, sizes: Floats, budget: float, hosts: Sequence[str] = (), limits: Mapping[str, float] | None = None
) -> Ints:
    """The level of each feed: delays[i, l] is feed i's delay at level l, which costs sizes[l] polls a day (rising).

    Level -1 is no polls. Steps are taken in the order of delay saved per poll while the budget and the limit of the
    feed's host allow. Exact when delays are convex in the polls and steps are equal; else within one step of it.
    """
    if delays.ndim != 2 or delays.shape[1] != len(sizes):
        raise InputError("one delay is needed for each feed and level")
    cost = np.diff(sizes, prepend=0.0)
    gains = _gains(delays, sizes)
    order = np.argsort(-gains, axis=None, kind="stable")
    feeds, steps = np.divmod(order, len(sizes))
    useful = gains[feeds, steps] > 0
    feeds, steps = feeds[useful], steps[useful]
    levels = np.full(len(delays), -1, dtype=np.int64)
    if not limits:
        fits = int(np.searchsorted(np.cumsum(cost[steps]), budget * (1 + 1e-12), side="right"))
        np.maximum.at(levels, feeds[:fits], steps[:fits])
        return levels
    left, host_left = budget * (1 + 1e-12), dict(limits)
    for feed, step in zip(feeds.tolist(), steps.tolist(), strict=True):
        host = hosts[feed]
        if levels[feed] == step - 1 and cost[step] <= left and cost[step] <= host_left.get(host, np.inf) + 1e-12:
            levels[feed] = step
            left -= cost[step]
            if host in host_left:
                host_left[host] -= cost[step]
    return levels


def _gains(delays: Floats, sizes: Floats) -> Floats:
    """Delay saved per poll by each step up the ladder; the first step is worth anything."""
    saved = -np.diff(delays, axis=1) / np.diff(sizes)
    # The first level comes before all else: a feed without any poll would wait for ever.
    gains = np.concatenate((np.full((len(delays), 1), np.inf), saved), axis=1)
    # Rounding must not let a later step of a feed overtake an earlier one.
    return np.asarray(np.minimum.accumulate(gains, axis=1), dtype=np.float64)


class Levels(NamedTuple):
    """What each level of polling costs and brings: delays[i, l] of feed i at sizes[l] polls a day."""

    curves: Curves
    delays: Floats
    sizes: Floats

    def totals(self, budgets: Floats) -> Floats:
        """Delay of all posts of a day, in bins, for each budget, shared best; between two steps, of both by turns."""
        gains = _gains(self.delays, self.sizes)
        order = np.argsort(-gains, axis=None, kind="stable")
        cost = np.diff(self.sizes, prepend=0.0)
        steps = order % len(self.sizes)
        saved = -np.diff(self.delays, axis=1, prepend=self.delays[:, :1]).ravel()[order]
        spent = np.cumsum(cost[steps])
        delay = self.delays[:, 0].sum() - np.cumsum(saved)
        return np.asarray(np.interp(budgets, spent, delay), dtype=np.float64)


def levels_of(counts: Floats, weights: Floats | None = None) -> Levels:
    """The ladder of each feed: every 7, 6, … 2 days, then 1 to B polls a day."""
    found = curves(counts)
    # Polled every d days, a post waits (d - 1)/2 days more on average.
    extra = counts.sum(axis=1)[:, None] * (RARE - 1)[None, :] / 2.0 * counts.shape[1]
    delays = np.concatenate((found.totals[:, :1] + extra, found.totals), axis=1)
    if weights is not None:
        delays = delays * weights[:, None]
    return Levels(found, delays, np.concatenate((1.0 / RARE, np.arange(1, counts.shape[1] + 1))))


def share_budget(
    counts: Floats, budget: float, hosts: Sequence[str] = (), limits: Mapping[str, float] | None = None,
    weights: Floats | None = None,
) -> list[Allocation]:  # fmt: skip
    """Plans for all feeds under one budget of polls a day; rows of `counts` are posts per bin of an average day.

    Raises InputError when the budget cannot poll every feed once in SLOWEST days.
    """
    feeds = len(counts)
    if budget * SLOWEST < feeds:
        raise InputError(
            f"{budget:g} polls a day cannot serve {feeds} feeds even once in {SLOWEST} days; raise the budget"
        )
    ladder = levels_of(counts, weights)
    found, rare, posts, delays, sizes = ladder.curves, RARE, counts.sum(axis=1), ladder.delays, ladder.sizes
    levels = allocate(delays, sizes, budget, hosts, limits)
    polls = np.where(levels < len(rare), 1, levels - len(rare) + 1)
    points = plans(counts, polls.astype(np.int64), found.starts)
    every = np.where(levels < 0, 0, np.where(levels < len(rare), SLOWEST - levels, 1))
    each = np.arange(feeds)
    mean = delays[each, np.maximum(levels, 0)] / np.maximum(posts, 1e-12)
    after = np.minimum(levels + 1, len(sizes) - 1)
    gain = np.where(levels < 0, 0.0, delays[each, np.maximum(levels, 0)] - delays[each, after])
    size = np.where(levels < 0, 0.0, sizes[np.maximum(levels, 0)])
    return [
        Allocation(float(s), p if e else (), int(e), float(d), float(g))
        for s, p, e, d, g in zip(size, points, every, mean, gain, strict=True)
    ]


class Curves(NamedTuple):
    """Row i, column m-1: least total delay (bins) of feed i with m polls a period, and the first point of that plan."""

    totals: Floats
    starts: NDArray[np.int16]


def curves(counts: Floats, most: int | None = None) -> Curves:
    """Curves of the histograms in the rows of `counts`, for m = 1..most (by default every m up to the bins)."""
    if counts.ndim != 2 or counts.shape[1] == 0:
        raise InputError("histograms of many feeds are rows of equally many bins")
    feeds, bins = counts.shape
    limit = bins if most is None else min(most, bins)
    totals = np.empty((feeds, limit))
    starts = np.ones((feeds, limit), dtype=np.int16)
    for first in range(0, feeds, BLOCK):
        rows = slice(first, min(first + BLOCK, feeds))
        totals[rows], starts[rows] = _block(np.ascontiguousarray(counts[rows].T, dtype=np.float64), limit)
    return Curves(totals, starts)


def _block(histograms: Floats, limit: int) -> tuple[Floats, NDArray[np.int16]]:
    bins, feeds = histograms.shape
    inner, closing = _costs(histograms)
    best = np.full((limit, feeds), np.inf)
    starts = np.ones((limit, feeds), dtype=np.int16)
    for start in range(1, bins + 1):
        # after[b - start]: cost of everything after a poll at b until the poll at `start` of the next period
        after = closing[start:, start]
        for m in range(1, min(limit, bins - start + 1) + 1):
            if m > 1:
                size = bins - start - m + 2
                nodes = slice(start, start + size)
                later = slice(start + 1, start + size + 1)
                after = (inner[nodes, later] + after[None, 1 : size + 1]).min(axis=1)
            better = after[0] < best[m - 1]
            best[m - 1][better] = after[0][better]
            starts[m - 1][better] = start
    return best.T, starts.T


def _costs(histograms: Floats) -> tuple[Floats, Floats]:
    """inner[a, b]: C(a, b) for 1 ≤ a < b ≤ B, infinite elsewhere; closing[a, s]: C(a, s + B) for s ≤ a."""
    bins, feeds = histograms.shape
    doubled = np.concatenate((histograms, histograms))
    ranks = np.arange(1, 2 * bins + 1)[:, None]
    zero = np.zeros((1, feeds))
    posts = np.concatenate((zero, doubled.cumsum(axis=0)))
    moments = np.concatenate((zero, (doubled * ranks).cumsum(axis=0)))
    inner = np.full((bins + 1, bins + 1, feeds), np.inf)
    closing = np.full((bins + 1, bins + 1, feeds), np.inf)
    for a in range(1, bins + 1):
        b = np.arange(a + 1, bins + 1)
        inner[a, a + 1 :] = b[:, None] * (posts[b] - posts[a]) - (moments[b] - moments[a])
        e = np.arange(1, a + 1) + bins
        closing[a, 1 : a + 1] = e[:, None] * (posts[e] - posts[a]) - (moments[e] - moments[a])
    return inner, closing


def plans(counts: Floats, polls: NDArray[np.int64], starts: NDArray[np.int16]) -> list[tuple[int, ...]]:
    """The chosen points of every feed for its own number of polls; `starts` as `curves` gave them. No polls, no points.

    Feeds with the same number and the same first point are solved together.
    """
    chosen: list[tuple[int, ...]] = [() for _ in range(len(counts))]
    first = np.where(polls > 0, starts[np.arange(len(counts)), np.maximum(polls, 1) - 1], 0)
    groups: dict[tuple[int, int], list[int]] = {}
    for feed, key in enumerate(zip(polls.tolist(), first.tolist(), strict=True)):
        if key[0] > 0:
            groups.setdefault(key, []).append(feed)
    for (m, start), members in groups.items():
        for at in range(0, len(members), BLOCK):
            block = members[at : at + BLOCK]
            points = _points(np.ascontiguousarray(counts[block].T, dtype=np.float64), m, start)
            for feed, row in zip(block, points.T.tolist(), strict=True):
                chosen[feed] = tuple(row)
    return chosen


def _points(histograms: Floats, m: int, start: int) -> NDArray[np.int64]:
    feeds = histograms.shape[1]
    inner, closing = _costs(histograms)
    layers = [closing[:, start]]
    for _ in range(m - 1):
        layers.append((inner + layers[-1][None]).min(axis=1))
    points = np.empty((m, feeds), dtype=np.int64)
    points[0] = start
    each = np.arange(feeds)
    for k in range(1, m):
        sums = inner[points[k - 1], :, each] + layers[m - k - 1].T
        points[k] = sums.argmin(axis=1)
    return points
