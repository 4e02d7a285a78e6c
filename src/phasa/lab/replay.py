"""Crawl a graph: the same strategies as live, on a web that stands still, without network and without clock."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from typing import overload

import numpy as np
from numpy.typing import NDArray

from phasa.crawl.judge import Judgement
from phasa.crawl.strategy import DROP, JudgedPage, OutLinks, Rediscovery, Seed, Strategy
from phasa.lab.graph import OK, Graph
from phasa.lab.phrases import PER_LANGUAGE


class Texts(Sequence[str]):
    """Texts chosen by number from a common list, read only when somebody looks."""

    __slots__ = ("_numbers", "_texts")

    def __init__(self, texts: Sequence[str], numbers: Sequence[int]) -> None:
        self._texts = texts
        self._numbers = numbers

    def __len__(self) -> int:
        return len(self._numbers)

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> list[str]: ...
    def __getitem__(self, index: int | slice) -> str | list[str]:
        if isinstance(index, slice):
            return [self._texts[number] for number in self._numbers[index]]
        return self._texts[self._numbers[index]]

    def __iter__(self) -> Iterator[str]:
        texts = self._texts
        return iter([texts[number] for number in self._numbers])


class ReplayWeb:
    """The pages of a graph as a strategy sees them: nothing of a page is given out before it is asked for by URL."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self._wanted = graph.wanted.tolist()
        self._scores = graph.likeness.tolist()
        self._hints = ("", *graph.languages)

    def follow(self, page: int) -> int:
        """The page that an address leads to, itself or by redirect; -1 when it leads to none."""
        graph = self.graph
        if graph.status[page] == OK:
            return page
        moved = int(graph.moved[page])
        return moved if moved >= 0 and graph.status[moved] == OK else -1

    def judged(self, page: int, note: bytes, depth: int) -> JudgedPage:
        """A page with its judgement and its links."""
        graph = self.graph
        judgement = Judgement(
            self._wanted[page], self._scores[page], graph.languages[int(graph.language[page])], "graph"
        )
        country = "" if graph.country is None else graph.countries[int(graph.country[page])]
        return JudgedPage(graph.url(page), judgement, self.out_links(page), note, depth, country)

    def out_links(self, page: int) -> OutLinks:
        """The links of a page: addresses, anchors, what stands around them, hreflang."""
        graph = self.graph
        rows = graph.links(page)
        url = graph.addresses.url
        urls = [url(target) for target in graph.targets[rows].tolist()]
        if graph.phrases is None or graph.phrase is None:
            return OutLinks(urls)
        numbers = graph.phrase[rows]
        texts = graph.phrases.texts
        start = graph.phrases.starts.get(graph.languages[int(graph.language[page])])
        around: Sequence[str] = ()
        if start is not None:
            around = Texts(texts, [start + (link * 31 + page) % PER_LANGUAGE for link in range(rows.start, rows.stop)])
        hints: Sequence[str] = ()
        if graph.hint is not None and (given := graph.hint[rows]).any():
            hints = Texts(self._hints, given.tolist())
        return OutLinks(urls, Texts(texts, numbers.tolist()), around, hints, graph.phrases.likeness[numbers])


@dataclass(frozen=True)
class Crawl:
    """What a replayed crawl fetched."""

    strategy: str
    pages: NDArray[np.int64]
    """Pages in the order of their fetch, trained ones left out."""
    fetches: int
    """Requests, those that brought no page included."""

    def harvest(self, graph: Graph, every: int = 100) -> NDArray[np.float64]:
        """Eq. 16 after each `every` pages: share of the pages so far that are in the language."""
        found = np.cumsum(graph.wanted[self.pages])
        marks = np.arange(every, len(self.pages) + 1, every)
        return found[marks - 1] / marks

    def recent(self, graph: Graph, every: int = 100) -> NDArray[np.float64]:
        """The same over the last `every` pages only."""
        found = np.concatenate([[0], np.cumsum(graph.wanted[self.pages])])
        marks = np.arange(every, len(self.pages) + 1, every)
        return np.asarray((found[marks] - found[marks - every]) / every)

    def coverage(self, graph: Graph, every: int = 100) -> NDArray[np.float64]:
        """Eq. 17: share of all pages in the language that were found; trained pages count on neither side."""
        found = np.cumsum(graph.wanted[self.pages])
        marks = np.arange(every, len(self.pages) + 1, every)
        return found[marks - 1] / max(1, int((graph.wanted & graph.measured).sum()))


class _Waiting:
    __slots__ = ("depth", "note", "priority", "serial")

    def __init__(self, priority: float, note: bytes, depth: int, serial: int) -> None:
        self.priority, self.note, self.depth, self.serial = priority, note, depth, serial


def replay(graph: Graph, strategy: Strategy, seeds: Sequence[Seed], pages: int) -> Crawl:
    """Crawl until so many pages were counted or nothing waits. Ties go to the URL that was found first."""
    web = ReplayWeb(graph)
    waiting: dict[str, _Waiting] = {}
    gone: set[str] = set()
    order: list[str] = []
    heap: list[tuple[float, int]] = []
    first_stands = strategy.rediscovery is Rediscovery.FIRST
    latest_stands = strategy.rediscovery is Rediscovery.LATEST

    def offer(urls: Sequence[str], priorities: list[float], notes: Sequence[bytes], depth: int) -> None:
        for number, url in enumerate(urls):
            if url in gone:
                continue
            priority = priorities[number]
            if priority == DROP:
                continue
            known = waiting.get(url)
            if known is None:
                serial = len(order)
                order.append(url)
                waiting[url] = _Waiting(priority, notes[number] if notes else b"", depth, serial)
                heappush(heap, (-priority, serial))
            elif not first_stands and (latest_stands or priority > known.priority):
                known.note = notes[number] if notes else b""
                if priority != known.priority:
                    known.priority = priority
                    heappush(heap, (-priority, known.serial))

    offers = strategy.start(seeds)
    offer([seed.url for seed in seeds], offers.priorities.tolist(), offers.notes, 0)
    fetched: list[int] = []
    counted = graph.measured.tolist()
    seen: set[int] = set()
    fetches = 0
    while heap and len(fetched) < pages:
        priority, serial = heappop(heap)
        url = order[serial]
        entry = waiting.get(url)
        if entry is None or entry.serial != serial or entry.priority != -priority:
            continue
        del waiting[url]
        gone.add(url)
        fetches += 1
        number = graph.find(url)
        page = web.follow(number) if number >= 0 else -1
        if page < 0:
            strategy.failed(url, entry.note)
            continue
        if page != number:
            gone.add(final := graph.url(page))
            waiting.pop(final, None)
        if page in seen:
            continue
        seen.add(page)
        judged = web.judged(page, entry.note, entry.depth)
        if counted[page]:
            fetched.append(page)
        offers = strategy.page(judged)
        offer(judged.links.urls, offers.priorities.tolist(), offers.notes, entry.depth + 1)
        for change in strategy.changes():
            known = waiting.get(change.url)
            if known is not None and known.priority != change.priority:
                known.priority = change.priority
                heappush(heap, (-change.priority, known.serial))
    return Crawl(strategy.name, np.array(fetched, dtype=np.int64), fetches)
