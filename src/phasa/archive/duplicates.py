"""Pages that are nearly the same: 64-bit simhash over word shingles, found again within Hamming distance 3.

Charikar's simhash as used for web pages by Manku, Jain and Das Sarma (2007). Two hashes that differ in at most three
bits agree in at least one of four 16-bit blocks, so four indexed look-ups find every near duplicate.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple
from zlib import crc32

import numpy as np

SHINGLE = 3
DISTANCE = 3
_BITS = np.arange(64, dtype=np.uint64)


def simhash(words: Sequence[str], shingle: int = SHINGLE) -> int:
    """The 64-bit simhash of a text given as its words; 0 for no words. Repeated shingles count once each time."""
    if not words:
        return 0
    tokens = np.fromiter((crc32(word.encode("utf-8", "surrogatepass")) for word in words), np.uint64, len(words))
    hashes = _mix(tokens)
    width = min(shingle, len(words))
    count = len(words) - width + 1
    shingles = np.zeros(count, np.uint64)
    for place in range(width):
        shingles = _mix(shingles * np.uint64(0x9E3779B97F4A7C15) + hashes[place : place + count])
    votes = np.zeros(64, np.int64)
    for start in range(0, count, 8192):
        part = shingles[start : start + 8192]
        votes += ((part[:, None] >> _BITS) & np.uint64(1)).sum(axis=0, dtype=np.int64)
    return int(((votes * 2 > count).astype(np.uint64) << _BITS).sum(dtype=np.uint64))


def distance(one: int, other: int) -> int:
    """The number of bits in which two hashes differ."""
    return (one ^ other).bit_count()


class Near(NamedTuple):
    """A page already known that is nearly the same."""

    name: str
    distance: int


class NearDuplicates:
    """The simhashes of a crawl, in a file or in memory; `seen` asks and remembers in one step."""

    def __init__(self, path: Path | None = None) -> None:
        self._db = sqlite3.connect(path or ":memory:", isolation_level=None, timeout=30)
        self._db.execute("PRAGMA journal_mode = WAL")
        self._db.execute("PRAGMA synchronous = OFF")
        self._db.execute("CREATE TABLE IF NOT EXISTS page (id INTEGER PRIMARY KEY, name TEXT, hash INTEGER)")
        self._db.execute(
            "CREATE TABLE IF NOT EXISTS block (key INTEGER, hash INTEGER, page INTEGER, PRIMARY KEY (key, hash, page))"
            " WITHOUT ROWID"
        )

    def find(self, hash_: int) -> Near | None:
        """The nearest known page within the distance, the first one known on a tie."""
        best: tuple[int, int] | None = None
        marks = ",".join("?" * 4)
        rows = self._db.execute(f"SELECT hash, page FROM block WHERE key IN ({marks})", _keys(hash_))
        for other, page in rows:
            apart = distance(hash_, other & _MASK)
            if apart <= DISTANCE and (best is None or (apart, page) < best):
                best = (apart, page)
        if best is None:
            return None
        (name,) = self._db.execute("SELECT name FROM page WHERE id = ?", (best[1],)).fetchone()
        return Near(name, best[0])

    def add(self, name: str, hash_: int) -> None:
        signed = hash_ - (1 << 64) if hash_ >> 63 else hash_
        with self._db:
            self._db.execute("BEGIN")
            page = self._db.execute("INSERT INTO page (name, hash) VALUES (?, ?)", (name, signed)).lastrowid
            self._db.executemany("INSERT INTO block VALUES (?, ?, ?)", [(key, signed, page) for key in _keys(hash_)])

    def seen(self, name: str, words: Sequence[str]) -> Near | None:
        """The known page that this one repeats; otherwise it is remembered and None is given."""
        hash_ = simhash(words)
        near = self.find(hash_)
        if near is None:
            self.add(name, hash_)
        return near

    def close(self) -> None:
        self._db.close()


_MASK = (1 << 64) - 1


def _keys(hash_: int) -> list[int]:
    return [(place << 16) | (hash_ >> (16 * place) & 0xFFFF) for place in range(4)]


def _mix(values: np.ndarray[tuple[int], np.dtype[np.uint64]]) -> np.ndarray[tuple[int], np.dtype[np.uint64]]:
    """The finaliser of SplitMix64: spreads every input bit over the whole word."""
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))
