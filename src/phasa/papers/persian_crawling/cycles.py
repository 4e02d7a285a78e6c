"""The crawl in cycles of the Persian note (§4.6): score and batch, fetch, judge, add links; figures per cycle.

`phasa.crawl.wire` is the published system itself: four programs that share nothing but a metadata store, which they ask
for every link. That is right for a crawl that may be stopped between any two of them and far too slow for the hundred
crawls of the experiments. This is its fast form, in memory and for any strategy; the tests hold it to the slow one,
cycle by cycle.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from heapq import nlargest

import numpy as np
from numpy.typing import NDArray

from phasa.crawl.addresses import host_of, tld_of
from phasa.crawl.judge import Judgement
from phasa.crawl.strategy import DROP, JudgedPage, Seed, Strategy
from phasa.lab.graph import OK, Graph
from phasa.lab.replay import ReplayWeb

ACCEPTED = frozenset(["ir", "com", "org", "net", "gov", "jp", "de", "ar", "uk", "es"])
"""Domains that the note's crawls accept; .es for its Spanish seeds (§8, item 12)."""


class Indicator(StrEnum):
    """What the detector of the note looks at (E5)."""

    META = "meta"
    CONTENT = "content"
    COMBINED = "combined"


@dataclass(frozen=True)
class Limits:
    """The caps of §4.7 and what is the same in all runs."""

    batch: int = 1800
    pages_per_site: int = 6000
    sites: int = 6000
    domains: frozenset[str] = ACCEPTED


@dataclass(frozen=True)
class Cycle:
    """Figures after a cycle, all cumulative."""

    number: int
    processed: int
    parsed: int
    persian: int

    @property
    def ratio(self) -> float:
        """R(c, w): Persian pages among the parsed."""
        return self.persian / self.parsed if self.parsed else 0.0


@dataclass(frozen=True)
class CycledCrawl:
    """What a crawl in cycles found."""

    cycles: list[Cycle]
    persian: NDArray[np.int64]
    """Pages marked as Persian, in the order of their fetch."""
    parsed: NDArray[np.int64]


def detected(graph: Graph, indicator: Indicator) -> NDArray[np.bool_]:
    """Which pages the detector marks as being in the language."""
    if graph.declared is None or graph.content is None:
        return graph.wanted
    by_mode = {
        Indicator.META: graph.declared,
        Indicator.CONTENT: graph.content,
        Indicator.COMBINED: graph.declared | graph.content,
    }
    return np.asarray(by_mode[indicator] & (graph.status == OK))


def run_cycles(
    graph: Graph,
    strategy: Strategy,
    seeds: Sequence[Seed],
    cycles: int,
    limits: Limits | None = None,
    indicator: Indicator = Indicator.COMBINED,
) -> CycledCrawl:
    """Crawl in cycles. The links of a cycle's pages are scheduled from the next cycle on."""
    limits = limits or Limits()
    web, marks = ReplayWeb(graph), detected(graph, indicator).tolist()
    store = _Store(limits)
    offers = strategy.start(seeds)
    store.add([seed.url for seed in seeds], offers.priorities.tolist(), offers.notes, 1)
    rows: list[Cycle] = []
    parsed: list[int] = []
    persian: list[int] = []
    processed = 0
    for number in range(1, cycles + 1):
        batch = store.batch()
        found: list[tuple[Sequence[str], list[float], Sequence[bytes], int]] = []
        for url, note, depth in batch:
            processed += 1
            page = graph.find(url)
            if page >= 0 and graph.status[page] != OK and graph.moved[page] >= 0:
                page = int(graph.moved[page])
            if page < 0 or graph.status[page] != OK or not store.first_visit(page):
                continue
            parsed.append(page)
            if marks[page]:
                persian.append(page)
            judgement = Judgement(marks[page], float(graph.similarity[page]), graph.target if marks[page] else "und")
            links = web.out_links(page)
            offers = strategy.page(JudgedPage(url, judgement, links, note, depth))
            found.append((links.urls, offers.priorities.tolist(), offers.notes, depth + 1))
        for urls, priorities, notes, depth in found:
            store.add(urls, priorities, notes, depth)
        rows.append(Cycle(number, processed, len(parsed), len(persian)))
    return CycledCrawl(rows, np.array(persian, dtype=np.int64), np.array(parsed, dtype=np.int64))


class _Store:
    """The metadata store as far as scheduling needs it."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._waiting: dict[str, tuple[float, int, bytes, int]] = {}
        self._known: set[str] = set()
        self._visited: set[int] = set()
        self._per_site: Counter[str] = Counter()
        self._serial = 0

    def first_visit(self, page: int) -> bool:
        """Whether a page was not parsed before under another address."""
        if page in self._visited:
            return False
        self._visited.add(page)
        return True

    def add(self, urls: Sequence[str], priorities: list[float], notes: Sequence[bytes], depth: int) -> None:
        """The seeder: new addresses within the caps; a waiting one keeps the higher priority (its flags are OR-ed)."""
        for number, url in enumerate(urls):
            if priorities[number] == DROP:
                continue
            waiting = self._waiting.get(url)
            if waiting is not None:
                if priorities[number] > waiting[0]:
                    self._waiting[url] = (priorities[number], waiting[1], notes[number], waiting[3])
                continue
            if url in self._known or not self._accepts(url):
                continue
            self._known.add(url)
            self._serial += 1
            self._waiting[url] = (priorities[number], -self._serial, notes[number] if notes else b"", depth)

    def _accepts(self, url: str) -> bool:
        host = host_of(url)
        if tld_of(host) not in self._limits.domains:
            return False
        if host not in self._per_site and len(self._per_site) >= self._limits.sites:
            return False
        if self._per_site[host] >= self._limits.pages_per_site:
            return False
        self._per_site[host] += 1
        return True

    def batch(self) -> list[tuple[str, bytes, int]]:
        """The manager: the best of what waits, the first found among equals."""
        best = nlargest(self._limits.batch, self._waiting.items(), key=lambda item: item[1][:2])
        for url, _ in best:
            del self._waiting[url]
        return [(url, note, depth) for url, (_, _, note, depth) in best]
