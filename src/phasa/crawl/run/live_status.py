"""What a running crawl tells of itself once a second, for those who look on (reports/live-NN.json, one per worker)."""

from __future__ import annotations

import os
import time
from pathlib import Path

import msgspec

from phasa.collection import Collection
from phasa.crawl.loop import Crawl
from phasa.crawl.meter import Metrics
from phasa.crawl.run.history import History

TELL_EVERY = 1.0
MOST_URLS = 40


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
    """Writes the bulletins of one worker, and the history when it is the first."""

    def __init__(self, collection: Collection, worker: int = 0, workers: int = 1) -> None:
        self._folder = collection.reports_folder
        self._file = self._folder / _name(worker)
        self._workers = workers
        self._worker = worker
        self._next = 0.0
        self._history = History(self._folder) if worker == 0 else None
        if worker == 0:
            for old in self._folder.glob("live-*.json"):
                old.unlink(missing_ok=True)

    def tell(self, crawl: Crawl, metrics: Metrics, ended: str = "") -> None:
        """Write a bulletin when it is time for one, or the last."""
        if metrics.time < self._next and not ended:
            return
        self._next = metrics.time + TELL_EVERY
        if self._history is not None:
            self._history.note(metrics if self._workers == 1 else self._of_all(metrics), last_word=bool(ended))
        budgets, manners = crawl.limits()
        bulletin = LiveStatus(
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
            errors=tuple(dict.fromkeys(crawl.errors))[:5],
        )
        beside = self._file.with_suffix(".new")
        beside.write_bytes(msgspec.json.encode(bulletin))
        beside.replace(self._file)

    def _of_all(self, metrics: Metrics) -> Metrics:
        """The totals are everybody's anyway; ready and resting hosts are each worker's own."""
        others = [b.metrics for b in _bulletins(self._folder) if b.process != os.getpid() and not b.ended]
        return msgspec.structs.replace(
            metrics,
            ready_hosts=metrics.ready_hosts + sum(m.ready_hosts for m in others),
            resting_hosts=metrics.resting_hosts + sum(m.resting_hosts for m in others),
        )


def read_live_status(collection: Collection) -> LiveStatus | None:
    """The latest word of the crawl that runs, or of the last one; None when there was none. Workers speak as one."""
    found = _bulletins(collection.reports_folder)
    if len(found) < 2:
        return found[0] if found else None
    first = found[0]
    parts = [bulletin.metrics for bulletin in found]
    metrics = msgspec.structs.replace(
        max(parts, key=lambda part: part.time),
        fetches=sum(part.fetches for part in parts),
        pages_per_second=sum(part.pages_per_second for part in parts),
        leased=sum(part.leased for part in parts),
        ready_hosts=sum(part.ready_hosts for part in parts),
        resting_hosts=sum(part.resting_hosts for part in parts),
        harvest_last_100=sum(part.harvest_last_100 for part in parts) / len(parts),
    )
    return msgspec.structs.replace(
        first,
        time=max(bulletin.time for bulletin in found),
        metrics=metrics,
        fetching=tuple(url for bulletin in found for url in bulletin.fetching)[:MOST_URLS],
        ended=first.ended if all(bulletin.ended for bulletin in found) else "",
        errors=tuple(dict.fromkeys(error for bulletin in found for error in bulletin.errors))[:5],
    )


def _bulletins(folder: Path) -> list[LiveStatus]:
    found = []
    for path in sorted(folder.glob("live-*.json")):
        try:
            found.append(msgspec.json.decode(path.read_bytes(), type=LiveStatus))
        except (OSError, msgspec.DecodeError):
            continue  # of another version; the next second brings a new one
    return found


def _name(worker: int) -> str:
    return f"live-{worker:02d}.json"
