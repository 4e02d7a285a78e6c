"""Runs of a collection: one process, or several on one frontier, each of which owns the sites whose hash falls to it
(DESIGN §8). The caller holds the lock of the collection."""

from __future__ import annotations

import asyncio
import logging
import multiprocessing
import signal
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from multiprocessing.sharedctypes import SynchronizedArray
from multiprocessing.synchronize import Event
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import uvloop

from phasa.collection import Collection
from phasa.crawl.clock import WallClock
from phasa.crawl.live import LiveWeb
from phasa.crawl.loop import Crawl, Outcome
from phasa.crawl.meter import Metrics
from phasa.crawl.run.assembly import (
    fetcher_of,
    judge_of,
    open_archive,
    open_duplicates,
    rules_of,
    strategy_of,
    word_counter,
)
from phasa.crawl.run.control import plant_fresh
from phasa.crawl.run.crawl_log import CrawlLog
from phasa.crawl.run.live_status import clear_live_status, read_live_status, write_metrics
from phasa.crawl.run.reports import write_reports
from phasa.crawl.run.status import read_status
from phasa.crawl.run.upkeep import StrategyState, Upkeep, Watch
from phasa.crawl.seeds import SeedFile, read_seeds
from phasa.crawl.settle import Parts
from phasa.errors import CollectionError, PhasaError
from phasa.frontier.protocol import State
from phasa.frontier.rules import Rules
from phasa.frontier.sqlite import ALONE, Partition, SqliteFrontier
from phasa.frontier.traps import Traps
from phasa.garbage import collected_rarely
from phasa.logs import log_as_parent, logged_to_file
from phasa.plugins import absolute
from phasa.web.url import Url

POLL = 0.3
QUIET_POLLS = 4  # all must have been idle for so long before the work counts as done

_logger = logging.getLogger(__name__)


class Run(NamedTuple):
    """What a run did, for the person who started it. `failures` are the seeds that gave no page, with the reasons."""

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
            f"(harvest {m.harvest or 0.0:.1%}), {m.waiting:,} waiting. Ended: {self.outcome.why}."
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
    """Run or resume the crawl of a collection. `watch` is shown its numbers as they change. Raises PhasaError for what
    cannot be done; of several workers, what the first of them raised."""
    again = "resumes" if collection.frontier_file.exists() else "begins"
    strategy = collection.settings.strategy
    collection.reports_folder.mkdir(exist_ok=True)
    clear_live_status(collection)
    with logged_to_file(collection.path):
        _logger.info("%s: crawl %s, strategy %s, %d workers", collection.path, again, strategy, workers)
        run = _crawl_alone(collection, watch) if workers == 1 else _crawl_together(collection, watch, workers)
        for error in dict.fromkeys(run.errors):
            _logger.error("%s", error)
        _logger.info("%s: %s", collection.path, run.summary())
    return run


def with_limits(
    collection: Collection, pages: int | None = None, seconds: float | None = None, strategy: str | None = None
) -> Collection:
    """The collection with other limits and perhaps another strategy for one run. `pages` counts from where the
    collection stands, while its settings limit all runs together; 0 means no limit, None what the settings say."""
    budgets = collection.settings.budgets
    if pages is not None:
        budgets = msgspec.structs.replace(budgets, pages=pages + read_status(collection).done if pages else 0)
    if seconds is not None:
        budgets = msgspec.structs.replace(budgets, seconds=seconds)
    changed = collection.with_settings(budgets=budgets)
    return changed.with_settings(strategy=absolute(strategy, Path.cwd())) if strategy else changed


def release_quarantined(collection: Collection, text: str) -> int:
    """Let quarantined URLs wait again whose address or evidence contains the text; how many."""
    frontier = SqliteFrontier(collection.frontier_file, Rules(traps=Traps(collection.settings.traps)))
    try:
        return frontier.release(text)
    finally:
        frontier.close()


# ── one process ──────────────────────────────────────────────────────────────────────────────────


def _crawl_alone(
    collection: Collection,
    watch: Watch | None,
    partition: Partition = ALONE,
    has_more_work: Callable[[], bool] = lambda: False,
) -> Run:
    """`partition` and `has_more_work` are for one of several workers: its part of the hosts, and whether others may
    still send it something."""
    try:
        with collected_rarely():
            return uvloop.run(_crawl(collection, watch, partition, has_more_work))
    except sqlite3.OperationalError as problem:
        raise CollectionError(
            f"{collection.frontier_file}: {problem}; make room and run the same command again"
        ) from None


async def _crawl(
    collection: Collection, watch: Watch | None, partition: Partition, has_more_work: Callable[[], bool]
) -> Run:
    settings, first = collection.settings, partition.worker == 0
    profile = collection.profile
    strategy = strategy_of(collection, profile)
    judge = judge_of(collection, profile)
    state = StrategyState(collection.models_folder, strategy, partition.worker)
    seeds = read_seeds(collection.path / collection.SEEDS)
    with ExitStack() as stack:
        archive = stack.enter_context(open_archive(collection, partition.worker))
        duplicates = stack.enter_context(open_duplicates(collection))
        log = CrawlLog(collection.log_file)
        stack.callback(log.close)
        frontier = SqliteFrontier(
            collection.frontier_file,
            rules_of(settings, strategy),
            partition=partition,
            before_commit=archive.sync if archive is not None else lambda: None,
        )
        stack.callback(frontier.close)
        state.load()
        if first:
            plant_fresh(frontier, strategy, seeds.seeds)
        async with fetcher_of(settings, profile) as fetcher:
            agent = "phasa" if settings.politeness.robots else ""
            web = LiveWeb(fetcher, settings.limits, agent=agent, language=profile.code, scope=settings.scope)
            clock = WallClock()
            upkeep = Upkeep(collection, state, log, watch, clock, partition)
            crawl = Crawl(
                Parts(web, judge, strategy, frontier, clock, archive, log, duplicates),
                manners=settings.politeness,
                budgets=settings.budgets,
                slots=settings.connections,
                choosy=settings.choosy,
                skip_duplicates=settings.near_duplicates == "skip",
                words=word_counter(profile),
                watch=upkeep.look,
                has_more_work=has_more_work,
            )
            with _stopped_by_signals(crawl):
                outcome = await crawl.run()
        metrics = upkeep.end(crawl, outcome.why)
        failures: list[tuple[str, str]] = []
        if first:
            write_reports(collection.frontier_file, collection.reports_folder)
            failures = _failed_seeds(frontier, seeds)
        return Run(outcome, metrics, seeds, failures, crawl.errors)


def _failed_seeds(frontier: SqliteFrontier, seeds: SeedFile) -> list[tuple[str, str]]:
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


# ── several processes ────────────────────────────────────────────────────────────────────────────


def _crawl_together(collection: Collection, watch: Watch | None, workers: int) -> Run:
    # Mend what a crash left and give the hosts to the workers, before any of them starts.
    SqliteFrontier(collection.frontier_file, partition=Partition(0, workers)).close()
    context = multiprocessing.get_context("spawn")
    idle: SynchronizedArray[Any] = context.Array("i", workers)
    ready = context.Event()
    results: multiprocessing.Queue[Any] = context.Queue()
    processes = [
        context.Process(target=_work, args=(collection, number, workers, idle, ready, results))
        for number in range(workers)
    ]
    # Ctrl-C reaches every process of the terminal: the workers stop in good order, and we wait for them.
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        processes[0].start()
        ready.wait(60.0)
        for process in processes[1:]:
            process.start()
        return _gather(collection, processes, results, watch)
    finally:
        signal.signal(signal.SIGINT, before)
        for process in processes:
            if process.is_alive():
                process.terminate()
            process.join()


def _gather(collection: Collection, processes: list[Any], results: Any, watch: Watch | None) -> Run:
    """Wait for all workers, showing what they do together."""
    ended: dict[int, Run | str] = {}
    while len(ended) < len(processes):
        while not results.empty():
            number, result = results.get()
            ended[number] = result
            _logger.info("worker %d ended", number)
        if (live := read_live_status(collection)) is not None:
            write_metrics(live.metrics, collection.reports_folder)
            if watch is not None:
                watch(live.metrics)
        dead = [n for n, p in enumerate(processes) if n not in ended and p.exitcode is not None]
        if dead and results.empty():
            time.sleep(POLL)
            if results.empty():
                raise CollectionError(
                    f"worker {dead[0]} died (exit code {processes[dead[0]].exitcode}); run again to go on"
                )
        time.sleep(POLL)
    runs: list[Run] = []
    for _, result in sorted(ended.items()):
        if isinstance(result, str):
            raise PhasaError(result)
        runs.append(result)
    live = read_live_status(collection)
    metrics = live.metrics if live is not None else runs[0].metrics
    write_metrics(metrics, collection.reports_folder)
    outcome = Outcome(
        runs[0].outcome.why,
        sum(run.outcome.fetches for run in runs),
        sum(run.outcome.pages for run in runs),
        sum(run.outcome.wanted for run in runs),
    )
    errors = [error for run in runs for error in run.errors]
    return Run(outcome, metrics, runs[0].seeds, runs[0].failures, errors)


def _work(
    collection: Collection, number: int, workers: int, idle: SynchronizedArray[Any], ready: Event, results: Any
) -> None:
    """The life of one worker process."""
    log_as_parent()

    def watch(metrics: Metrics) -> None:
        ready.set()
        if metrics.waiting or metrics.leased:
            idle[number] = 0

    try:
        results.put((number, _crawl_alone(collection, watch, Partition(number, workers), _patience(number, idle))))
    except PhasaError as problem:
        results.put((number, str(problem)))
    finally:
        ready.set()
        idle[number] = QUIET_POLLS


def _patience(number: int, idle: SynchronizedArray[Any]) -> Callable[[], bool]:
    """Whether to go on waiting: until all workers have been idle for some polls in a row."""

    def has_more_work() -> bool:
        time.sleep(POLL)
        idle[number] = min(idle[number] + 1, QUIET_POLLS)
        return any(polls < QUIET_POLLS for polls in idle[:])

    return has_more_work
