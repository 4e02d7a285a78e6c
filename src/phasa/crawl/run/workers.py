"""Several processes on one collection. The one that starts the others holds no part of the web: it waits for them,
shows what they do together, and passes on the wish to stop.

They are one owner: the workers hold the lock of the collection too, write for the epoch that was taken before they
began, and end at once when the process that started them ends in whichever way.
"""

from __future__ import annotations

import logging
import multiprocessing
import signal
import time
from collections.abc import Callable
from multiprocessing.process import BaseProcess
from multiprocessing.sharedctypes import SynchronizedArray
from multiprocessing.synchronize import Event
from typing import Any

from phasa.collection import Collection
from phasa.crawl.loop import Outcome
from phasa.crawl.meter import Metrics
from phasa.crawl.run.crawl_log import CrawlLog
from phasa.crawl.run.learned_folder import LearnedFolder
from phasa.crawl.run.live_status import read_live_status, write_metrics
from phasa.crawl.run.page_limit import SharedPageLimit
from phasa.crawl.run.process import Part, Run, crawl_part, open_frontier
from phasa.crawl.run.shared_order import SharedOrder
from phasa.crawl.run.upkeep import Watch
from phasa.errors import CollectionError, PhasaError
from phasa.frontier.rules import Rules
from phasa.frontier.sqlite import Partition
from phasa.logs import log_as_parent
from phasa.processes import SharedFile, die_with_parent, ignored_by_children, on_signals

POLL = 0.3
QUIET_POLLS = 4  # all must have been idle for so long before the work counts as done

_logger = logging.getLogger(__name__)


def crawl_together(collection: Collection, watch: Watch | None, workers: int, owner: Part) -> Run:
    """Crawl with so many processes. Raises PhasaError for what the first of them raised."""
    context = multiprocessing.get_context("spawn")
    epoch, pages = _begin(collection, workers, owner)
    idle: SynchronizedArray[Any] = context.Array("i", workers)
    limit = SharedPageLimit(context, workers, pages)
    order = SharedOrder(context, workers)
    LearnedFolder(collection.models_folder / "workers").clear()
    ready = context.Event()
    results: multiprocessing.Queue[Any] = context.Queue()
    lock = SharedFile(collection.lock_file) if collection.lock_file is not None else None
    processes: list[BaseProcess] = [
        context.Process(
            target=_work,
            args=(collection.unlocked(), Partition(number, workers), epoch, idle, limit.of_worker(number), ready),
            kwargs={"order": order.of_worker(number), "results": results, "lock": lock},
        )
        for number in range(workers)
    ]
    stop = _Stop(processes)
    with on_signals(stop, signal.SIGINT, signal.SIGTERM):
        try:
            for process in processes:
                # Ctrl-C reaches every process of the terminal: the workers wait for what we make of it.
                with ignored_by_children(signal.SIGINT):
                    process.start()
                ready.wait(60.0)  # the first one mends and plants before the others begin
            return _gather(collection, processes, results, watch, stop)
        finally:
            for process in processes:
                if process.is_alive():
                    process.terminate()
            for process in processes:
                if process.pid is not None:
                    process.join()


class _Stop:
    """Asks the workers to stop in good order; asked again, at once; asked a third time, it kills them."""

    def __init__(self, processes: list[BaseProcess]) -> None:
        self._processes = processes
        self.asked = 0

    def __call__(self) -> None:
        self.asked += 1
        for process in self._processes:
            if process.pid is not None and process.is_alive():
                process.kill() if self.asked > 2 else process.terminate()


def _begin(collection: Collection, workers: int, owner: Part) -> tuple[int, int]:
    """Take the collection over, mend what a crash left and give the hosts to the workers, before any of them starts;
    the epoch, and how many pages have come."""
    log = CrawlLog(collection.log_file)
    try:
        part = Part(partition=Partition(0, workers), finished=owner.finished)
        frontier = open_frontier(collection, Rules(), log, part, None).frontier
        pages = frontier.stats().pages
        frontier.close()
        return frontier.epoch, pages
    finally:
        log.close()


def _gather(
    collection: Collection, processes: list[BaseProcess], results: Any, watch: Watch | None, stop: _Stop
) -> Run:
    """Wait for all workers, showing what they do together."""
    ended: dict[int, Run | str | None] = {}
    while len(ended) < len(processes):
        while not results.empty():
            number, result = results.get()
            ended[number] = result
            _logger.info("worker %d ended", number)
            if isinstance(result, Run) and result.errors and not stop.asked:
                stop()  # what ended one ends the crawl
        if (live := read_live_status(collection)) is not None:
            write_metrics(live.metrics, collection.reports_folder)
            if watch is not None:
                watch(live.metrics)
        dead = [n for n, p in enumerate(processes) if n not in ended and p.exitcode is not None]
        if dead and results.empty():
            time.sleep(POLL)
            if results.empty():
                if not stop.asked:
                    code = processes[dead[0]].exitcode
                    raise CollectionError(f"worker {dead[0]} died (exit code {code}); run again to go on")
                ended.update(dict.fromkeys(dead))  # asked to stop before it could listen
        time.sleep(POLL)
    runs: list[Run] = []
    for _, result in sorted(ended.items()):
        if isinstance(result, str):
            raise PhasaError(result)
        if result is not None:
            runs.append(result)
    if not runs or stop.asked > 1:
        raise KeyboardInterrupt
    live = read_live_status(collection)
    metrics = live.metrics if live is not None else runs[0].metrics
    write_metrics(metrics, collection.reports_folder)
    outcome = Outcome(
        next((run for run in runs if run.errors), runs[0]).outcome.why,
        sum(run.outcome.fetches for run in runs),
        sum(run.outcome.pages for run in runs),
        sum(run.outcome.wanted for run in runs),
    )
    errors = [error for run in runs for error in run.errors]
    return Run(outcome, metrics, runs[0].seeds, runs[0].failures, errors)


def _work(
    collection: Collection,
    partition: Partition,
    epoch: int,
    idle: SynchronizedArray[Any],
    limit: SharedPageLimit,
    ready: Event,
    *,
    order: SharedOrder,
    results: Any,
    lock: SharedFile | None,
) -> None:
    """The life of one worker process. `lock` is only held."""
    die_with_parent()
    log_as_parent()
    number = partition.worker

    def watch(metrics: Metrics) -> None:
        ready.set()
        # Not `waiting`, which counts what waits at the hosts of all workers, also of those that have ended.
        if metrics.leased or metrics.ready_hosts or metrics.resting_hosts:
            idle[number] = 0

    try:
        part = Part(
            partition,
            epoch,
            has_more_work=_patience(number, idle),
            page_limit=limit,
            learned=LearnedFolder(collection.models_folder / "workers"),
            share_every=collection.settings.fleet.share_every,
            common=order,
        )
        results.put((number, crawl_part(collection, watch, part)))
    except KeyboardInterrupt:
        results.put((number, None))
    except (PhasaError, OSError) as problem:
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
