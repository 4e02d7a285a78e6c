"""Runs of a collection: one process, or several on one frontier, each of which owns the sites whose hash falls to it
(DESIGN §8). The caller holds the lock of the collection."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from pathlib import Path

import msgspec

from phasa.collection import Collection
from phasa.crawl.run.live_status import clear_live_status
from phasa.crawl.run.mend import mend_before_crawl, seal_collection
from phasa.crawl.run.process import Part, crawl_part
from phasa.crawl.run.process import Run as Run
from phasa.crawl.run.shipping import shipping
from phasa.crawl.run.status import read_status
from phasa.crawl.run.topic_artefacts import write_topic_artefacts
from phasa.crawl.run.upkeep import Watch
from phasa.crawl.run.workers import crawl_together
from phasa.errors import SettingsError
from phasa.frontier.rules import Rules
from phasa.frontier.scope import Scope, scope_text
from phasa.frontier.traps import Traps
from phasa.frontiers import is_begun, open_frontier, read_frontier
from phasa.logs import logged_to_file
from phasa.plugins import absolute

_logger = logging.getLogger(__name__)


def run_collection(collection: Collection, watch: Watch | None = None, *, workers: int = 1, cycles: int = 0) -> Run:
    """Run or resume the crawl of a collection, or so many `cycles` of it (`crawl/wire`). `watch` is shown its
    numbers as they change. Raises PhasaError for what cannot be done; of several workers, what the first of them
    raised."""
    if cycles and workers > 1:
        raise SettingsError("a crawl in cycles has one manager; leave out --workers")
    again = "resumes" if is_begun(collection) else "begins"
    strategy = collection.settings.strategy
    collection.reports_folder.mkdir(exist_ok=True)
    clear_live_status(collection)
    with logged_to_file(collection.path):
        _logger.info("%s: crawl %s, strategy %s, %d workers", collection.path, again, strategy, workers)
        mended = mend_before_crawl(collection)
        part, started = Part(finished=tuple(mended.finished), cycles=cycles), time.time()
        with shipping(collection):
            run = (
                crawl_part(collection, watch, part)
                if workers == 1
                else crawl_together(collection, watch, workers, part)
            )
        with read_frontier(collection) as frontier:
            run = run._replace(unruled=tuple(frontier.unruled()))
        seal_collection(collection)
        write_topic_artefacts(collection, started, time.time())
        for error in dict.fromkeys(run.errors):
            _logger.error("%s", error)
        _logger.info("%s: %s", collection.path, run.summary())
    return run


def with_limits(
    collection: Collection,
    pages: int | None = None,
    seconds: float | None = None,
    strategy: str | None = None,
    kb: Path | None = None,
) -> Collection:
    """The collection with other limits and perhaps another strategy or knowledge base for one run. `pages` counts
    from where the collection stands, while its settings limit all runs together; 0 means no limit, None what the
    settings say."""
    budgets = collection.settings.budgets
    if pages is not None:
        budgets = msgspec.structs.replace(budgets, pages=pages + read_status(collection).pages if pages else 0)
    if seconds is not None:
        budgets = msgspec.structs.replace(budgets, seconds=seconds)
    changed = collection.with_settings(budgets=budgets)
    if kb is not None:
        changed = changed.with_settings(knowledge=str(kb.absolute()))
    return changed.with_settings(strategy=absolute(strategy, Path.cwd())) if strategy else changed


def rescope_dropped(collection: Collection, told: Callable[[int, int], None] = lambda seen, taken: None) -> int:
    """Let URLs wait again that the scope had refused and takes now; how many. `told` hears how many were looked at and
    taken back, after each of many transactions: what was interrupted goes on when it is called again."""
    settings = collection.settings
    frontier = open_frontier(collection, Rules(scope=Scope(settings.scope), traps=Traps(settings.traps)))
    seen = taken = 0
    try:
        some = frontier.rescope()
        while some.seen:
            seen, taken = seen + some.seen, taken + some.taken
            told(seen, taken)
            some = frontier.rescope(some.last)
        frontier.write_scope(scope_text(settings.scope), anew=True)
    finally:
        frontier.close()
    _logger.info("%s: %d of %d URLs that the scope had refused wait again", collection.path, taken, seen)
    return taken


def release_quarantined(collection: Collection, text: str) -> int:
    """Let quarantined URLs wait again whose address or evidence contains the text; how many."""
    frontier = open_frontier(collection, Rules(traps=Traps(collection.settings.traps)))
    try:
        return frontier.release(text)
    finally:
        frontier.close()
