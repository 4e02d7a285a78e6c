"""Posting lists in the file: the waiting URLs of each host, best first, many entries packed into one row.

A row holds its best entry in its columns, and in `more` the entries that follow it, if there are any, as rank and id.
The rows of a host may overlap; the best entry of a host is that of its first row.

An entry in `more` is not taken out when its URL no longer waits, or waits with another rank: the entry is *stale*
then, which the URL's own row shows when the entry comes up. An entry in the columns of a row is taken out at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from heapq import heappop, heappush
from sqlite3 import Connection
from struct import Struct

import numpy as np

from phasa.frontier.index.run import ENTRY, Head, Run

_ENTRY = Struct("<dq")
_SIZE = _ENTRY.size
_ADD = "INSERT OR IGNORE INTO queue VALUES (?, ?, ?, ?)"
_REMOVE = "DELETE FROM queue WHERE host = ? AND rank = ? AND id = ?"

Entry = tuple[int, float, int]
"""Host, rank, id."""


class QueueTable:
    """All SQL of the table `queue`, with at most `row_entries` entries in a row. Writes belong to the caller's
    transaction, also those of `best`."""

    def __init__(self, db: Connection, row_entries: int = 128) -> None:
        self._db = db
        self._row_entries = row_entries

    def add_run(self, run: Run) -> None:
        """Everything that waits in a run."""
        self._db.executemany(_ADD, run.postings(self._row_entries))

    def add(self, host: int, rank: float, id: int) -> None:
        self._db.execute(_ADD, (host, rank, id, None))

    def remove(self, host: int, rank: float, id: int) -> None:
        """Take an entry out; one in `more` stays, stale."""
        row = self._db.execute(
            "SELECT more FROM queue WHERE host = ? AND rank = ? AND id = ?", (host, rank, id)
        ).fetchone()
        if row is not None:
            self._take_first(host, rank, id, row[0])

    def change(self, before: Iterable[Entry], now: Iterable[Entry]) -> None:
        """Entries get other ranks. An old one that has others behind it stays, stale."""
        self._db.executemany(f"{_REMOVE} AND more IS NULL", before)
        self._db.executemany(_ADD, [(*entry, None) for entry in now])

    def best(self, host: int) -> Head | None:
        """The best URL that waits at a host; stale entries before it are taken out."""
        while True:
            row = self._db.execute(
                "SELECT q.rank, q.id, q.more, u.state, u.priority FROM queue q CROSS JOIN url u ON u.id = q.id"
                " WHERE q.host = ? ORDER BY q.rank, q.id LIMIT 1",
                (host,),
            ).fetchone()
            if row is None:
                return None
            rank, id, more, state, priority = row
            if state == 0 and -priority == rank:
                return Head(rank, id)
            self._take_first(host, rank, id, more)

    def waiting(self, host: int) -> Iterator[Head]:
        """All that waits at a host, best first. Only reads."""
        rows = self._db.execute("SELECT rank, id, more FROM queue WHERE host = ? ORDER BY rank, id", (host,))
        heap: list[tuple[float, int, bytes, int]] = []  # an entry, the row that it is in, and where the next one stands
        following = rows.fetchone()
        last = None
        while heap or following:
            while following and (not heap or following[:2] <= heap[0][:2]):
                heappush(heap, (following[0], following[1], following[2] or b"", 0))
                following = rows.fetchone()
            rank, id, more, place = heappop(heap)
            if place < len(more):
                heappush(heap, (*_ENTRY.unpack_from(more, place), more, place + _SIZE))
            if (rank, id) != last and self._waits(rank, id):
                yield Head(rank, id)
            last = rank, id

    def ids(self, host: int) -> list[int]:
        """The ids of all entries of a host, stale ones too."""
        found: list[int] = []
        for id, more in self._db.execute("SELECT id, more FROM queue WHERE host = ?", (host,)):
            found.append(id)
            if more:
                found += np.frombuffer(more, ENTRY)["id"].tolist()
        return found

    def empty(self, host: int) -> None:
        self._db.execute("DELETE FROM queue WHERE host = ?", (host,))

    def index_ranks(self) -> None:
        """One row for each entry from now on, none stale, and an index of the ranks: for `worst`."""
        self._row_entries = 1
        packed = self._db.execute("SELECT host, rank, id, more FROM queue WHERE more IS NOT NULL").fetchall()
        for host, rank, id, more in packed:
            self._db.execute(_REMOVE, (host, rank, id))
            entries = [(rank, id), *_ENTRY.iter_unpack(more)]
            self._db.executemany(_ADD, [(host, *entry, None) for entry in entries if self._waits(*entry)])
        self._db.execute("CREATE INDEX IF NOT EXISTS by_rank ON queue(rank, id)")

    def worst(self) -> tuple[float, int] | None:
        """Rank and id of the last entry of all. Needs `index_ranks`."""
        row: tuple[float, int] | None = self._db.execute(
            "SELECT rank, id FROM queue ORDER BY rank DESC, id DESC LIMIT 1"
        ).fetchone()
        return row

    def _waits(self, rank: float, id: int) -> bool:
        row = self._db.execute("SELECT 1 FROM url WHERE id = ? AND state = 0 AND priority = ?", (id, -rank)).fetchone()
        return row is not None

    def _take_first(self, host: int, rank: float, id: int, more: bytes | None) -> None:
        """Take the entry in its columns out of a row; the next one takes its place."""
        self._db.execute(_REMOVE, (host, rank, id))
        if not more:
            return
        first, rest = _ENTRY.unpack_from(more), more[_SIZE:]
        if self._db.execute(_ADD, (host, *first, rest or None)).rowcount or not rest:
            return
        # The URL came back to a rank that it had before: a row of its own stands there.
        there = self._db.execute(
            "SELECT more FROM queue WHERE host = ? AND rank = ? AND id = ?", (host, *first)
        ).fetchone()[0]
        both = sorted([*_ENTRY.iter_unpack(rest), *_ENTRY.iter_unpack(there or b"")])
        self._db.execute(
            "UPDATE queue SET more = ? WHERE host = ? AND rank = ? AND id = ?",
            (b"".join(_ENTRY.pack(*entry) for entry in both), host, *first),
        )
