"""The documents of a corpus that are compared, counted through: their shingles and addresses by that number.

Read from the files of their units, a document at a time: what is mapped would count as memory of the process, and grow
with the corpus.
"""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path
from typing import Generic, Protocol, TypeVar

import numpy as np
from numpy.lib import format as npy

from phasa.corpus.shingles import Hashes
from phasa.corpus.workspace import Plan, UnitFiles, Workspace

_OPEN = 64
"""Units whose files are at hand."""


class Numbering:
    """Documents by their number."""

    def __init__(self, workspace: Workspace, plan: Plan) -> None:
        counts = [UnitFiles(workspace.unit(unit.number)).counts.kept for unit in plan.units]
        self.bases = np.concatenate(([0], np.cumsum(counts, dtype=np.int64))).tolist()
        self._shingles = _Lately(lambda unit: _Shingles(workspace.unit(unit)))
        self._addresses = _Lately(lambda unit: _Addresses(workspace.unit(unit)))

    @property
    def total(self) -> int:
        return int(self.bases[-1])

    def shingles(self, doc: int) -> Hashes:
        unit, row = self._place(doc)
        return self._shingles.of(unit).at(row)

    def address(self, doc: int) -> str:
        unit, row = self._place(doc)
        return self._addresses.of(unit).at(row)

    def _place(self, doc: int) -> tuple[int, int]:
        unit = int(np.searchsorted(self.bases, doc, side="right")) - 1
        return unit, doc - int(self.bases[unit])


class _Closed(Protocol):
    def close(self) -> None: ...


T = TypeVar("T", bound=_Closed)


class _Lately(Generic[T]):
    """What was opened for units, of the `_OPEN` that were asked for last."""

    def __init__(self, opened: Callable[[int], T]) -> None:
        self._make = opened
        self._open: OrderedDict[int, T] = OrderedDict()

    def of(self, unit: int) -> T:
        if unit not in self._open:
            self._open[unit] = self._make(unit)
            if len(self._open) > _OPEN:
                self._open.popitem(last=False)[1].close()
        self._open.move_to_end(unit)
        return self._open[unit]


class _Shingles:
    """Those of the documents of a unit."""

    def __init__(self, folder: Path) -> None:
        self._ends = UnitFiles(folder).ends()
        self._file = (folder / "shingles.npy").open("rb", buffering=0)
        npy.read_magic(self._file)
        _, _, self._kind = npy.read_array_header_1_0(self._file)
        self._start = self._file.tell()

    def at(self, row: int) -> Hashes:
        begin, end = int(self._ends[row - 1]) if row else 0, int(self._ends[row])
        size = self._kind.itemsize
        read = os.pread(self._file.fileno(), (end - begin) * size, self._start + begin * size)
        return np.frombuffer(read, self._kind)

    def close(self) -> None:
        self._file.close()


class _Addresses:
    """Those of the documents of a unit, as they stand in its file."""

    def __init__(self, folder: Path) -> None:
        self._text = (folder / "addresses.txt").read_bytes()
        self._ends = np.flatnonzero(np.frombuffer(self._text, np.uint8) == 10).astype(np.uint32)

    def at(self, row: int) -> str:
        begin = int(self._ends[row - 1]) + 1 if row else 0
        return self._text[begin : int(self._ends[row])].decode()

    def close(self) -> None:
        self._text = b""
