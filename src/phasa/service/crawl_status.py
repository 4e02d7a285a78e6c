"""What the Crawl page shows besides the numbers of this moment: the history and the tables."""

from __future__ import annotations

from itertools import pairwise

import msgspec

from phasa.collection import Collection
from phasa.crawl.run.counts import Counts, HostCount, Level, SegmentCount
from phasa.crawl.run.live_status import Sample, read_history


class CrawlHistory(msgspec.Struct, frozen=True, kw_only=True):
    """The samples of a crawl as columns, oldest first. `seconds`: time in which it worked, without the gaps."""

    time: list[float]
    seconds: list[float]
    pages: list[int]
    wanted: list[int]
    harvest_last_100: list[float]
    pages_per_second: list[float]
    waiting: list[int]
    ready_hosts: list[int]
    words_per_megabyte: list[float]
    megabytes: list[float]


class CrawlTables(msgspec.Struct, frozen=True, kw_only=True):
    """Hosts and segments with the most pages, and the URLs by their distance from the seeds.

    `counted`: share of the crawl that is counted yet; `wanted_hosts`: hosts with at least one wanted page.
    """

    counted: float
    hosts: list[HostCount]
    segments: list[SegmentCount]
    levels: list[Level]
    wanted_hosts: int


def crawl_history(collection: Collection, points: int) -> CrawlHistory:
    """The history, thinned to at most so many points; both ends stay."""
    samples = read_history(collection.reports_folder)
    if len(samples) > points:
        step = (len(samples) - 1) / (points - 1)
        samples = [samples[round(place * step)] for place in range(points)]
    seconds, rates = _worked(samples)
    return CrawlHistory(
        time=[s.time for s in samples],
        seconds=seconds,
        pages=[s.pages for s in samples],
        wanted=[s.wanted for s in samples],
        harvest_last_100=[s.harvest_last_100 for s in samples],
        pages_per_second=rates,
        waiting=[s.waiting for s in samples],
        ready_hosts=[s.ready_hosts for s in samples],
        words_per_megabyte=[round(s.words / s.megabytes, 1) if s.megabytes else 0.0 for s in samples],
        megabytes=[s.megabytes for s in samples],
    )


def _worked(samples: list[Sample]) -> tuple[list[float], list[float]]:
    """Seconds of work up to each sample, and URLs done a second before it. Gaps (pauses, other days) count nothing."""
    if not samples:
        return [], []
    steps = [later.time - earlier.time for earlier, later in pairwise(samples)]
    usual = sorted(steps)[len(steps) // 2] if steps else 1.0
    longest = max(5.0, 4.0 * usual)
    seconds, rates = [0.0], [0.0]
    for place, step in enumerate(steps, 1):
        gap = step <= 0.0 or step > longest
        seconds.append(round(seconds[-1] + (0.0 if gap else step), 1))
        done = samples[place].done - samples[place - 1].done
        rates.append(rates[-1] if gap else round(max(0, done) / step, 2))
    if len(rates) > 1:
        rates[0] = rates[1]
    return seconds, rates


def crawl_tables(counts: Counts, counted: float, limit: int) -> CrawlTables:
    """The tables as far as they are counted; `counted` is how far that is."""
    return CrawlTables(
        counted=counted,
        hosts=counts.top_hosts(limit),
        segments=counts.segments("pages", limit),
        levels=counts.levels()[:limit],
        wanted_hosts=counts.wanted_hosts(),
    )
