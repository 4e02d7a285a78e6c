"""The one door to the WARC files of an archive folder: those on the disk, and those that only storage has.

A file that was shipped goes by the path it had. Whoever lists, measures or opens WARC files does it here, and need not
know where their bytes are.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Protocol

from phasa.archive.blocks import BlockCache, RemoteFile
from phasa.archive.manifest import Place, Shipped, read_manifest, read_places
from phasa.archive.storage import open_storage

OPEN = ".open"
CACHE = "cache"
_PIECE = 1 << 20


class Bytes(Protocol):
    """An open file that is read at any place."""

    size: int

    def pread(self, count: int, offset: int) -> bytes:
        """So many bytes at a place, fewer only at the end of the file."""


class _LocalFile:
    def __init__(self, path: Path) -> None:
        self._path = path
        self._file = os.open(path, os.O_RDONLY)
        self.size = os.fstat(self._file).st_size

    def pread(self, count: int, offset: int) -> bytes:
        try:
            return os.pread(self._file, count, offset)
        except OSError as problem:  # it does not name the file
            raise OSError(problem.errno, problem.strerror, str(self._path)) from None

    def close(self) -> None:
        os.close(self._file)


@contextmanager
def opened(path: Path) -> Iterator[Bytes]:
    """A WARC file open for reading, wherever it is. Raises OSError when it is nowhere, or cannot be read; StorageError
    when storage does not give it."""
    file = _open(path)
    try:
        yield file
    finally:
        file.close()


def _open(path: Path) -> _LocalFile | RemoteFile:
    try:
        return _LocalFile(path)
    except FileNotFoundError:
        row = shipped(path)
        if row is None:
            raise
    folder = path.parent
    places = read_places(folder)
    storage = open_storage(row.storage, places.places.get(row.storage, Place()))
    return RemoteFile(storage, row.name, row.size, _cache(folder / CACHE, int(places.cache_megabytes * 1e6)))


@lru_cache(maxsize=8)
def _cache(folder: Path, most_bytes: int) -> BlockCache:
    return BlockCache(folder, most_bytes)


def stream(path: Path) -> Iterator[bytes]:
    """All bytes of a WARC file, piece by piece. Raises as `opened` does."""
    with opened(path) as file:
        at = 0
        while piece := file.pread(_PIECE, at):
            yield piece
            at += len(piece)


def shipped(path: Path) -> Shipped | None:
    """What is known of a file that was shipped; None when it was not."""
    return read_manifest(path.parent).get(path.name)


def exists(path: Path) -> bool:
    """Whether there is such a WARC file, here or in storage."""
    return os.path.isfile(path) or shipped(path) is not None  # unlike Path.is_file, also of a name no file can have


def size_of(path: Path) -> int:
    """The bytes of a WARC file. Raises OSError when there is none."""
    try:
        return path.stat().st_size
    except FileNotFoundError:
        if (row := shipped(path)) is None:
            raise
        return row.size


def finished_files(folder: Path) -> list[Path]:
    """The finished WARC files of a folder that phasa wrote, in the order of their names."""
    names = {path.name for path in folder.glob("*.warc.gz")} | read_manifest(folder).keys()
    return [folder / name for name in sorted(names)]


def own_files(folder: Path) -> list[Path]:
    """Those of them that were written in this folder, and not found in storage."""
    rows = read_manifest(folder)
    return [path for path in finished_files(folder) if path.name not in rows or not rows[path.name].elsewhere]


def warc_files(folder: Path) -> list[Path]:
    """The WARC files of a folder, files still being written included, in the order of their names."""
    return sorted([*finished_files(folder), *folder.glob("*.warc"), *folder.glob(f"*.warc.gz{OPEN}")])


def finished_sizes(folder: Path) -> dict[str, int]:
    """The bytes of the finished WARC files of a folder by name."""
    return {path.name: size_of(path) for path in finished_files(folder)}


def has_pages(folder: Path) -> bool:
    """Whether anything was ever kept in a folder."""
    return any(folder.glob("*.warc.gz*")) or bool(read_manifest(folder))
