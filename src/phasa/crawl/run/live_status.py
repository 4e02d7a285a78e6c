"""What a running crawl writes about itself for those who look on, all in the folder reports/ of the collection.

`live-NN.json`: each worker, once a second. `metrics.json` and `metrics.prom`: all of them together, now and then.
`history.jsonl`: how it went over time, a bounded series of samples. Samples hold totals, so that rates between any two
of them are exact however many were thinned out. When there are `MOST_SAMPLES`, every second one goes and the next ones
come half as often: the series covers the whole crawl, evenly, in the time it worked. Pauses and the time between runs
leave no samples.
"""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from pathlib import Path

import msgspec

from phasa.collection import Collection
from phasa.crawl.loop import Crawl
from phasa.crawl.meter import Metrics, combine
from phasa.crawl.run.prometheus import exposition, run_metrics
from phasa.files import replace_file

HISTORY = "history.jsonl"
MOST_SAMPLES = 2000
FIRST_EVERY = 1.0
WRITE_EVERY = 1.0
MOST_URLS = 40
MOST_ERRORS = 5


class LiveStatus(msgspec.Struct, frozen=True, kw_only=True):
    """One worker of a crawl, or all of them together. `ended` says why the run is over; '' while it goes on."""

    time: float
    process: int
    workers: int
    started: float
    metrics: Metrics
    strategy: str
    fetching: tuple[str, ...]
    """Some of the URLs that are being fetched; `leased` of the metrics says how many there are."""
    pages_limit: int
    seconds_limit: float
    megabytes_limit: float
    delay: float
    ended: str = ""
    errors: tuple[str, ...] = ()


class StatusWriter:
    """Writes the live status of one worker, and the history when it is the first."""

    def __init__(self, collection: Collection, worker: int = 0, workers: int = 1) -> None:
        self._folder = collection.reports_folder
        self._file = self._folder / f"live-{worker:02d}.json"
        self._workers = workers
        self._next = 0.0
        self._history = History(self._folder) if worker == 0 else None

    def write(self, crawl: Crawl, metrics: Metrics, ended: str = "") -> None:
        """Write the status when it is time for it, or the last of the run."""
        if metrics.time < self._next and not ended:
            return
        self._next = metrics.time + WRITE_EVERY
        budgets, manners = crawl.limits()
        status = LiveStatus(
            time=time.time(),
            process=os.getpid(),
            workers=self._workers,
            started=crawl.meter.started,
            metrics=metrics,
            strategy=crawl.parts.strategy.name,
            fetching=tuple(crawl.fetching()[:MOST_URLS]),
            pages_limit=budgets.pages,
            seconds_limit=budgets.seconds,
            megabytes_limit=budgets.megabytes,
            delay=manners.delay,
            ended=ended,
            errors=tuple(dict.fromkeys(crawl.errors))[:MOST_ERRORS],
        )
        replace_file(self._file, msgspec.json.encode(status))
        if self._history is not None:
            together = _together(self._folder) if self._workers > 1 else status
            self._history.note((together or status).metrics, last_word=bool(ended))


def read_live_status(collection: Collection) -> LiveStatus | None:
    """The latest status of the crawl that runs, or of the last one; None when there was none. Workers are one."""
    return _together(collection.reports_folder)


def clear_live_status(collection: Collection) -> None:
    """Forget the workers of the run before: there may have been more of them."""
    for old in collection.reports_folder.glob("live-*.json"):
        old.unlink(missing_ok=True)


def _together(folder: Path) -> LiveStatus | None:
    found = []
    for path in sorted(folder.glob("live-*.json")):
        try:
            found.append(msgspec.json.decode(path.read_bytes(), type=LiveStatus))
        except (OSError, msgspec.DecodeError):
            continue  # of another version; the next second brings a new one
    if not found:
        return None
    running = [status for status in found if not status.ended]
    first = found[0]
    parts = [status.metrics if not status.ended or not running else _at_rest(status.metrics) for status in found]
    return msgspec.structs.replace(
        first,
        time=max(status.time for status in found),
        metrics=combine(parts),
        fetching=tuple(url for status in running for url in status.fetching)[:MOST_URLS],
        ended="" if running else next((status for status in found if status.errors), first).ended,
        errors=tuple(dict.fromkeys(error for status in found for error in status.errors))[:MOST_ERRORS],
    )


def _at_rest(metrics: Metrics) -> Metrics:
    """A worker that has ended while others go on: what it did counts, its hosts and its speed are no more."""
    return msgspec.structs.replace(
        metrics, leased=0, ready_hosts=0, resting_hosts=0, pages_per_second=0.0, seconds_left=None
    )


def write_metrics(metrics: Metrics, folder: Path) -> None:
    """metrics.json and metrics.prom (Prometheus text format) in a folder; each is replaced as a whole."""
    replace_file(folder / "metrics.json", msgspec.json.format(msgspec.json.encode(metrics), indent=2) + b"\n")
    replace_file(folder / "metrics.prom", exposition(run_metrics(metrics)))


# ── over time ────────────────────────────────────────────────────────────────────────────────────


class Sample(msgspec.Struct, frozen=True, array_like=True):
    """The totals of a collection at one moment: some of its numbers, in as few bytes as there are."""

    time: float
    pages: int
    wanted: int
    done: int
    megabytes: float
    words: int
    waiting: int
    ready_hosts: int
    resting_hosts: int
    hosts: int
    harvest_last_100: float

    @classmethod
    def of(cls, metrics: Metrics) -> Sample:
        m = metrics
        return cls(
            *(round(m.time, 1), m.pages, m.wanted, m.done, round(m.megabytes, 3)),
            *(round((m.words_per_megabyte or 0.0) * m.megabytes), m.waiting, m.ready_hosts or 0, m.resting_hosts or 0),
            *(m.hosts, round(m.harvest_last_100 or 0.0, 3)),
        )


class _Head(msgspec.Struct, frozen=True):
    every: float = FIRST_EVERY


class History:
    """Takes samples and keeps them. A file that cannot be read is begun again: it is a record, not the truth."""

    def __init__(self, folder: Path, most: int = MOST_SAMPLES) -> None:
        self._path = folder / HISTORY
        self._most = most
        self.every, self.samples = _read(self._path)
        if not self._path.exists():
            self._write()

    def note(self, metrics: Metrics, *, last_word: bool = False) -> None:
        """Take a sample when it is time for one, or for the last, and something happened since the one before."""
        if not metrics.fetches:
            return  # a run that has not begun has no last hundred pages and no ready hosts
        if self.samples:
            last = self.samples[-1]
            # A clock that was set back must not stop the record.
            early = 0.0 <= metrics.time - last.time < self.every and not last_word
            if early or (metrics.done == last.done and (metrics.paused or last_word)):
                return
        self.samples.append(Sample.of(metrics))
        if len(self.samples) > self._most:
            self.samples = thinned(self.samples)
            self.every *= 2.0
            self._write()
        else:
            with self._path.open("ab") as file:
                file.write(msgspec.json.encode(self.samples[-1]) + b"\n")

    def _write(self) -> None:
        lines = [msgspec.json.encode(_Head(self.every)), *map(msgspec.json.encode, self.samples)]
        replace_file(self._path, b"\n".join(lines) + b"\n")


def read_history(folder: Path) -> list[Sample]:
    """The samples of a collection, oldest first; none when it was never crawled."""
    return _read(folder / HISTORY)[1]


def thinned(samples: Sequence[Sample]) -> list[Sample]:
    """Every second sample, the first and the last among them."""
    kept = list(samples[::2])
    if samples and kept[-1] is not samples[-1]:
        kept.append(samples[-1])
    return kept


def _read(path: Path) -> tuple[float, list[Sample]]:
    try:
        first, *lines = path.read_bytes().splitlines() or [b""]
        every = msgspec.json.decode(first, type=_Head).every
    except (OSError, msgspec.DecodeError):
        return FIRST_EVERY, []
    samples = []
    for line in lines:
        try:
            samples.append(msgspec.json.decode(line, type=Sample))
        except msgspec.DecodeError:
            continue  # torn by a crash
    return max(every, FIRST_EVERY), samples
