"""Which documents have a key: sorted files of (key, document), merged as they grow, read through the page cache.

A log-structured merge: each unit of work adds a run; runs of about the same size are merged, so that there are few.
A manifest names the runs that count and is replaced as a whole: a kill loses at most the unit under way. Memory does
not grow with the documents; what is mapped from the files belongs to the operating system.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from phasa.errors import InputError
from phasa.files import replace_file, whole_file

MANIFEST = "runs.json"
_FEW = 4
"""Runs of about one size that are merged into one."""
_CHUNK = 1 << 16
_AT_MOST = 8
"""Documents with one key that are compared with."""
ENTRY = np.dtype([("key", "<u8"), ("doc", "<u4")])
Entries = NDArray[np.void]


class Run(msgspec.Struct, frozen=True):
    """A sorted file."""

    name: str
    size: int


class Manifest(msgspec.Struct, frozen=True):
    """The runs that count, oldest first, and how many units of work are in them."""

    units: int = 0
    runs: tuple[Run, ...] = ()


class Hit(NamedTuple):
    """The row of a query that has a key in common with a known document."""

    row: int
    doc: int


class KeyIndex:
    """The keys of the documents that were kept, in a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self.manifest = _read_manifest(folder / MANIFEST)
        for path in folder.glob("*.run"):  # of a unit that was not finished, or merged already
            if path.name not in {run.name for run in self.manifest.runs}:
                path.unlink()

    def find(self, keys: NDArray[np.uint64]) -> Iterator[Hit]:
        """The known documents that have one of the keys of each row, in no order, some more than once."""
        columns = keys.shape[1]
        flat = keys.ravel()
        order = np.argsort(flat, kind="stable")
        ordered = flat[order]
        for run in self.manifest.runs:
            entries = np.memmap(self._folder / run.name, ENTRY, "r")
            places = np.searchsorted(entries["key"], ordered)
            for step in range(_AT_MOST):
                at = places + step
                inside = np.flatnonzero(at < len(entries))
                same = inside[entries["key"][at[inside]] == ordered[inside]]
                if not len(same):
                    break
                docs = entries["doc"][at[same]].tolist()
                yield from map(Hit, (order[same] // columns).tolist(), docs)

    def add(self, keys: NDArray[np.uint64], docs: NDArray[np.uint32]) -> None:
        """Add the keys (a row for each document) of one unit of work, merge what should be merged, and commit."""
        unit = self.manifest.units
        runs = list(self.manifest.runs)
        if len(docs):
            entries = np.empty(keys.size, ENTRY)
            entries["key"] = keys.ravel()
            entries["doc"] = np.repeat(docs, keys.shape[1])
            entries.sort(order=("key", "doc"))
            runs.append(self._write(f"{unit:06}.run", [entries]))
            while len(runs) >= _FEW and runs[-1].size * _FEW >= runs[-_FEW].size:
                runs[-_FEW:] = [self._write(f"{unit:06}-{len(runs)}.run", self._merged(runs[-_FEW:]))]
        self.manifest = Manifest(unit + 1, tuple(runs))
        replace_file(self._folder / MANIFEST, msgspec.json.encode(self.manifest), durable=True)
        for path in self._folder.glob("*.run"):
            if path.name not in {run.name for run in runs}:
                path.unlink()

    def merge_all(self, out: Path) -> None:
        """All entries as one sorted file."""
        with whole_file(out) as part, part.open("wb") as file:
            for entries in self._merged(list(self.manifest.runs)):
                file.write(entries.tobytes())

    def _write(self, name: str, pieces: Iterator[Entries] | list[Entries]) -> Run:
        size = 0
        with whole_file(self._folder / name) as part, part.open("wb") as file:
            for entries in pieces:
                file.write(entries.tobytes())
                size += len(entries)
        return Run(name, size)

    def _merged(self, runs: list[Run]) -> Iterator[Entries]:
        """The entries of some runs in order, a piece at a time: by ranges of keys, which are spread evenly."""
        sources = [np.memmap(self._folder / run.name, ENTRY, "r") for run in runs]
        total = sum(map(len, sources))
        pieces = max(1, -(-total // _CHUNK))
        edges = [(1 << 64) * number // pieces for number in range(1, pieces)]
        starts = [0] * len(sources)
        for edge in [*edges, None]:
            ends = [
                len(source) if edge is None else int(np.searchsorted(source["key"], np.uint64(edge)))
                for source in sources
            ]
            parts = [source[start:end] for source, start, end in zip(sources, starts, ends, strict=True)]
            merged = np.concatenate(parts) if parts else np.zeros(0, ENTRY)
            merged.sort(order=("key", "doc"))
            yield merged
            starts = ends


def _read_manifest(path: Path) -> Manifest:
    if not path.exists():
        return Manifest()
    try:
        return msgspec.json.decode(path.read_bytes(), type=Manifest)
    except msgspec.MsgspecError:
        raise InputError(f"{path}: damaged; remove its folder and give the same command again") from None
