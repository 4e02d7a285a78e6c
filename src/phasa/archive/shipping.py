"""Finished WARC files go to storage: uploaded, read back, and believed only when every byte is the same.

A file is shipped when its line is in the manifest, and that is written after storage was seen to have the file and its
index. Whoever is killed before that begins the file again at the next start; what an upload left half is not seen by
readers. The local copy goes, when the settings say so, after the line is on the disk.
"""

from __future__ import annotations

import fcntl
import hashlib
import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import msgspec

from phasa.archive.cdxj import INDEX, merge, write_sorted
from phasa.archive.found import LABEL, found_in, index_of
from phasa.archive.manifest import Place, Shipped, add_shipped, read_manifest, read_places, withdraw, write_place
from phasa.archive.reader import index_entries
from phasa.archive.shelf import OPEN, finished_sizes
from phasa.archive.storage import Step, Storage, StorageError, Sum, open_storage
from phasa.archive.storage_settings import StorageSettings
from phasa.errors import CollectionError

_LOG = logging.getLogger(__name__)
_LOCK = ".shipping.lock"
_CHUNK = 1 << 20


class BusyError(CollectionError):
    """Another process ships from the same folder."""


class Shipper:
    """Ships the finished files of one archive folder to the storage that its settings name.

    Raises SettingsError, StorageError or ExtraError for storage that cannot be used.
    """

    def __init__(self, folder: Path, settings: StorageSettings, home: Path) -> None:
        self.folder = folder
        self._settings = settings
        credentials = str((home / settings.credentials).absolute()) if settings.credentials else ""
        self._place = Place(endpoint=settings.endpoint, region=settings.region, credentials=credentials)
        self._storage = open_storage(settings.url, self._place)

    def waiting(self) -> list[Path]:
        """The finished files that storage does not have for sure, oldest first."""
        return unshipped(self.folder, self._storage.url)

    def ship_all(self, step: Step = lambda size: None, told: Callable[[Shipped], None] = lambda row: None) -> int:
        """Ship what waits, and let local copies go if that is wanted; how many files were shipped. `step` is told the
        bytes of each pass, out and back. Raises StorageError at the first thing that goes wrong; BusyError when
        another process is shipping."""
        if not self.folder.is_dir():
            return 0
        with _alone(self.folder):
            write_place(self.folder, self._storage.url, self._place, self._settings.cache_megabytes)
            waiting = self.waiting()
            for path in waiting:
                told(self._ship(path, step))
            if not self._settings.keep_local:
                self._let_go()
        return len(waiting)

    def find(self, told: Callable[[Shipped], None] = lambda row: None) -> int:
        """Learn of files that storage has and this folder does not know, as other machines ship them: their lines and
        their index are kept here; how many. Raises StorageError, also when one is not as its label says."""
        self.folder.mkdir(parents=True, exist_ok=True)
        with _alone(self.folder):
            write_place(self.folder, self._storage.url, self._place, self._settings.cache_megabytes)
            known = finished_sizes(self.folder)
            found = [row for row in found_in(self._storage) if row.name not in known]
            for row in found:
                write_sorted(self.folder / f"{row.name}.cdxj", index_of(self._storage, row))
                add_shipped(self.folder, row)  # after its index: a file without one would be read through to make it
                told(row)
            if found:
                merge(self.folder)
        return len(found)

    def _ship(self, path: Path, step: Step) -> Shipped:
        """Upload a file and its index, and read both back; then its label, which makes it known to others."""
        there = self._storage.size_of(path.name)
        found = self._storage.sum_of(path.name, step) if there == path.stat().st_size else None
        if found is not None and found == sum_of_file(path, step):
            _LOG.info("%s: storage has it already", path)  # killed after the upload, before the line was written
        else:
            if there is not None:
                _LOG.warning("%s: storage has other bytes under this name; replaced", path)
            sent = self._storage.put(path.name, path, step)
            found = _same(self._storage, path.name, sent, self._storage.sum_of(path.name, step))
        lines = _index_lines(path)
        name = f"{path.name}.cdxj"
        index = _same(self._storage, name, self._storage.put_bytes(name, lines), self._storage.sum_of(name))
        row = Shipped(
            name=path.name,
            size=found.size,
            sha256=found.sha256,
            records=lines.count(b"\n"),
            index_sha256=index.sha256,
            storage=self._storage.url,
            time=datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        )
        self._storage.put_bytes(f"{path.name}{LABEL}", msgspec.json.encode(row))
        add_shipped(self.folder, row)
        _LOG.info("%s: shipped to %s, %d bytes, sha256 %s", path, row.storage, row.size, row.sha256)
        return row

    def _let_go(self) -> None:
        """Remove local copies of files that were shipped and that storage still says it has."""
        for row in list(read_manifest(self.folder).values()):
            path = self.folder / row.name
            if row.storage != self._storage.url or not path.is_file() or path.stat().st_size != row.size:
                continue
            if self._storage.size_of(row.name) != row.size:
                _LOG.warning("%s: stays: storage does not have it any more", path)
                continue
            path.unlink()
            _LOG.info("%s: the local copy is gone; storage has it", path)


class Checked(NamedTuple):
    """A shipped file that was looked at; `problem` is '' when it is as it was."""

    name: str
    size: int
    problem: str


def verify(folder: Path, step: Step = lambda size: None) -> Iterator[Checked]:
    """Read every shipped file and its index back from storage, and local copies too, and compare digests. What storage
    lost and this disk still has whole counts as not shipped from then on. Raises StorageError when storage cannot be
    asked."""
    places = read_places(folder).places
    for row in sorted(read_manifest(folder).values(), key=lambda one: one.name):
        storage = open_storage(row.storage, places.get(row.storage, Place()))
        problems = []
        for name, wanted in ((row.name, row.sha256), (f"{row.name}.cdxj", row.index_sha256)):
            found = storage.sum_of(name, step)
            if found is None:
                problems.append(f"{row.storage}/{name}: is gone")
            elif found.sha256 != wanted:
                problems.append(f"{row.storage}/{name}: its bytes are not those that were shipped")
        path = folder / row.name
        if path.is_file():
            if sum_of_file(path).sha256 != row.sha256:
                problems.append(f"{path}: its bytes are not those that were shipped")
            elif problems:
                withdraw(folder, row)
                problems.append("the copy on this disk is whole: phasa archive ship sends it again")
        yield Checked(row.name, row.size, "; ".join(problems))


def unshipped(folder: Path, url: str) -> list[Path]:
    """The finished local files of which the manifest does not say that this storage has them as they are."""
    rows = read_manifest(folder)
    waiting = []
    for path in sorted(folder.glob("*.warc.gz")):
        row = rows.get(path.name)
        if row is None or row.storage != url.rstrip("/") or row.size != path.stat().st_size:
            waiting.append(path)
    return waiting


def unshipped_records(folder: Path, url: str) -> int:
    """How many index lines belong to files that are not shipped, those being written included."""
    count = 0
    merged: list[bytes] = []
    for path in [*unshipped(folder, url), *folder.glob(f"*.warc.gz{OPEN}")]:
        name = path.name.removesuffix(OPEN)
        own = [one for one in (folder / f"{name}.cdxj", folder / f"{name}.cdxj{OPEN}") if one.is_file()]
        for index in own:
            count += index.read_bytes().count(b"\n")
        if not own:
            merged.append(f'"filename":"{name}"'.encode())
    if merged and (folder / INDEX).is_file():
        with (folder / INDEX).open("rb") as file:
            count += sum(any(sign in line for sign in merged) for line in file)
    return count


def sum_of_file(path: Path, step: Step = lambda size: None) -> Sum:
    """How many bytes a file here has, and their SHA-256. Raises OSError."""
    digest, size = hashlib.sha256(), 0
    with path.open("rb") as file:
        while piece := file.read(_CHUNK):
            digest.update(piece)
            size += len(piece)
            step(len(piece))
    return Sum(size, digest.hexdigest())


def _same(storage: Storage, name: str, sent: Sum, found: Sum | None) -> Sum:
    if found != sent:
        raise StorageError(f"storage {storage.url}: {name}: what was read back is not what was sent; sent again later")
    return sent


def _index_lines(path: Path) -> bytes:
    """The index of a WARC file: its own, or, when that was merged already, made from its records."""
    try:
        return path.with_name(f"{path.name}.cdxj").read_bytes()
    except FileNotFoundError:
        return b"".join(sorted({entry.line() for entry in index_entries(path)}))


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Nobody else ships from this folder meanwhile. Raises BusyError."""
    with (folder / _LOCK).open("a") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise BusyError(f"{folder}: another process is shipping its files now; wait for it") from None
        yield
