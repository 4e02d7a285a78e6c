"""What is remembered of waiting URLs: one row each, in columns, so that all of them can be scored again at once.

A column is one `array`: the few links of a page are read and written cell by cell, which numpy is slow at, and a numpy
view of the same memory scores all rows in one go. Rows have no gaps: the last row moves into one that is freed.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from enum import IntEnum
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from phasa.crawl.strategies.online.names import HOST_PIECES, PIECES, Names
from phasa.crawl.strategy import Floats

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
_FRESH = array("d", [0.0] * WIDTH)
_FRESH[Feature.BIAS] = 1.0
_FRESH[Feature.DISTANCE] = FARTHEST
_NO_SOURCES = array("q", [0] * SOURCES)

# Column, type of its cells, cells per row.
_COLUMNS = (
    ("cells", "d", WIDTH),
    ("pieces", "i", PIECES),
    ("sources", "q", SOURCES),
    ("tld", "q", 1),
    ("site", "q", 1),
    ("host", "q", 1),
    ("segment", "q", 1),
    ("national", "b", 1),
    ("parents", "i", 1),
    ("wanted_parents", "i", 1),
    ("last_source", "q", 1),
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

    Rows 0 to len - 1 are in use. `reserve` makes room, and only there columns are replaced by larger ones: who holds
    on to a column takes it again afterwards.
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
        self._room = 0
        self._grow(min(1024, limit))

    def __len__(self) -> int:
        return len(self.urls)

    def row(self, url: str) -> int:
        """The row of a URL, -1 when it is not remembered."""
        return self._rows.get(url, -1)

    def view(self, column: str) -> NDArray[Any]:
        """A column as numpy sees it, rows in use only; a matrix where rows have several cells."""
        dtype, width = _SHAPES[column]
        whole = np.frombuffer(getattr(self, column), dtype=dtype)
        return whole[: len(self.urls)] if width == 1 else whole.reshape(-1, width)[: len(self.urls)]

    def few(self, rows: list[int]) -> tuple[Floats, NDArray[np.int32]]:
        """Features and pieces of some rows."""
        at = np.array(rows)
        return self._all_cells.take(at, axis=0), self._all_pieces.take(at, axis=0)

    def spot(self, row: int) -> Spot:
        """Where a URL stands."""
        start = row * SOURCES
        return Spot(self.host[row], self.sources[start : start + min(SOURCES, self.source_count[row])].tolist())

    def near(self, spot: Spot) -> NDArray[np.int64]:
        """The rows of the same server, and of links on the same pages, in order."""
        sources = self.view("sources").ravel()
        found = [np.flatnonzero(self.view("host") == spot.host)]
        found += [np.flatnonzero(sources == source) // SOURCES for source in spot.sources]
        return np.unique(np.concatenate(found))

    def reserve(self, urls: Sequence[str]) -> None:
        """Make room for those of the URLs that are not remembered yet."""
        most = len(self.urls) + len(urls)
        if most > self.limit and len(self.urls) + len(set(urls) - self._rows.keys()) > self.limit:
            self._forget(set(urls))
        if most > self._room:
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
        self.last_source[row] = -1
        return row

    def pop(self, url: str) -> None:
        """Forget a URL; the last row takes its place."""
        row = self._rows.pop(url, -1)
        if row < 0:
            return
        last = len(self.urls) - 1
        moved = self.urls.pop()
        if row == last:
            return
        self.urls[row] = moved
        self._rows[moved] = row
        for name, _, width in _COLUMNS:
            column = getattr(self, name)
            if width == 1:
                column[row] = column[last]
            else:
                column[row * width : (row + 1) * width] = column[last * width : (last + 1) * width]

    def _grow(self, least: int) -> None:
        room = max(1, self._room)
        while room < least:
            room *= 2
        for name, code, width in _COLUMNS:
            larger = array(code, bytes(room * width * array(code).itemsize))
            if self._room:
                larger[: self._room * width] = getattr(self, name)
            setattr(self, name, larger)
        self._room = room
        self._all_cells = np.frombuffer(self.cells).reshape(-1, WIDTH)
        self._all_pieces = np.frombuffer(self.pieces, dtype=np.int32).reshape(-1, PIECES)

    def _forget(self, needed: set[str]) -> None:
        worst = np.argsort(self.view("given"), kind="stable")[: max(1, self.limit // 10)]
        for url in [self.urls[row] for row in worst.tolist()]:
            if url not in needed:
                self.pop(url)
