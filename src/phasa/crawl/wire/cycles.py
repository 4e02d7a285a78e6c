"""A crawl in cycles: manager → harvester → gatherer → seeder, on the one frontier and loop (persian-crawling §3.2).

The *manager* assigns a batch. The loop then is *harvester* (it fetches what is assigned and nothing else), *gatherer*
(the judge says of each page what it is) and *seeder* (its links are offered, held back until the next manager); a page
and its links are committed together, as in every crawl. What the parts know of each other is in the frontier; the
journal of the cycles says where a crawl that was killed has to go on.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from msgspec import Struct
from msgspec.structs import replace

from phasa.crawl.loop import Crawl, Outcome
from phasa.crawl.wire.counters import Cycle, counted
from phasa.crawl.wire.document import Scoring
from phasa.crawl.wire.manager import BAR, assign
from phasa.strategy_settings import CycleSettings

_MOMENT = 0.001
ALL_DONE = "all cycles that were asked for are done"


class Journal(Struct, frozen=True):
    """The cycles so far. `begun` is when the one that is under way began, None between two; `assigned` how many
    documents its manager chose, None while it works."""

    cycles: tuple[Cycle, ...] = ()
    begun: float | None = None
    assigned: int | None = None

    @property
    def stage(self) -> str:
        """Which part is at work, or would be when the crawl goes on."""
        if self.begun is None:
            return "between two cycles"
        return "manager" if self.assigned is None else "harvester, gatherer, seeder"


Keep = Callable[[Journal], None]
"""Makes the journal durable."""


async def run_cycles(
    crawl: Crawl,
    scoring: Scoring,
    settings: CycleSettings,
    cycles: int,
    journal: Journal | None = None,
    *,
    staged: bool = True,
    keep: Keep = lambda journal: None,
) -> tuple[Outcome, Journal]:
    """Go on until so many cycles are done, nothing waits, or the crawl is stopped, which leaves its cycle to be gone on
    with. `staged` says that the judge is the Persian cascade, whose stages are counted."""
    journal = journal or Journal()
    frontier, clock = crawl.parts.frontier, crawl.parts.clock
    known = {one.visit.digest for one in frontier.visited() if journal.begun is None or one.visit.at < journal.begun}
    fetches = pages = wanted = 0
    outcome = Outcome(ALL_DONE, 0, 0, 0)
    goal = len(journal.cycles) + cycles
    while len(journal.cycles) < goal:
        if journal.begun is None:
            await clock.wait(asyncio.Event(), _MOMENT)  # so that no visit of the cycle before is of this time
            journal = Journal(journal.cycles, clock.now())
            keep(journal)
        begun = journal.begun or 0.0
        if journal.assigned is None:
            number = assign(frontier, scoring, settings, len(journal.cycles) + 1, clock.now())
            if not number:
                journal = Journal(journal.cycles)
                keep(journal)
                outcome = replace(outcome, why="nothing is left to assign")
                break
            journal = replace(journal, assigned=number)
            keep(journal)
        crawl.bar = BAR
        outcome = await crawl.run()
        fetches, pages, wanted = outcome.fetches, outcome.pages, outcome.wanted
        if crawl.stopped:
            break
        done = journal.cycles[-1] if journal.cycles else Cycle()
        seconds = clock.now() - begun
        row = counted(done, frontier.visited(begun), known, journal.assigned or 0, seconds, staged=staged)
        journal = Journal((*journal.cycles, row))
        keep(journal)
        outcome = replace(outcome, why=ALL_DONE)
    return Outcome(outcome.why, fetches, pages, wanted), journal
