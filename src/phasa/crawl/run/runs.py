"""Runs of a collection as commands ask for them: how many pages there are, one process or several, what to tell."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import msgspec

from phasa.collection import Collection
from phasa.crawl.loop import Outcome
from phasa.crawl.meter import Metrics
from phasa.crawl.run.assembly import Watch, crawl_collection
from phasa.crawl.run.status import read_status
from phasa.crawl.seeds import SeedFile
from phasa.frontier.rules import Rules
from phasa.frontier.sqlite import SqliteFrontier
from phasa.frontier.traps import Traps
from phasa.plugins import absolute


class Run(NamedTuple):
    """What a run did, for the person who started it."""

    outcome: Outcome
    metrics: Metrics
    seeds: SeedFile
    failures: list[tuple[str, str]]
    errors: list[str]

    def summary(self) -> str:
        """The run in one line."""
        m = self.metrics
        return (
            f"{self.outcome.fetches:,} fetches, {m.done:,} URLs done in all, {m.pages:,} pages, {m.wanted:,} wanted "
            f"(harvest {m.harvest:.1%}), {m.queue:,} waiting. Ended: {self.outcome.why}."
        )

    def why_nothing(self) -> str:
        """Why not one page came."""
        if not self.seeds.seeds:
            if self.seeds.junk:
                return f"no seed is usable: all {len(self.seeds.junk)} lines of seeds.txt are junk, as listed above"
            return "there are no seeds: write addresses into seeds.txt, one per line"
        reasons = "; ".join(f"{url}: {reason}" for url, reason in self.failures[:10])
        more = f"; and {len(self.failures) - 10} more" if len(self.failures) > 10 else ""
        return f"no page came; the run ended: {self.outcome.why}. {reasons}{more}"


def run_collection(collection: Collection, watch: Watch | None = None, *, workers: int = 1) -> Run:
    """Crawl with one process, or with several on one frontier. The caller holds the lock of the collection."""
    if workers > 1:
        from phasa.crawl.run.workers import crawl_together

        return crawl_together(collection, watch, workers)
    result = crawl_collection(collection, watch)
    return Run(result.outcome, result.metrics, result.seeds, result.failures, result.errors)


def with_limits(
    collection: Collection, pages: int | None = None, seconds: float | None = None, strategy: str | None = None
) -> Collection:
    """The collection with other limits and perhaps another strategy for one run. `pages` counts from where the
    collection stands, while its settings limit all runs together; 0 means no limit, None what the settings say."""
    budgets = collection.settings.budgets
    if pages is not None:
        budgets = msgspec.structs.replace(budgets, pages=pages + pages_done(collection) if pages else 0)
    if seconds is not None:
        budgets = msgspec.structs.replace(budgets, seconds=seconds)
    changed = collection.with_settings(budgets=budgets)
    return changed.with_settings(strategy=absolute(strategy, Path.cwd())) if strategy else changed


def pages_done(collection: Collection) -> int:
    """URLs done so far."""
    return read_status(collection).done


def release_quarantined(collection: Collection, text: str) -> int:
    """Let quarantined URLs wait again whose address or evidence contains the text; how many."""
    frontier = SqliteFrontier(collection.frontier_file, Rules(traps=Traps(collection.settings.traps)))
    try:
        return frontier.release(text)
    finally:
        frontier.close()
