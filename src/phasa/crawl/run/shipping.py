"""Finished WARC files are shipped while the crawl goes on: one file at a time, in a thread of the owner's process.

Storage that fails, is full or is away never stops the crawl: the files stay on the disk, the trouble is logged and
shown by `phasa status`, and it is tried again after pauses that double.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from typing import NamedTuple

import msgspec

from phasa.archive.manifest import read_manifest
from phasa.archive.shipping import BusyError, Shipper, unshipped, unshipped_records
from phasa.archive.storage import StorageError
from phasa.collection import Collection
from phasa.errors import CollectionError, PhasaError
from phasa.files import replace_file

TROUBLE = "shipping.json"
"""In the reports folder: what is wrong with storage, while something is."""
_LOOK = 2.0
_FIRST_PAUSE = 5.0
_GRACE = 5.0  # for a request that hangs; its thread ends with the process, and the file is sent again
_logger = logging.getLogger(__name__)


class Trouble(msgspec.Struct, frozen=True):
    """Why nothing is shipped: since when, how often it was tried, and when it will be tried again."""

    what: str
    since: float
    tries: int
    again: float


class ShippingState(NamedTuple):
    """What storage has of a collection and what only this disk has. `trouble` is None when nothing is known to be."""

    url: str
    files: int
    size: int
    files_waiting: int
    pages_waiting: int
    trouble: Trouble | None


class _StoppedError(Exception):
    """The crawl has ended, and its patience with storage too."""


@contextmanager
def shipping(collection: Collection) -> Iterator[None]:
    """Ship what is finished while the block runs, and its last files after it: for as long as the settings wait, or,
    where durable means shipped, until storage has them or fails. Raises SettingsError or ExtraError, before the block,
    for storage that can never be used."""
    settings = collection.settings.storage
    if not settings.url or not collection.settings.archive.keep:
        yield
        return
    with suppress(StorageError):  # what may be better in an hour is told by the job
        Shipper(collection.archive_folder, settings, collection.path)
    job = _Job(collection)
    job.start()
    try:
        yield
    except BaseException:
        job.stop(0.0)
        raise
    job.stop(None if settings.durable == "shipped" else settings.wait_seconds)


class _Job:
    """The thread that ships."""

    def __init__(self, collection: Collection) -> None:
        self._collection = collection
        self._settings = collection.settings.storage
        self._ending = threading.Event()
        self._deadline: float | None = None
        self._thread = threading.Thread(target=self._work, name="shipping", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self, seconds: float | None) -> None:
        """Ship what is left, for so long; None: until it is shipped or storage fails."""
        self._deadline = time.monotonic() + seconds if seconds is not None else None
        self._ending.set()
        self._thread.join(None if seconds is None else seconds + _GRACE)

    def _work(self) -> None:
        pause = 0.0
        while True:
            last = self._ending.is_set()  # before it looks: what is finished until now is seen
            pause = min(2 * pause or _FIRST_PAUSE, self._settings.retry_seconds) if not self._round(pause) else 0.0
            if last or (self._ending.is_set() and pause):
                return
            self._ending.wait(pause or _LOOK)

    def _round(self, pause: float) -> bool:
        """Ship what is finished; whether storage took it."""
        try:
            shipper = Shipper(self._collection.archive_folder, self._settings, self._collection.path)
            if shipper.ship_all(self._step):
                _logger.info("%s: all finished files are shipped", self._collection.archive_folder)
        except _StoppedError:
            _logger.info("%s: files are left to ship", self._collection.archive_folder)
        except BusyError as problem:  # somebody ships by hand
            _logger.info("%s", problem)
        except (PhasaError, OSError) as problem:
            self._tell(problem, min(2 * pause or _FIRST_PAUSE, self._settings.retry_seconds))
            return False
        _forget(self._collection)
        return True

    def _step(self, size: int) -> None:
        if self._ending.is_set() and self._deadline is not None and time.monotonic() > self._deadline:
            raise _StoppedError

    def _tell(self, problem: Exception, pause: float) -> None:
        known, now = read_trouble(self._collection), time.time()
        what = " ".join(str(problem).split())
        if known is None or known.what != what:
            _logger.warning("%s; the files stay on this disk, and it is tried again", what)
        trouble = Trouble(what, known.since if known else now, known.tries + 1 if known else 1, now + pause)
        try:
            self._collection.reports_folder.mkdir(exist_ok=True)
            replace_file(self._collection.reports_folder / TROUBLE, msgspec.json.encode(trouble))
        except OSError as full:
            _logger.warning("%s: %s", TROUBLE, full)


def _forget(collection: Collection) -> None:
    (collection.reports_folder / TROUBLE).unlink(missing_ok=True)


def read_trouble(collection: Collection) -> Trouble | None:
    """What is wrong with storage; None when nothing is known to be."""
    try:
        return msgspec.json.decode((collection.reports_folder / TROUBLE).read_bytes(), type=Trouble)
    except (OSError, msgspec.DecodeError):
        return None


def ship_now(collection: Collection) -> Shipper:
    """What ships the files of a collection by hand; trouble that was noted is forgotten. Raises CollectionError when
    its settings name no storage."""
    settings = collection.settings.storage
    if not settings.url:
        raise CollectionError(
            f"{collection.settings_file}: [storage] url is empty; say where to: s3://bucket/prefix or file:/path"
        )
    shipper = Shipper(collection.archive_folder, settings, collection.path)
    _forget(collection)
    return shipper


def shipping_state(collection: Collection) -> ShippingState | None:
    """What was shipped of a collection and what waits; None when its settings name no storage. Asks storage nothing."""
    url = collection.settings.storage.url.rstrip("/")
    if not url:
        return None
    folder = collection.archive_folder
    rows = [row for row in read_manifest(folder).values() if row.storage == url]
    return ShippingState(
        url=url,
        files=len(rows),
        size=sum(row.size for row in rows),
        files_waiting=len(unshipped(folder, url)),
        pages_waiting=unshipped_records(folder, url),
        trouble=read_trouble(collection),
    )


def storage_in_words(state: ShippingState) -> str:
    """The same in one line."""
    said = f"{state.url}: {state.files:,} files shipped ({state.size / 1e6:,.1f} MB), {state.files_waiting:,} waiting"
    if state.trouble is not None:
        one = state.trouble
        said += f"; fails since {_hour(one.since)}, tried {one.tries:,} times, again at {_hour(one.again)}: {one.what}"
    return said


def _hour(moment: float) -> str:
    return datetime.fromtimestamp(moment, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
