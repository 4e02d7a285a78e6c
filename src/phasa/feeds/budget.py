"""How many polls each of many feeds should get under one budget (spec §2.3; research/feeds.md §3.2).

The least delay of a feed is convex in its number of polls, so the best split gives each next poll to the feed that it
helps most, until the budget is used: equal marginal gain. Limits per host are one more counter in the same pass.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from phasa.errors import InputError
from phasa.feeds.curves import Curves, curves, plans

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# Slow feeds may be polled every 7, 6, … 2 days only.
SLOWEST = 7
RARE = np.arange(SLOWEST, 1, -1)


@dataclass(frozen=True)
class Share:
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


def square_root_delay(rates: ArrayLike, budget: float, weights: ArrayLike | None = None) -> float:
    """(Σ√(w λ))² / (2M): the least total delay (in periods) of steady feeds: a check for every split."""
    rate = np.asarray(rates, dtype=np.float64)
    weight = np.ones_like(rate) if weights is None else np.asarray(weights, dtype=np.float64)
    return float(np.sqrt(rate * weight).sum() ** 2 / (2.0 * budget))


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
) -> list[Share]:  # fmt: skip
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
        Share(float(s), p if e else (), int(e), float(d), float(g))
        for s, p, e, d, g in zip(size, points, every, mean, gain, strict=True)
    ]
