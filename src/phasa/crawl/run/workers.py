"""Several processes on one frontier: each owns the sites whose hash falls to it (DESIGN §8)."""

from __future__ import annotations

import multiprocessing
import signal
import time
from collections.abc import Callable
from multiprocessing.sharedctypes import SynchronizedArray
from multiprocessing.synchronize import Event
from typing import Any

import msgspec

from phasa.collection import Collection
from phasa.crawl.loop import Outcome
from phasa.crawl.meter import Metrics, write_metrics
from phasa.crawl.run.assembly import Result, Watch, crawl_collection
from phasa.crawl.run.runs import Run
from phasa.crawl.run.status import read_status
from phasa.errors import CollectionError, PhasaError
from phasa.frontier.sqlite import Partition, SqliteFrontier

POLL = 0.3
QUIET_POLLS = 4  # all must have been idle for so long before the work counts as done


def crawl_together(collection: Collection, watch: Watch | None, workers: int) -> Run:
    """Crawl with several processes. Raises what the first of them raised."""
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
    """Wait for all workers, showing the sum of what they do."""
    begun = time.time()
    latest: dict[int, Metrics] = {}
    ended: dict[int, Any] = {}
    while len(ended) < len(processes):
        while not results.empty():
            number, kind, value = results.get()
            if kind == "metrics":
                latest[number] = value
            else:
                ended[number] = value
        if latest:
            together = combine(list(latest.values()), read_status(collection), time.time() - begun)
            write_metrics(together, collection.reports_folder)
            if watch is not None:
                watch(together)
        dead = [n for n, p in enumerate(processes) if n not in ended and p.exitcode is not None]
        if dead and results.empty():
            time.sleep(POLL)
            if results.empty():
                raise CollectionError(
                    f"worker {dead[0]} died (exit code {processes[dead[0]].exitcode}); run again to go on"
                )
        time.sleep(POLL)
    for value in ended.values():
        if isinstance(value, str):
            raise PhasaError(value)
    results_in_order: list[Result] = [ended[number] for number in sorted(ended)]
    first = results_in_order[0]
    metrics = combine([result.metrics for result in results_in_order], read_status(collection), time.time() - begun)
    write_metrics(metrics, collection.reports_folder)
    outcome = Outcome(
        first.outcome.why,
        sum(result.outcome.fetches for result in results_in_order),
        sum(result.outcome.pages for result in results_in_order),
        sum(result.outcome.wanted for result in results_in_order),
    )
    errors = [error for result in results_in_order for error in result.errors]
    return Run(outcome, metrics, first.seeds, first.failures, errors)


def _work(
    collection: Collection, number: int, workers: int, idle: SynchronizedArray[Any], ready: Event, results: Any
) -> None:
    """The life of one worker process."""
    last = [0.0]

    def show(metrics: Metrics) -> None:
        ready.set()
        if metrics.queue or metrics.leased:
            idle[number] = 0
        if time.time() - last[0] > 1.0:
            last[0] = time.time()
            results.put((number, "metrics", metrics))

    try:
        result = crawl_collection(collection, show, Partition(number, workers), _patience(number, idle))
        results.put((number, "result", result))
    except PhasaError as problem:
        results.put((number, "result", str(problem)))
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


def combine(parts: list[Metrics], now: Any, seconds: float) -> Metrics:
    """The metrics of several workers as one; totals are the collection's own."""
    outcomes: dict[str, int] = {}
    for part in parts:
        for name, count in part.outcomes.items():
            outcomes[name] = outcomes.get(name, 0) + count
    rate = sum(part.pages_per_second for part in parts)
    lefts = [part.seconds_left for part in parts if part.seconds_left is not None]
    return msgspec.structs.replace(
        parts[0],
        seconds=round(seconds, 3),
        fetches=sum(part.fetches for part in parts),
        pages=now.pages,
        wanted=now.wanted,
        harvest=now.harvest or 0.0,
        harvest_last_100=sum(part.harvest_last_100 for part in parts) / len(parts),
        pages_per_second=rate,
        words_per_megabyte=now.words_per_megabyte or 0.0,
        megabytes=now.megabytes,
        queue=now.waiting,
        leased=sum(part.leased for part in parts),
        done=now.done,
        dropped=now.dropped,
        quarantined=now.quarantined,
        hosts=now.hosts,
        ready_hosts=sum(part.ready_hosts for part in parts),
        resting_hosts=sum(part.resting_hosts for part in parts),
        seconds_left=min(lefts) if lefts else None,
        outcomes=outcomes,
    )
