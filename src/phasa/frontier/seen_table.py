"""The index of what was seen, in SQLite: key → number of its URL, some hundred of them packed into one row.

One row of its own for each key costs several microseconds when keys come by the hundred thousand; packed, they are
merged as arrays. Rows do not overlap: row `first` holds the keys from `first` up to the next row.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from sqlite3 import Connection
from struct import Struct

import numpy as np
from numpy.typing import NDArray

from phasa.frontier.database import Database
from phasa.frontier.key_filter import KeyFilter

Numbers = NDArray[np.int64]
_KEY = Struct("<q")


class SeenTable:
    """All of its SQL. A row is its keys in order, then their ids, as little-endian 64-bit numbers."""

    BLOCK = 240  # keys per row at most: a row fills a page of the file
    CHUNK = 8_192  # new keys that are merged at a time

    def __init__(self, db: Database) -> None:
        self._db = db
        self._filter: KeyFilter | None = None

    def find(self, key: int) -> int | None:
        """The number of the URL with this key."""
        rows = self._rows([key])
        return _found(rows, [key]).get(key) if rows else None

    def find_many(self, keys: list[int]) -> dict[int, int]:
        """Those of some keys, given in order, that are known, with their numbers. Keys that others write are not for
        this one to ask about."""
        if self._filter is None:
            self._filter = KeyFilter()
            stored = self._db.execute("SELECT entries FROM seen")
            while some := stored.fetchmany(256):
                self._filter.add(_keys([entries for (entries,) in some]))
        asked = np.array(keys, np.int64)
        keys = asked[self._filter.may_have(asked)].tolist()
        rows = self._rows(keys)
        return _found(rows, keys) if rows else {}

    def _rows(self, keys: list[int]) -> list[bytes]:
        """The rows that some keys belong to."""
        rows: list[bytes] = []
        place, before = 0, -1
        while place < len(keys):
            row = self._db.execute(_ROW_OF, (keys[place],)).fetchone()
            place += 1
            if row is not None and row[0] != before:
                before, entries = row
                rows.append(entries)
                place = bisect_right(keys, _KEY.unpack_from(entries, len(entries) // 2 - 8)[0], place)
        return rows

    def add(self, keys: Numbers, ids: Numbers, *, few: bool = False) -> None:
        """Take in keys, in order; those that are there already stay as they are. `few`: so few that most rows get none,
        and each row that gets one is changed by itself."""
        if self._filter is not None:
            self._filter.add(keys)
        place = 0
        while place < len(keys):
            if few:
                after = self._db.execute(_NEXT, (int(keys[place]),)).fetchone()
                end = len(keys) if after is None else int(np.searchsorted(keys, after[0]))
                end = min(end, place + self.CHUNK)
            else:
                end = min(place + self.CHUNK, len(keys))
            self._merge(keys[place:end], ids[place:end])
            place = end

    def _merge(self, keys: Numbers, ids: Numbers) -> None:
        """Write the rows anew that some keys belong to, and all rows between them."""
        row = self._db.execute("SELECT max(first) FROM seen WHERE first <= ?", (int(keys[0]),)).fetchone()
        low = int(keys[0]) if row[0] is None else row[0]
        high = int(keys[-1])
        found = self._db.execute("SELECT entries FROM seen WHERE first BETWEEN ? AND ?", (low, high))
        rows = [entries for (entries,) in found]
        if rows:
            old_keys, old_ids = _keys(rows), _ids(rows)
            places = np.searchsorted(old_keys, keys)
            new = old_keys[np.minimum(places, len(old_keys) - 1)] != keys
            places = places[new]
            keys, ids = np.insert(old_keys, places, keys[new]), np.insert(old_ids, places, ids[new])
            self._db.execute("DELETE FROM seen WHERE first BETWEEN ? AND ?", (low, high))
        self._db.executemany("INSERT INTO seen VALUES (?, ?)", self._blocks(keys, ids))

    def _blocks(self, keys: Numbers, ids: Numbers) -> Iterator[tuple[int, bytes]]:
        """Rows of about the same length."""
        rows = -(-len(keys) // self.BLOCK)
        ends = [len(keys) * row // rows for row in range(rows + 1)]
        packed_keys, packed_ids, firsts = keys.tobytes(), ids.tobytes(), keys[ends[:-1]].tolist()
        for first, start, end in zip(firsts, ends, ends[1:], strict=False):
            yield first, packed_keys[8 * start : 8 * end] + packed_ids[8 * start : 8 * end]


def _keys(rows: list[bytes]) -> Numbers:
    return np.frombuffer(b"".join([row[: len(row) // 2] for row in rows]), np.int64)


def _ids(rows: list[bytes]) -> Numbers:
    return np.frombuffer(b"".join([row[len(row) // 2 :] for row in rows]), np.int64)


def _found(rows: list[bytes], keys: list[int]) -> dict[int, int]:
    """Those of some keys that are in some rows, both in order."""
    known, ids = _keys(rows), _ids(rows)
    asked = np.array(keys, np.int64)
    places = np.minimum(np.searchsorted(known, asked), len(known) - 1)
    here = known[places] == asked
    return dict(zip(asked[here].tolist(), ids[places[here]].tolist(), strict=True))


def ids_between(db: Connection, low: int, high: int) -> list[int]:
    """The numbers of all keys from `low` to `high`: those of a host, in any connection to the file."""
    found: list[int] = []
    for (entries,) in db.execute(
        "SELECT entries FROM seen WHERE first <= ?2"
        " AND first >= ifnull((SELECT max(first) FROM seen WHERE first <= ?1), ?1)",
        (low, high),
    ):
        keys, ids = np.frombuffer(entries, np.int64).reshape(2, -1)
        found += ids[(keys >= low) & (keys <= high)].tolist()
    return found


_ROW_OF = "SELECT first, entries FROM seen WHERE first <= ? ORDER BY first DESC LIMIT 1"
_NEXT = "SELECT first FROM seen WHERE first > ? ORDER BY first LIMIT 1"
