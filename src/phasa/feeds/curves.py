"""What m polls a day are worth to each of very many feeds: the optimum for every m at once, feeds side by side.

The same program as `circle.optimum`, laid out so that one array operation serves a block of feeds (the feed is the last
axis). For B bins it costs about B⁴/24 additions per feed, so it is meant for 24 or 48 bins; 100,000 feeds of 24 bins
take seconds.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from phasa.errors import InputError

BLOCK = 256

Floats = NDArray[np.float64]


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
