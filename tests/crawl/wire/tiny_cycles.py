"""A web of a few pages in a dict, crawled in cycles by the manager, loop and seeder of a live crawl."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import msgspec

from phasa.crawl import loop
from phasa.crawl.answer import Answer, Kind, OutLinks
from phasa.crawl.clock import VirtualClock
from phasa.crawl.judge import Judgement
from phasa.crawl.seeds import plant
from phasa.crawl.settle import Parts
from phasa.crawl.strategies.persian_weight import PersianWeight, Policy
from phasa.crawl.strategy import Seed
from phasa.crawl.wire.counters import Cycle
from phasa.crawl.wire.cycles import Journal, run_cycles
from phasa.crawl.wire.manager import HELD_BACK
from phasa.crawl.wire.scope import CycleScope
from phasa.frontier.budgets import NO_LIMITS
from phasa.frontier.memory import MemoryFrontier
from phasa.frontier.politeness import FREE
from phasa.frontier.protocol import Lease
from phasa.frontier.rules import Rules
from phasa.frontier.scope import ScopeSettings
from phasa.strategy_settings import CycleSettings, ScoreWeights
from phasa.web.html import Page
from phasa.web.url import Url

ANYWHERE = CycleSettings(batch=25, domains=())


class WirePage(NamedTuple):
    text: str
    links: Sequence[str]
    persian: bool
    score: float = 0.5


@dataclass
class TinyCycles:
    """A crawl of a dict; `order` is what was fetched, cycle by cycle."""

    web: Mapping[str, WirePage]
    seeds: Sequence[str]
    settings: CycleSettings = ANYWHERE
    weights: ScoreWeights = field(default_factory=ScoreWeights)
    seed: int = 0
    policy: Policy = Policy.WEIGHT
    distance: int = 3
    order: list[list[str]] = field(default_factory=list)
    journal: Journal = field(default_factory=Journal)
    heard: list[tuple[str, bool, int]] = field(default_factory=list)
    """Of each page when it was judged: its address, its flag, and how many addresses were known then."""

    def __post_init__(self) -> None:
        self.strategy = PersianWeight(self.weights, seed=self.seed, policy=self.policy, distance=self.distance)
        self.strategy.hold_back(HELD_BACK)
        scope = CycleScope(ScopeSettings(), self.settings.domains)
        budgets = msgspec.structs.replace(NO_LIMITS, pages_per_host=self.settings.pages_per_site)
        self.frontier = MemoryFrontier(Rules(self.strategy.rediscovery, scope, budgets=budgets))
        plant(self.frontier, self.strategy, [Seed(url) for url in self.seeds])
        self.clock = VirtualClock(1000.0)

    async def address(self, lease: Lease) -> str:
        return ""

    async def get(self, lease: Lease) -> Answer:
        page = self.web.get(lease.url)
        self.order[-1].append(lease.url)
        await self.clock.wait(asyncio.Event(), 0.5)
        if page is None:
            return Answer(Kind.OTHER, "404", status=404)
        links = OutLinks(list(page.links), [f"to {url}" for url in page.links])
        return Answer(Kind.PAGE, status=200, page=Page(Url(lease.url), "", page.text, ()), links=links)

    def judge(self, answer: Answer) -> Judgement:
        assert answer.page is not None
        page = self.web[answer.page.url]
        self.heard.append((answer.page.url, page.persian, len(list(self.frontier.queue()))))
        return Judgement(page.persian, page.score if page.persian else 0.0, "fa" if page.persian else "en")

    def run(self, cycles: int) -> list[Cycle]:
        for _ in range(cycles):
            self.order.append([])
            crawl = loop.Crawl(
                Parts(self, self, self.strategy, self.frontier, self.clock), manners=FREE, budgets=NO_LIMITS
            )
            _, self.journal = asyncio.run(
                run_cycles(crawl, self.strategy.scoring, self.settings, 1, self.journal, keep=self.keep)
            )
            assert not crawl.errors
        return list(self.journal.cycles)

    def keep(self, journal: Journal) -> None:
        """Nothing: the journal is returned."""

    @property
    def fetched(self) -> list[str]:
        return [url for batch in self.order for url in batch]

    def waiting(self) -> set[str]:
        return {one.url for one in self.frontier.queue()}
