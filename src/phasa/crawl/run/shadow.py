"""Two estimates about a crawl that is going on: what breadth-first would have brought, and how much is still out there.

Both are estimates from what the crawl itself has seen, shown with their assumptions; neither is a measurement.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec


class Level(msgspec.Struct, frozen=True):
    """The URLs at one distance from the seeds: how many are known, were tried, gave a page, and are wanted."""

    depth: int
    known: int
    tried: int
    pages: int
    wanted: int


class ShadowPoint(msgspec.Struct, frozen=True):
    """The harvest of breadth-first after so many pages."""

    pages: int
    harvest: float


class Coverage(msgspec.Struct, frozen=True, kw_only=True):
    """How much of the wanted web is fetched, as far as can be told from inside.

    `pages` assumes that of the URLs that wait, as large a share is wanted as of the latest pages. Best-first order
    makes that too high, pages that nobody has linked to yet are not counted at all: read it as "of what is in sight".
    `hosts` is the share of Chao's lower bound (Chao1, bias-corrected) on the hosts that have wanted pages; it assumes
    that pages meet hosts at random, which a crawl does only roughly.
    """

    wanted: int
    wanted_waiting: int
    pages: float | None
    wanted_hosts: int
    hosts_at_least: float
    hosts: float | None


def shadow(levels: Sequence[Level], pages: int, points: int = 120) -> list[ShadowPoint]:
    """The harvest of a breadth-first crawl that fetches level by level what this crawl knows of.

    A level counts with all its known URLs, not only with those that were fetched; of those that were not, as large a
    share is taken to be pages, and wanted, as of those that were. That flatters breadth-first, since a best-first crawl
    has picked the better ones: an upper bound (docs/live.md says by how much). The curve ends where the known URLs of
    tried levels do, or after `pages`.
    """
    if pages <= 0:
        return []
    steps: list[tuple[float, float]] = []  # (judged pages up to the end of a level, wanted up to there)
    judged = wanted = 0.0
    for level in sorted(levels, key=lambda one: one.depth):
        if not level.pages:
            continue
        here = max(level.known, level.tried) * level.pages / level.tried
        judged += here
        wanted += here * level.wanted / level.pages
        steps.append((judged, wanted))
        if judged >= pages:
            break
    if not steps:
        return []
    end = min(pages, int(judged))
    every = max(1, -(-end // points))
    return [ShadowPoint(n, _wanted_after(steps, n) / n) for n in [*range(every, end, every), end] if n > 0]


def _wanted_after(steps: list[tuple[float, float]], pages: int) -> float:
    before = (0.0, 0.0)
    for judged, wanted in steps:
        if judged >= pages:
            share = (pages - before[0]) / (judged - before[0])
            return before[1] + share * (wanted - before[1])
        before = (judged, wanted)
    return before[1]


def coverage(
    *, wanted: int, waiting: int, latest_harvest: float, latest_pages_of_urls: float, hosts: int, once: int, twice: int
) -> Coverage:
    """The estimate. `latest_pages_of_urls` is how many of the latest URLs were pages at all; `hosts` have wanted pages,
    `once` and `twice` of them have exactly one and two."""
    waits = round(waiting * latest_harvest * latest_pages_of_urls)
    at_least = hosts + once * (once - 1) / (2.0 * (twice + 1))
    return Coverage(
        wanted=wanted,
        wanted_waiting=waits,
        pages=wanted / (wanted + waits) if wanted + waits else None,
        wanted_hosts=hosts,
        hosts_at_least=round(at_least, 1),
        hosts=hosts / at_least if at_least else None,
    )
