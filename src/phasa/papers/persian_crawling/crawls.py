"""Crawls in cycles of a generated web by the manager, loop and seeder of `phasa crawl --cycles`, with the real judge.

Pages are written, decoded, parsed and judged by the Persian cascade as live ones are; what it found is kept, so that
many crawls of one web read a page once.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from phasa.crawl import loop
from phasa.crawl.answer import Answer
from phasa.crawl.clock import VirtualClock
from phasa.crawl.judge import Judgement
from phasa.crawl.record import content_digest
from phasa.crawl.seeds import plant
from phasa.crawl.settle import Parts
from phasa.crawl.strategies.persian_weight import PersianWeight
from phasa.crawl.strategy import Seed
from phasa.crawl.wire.counters import Cycle
from phasa.crawl.wire.cycles import run_cycles
from phasa.crawl.wire.manager import HELD_BACK
from phasa.crawl.wire.scope import CycleScope
from phasa.frontier.budgets import NO_LIMITS, Budgets
from phasa.frontier.memory import MemoryFrontier
from phasa.frontier.politeness import FREE
from phasa.frontier.protocol import Lease
from phasa.frontier.rules import Rules
from phasa.frontier.scope import ScopeSettings
from phasa.lab.markup import write_page
from phasa.lab.record import Record
from phasa.lab.replay import GraphAnswer, LabError, ReplayWeb, page_of
from phasa.lab.world import World
from phasa.language.detectors.persian import Finding, Mode, PersianCascade
from phasa.language.verdict import Document
from phasa.strategy_settings import CycleSettings, ScoreWeights
from phasa.web.charset import decode
from phasa.web.html import Page, read_page
from phasa.web.url import Url

ACCEPTED = (*CycleSettings().domains, "es")
"""Domains that the note's crawls accept; .es for its Spanish seeds (§8, item 12)."""


class Indicator(StrEnum):
    """What the detector of the note looks at (E5)."""

    META = "meta"
    CONTENT = "content"
    COMBINED = "combined"


class Reading(NamedTuple):
    """What the detector found on a page, and what tells copies of it."""

    tagged: bool
    content: Finding
    fingerprint: str
    beginning: str

    def finding(self, indicator: Indicator) -> Finding:
        """What the cascade says when it may look at this much."""
        if indicator is not Indicator.CONTENT and (self.tagged or indicator is Indicator.META):
            return Finding(self.tagged, 1, 0)
        return self.content


class Readings:
    """The pages of a world as the detector sees them, each read when it is asked for first."""

    def __init__(self, world: World) -> None:
        self.world = world
        self._tag, self._words = PersianCascade(Mode.META), PersianCascade(Mode.CONTENT)
        self._known: dict[int, Reading] = {}

    def of(self, number: int) -> Reading:
        known = self._known.get(number)
        if known is None:
            known = self._known[number] = self._read(number)
        return known

    def _read(self, number: int) -> Reading:
        text = decode(write_page(self.world, number).body, "text/html", "fa")
        page = read_page(text.text, Url(self.world.url(number)), tags=frozenset())
        declared = page.lang or (page.languages[0] if page.languages else None)
        document = Document(page.text, text.charset, declared)
        letters = "".join(chr(ord("a") + int(digit, 16)) for digit in f"{content_digest(page.text):x}")
        return Reading(
            self._tag.find(document).is_persian, self._words.find(document), letters, " ".join(page.text.split())[:80]
        )


class ReadWeb(ReplayWeb):
    """The web of a graph, whose pages have their fingerprints for a text, so that copies are known by it."""

    def __init__(self, readings: Readings) -> None:
        super().__init__(readings.world.graph)
        self._readings = readings

    async def get(self, lease: Lease) -> Answer:
        answer = await super().get(lease)
        if not isinstance(answer, GraphAnswer):
            return answer
        text = self._readings.of(answer.number).fingerprint
        return GraphAnswer(
            answer.kind,
            status=answer.status,
            country=answer.country,
            links=answer.links,
            number=answer.number,
            page=Page(Url(lease.url), "", text, ()),
        )


class CascadeJudge:
    """Judges a page by what the cascade found on it."""

    def __init__(self, readings: Readings, indicator: Indicator) -> None:
        self._readings = readings
        self._indicator = indicator

    def judge(self, answer: Answer) -> Judgement:
        finding = self._readings.of(page_of(answer)).finding(self._indicator)
        score = 0.0 if not finding.is_persian else 1.0 if finding.stage == 1 else finding.hits / (finding.hits + 1)
        return Judgement(finding.is_persian, score, "fa" if finding.is_persian else "und", f"stage {finding.stage}")


@dataclass(frozen=True)
class CycledCrawl:
    """What a crawl in cycles found."""

    cycles: list[Cycle]
    persian: NDArray[np.int64]
    """Pages marked as Persian, in the order of their fetch."""
    parsed: NDArray[np.int64]


def crawl_cycles(
    readings: Readings,
    seeds: Sequence[Seed],
    cycles: int,
    settings: CycleSettings,
    weights: ScoreWeights,
    indicator: Indicator = Indicator.COMBINED,
    seed: int = 0,
) -> CycledCrawl:
    """So many cycles, or until nothing waits. The rules of a live crawl hold: domains, caps, redirects. Raises
    LabError."""
    strategy = PersianWeight(weights, seed=seed)
    strategy.hold_back(HELD_BACK)
    budgets = Budgets(pages_per_host=settings.pages_per_site, free_disk_megabytes=0.0, idle_seconds=0.0)
    rules = Rules(strategy.rediscovery, CycleScope(ScopeSettings(not_extensions=""), settings.domains), budgets=budgets)
    frontier = MemoryFrontier(rules)
    plant(frontier, strategy, seeds)

    async def run() -> CycledCrawl:
        order = Record(10**9, lambda answer, judgement: (page_of(answer), judgement.wanted), lambda: None)
        web, judge = ReadWeb(readings), CascadeJudge(readings, indicator)
        parts = Parts(web, judge, strategy, frontier, VirtualClock(), archive=order)
        crawl = loop.Crawl(parts, manners=FREE, budgets=NO_LIMITS)
        _, journal = await run_cycles(crawl, strategy.scoring, settings, cycles)
        if crawl.errors:
            raise LabError(f"{len(crawl.errors)} errors in a crawl in cycles; the first: {crawl.errors[0]}")
        parsed = np.array([page for page, _ in order.values], dtype=np.int64)
        marked = np.array([wanted for _, wanted in order.values], dtype=bool)
        return CycledCrawl(list(journal.cycles), parsed[marked], parsed)

    return asyncio.run(run())
