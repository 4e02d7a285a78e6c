"""Crawl a graph: the loop and the strategies of a live crawl, on a web that does not change, with a virtual clock.

The five nouns in the lab: `ReplayWeb` answers from the graph, `GraphJudge` looks up the truth of a page, the frontier
is in memory and keeps no pauses, a `Record` of the order of pages replaces the archive and ends the crawl when it is
full, and the strategy is the one that would run live.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import overload

import numpy as np
from numpy.typing import NDArray

from phasa.crawl import loop
from phasa.crawl.answer import Answer, Kind
from phasa.crawl.clock import VirtualClock
from phasa.crawl.judge import Judge, Judgement
from phasa.crawl.seeds import plant
from phasa.crawl.settle import Parts
from phasa.crawl.strategy import OutLinks, Seed, Strategy
from phasa.errors import PhasaError
from phasa.frontier.budgets import NO_LIMITS, Budgets
from phasa.frontier.memory import MemoryFrontier
from phasa.frontier.politeness import FREE
from phasa.frontier.protocol import Lease
from phasa.frontier.rules import Rules
from phasa.lab.graph import OK, Graph
from phasa.lab.pace import LoopClock, Pace, TimedWeb, run_skipping
from phasa.lab.phrases import PER_LANGUAGE
from phasa.lab.record import ENOUGH, Record
from phasa.web.url import Url


class LabError(PhasaError):
    """An experiment went wrong."""


class Column(Sequence[str]):
    """One text per link of a page, looked up only when it is read."""

    __slots__ = ("_links", "_text")

    def __init__(self, text: Callable[[int], str], links: Sequence[int]) -> None:
        """`text` gives the text of a link."""
        self._text = text
        self._links = links

    def __len__(self) -> int:
        return len(self._links)

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> list[str]: ...
    def __getitem__(self, index: int | slice) -> str | list[str]:
        if isinstance(index, slice):
            return [self._text(link) for link in self._links[index]]
        return self._text(self._links[index])

    def __iter__(self) -> Iterator[str]:
        return map(self._text, self._links)


class GraphAnswer(Answer, frozen=True):
    """A page of a graph, with its number there."""

    number: int = -1


class ReplayWeb:
    """The web of a graph. What is behind a URL can only be known by fetching it, as on the live web."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.requests = 0
        """Requests so far, those for pages that a knowledge base was learned from left out."""
        self._measured = None if graph.trained is None else (~graph.trained).tolist()
        self._status = graph.status.tolist()
        self._offsets = graph.offsets.tolist()
        self._language = graph.language.tolist()
        self._hints = ("", *graph.languages)
        self._has_hint = (
            None
            if graph.hint is None
            else np.add.reduceat(np.append(graph.hint, 0), np.minimum(graph.offsets[:-1], len(graph.hint)))
            .astype(bool)
            .tolist()
        )

    async def address(self, lease: Lease) -> str:
        return ""

    async def get(self, lease: Lease) -> Answer:
        graph = self.graph
        page = graph.find(lease.url)
        self.requests += self._measured is None or page < 0 or self._measured[page]
        if page < 0:
            return Answer(Kind.OTHER, "404 not found", status=404)
        status = self._status[page]
        if status == OK:
            return self.page(page)
        if (moved := int(graph.moved[page])) >= 0:
            return Answer(Kind.MOVED, "moved", status=status, target=Url(graph.url(moved)))
        return Answer(Kind.OTHER, f"status {status}", status=status)

    def page(self, page: int) -> GraphAnswer:
        """The answer that a page of the graph is."""
        graph = self.graph
        country = "" if graph.country is None else graph.countries[int(graph.country[page])]
        return GraphAnswer(Kind.PAGE, "", status=OK, country=country, links=self.out_links(page), number=page)

    def out_links(self, page: int) -> OutLinks:
        """The links of a page: addresses, anchors, what stands around them, hreflang. Each address once, where it
        stands first, and not its own, as a live crawl reads them."""
        first, last = self._offsets[page], self._offsets[page + 1]
        targets = self.graph.targets[first:last].tolist()
        links = self._all_links(page, first, last, targets)
        places = {target: place for place, target in reversed(list(enumerate(targets))) if target != page}
        return links if len(places) == len(targets) else links.pick(sorted(places.values()))

    def _all_links(self, page: int, first: int, last: int, targets: list[int]) -> OutLinks:
        graph = self.graph
        urls = graph.addresses.urls(targets)
        if graph.phrases is None or graph.phrase is None:
            return OutLinks(urls)
        numbers = graph.phrase[first:last]
        texts = graph.phrases.texts
        start = graph.phrases.starts.get(graph.languages[self._language[page]])
        around: Sequence[str] = ()
        if graph.around is not None:
            around = graph.around(page)
        elif start is not None:
            around = Column(lambda link: texts[start + (link * 31 + page) % PER_LANGUAGE], range(first, last))
        hints: Sequence[str] = ()
        if self._has_hint is not None and self._has_hint[page] and graph.hint is not None:
            hints = Column(self._hints.__getitem__, graph.hint[first:last].tolist())
        return OutLinks(
            urls, Column(texts.__getitem__, numbers.tolist()), around, hints, graph.phrases.similarity[numbers]
        )


class GraphJudge:
    """Judges a page by what the graph says of it."""

    def __init__(self, graph: Graph) -> None:
        self._languages = graph.languages
        self._wanted = graph.wanted.tolist()
        self._scores = graph.similarity.tolist()
        self._language = graph.language.tolist()

    def judge(self, answer: Answer) -> Judgement:
        page = page_of(answer)
        return Judgement(self._wanted[page], self._scores[page], self._languages[self._language[page]], "graph")


def page_of(answer: Answer) -> int:
    """The number of the page in the graph that `ReplayWeb` answered with."""
    assert isinstance(answer, GraphAnswer)
    return answer.number


@dataclass(frozen=True)
class Crawl:
    """What a replayed crawl fetched."""

    strategy: str
    pages: NDArray[np.int64]
    """Pages in the order of their fetch, trained ones left out."""
    fetches: int
    """Requests, those that brought no page included."""
    requested: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    """How many requests had been made when each page came, itself included."""
    seconds: float = 0.0
    """What it would have taken live, when it was replayed at a pace."""

    def first(self, pages: int) -> Crawl:
        """The crawl up to so many pages."""
        if len(self.pages) <= pages:
            return self
        fetches = int(self.requested[pages - 1])
        return replace(self, pages=self.pages[:pages], requested=self.requested[:pages], fetches=fetches)

    def harvest(self, graph: Graph, every: int = 100) -> NDArray[np.float64]:
        """Eq. 16 after each `every` pages: share of the pages so far that are in the language."""
        found = np.cumsum(graph.wanted[self.pages])
        marks = np.arange(every, len(self.pages) + 1, every)
        return found[marks - 1] / marks

    def found_by(self, graph: Graph, fetches: int) -> int:
        """Pages in the language that so many requests brought, those that brought no page included."""
        return int(graph.wanted[self.pages[: int(np.searchsorted(self.requested, fetches, side="right"))]].sum())

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


def replay(
    graph: Graph,
    strategy: Strategy,
    seeds: Sequence[Seed],
    pages: int,
    budgets: Budgets = NO_LIMITS,
    judge: Judge | None = None,
    pace: Pace | None = None,
    draw: int = 1,
    web: ReplayWeb | None = None,
) -> Crawl:
    """Crawl until so many pages were counted or no URL waits. Among equal priorities the URL found first goes first.

    Without a `judge` pages are what the graph says, and without a `web` what is on them. With a `pace` it goes as a
    live crawl does, many requests at a time, each taking as long as `draw` says. Raises LabError when the strategy
    raised an error.
    """
    measured = None if graph.trained is None else graph.measured.tolist()

    web = web or ReplayWeb(graph)
    requested: list[int] = []

    def counted(answer: Answer, judgement: Judgement) -> int | None:
        page = page_of(answer)
        if measured is not None and not measured[page]:
            return None
        requested.append(web.requests)
        return page

    manners = pace.manners if pace is not None else FREE
    frontier = MemoryFrontier(Rules(strategy.rediscovery, manners=manners, budgets=budgets))
    plant(frontier, strategy, seeds)
    timed = TimedWeb(web, pace, draw) if pace is not None else None

    async def run() -> Crawl:
        order = Record(pages, counted, lambda: crawl.stop(ENOUGH))
        judges = judge or GraphJudge(graph)
        if pace is not None and timed is not None:
            parts = Parts(timed, judges, strategy, frontier, LoopClock(), archive=order)
            slots, tolerance = pace.connections, pace.tolerance
            # The page limit is a budget here, as live: near it no more requests go out than there are pages left.
            limit = Budgets(pages=pages if measured is None else 0)
            crawl = loop.Crawl(parts, manners=manners, budgets=limit, slots=slots, tolerance=tolerance)
        else:
            parts = Parts(web, judges, strategy, frontier, VirtualClock(), archive=order)
            crawl = loop.Crawl(parts, manners=FREE, budgets=NO_LIMITS)
        outcome = await crawl.run()
        if crawl.errors:
            raise LabError(f"{len(crawl.errors)} errors while replaying; the first: {crawl.errors[0]}")
        found, times = np.array(order.values, dtype=np.int64), np.array(requested, dtype=np.int64)
        seconds = timed.seconds if timed is not None else 0.0
        return Crawl(strategy.name, found, outcome.fetches, times, seconds)

    return run_skipping(run()) if pace is not None else asyncio.run(run())
