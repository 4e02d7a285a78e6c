"""A web on paper: URL → links, for tests of the loop. What a URL answers is written down beforehand."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence

from phasa.crawl.answer import Answer, Kind
from phasa.crawl.clock import VirtualClock
from phasa.crawl.judge import Judgement
from phasa.crawl.loop import Crawl, Outcome
from phasa.crawl.record import Archive, Log
from phasa.crawl.seeds import plant
from phasa.crawl.settle import Parts
from phasa.crawl.strategies.breadth_first import BreadthFirst
from phasa.crawl.strategy import OutLinks, Seed, Strategy
from phasa.frontier.budgets import NO_LIMITS, Budgets
from phasa.frontier.memory import MemoryFrontier
from phasa.frontier.politeness import FREE, Politeness
from phasa.frontier.protocol import Frontier, Lease
from phasa.frontier.rules import Rules

Reply = Answer | Sequence[str] | list[Answer]


class PaperWeb:
    """Answers from a table; `asked` has the URLs in the order they were asked for, `times` when."""

    def __init__(self, table: Mapping[str, Reply], clock: VirtualClock | None = None) -> None:
        self.table = dict(table)
        self.clock = clock or VirtualClock()
        self.asked: list[str] = []
        self.times: list[float] = []

    async def address(self, lease: Lease) -> str:
        return ""

    async def get(self, lease: Lease) -> Answer:
        self.asked.append(lease.url)
        self.times.append(self.clock.now())
        reply = self.table.get(lease.url, Answer(Kind.OTHER, "404", 404))
        if isinstance(reply, Answer):
            return reply
        if isinstance(reply, list) and reply and isinstance(reply[0], Answer):
            return reply.pop(0)  # one answer after the other
        urls = [str(url) for url in reply]
        return Answer(Kind.PAGE, "200", 200, "text/html", size=1000, links=OutLinks(urls))

    def judge(self, answer: Answer) -> Judgement:
        wanted = "thai" in self.asked[-1]
        return Judgement(wanted, float(wanted), "th" if wanted else "en", "paper")


def crawl(
    web: PaperWeb,
    seeds: Sequence[str],
    *,
    strategy: Strategy | None = None,
    frontier: Frontier | None = None,
    manners: Politeness = FREE,
    budgets: Budgets = NO_LIMITS,
    archive: Archive | None = None,
    log: Log | None = None,
) -> tuple[Outcome, Frontier, Crawl]:
    """Crawl a paper web to its end."""
    strategy = strategy or BreadthFirst()
    frontier = frontier or MemoryFrontier(Rules(strategy.rediscovery, budgets=budgets, manners=manners))
    plant(frontier, strategy, [Seed(url) for url in seeds])
    run = Crawl(Parts(web, web, strategy, frontier, web.clock, archive, log), manners=manners, budgets=budgets)
    return asyncio.run(run.run()), frontier, run
