"""A file in storage as bytes that are read at any place: blocks on demand, kept on this disk up to a bound.

One record costs one block. Whoever reads on gets larger and larger pieces in one request each, so that a whole file is
streamed; those of a large file are not kept, for they would push out what readers come back to.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from phasa.archive.storage import Storage, StorageError

BLOCK = 1 << 20
MOST_BLOCKS = 16
"""Blocks of one request of somebody who reads on."""
_LARGE = 10
"""A file of more than one part in so many of the cache is not kept when it is streamed."""
_SWEEP = 16
"""Blocks that are written between two looks at the size of the cache."""


class BlockCache:
    """Blocks of shipped files in a folder, the longest unread go first. A folder that cannot be written to keeps none.

    At most `most_bytes` after each sweep, and a sweep is every 16 blocks.
    """

    def __init__(self, folder: Path, most_bytes: int) -> None:
        self._folder = folder
        self.most_bytes = most_bytes
        self._written = 0

    def get(self, name: str, number: int) -> bytes | None:
        path = self._path(name, number)
        try:
            data = path.read_bytes()
            os.utime(path)
        except OSError:
            return None
        return data

    def put(self, name: str, number: int, data: bytes) -> None:
        if self.most_bytes < BLOCK:
            return
        path = self._path(name, number)
        fresh = path.with_name(f"{path.name}.{os.getpid()}.new")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            fresh.write_bytes(data)
            fresh.replace(path)
        except OSError:  # a full or read-only disk: read again the next time
            with suppress(OSError):
                fresh.unlink(missing_ok=True)
            return
        self._written += 1
        if self._written % _SWEEP == 1:
            self.sweep()

    def sweep(self) -> None:
        """Remove what was not read for the longest time, down to the bound."""
        found: list[tuple[float, int, Path]] = []
        for path in self._folder.glob("*/*"):
            with suppress(OSError):
                there = path.stat()
                found.append((there.st_mtime, there.st_size, path))
        size = sum(one for _, one, _ in found)
        for _, one, path in sorted(found):
            if size <= self.most_bytes - _SWEEP * BLOCK and size <= self.most_bytes * 0.9:
                return
            with suppress(OSError):
                path.unlink(missing_ok=True)
            size -= one

    def _path(self, name: str, number: int) -> Path:
        return self._folder / name / f"{number:06d}"


class RemoteFile:
    """A file in storage, read like one on the disk."""

    def __init__(self, storage: Storage, name: str, size: int, cache: BlockCache) -> None:
        self.size = size
        self._storage = storage
        self._name = name
        self._cache = cache
        self._start = 0
        self._data = b""
        self._window = 1

    def pread(self, count: int, offset: int) -> bytes:
        """So many bytes at a place, fewer only at the end of the file. Raises StorageError."""
        parts: list[bytes] = []
        left, at = max(0, min(count, self.size - offset)), offset
        while left:
            if not self._start <= at < self._start + len(self._data):
                self._load(at)
            piece = self._data[at - self._start : at - self._start + left]
            parts.append(piece)
            left -= len(piece)
            at += len(piece)
        return b"".join(parts)

    def close(self) -> None:
        self._data = b""

    def _load(self, at: int) -> None:
        first = at // BLOCK
        reads_on = bool(self._data) and first * BLOCK == self._start + len(self._data)
        self._window = min(2 * self._window, MOST_BLOCKS) if reads_on else 1
        self._start = first * BLOCK
        cached = self._cache.get(self._name, first)
        if cached is not None and len(cached) == min(BLOCK, self.size - self._start):
            self._data = cached
            return
        length = min(self._window * BLOCK, self.size - self._start)
        got = self._storage.read(self._name, self._start, length)
        if len(got) != length:
            raise StorageError(
                f"storage {self._storage.url}: it gave {len(got):,} of {length:,} bytes of {self._name}; "
                "look for damage with: phasa archive verify"
            )
        self._data = got
        if self._window == 1 or self.size * _LARGE <= self._cache.most_bytes:
            for number in range(0, length, BLOCK):
                self._cache.put(self._name, first + number // BLOCK, self._data[number : number + BLOCK])
