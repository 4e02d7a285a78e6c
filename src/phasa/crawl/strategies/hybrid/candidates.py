"""What is remembered of waiting URLs: one row each, in columns, so that all of them can be scored again at once.

A column is one `array`: the few links of a page are read and written cell by cell, which numpy is slow at, and a numpy
view of the same memory scores all rows in one go. A URL that is forgotten leaves its row behind; `sweep` moves the last
rows into such rows, so that what was noted down by row numbers holds until then.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from enum import IntEnum
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from phasa.crawl.strategies.online.names import HOST_PIECES, PIECES, Names

Rows = slice | NDArray[np.int64]
Cells = NDArray[np.float32]
Pieces = NDArray[np.uint16]

SOURCES = 3
"""How many of the pages that link to a URL are remembered."""
FARTHEST = 4.0
"""Links since the last page in the language are counted up to here."""


class Feature(IntEnum):
    """The cells of a row's features. All are 0 where nothing is known; those from DOMAIN on change with every page."""

    BIAS = 0
    WANTED_PARENT = 1
    PARENT_SIMILARITY = 2
    ANCHOR_YES = 3
    ANCHOR_NO = 4
    HINT = 5
    WANTED_PARENTS = 6
    WANTED_SHARE = 7
    DISTANCE = 8
    PARENTS = 9
    PATH = 10
    INSIDE = 11
    INSIDE_WANTED = 12
    COUNTRY = 13
    SEED = 14
    KNOWLEDGE = 15
    ADDRESS = 16
    DOMAIN = 17
    SITE = 18
    SERVER = 19
    SERVER_JUDGED = 20
    DIRECTORY = 21
    SIBLINGS = 22


WIDTH = len(Feature)
_ADDRESS = int(Feature.ADDRESS)
_FRESH = array("f", [0.0] * WIDTH)
_FRESH[Feature.BIAS] = 1.0
_FRESH[Feature.DISTANCE] = FARTHEST
_NO_SOURCES = array("i", [0] * SOURCES)
NOWHERE = 0
"""The host of a row that is left behind, and the last source of one that nobody links to."""

# Column, type of its cells, cells per row. Small cells: a table of 200,000 rows takes 36 MB.
_COLUMNS = (
    ("cells", "f", WIDTH),
    ("pieces", "H", PIECES),
    ("sources", "i", SOURCES),
    ("tld", "I", 1),
    ("site", "I", 1),
    ("host", "I", 1),
    ("segment", "I", 1),
    ("national", "b", 1),
    ("parents", "i", 1),
    ("wanted_parents", "i", 1),
    ("last_source", "I", 1),
    ("source_count", "i", 1),
    ("given", "d", 1),
)
_SHAPES = {name: (np.dtype(code), width) for name, code, width in _COLUMNS}


class Spot(NamedTuple):
    """Where a URL stands: its server, and the pages that link to it."""

    host: int
    sources: list[int]


class Candidates:
    """A table of at most `limit` waiting URLs; when it is full the least promising tenth is forgotten.

    `reserve` makes room, and only there columns are replaced by larger ones: who holds on to a column takes it again
    afterwards.
    """

    cells: array[float]
    """The features of row r begin at r * WIDTH."""
    pieces: array[int]
    sources: array[int]
    tld: array[int]
    site: array[int]
    host: array[int]
    segment: array[int]
    national: array[int]
    parents: array[int]
    wanted_parents: array[int]
    last_source: array[int]
    source_count: array[int]
    given: array[float]
    """The priority that the frontier knows."""

    def __init__(self, names: Names, limit: int = 200_000) -> None:
        self.names = names
        self.limit = limit
        self.urls: list[str] = []
        self._rows: dict[str, int] = {}
        self._left: list[int] = []
        self._room = 0
        self._wholes: dict[str, NDArray[Any]] = {}
        self._grow(min(1024, limit))

    def __len__(self) -> int:
        """The URLs that are remembered."""
        return len(self._rows)

    def row(self, url: str) -> int:
        """The row of a URL, -1 when it is not remembered."""
        return self._rows.get(url, -1)

    def rows_of(self, urls: Sequence[str]) -> list[int]:
        """The row of each URL, -1 for those that are not remembered."""
        row = self._rows.get
        return [row(url, -1) for url in urls]

    def view(self, column: str) -> NDArray[Any]:
        """A column as numpy sees it, rows in use and those left behind; a matrix where rows have several cells."""
        return self._wholes[column][: len(self.urls)]

    def at(self, column: str, rows: Rows) -> NDArray[Any]:
        """The cells of some rows in a column: a view of a slice, or a copy of a few."""
        return self.view(column)[rows] if isinstance(rows, slice) else self._wholes[column].take(rows, axis=0)

    def few(self, rows: list[int]) -> tuple[Cells, Pieces]:
        """Features and pieces of some rows."""
        at = np.array(rows)
        return self.at("cells", at), self.at("pieces", at)

    def spot(self, row: int) -> Spot:
        """Where a URL stands."""
        start = row * SOURCES
        return Spot(self.host[row], self.sources[start : start + min(SOURCES, self.source_count[row])].tolist())

    def near(self, spot: Spot) -> NDArray[np.int64]:
        """The rows of the same server, and of links on the same pages, in order."""
        sources = self.view("sources").ravel()
        found = [np.flatnonzero(self.view("host") == spot.host)]
        found += [np.flatnonzero(sources == source) // SOURCES for source in spot.sources]
        rows = np.concatenate(found)
        rows.sort()
        return rows[np.concatenate(([True], rows[1:] != rows[:-1]))] if len(rows) else rows

    def is_full(self, more: int) -> bool:
        """Whether so many more URLs may be too many."""
        return len(self.urls) + more > self.limit

    def reserve(self, urls: Sequence[str]) -> None:
        """Make room for those of the URLs that are not remembered yet. When the table `is_full`, rows move: nothing
        that was noted down by row numbers may be left then."""
        if self.is_full(len(urls)):
            self.sweep()
            if len(self.urls) + len(set(urls) - self._rows.keys()) > self.limit:
                self._forget(set(urls))
        if (most := len(self.urls) + len(urls)) > self._room:
            self._grow(most)

    def add(self, url: str) -> int:
        """The row of a URL; one that was not remembered yet starts with what its address says. See `reserve`."""
        row = self._rows.get(url, -1)
        if row >= 0:
            return row
        row = self._rows[url] = len(self.urls)
        self.urls.append(url)
        address = self.names.address(url)
        name = address.host
        self.tld[row], self.site[row], self.host[row] = name.tld, name.site, name.host
        self.segment[row], self.national[row] = address.segment, name.national
        start = row * PIECES
        self.pieces[start : start + HOST_PIECES] = name.pieces
        self.pieces[start + HOST_PIECES : start + PIECES] = address.pieces
        self.cells[row * WIDTH : (row + 1) * WIDTH] = _FRESH
        self.cells[row * WIDTH + _ADDRESS] = address.told
        self.sources[row * SOURCES : (row + 1) * SOURCES] = _NO_SOURCES
        self.parents[row] = self.wanted_parents[row] = self.source_count[row] = 0
        self.last_source[row] = NOWHERE
        return row

    def pop(self, url: str) -> None:
        """Forget a URL. Its row is left behind until the next `sweep`, near to nothing."""
        row = self._rows.pop(url, -1)
        if row >= 0:
            self._left.append(row)
            self.host[row] = NOWHERE
            self.sources[row * SOURCES : (row + 1) * SOURCES] = _NO_SOURCES

    def sweep(self) -> None:
        """Move the last rows into those that were left behind."""
        if not self._left:
            return
        left, self._left = set(self._left), []
        end = len(self.urls) - len(left)
        holes = sorted(row for row in left if row < end)
        movers = [row for row in range(end, len(self.urls)) if row not in left]
        for hole, mover in zip(holes, movers, strict=True):
            url = self.urls[hole] = self.urls[mover]
            self._rows[url] = hole
        if holes:
            to, of = np.array(holes), np.array(movers)
            for name, _, _ in _COLUMNS:
                column = self.view(name)
                column[to] = column[of]
        del self.urls[end:]

    def _grow(self, least: int) -> None:
        # By an eighth: to copy a table is little work next to the links that fill it, and room that nothing fills is
        # memory all the same.
        room = max(least, min(max(least, self._room) * 9 // 8, self.limit))
        for name, code, width in _COLUMNS:
            larger = array(code, [0]) * (room * width)
            if self._room:
                larger[: self._room * width] = getattr(self, name)
            setattr(self, name, larger)
        self._room = room
        for name, (dtype, width) in _SHAPES.items():
            whole: NDArray[Any] = np.frombuffer(getattr(self, name), dtype=dtype)
            self._wholes[name] = whole if width == 1 else whole.reshape(-1, width)

    def _forget(self, needed: set[str]) -> None:
        worst = np.argsort(self.view("given"), kind="stable")[: max(1, self.limit // 10)]
        for url in [self.urls[row] for row in worst.tolist()]:
            if url not in needed:
                self.pop(url)
        self.sweep()
