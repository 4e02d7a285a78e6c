"""One process of a run: the parts of a crawl put together, run to their end, stopped by signals in good order."""

from __future__ import annotations

import asyncio
import logging
import signal
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from typing import NamedTuple

import msgspec
import uvloop

from phasa import frontiers
from phasa.collection import Collection
from phasa.crawl.clock import WallClock
from phasa.crawl.live import LiveWeb
from phasa.crawl.loop import RESTING, Crawl, Outcome, PageLimit
from phasa.crawl.meter import Metrics
from phasa.crawl.passing import pass_links
from phasa.crawl.record import WarcArchive
from phasa.crawl.revisits import Revisits
from phasa.crawl.run.assembly import (
    fetcher_of,
    judge_of,
    open_archive,
    open_duplicates,
    pool_of,
    requisites_of,
    revisits_of,
    rules_of,
    seeder_of,
    strategy_of,
    word_counter,
)
from phasa.crawl.run.control import plant_fresh
from phasa.crawl.run.crawl_log import CrawlLog
from phasa.crawl.run.cycles import crawl_in_cycles
from phasa.crawl.run.mend import write_missing_lines
from phasa.crawl.run.recall import Recalled, recall_unsettled
from phasa.crawl.run.reports import write_reports
from phasa.crawl.run.sharing import LearnedStore, SharedLearning
from phasa.crawl.run.status import rules_missing
from phasa.crawl.run.upkeep import StrategyState, Upkeep, Watch
from phasa.crawl.seeds import SeedFile, read_seeds
from phasa.crawl.settle import Parts
from phasa.crawl.strategy import Additive, Strategy
from phasa.errors import CollectionError
from phasa.frontier.common_order import CommonOrder
from phasa.frontier.database import damaged
from phasa.frontier.inbox import ALONE, Partition
from phasa.frontier.outbox import Unsettled
from phasa.frontier.protocol import State
from phasa.frontier.reader import Unruled
from phasa.frontier.rules import Rules
from phasa.frontier.scope import scope_text
from phasa.frontier.stored import StoredFrontier
from phasa.garbage import collected_rarely
from phasa.web.url import Url

_logger = logging.getLogger(__name__)


class Run(NamedTuple):
    """What a run did, for the person who started it. `failures` are the seeds that gave no page, with the reasons;
    `unruled` the origins whose work waits because their robots.txt cannot be had."""

    outcome: Outcome
    metrics: Metrics
    seeds: SeedFile
    failures: list[tuple[str, str]]
    errors: list[str]
    unruled: tuple[Unruled, ...] = ()

    @property
    def held_up(self) -> bool:
        """Whether it ended, with work left, for want of somebody's rules."""
        return bool(self.unruled) and self.outcome.why.startswith(RESTING)

    def summary(self) -> str:
        """The run in one line."""
        m = self.metrics
        return (
            f"{self.outcome.fetches:,} fetches, {m.done:,} URLs done in all, {m.pages:,} pages, {m.wanted:,} wanted "
            f"(harvest {m.harvest or 0.0:.1%}), {m.waiting:,} waiting. Ended: {self.outcome.why}."
        ) + (f" {rules_missing(self.unruled)}." if self.unruled else "")

    def why_nothing(self) -> str:
        """Why not one page came."""
        if not self.seeds.seeds:
            if self.seeds.junk:
                return f"no seed is usable: all {len(self.seeds.junk)} lines of seeds.txt are junk, as listed above"
            return "there are no seeds: write addresses into seeds.txt, one per line"
        reasons = "; ".join(f"{url}: {reason}" for url, reason in self.failures[:10])
        more = f"; and {len(self.failures) - 10} more" if len(self.failures) > 10 else ""
        return f"no page came; the run ended: {self.outcome.why}. {reasons}{more}"


class Part(msgspec.Struct, frozen=True):
    """The part of one process in a run; without values, all of it.

    `epoch` is the owner that a worker works for: it leaves to it what is to be mended. `has_more_work` says whether
    other workers may still send something. `finished` are WARC files that were found open.
    """

    partition: Partition = ALONE
    epoch: int | None = None
    finished: tuple[str, ...] = ()
    has_more_work: Callable[[], bool] = lambda: False
    page_limit: PageLimit | None = None
    cycles: int = 0
    """Of a crawl in cycles, how many more."""
    fleet: bool = False
    """One of a fleet: others come and go, on this machine and on others."""
    lifetime: float = 30.0
    """Seconds without a sign of life after which the others take it for lost."""
    learned: LearnedStore | None = None
    """Where workers exchange what their strategies learned, every so many seconds."""
    share_every: float = 60.0
    common: CommonOrder | None = None
    """Where workers keep a common order."""
    why_end: Callable[[], str] = lambda: ""
    """Asked now and then: why this process should end; '' while it should not."""


def crawl_part(collection: Collection, watch: Watch | None, part: Part) -> Run:
    """Crawl in this process. Raises PhasaError for what cannot be done, KeyboardInterrupt when it was told twice to
    stop."""
    try:
        with collected_rarely():
            return uvloop.run(_crawl(collection, watch, part))
    except asyncio.CancelledError:
        raise KeyboardInterrupt from None
    except sqlite3.OperationalError as problem:
        raise CollectionError(
            f"{collection.frontier_file}: {problem}; make room and run the same command again"
        ) from None
    except sqlite3.DatabaseError as problem:
        raise damaged(collection.frontier_file, problem) from None


def open_frontier(
    collection: Collection, rules: Rules, log: CrawlLog, part: Part, archive: WarcArchive | None
) -> Opened:
    """The frontier of a collection for one process of a run. The owner completes the log, and looks for answers that a
    killed run had kept."""
    frontier = frontiers.open_frontier(
        collection,
        rules,
        frontiers.Membership(part.partition, part.epoch, part.fleet, part.lifetime),
        before_commit=archive.sync if archive is not None else lambda: None,
        journal=log,
    )
    if part.fleet:
        number = part.partition.worker
        frontier.complete_log(number)
        return Opened(frontier, recall_unsettled(frontier, collection.archive_folder, part.finished, number))
    if part.epoch is not None:
        return Opened(frontier, frontier.outbox.answered())
    if not frontier.outbox.log_is_whole:
        _logger.warning("%s: is shorter than it was; missing lines are written again", collection.log_file)
        write_missing_lines(collection)
    recalled = recall_unsettled(frontier, collection.archive_folder, part.finished)
    return Opened(frontier, recalled)


class Opened(NamedTuple):
    """A frontier, and the answers that need not be asked for again."""

    frontier: StoredFrontier
    recalled: list[Unsettled]


async def _crawl(collection: Collection, watch: Watch | None, part: Part) -> Run:
    settings, partition = collection.settings, part.partition
    first = partition.worker == 0
    profile = collection.profile
    strategy: Strategy = seeder_of(collection, profile) if part.cycles else strategy_of(collection, profile)
    judge = judge_of(collection, profile)
    shares = part.learned is not None and isinstance(strategy, Additive)
    # Workers of one machine that learn as one begin with one state, which the first of them writes.
    one_state = shares and not part.fleet
    state = StrategyState(
        collection.models_folder, strategy, 0 if one_state else partition.worker, keeps=first or not one_state
    )
    seeds = read_seeds(collection.path / collection.SEEDS)
    with ExitStack() as stack:
        archive = stack.enter_context(open_archive(collection, partition.worker))
        duplicates = stack.enter_context(open_duplicates(collection))
        log = CrawlLog(collection.log_file)
        stack.callback(log.close)
        frontier, answers = open_frontier(
            collection, rules_of(collection, strategy, in_cycles=bool(part.cycles)), log, part, archive
        )
        stack.callback(frontier.close)
        pass_links(frontier, strategy)
        if first:
            frontier.write_scope(scope_text(settings.scope), anew=False)
        recalled = Recalled(collection.archive_folder, answers)
        fetcher = fetcher_of(collection)
        fetcher.before = frontier.assure
        if archive is not None:
            archive.recalled = fetcher.recalled = recalled
        if one_state or not shares:
            state.load()
        sharing = None
        if part.learned is not None and shares:
            sharing = SharedLearning(strategy, part.learned, partition.worker, part.share_every)
        if first:
            plant_fresh(frontier, strategy, seeds.seeds)
        async with fetcher, pool_of(settings) as pool:
            web = LiveWeb(
                fetcher,
                pool,
                settings.limits,
                agent="phasa" if settings.politeness.robots else "",
                language=profile.code,
                scope=settings.scope,
                story=frontier.story,
                full_every=Revisits.FULL if settings.fresh.conditional else 0,
                requisites=settings.archive.requisites,
            )
            clock = WallClock()
            revisits = revisits_of(collection, frontier, clock.now(), partition.workers)
            requisites = requisites_of(collection, frontier, partition.workers)
            upkeep = Upkeep(collection, state, watch, clock, partition, part.why_end, sharing)
            crawl = Crawl(
                Parts(
                    *(web, judge, strategy, frontier, clock, archive),
                    duplicates=duplicates,
                    revisits=revisits,
                    requisites=requisites,
                ),
                manners=settings.politeness,
                budgets=settings.budgets,
                slots=settings.connections,
                tolerance=settings.tolerance,
                skip_duplicates=settings.near_duplicates == "skip",
                words=word_counter(profile),
                watch=upkeep.look,
                has_more_work=part.has_more_work,
                page_limit=part.page_limit,
                common=part.common,
            )
            if part.common is not None:
                stack.callback(part.common.leave)
            with _stopped_by_signals(crawl):
                outcome = await (crawl_in_cycles(collection, crawl, part.cycles) if part.cycles else crawl.run())
        if revisits is not None:
            revisits.leave()
        metrics = upkeep.end(crawl, outcome.why)
        failures: list[tuple[str, str]] = []
        if first:
            write_reports(collection, collection.reports_folder)
            failures = _failed_seeds(frontier, seeds)
        return Run(outcome, metrics, seeds, failures, crawl.errors)


def _failed_seeds(frontier: StoredFrontier, seeds: SeedFile) -> list[tuple[str, str]]:
    failures = []
    for seed in seeds.seeds[:1000]:
        story = frontier.story(Url(seed.url))
        if story is not None and story.state is not State.DONE:
            waiting = "not tried yet" if not story.attempts else story.reason or "to be tried again"
            failures.append((seed.url, story.reason if story.state is not State.WAITING else waiting))
    return failures


@contextmanager
def _stopped_by_signals(crawl: Crawl) -> Iterator[None]:
    """Ctrl-C and SIGTERM end the crawl in good order; a second one ends it at once."""
    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    asked = False

    def stop() -> None:
        nonlocal asked
        if asked and task is not None:
            _logger.warning("asked a second time to stop: ends at once")
            task.cancel()
        asked = True
        crawl.stop("stopped by you; go on with the same command")

    numbers = (signal.SIGINT, signal.SIGTERM)
    for number in numbers:
        with suppress(ValueError, NotImplementedError, RuntimeError):  # not in the main thread
            loop.add_signal_handler(number, stop)
    try:
        yield
    finally:
        for number in numbers:
            with suppress(ValueError, NotImplementedError, RuntimeError):
                loop.remove_signal_handler(number)
