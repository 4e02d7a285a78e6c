"""The two index tables in the file: `seen`, which URLs are known, and `queue`, the waiting URLs of each host.

Both pack many entries into one row: one row for each costs several microseconds when they come by the hundred thousand;
packed, they are merged as arrays. Writes belong to the caller's transaction.

`seen`: key → id. Rows do not overlap: row `first` holds the keys from `first` up to the next row. Most links are new: a
Bloom filter (Bloom 1970) answers for them without a look at the file.

`queue`: posting lists. A row holds its best entry in its columns, and in `more` the entries that follow it, if there
are any, as rank and id. The rows of a host may overlap; the best entry of a host is that of its first row. An entry in
`more` is not taken out when its URL no longer waits, or waits with another rank: it is *stale* then, which the URL's
own row shows when the entry comes up. An entry in the columns of a row is taken out at once.
"""

from __future__ import annotations

import sys
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from heapq import heappop, heappush
from sqlite3 import Connection
from struct import Struct

import numpy as np
from numpy.typing import NDArray

from phasa.frontier.index.run import ENTRY, Head, Run

Numbers = NDArray[np.int64]
Entry = tuple[int, float, int]
"""An entry of `queue`: host, rank, id."""

_KEY = Struct("<q")
_KEY_AND_ID = 16  # bytes
_ROW_OF = "SELECT first, entries FROM seen WHERE first <= ? ORDER BY first DESC LIMIT 1"
_NEXT_ROW = "SELECT first FROM seen WHERE first > ? ORDER BY first LIMIT 1"

_ENTRY = Struct("<dq")
_ENTRY_SIZE = _ENTRY.size
_ADD_ENTRY = "INSERT OR IGNORE INTO queue VALUES (?, ?, ?, ?)"
_REMOVE_ENTRY = "DELETE FROM queue WHERE host = ? AND rank = ? AND id = ?"

_MOST_FILTER_BITS, _LEAST_FILTER_BITS = 27, 17
_ROOM = 16
"""Bits of a filter for each key that it has room for: 1 or 2 of 100 new keys are taken for seen when it is full."""
_FACTORS = np.array([[0x9E3779B97F4A7C15], [0xC2B2AE3D27D4EB4F]], np.uint64)
_MASKS = (1 << np.arange(8)).astype(np.uint8)


class KeyFilter:
    """A Bloom filter: which keys were certainly never seen. Two bits for each key.

    It has room for twice the keys that it is made for, up to 2²⁷ bits (16 megabytes): after ten million keys 2 of 100
    new ones are taken for seen, after a hundred million 60. Whatever is taken for seen is looked up, so a full filter
    costs time, never correctness.
    """

    def __init__(self, keys: int) -> None:
        bits = min(_MOST_FILTER_BITS, max(_LEAST_FILTER_BITS, (2 * _ROOM * keys - 1).bit_length()))
        self._shift = np.uint64(64 - bits)
        self._bytes = np.zeros(1 << (bits - 3), np.uint8)
        self._room = (1 << bits) // _ROOM if bits < _MOST_FILTER_BITS else sys.maxsize
        self._keys = 0

    @property
    def is_full(self) -> bool:
        """Whether a larger one would let fewer new keys through."""
        return self._keys > self._room

    def add(self, keys: Numbers) -> None:
        self._keys += len(keys)
        for start in range(0, len(keys), 65_536):
            bits = self._places(keys[start : start + 65_536]).reshape(-1)
            np.bitwise_or.at(self._bytes, bits >> np.uint64(3), _MASKS[bits & np.uint64(7)])

    def may_have(self, keys: Numbers) -> NDArray[np.bool_]:
        """False for keys that were never added."""
        bits = self._places(keys)
        both = self._bytes[bits >> np.uint64(3)] & _MASKS[bits & np.uint64(7)]
        return np.asarray(both.all(axis=0))

    def _places(self, keys: Numbers) -> NDArray[np.uint64]:
        """Two bits for each key: the upper bits of its products with two odd numbers (multiplicative hashing)."""
        return np.asarray((keys.view(np.uint64) * _FACTORS) >> self._shift)


class SeenTable:
    """All SQL of `seen`. A row is at most `row_keys` keys in order, then their ids, as little-endian 64-bit numbers."""

    def __init__(self, db: Connection, row_keys: int = 240, merged_keys: int = 8_192) -> None:
        self._db = db
        self._row_keys = row_keys  # 240 fill a page of the file
        self._merged_keys = merged_keys  # new keys that are merged at a time
        self._filter: KeyFilter | None = None

    def find(self, key: int) -> int | None:
        """The id of the URL with this key."""
        rows = self._rows([key])
        return _found(rows, [key]).get(key) if rows else None

    def find_many(self, keys: list[int]) -> dict[int, int]:
        """Those of some keys, given in order, that are known, with their ids. Only for keys that this process writes:
        the filter knows of no others."""
        if self._filter is None or self._filter.is_full:
            self._filter = self._read_filter()
        asked = np.array(keys, np.int64)
        keys = asked[self._filter.may_have(asked)].tolist()
        rows = self._rows(keys)
        return _found(rows, keys) if rows else {}

    def _read_filter(self) -> KeyFilter:
        """A filter of all keys in the file, with room for as many again."""
        ((size,),) = self._db.execute("SELECT ifnull(sum(length(entries)), 0) FROM seen")
        filter = KeyFilter(size // _KEY_AND_ID)
        stored = self._db.execute("SELECT entries FROM seen")
        while some := stored.fetchmany(256):
            filter.add(_keys([entries for (entries,) in some]))
        return filter

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
                after = self._db.execute(_NEXT_ROW, (int(keys[place]),)).fetchone()
                end = len(keys) if after is None else int(np.searchsorted(keys, after[0]))
                end = min(end, place + self._merged_keys)
            else:
                end = min(place + self._merged_keys, len(keys))
            self._merge(keys[place:end], ids[place:end])
            place = end

    def _merge(self, keys: Numbers, ids: Numbers) -> None:
        """Write again the rows that some keys belong to, and all rows between them."""
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
        rows = -(-len(keys) // self._row_keys)
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
    """The ids of all keys from `low` to `high`."""
    found: list[int] = []
    for (entries,) in db.execute(
        "SELECT entries FROM seen WHERE first <= ?2"
        " AND first >= ifnull((SELECT max(first) FROM seen WHERE first <= ?1), ?1)",
        (low, high),
    ):
        keys, ids = np.frombuffer(entries, np.int64).reshape(2, -1)
        found += ids[(keys >= low) & (keys <= high)].tolist()
    return found


class QueueTable:
    """All SQL of `queue`, with at most `row_entries` entries in a row."""

    def __init__(self, db: Connection, row_entries: int = 128) -> None:
        self._db = db
        self._row_entries = row_entries

    def add_run(self, run: Run) -> None:
        """Everything that waits in a run."""
        self._db.executemany(_ADD_ENTRY, run.postings(self._row_entries))

    def add(self, host: int, rank: float, id: int) -> None:
        self._db.execute(_ADD_ENTRY, (host, rank, id, None))

    def remove(self, host: int, rank: float, id: int) -> None:
        """Take an entry out; one in `more` stays, stale."""
        row = self._db.execute(
            "SELECT more FROM queue WHERE host = ? AND rank = ? AND id = ?", (host, rank, id)
        ).fetchone()
        if row is not None:
            self._take_first(host, rank, id, row[0])

    def change(self, before: Iterable[Entry], now: Iterable[Entry]) -> None:
        """Entries get other ranks. An old one that has others behind it stays, stale."""
        self._db.executemany(f"{_REMOVE_ENTRY} AND more IS NULL", before)
        self._db.executemany(_ADD_ENTRY, [(*entry, None) for entry in now])

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
                heappush(heap, (*_ENTRY.unpack_from(more, place), more, place + _ENTRY_SIZE))
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
            self._db.execute(_REMOVE_ENTRY, (host, rank, id))
            entries = [(rank, id), *_ENTRY.iter_unpack(more)]
            self._db.executemany(_ADD_ENTRY, [(host, *entry, None) for entry in entries if self._waits(*entry)])
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
        self._db.execute(_REMOVE_ENTRY, (host, rank, id))
        if not more:
            return
        first, rest = _ENTRY.unpack_from(more), more[_ENTRY_SIZE:]
        if self._db.execute(_ADD_ENTRY, (host, *first, rest or None)).rowcount or not rest:
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
