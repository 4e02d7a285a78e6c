"""What a crawl by topic is measured with: harvest, coverage, F, the τ sweep, link ratios (§2.6, §4.8.2, §6.5)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from phasa.crawl.segments.segment import is_relevant
from phasa.measures import f_measure

SWEEP = (0.25, 0.5, 0.75, 1.0)


class Counted(NamedTuple):
    """Pages and relevant pages of one segment of a recorded crawl."""

    pages: int
    relevant: int

    @property
    def degree(self) -> float:
        return self.relevant / self.pages if self.pages else 0.0


class SweepRow(NamedTuple):
    """One row of Table 3."""

    threshold: float
    harvest: float
    coverage: float
    f: float


def sweep(
    segments: Mapping[str, Counted],
    links: Mapping[str, Iterable[str]],
    starts: Iterable[str],
    thresholds: Sequence[float] = SWEEP,
    *,
    count_starts: bool = True,
) -> list[SweepRow]:
    """The simulated crawl of §4.8.2 for each τ: from the segments of hop 0, only into relevant segments.

    `count_starts` False counts the pages of a start only where it is relevant itself (A18).
    """
    everything = sum(segment.relevant for segment in segments.values())
    rows = []
    for threshold in thresholds:
        visited = dict.fromkeys(key for key in starts if key in segments)
        waiting = list(visited)
        first = set(waiting)
        pages = relevant = 0
        while waiting:
            key = waiting.pop()
            segment = segments[key]
            if count_starts or key not in first or is_relevant(segment.degree, threshold):
                pages += segment.pages
                relevant += segment.relevant
            for to in links.get(key, ()):
                if to not in visited and to in segments and is_relevant(segments[to].degree, threshold):
                    visited[to] = None
                    waiting.append(to)
        harvest = relevant / pages if pages else 0.0
        coverage = relevant / everything if everything else 0.0
        rows.append(SweepRow(threshold, harvest, coverage, f_measure(harvest, coverage)))
    return rows


class SegmentLink(NamedTuple):
    """A link of the crawl whose destination was downloaded, with the three conditions of Tables 5–7."""

    source_relevant: bool
    anchor_related: bool
    address_related: bool
    destination_relevant: bool


class Ratio(NamedTuple):
    """Share of relevant destinations among the links where a condition holds, and where it does not."""

    holds: float
    fails: float


def link_ratio(links: Sequence[SegmentLink], condition: Callable[[SegmentLink], bool]) -> Ratio:
    """R(cond) and R(not cond) of §6.5; 0 where there is no such link."""
    sides: tuple[list[bool], list[bool]] = ([], [])
    for link in links:
        sides[condition(link)].append(link.destination_relevant)
    holds, fails = (sum(side) / len(side) if side else 0.0 for side in (sides[1], sides[0]))
    return Ratio(holds, fails)


def link_tables(links: Sequence[SegmentLink]) -> dict[str, Ratio]:
    """Tables 5, 6 and 7: by class of the source, by related words in the anchors, and in the addresses."""
    return {
        "source": link_ratio(links, lambda link: link.source_relevant),
        "anchor": link_ratio(links, lambda link: link.anchor_related),
        "address": link_ratio(links, lambda link: link.address_related),
    }
