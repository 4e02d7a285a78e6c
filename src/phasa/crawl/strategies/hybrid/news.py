"""What pages say of URLs that are known already: noted down link by link, and taken in for several pages at once.

Most links of a crawl lead to what is known. One by one, each would cost as much as a new one; together they are a few
operations on columns, whatever their number.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from phasa.crawl.strategies.hybrid.candidates import SOURCES, Candidates, Feature

Rows = NDArray[np.int64]


class Voice(NamedTuple):
    """A page as its links see it."""

    number: int
    """The number that the fate of its links is counted under."""
    here: int
    """Its server."""
    wanted: bool
    similarity: float
    """Γ, graded."""
    score: float
    """Γ."""
    distance: float
    path: float


class Taken(NamedTuple):
    """What was taken in: the rows, each once, and per row the largest Γ of a page and of an anchor."""

    rows: Rows
    scores: NDArray[np.float64]
    gammas: NDArray[np.float64]


_NOTHING = Taken(np.empty(0, np.int64), np.empty(0), np.empty(0))


class News:
    """Notes of links to known URLs, in the order in which they were seen. `threshold`: from this Γ on an anchor is in
    the language. The numbers of rows must hold until `take_in`."""

    def __init__(self, table: Candidates, threshold: float) -> None:
        self._table = table
        self._threshold = threshold
        self._voices: list[Voice] = []
        self._counts: list[int] = []
        self._rows: list[int] = []
        self._gammas: list[float] = []
        self._filled: list[int] = []

    def note(self, voice: Voice, rows: list[int], gammas: list[float], filled: list[int]) -> None:
        """Links of one page to known rows: Γ of each anchor, and whether it has one (1, 0; −1 when nobody knows)."""
        self._voices.append(voice)
        self._counts.append(len(rows))
        self._rows += rows
        self._gammas += gammas
        self._filled += filled

    def take_in(self) -> Taken:
        """Write all notes into the table."""
        if not self._rows:
            self._voices.clear()
            self._counts.clear()
            return _NOTHING
        table, cells = self._table, self._table.view("cells")
        # Sorted by rows, in order within each: the notes of a row lie side by side, from each `start` on.
        rows = np.array(self._rows)
        order = np.argsort(rows, kind="stable")
        rows = rows[order]
        starts = np.flatnonzero(np.concatenate(([True], rows[1:] != rows[:-1])))
        ends = np.concatenate((starts[1:], [len(rows)]))
        each, last = rows[starts], ends - 1
        source = np.repeat(np.arange(len(self._counts)), self._counts)[order]
        of_page = [np.array(column) for column in zip(*self._voices, strict=True)]
        number, here, wanted, similarity, score, distance, path = (column[source] for column in of_page)
        self._add_voices(each, starts, last, here, wanted)
        self._add_sources(rows, each, starts, ends, number)

        def raise_to(feature: Feature, values: NDArray[Any]) -> None:
            cells[each, feature] = np.maximum(cells[each, feature], np.maximum.reduceat(values, starts))

        inside = table.view("host")[rows] == here
        raise_to(Feature.WANTED_PARENT, wanted)
        raise_to(Feature.PATH, path * wanted)
        raise_to(Feature.PARENT_SIMILARITY, similarity)
        raise_to(Feature.INSIDE, inside)
        raise_to(Feature.INSIDE_WANTED, inside & wanted)
        near = np.minimum.reduceat(distance, starts)
        cells[each, Feature.DISTANCE] = np.minimum(cells[each, Feature.DISTANCE], near)
        gammas, filled = np.array(self._gammas)[order], np.array(self._filled)[order][last]
        raise_to(Feature.ANCHOR_YES, gammas >= self._threshold)
        said = (filled > 0) & (cells[each, Feature.ANCHOR_YES] == 0)
        cells[each, Feature.ANCHOR_NO] = np.where(filled < 0, cells[each, Feature.ANCHOR_NO], said)
        for notes in (self._voices, self._counts, self._rows, self._gammas, self._filled):
            notes.clear()
        return Taken(each, np.maximum.reduceat(score, starts), np.maximum.reduceat(gammas, starts))

    def _add_voices(
        self, each: Rows, starts: Rows, last: Rows, here: NDArray[np.int64], wanted: NDArray[np.bool_]
    ) -> None:
        """Count those that link to a row; links that stand on every page of a server are one voice, not many."""
        table, cells = self._table, self._table.view("cells")
        before = np.concatenate(([0], here[:-1]))
        before[starts] = table.view("last_source")[each]
        another = here != before
        table.view("last_source")[each] = here[last]
        parents, wanted_parents = table.view("parents"), table.view("wanted_parents")
        parents[each] += np.add.reduceat(another, starts, dtype=np.int32)
        wanted_parents[each] += np.add.reduceat(another & wanted, starts, dtype=np.int32)
        cells[each, Feature.PARENTS] = np.log1p(parents[each])
        cells[each, Feature.WANTED_PARENTS] = np.log1p(wanted_parents[each])
        cells[each, Feature.WANTED_SHARE] = wanted_parents[each] / parents[each]

    def _add_sources(self, rows: Rows, each: Rows, starts: Rows, ends: Rows, number: NDArray[np.int64]) -> None:
        """Remember the last pages that link to a row."""
        count, sizes = self._table.view("source_count"), ends - starts
        place = np.arange(len(rows)) - np.repeat(starts, sizes)
        self._table.view("sources")[rows, (count[rows] + place) % SOURCES] = number
        count[each] += sizes.astype(np.int32)
