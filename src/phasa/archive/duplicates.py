"""Pages that are nearly the same: 64-bit simhash over runs of characters, found again within Hamming distance 3.

Charikar's simhash as used for web pages by Manku, Jain and Das Sarma (2007). Two hashes that differ in at most three
bits agree in at least one of four 16-bit blocks, so four indexed look-ups find every near duplicate. Runs of characters
instead of words: many of our languages do not part their words, and finding them costs more than the rest.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import NamedTuple

import numpy as np

from phasa.seals import unseal

RUN = 8
"""Characters of a shingle."""
SHORTEST = 200
"""Characters below which a text says too little to be compared."""
LONGEST = 10_000
"""Characters of a text that are looked at."""
DISTANCE = 3
_FACTOR = 0x9E3779B97F4A7C15
_FIRST, *_STEPS = (np.uint64(pow(_FACTOR, power, 1 << 64)) for power in (1, 1, 2, 4))
_BITS = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1, bitorder="little").astype(np.int64)
_COLUMNS = np.arange(0, 8 * 256, 256)
_MASK = (1 << 64) - 1


def simhash(text: str) -> int:
    """The 64-bit simhash of a text without its spaces and digits; 0 for one that is too short to be compared."""
    codes = np.frombuffer(text[: 2 * LONGEST].encode("utf-32-le", "surrogatepass"), np.uint32).astype(np.uint64)
    codes = codes[(codes > 32) & ((codes < 48) | (codes > 57))][:LONGEST]
    if len(codes) < SHORTEST:
        return 0
    count = len(codes) - RUN + 1
    # Sums of RUN characters, each times another power of the factor: runs of 1, 2, 4 and 8, each of two halves.
    shingles, half = codes * _FIRST, 1
    for step in _STEPS:
        shingles = shingles[:-half] + shingles[half:] * step
        half *= 2
    # How many have each bit: the bytes of a column are counted by their values, and the bits of 256 values are known.
    values = _mix(shingles).view(np.uint8).reshape(count, 8) + _COLUMNS
    votes = (np.bincount(values.ravel(), minlength=8 * 256).reshape(8, 256) @ _BITS).ravel()
    return int(np.packbits(votes * 2 > count, bitorder="little").view(np.uint64)[0])


def distance(one: int, other: int) -> int:
    """The number of bits in which two hashes differ."""
    return (one ^ other).bit_count()


class Near(NamedTuple):
    """A page already known that is nearly the same."""

    url: str
    distance: int


class NearDuplicates:
    """The simhashes of a crawl, in a file that all its workers share, or in memory without a path.

    Pages are written `together`, so many at a time, and the file is not synced: other workers hear of a page a little
    later, and a crash may forget the last ones, so that a near duplicate of theirs is not found. What a stopped crawl
    knew, the resumed one knows.
    """

    def __init__(self, path: Path | None = None, together: int = 100) -> None:
        self._together = together
        self._fresh: list[tuple[str, int]] = []
        self._fresh_blocks: dict[int, list[tuple[int, str]]] = {}
        if path is not None:
            unseal(path)
        self._db = sqlite3.connect(path or ":memory:", isolation_level=None, timeout=30)
        self._db.execute("PRAGMA journal_mode = WAL")
        self._db.execute("PRAGMA synchronous = OFF")
        self._db.execute("CREATE TABLE IF NOT EXISTS page (id INTEGER PRIMARY KEY, url TEXT UNIQUE, hash INTEGER)")
        self._db.execute(
            "CREATE TABLE IF NOT EXISTS block (key INTEGER, hash INTEGER, page INTEGER, PRIMARY KEY (key, hash, page))"
            " WITHOUT ROWID"
        )

    def seen(self, url: str, text: str) -> Near | None:
        """The known page that this one nearly repeats; otherwise it is remembered and None is given.

        A page that is asked about again (fetched a second time after a crash) does not repeat itself.
        """
        hash_ = simhash(text)
        if not hash_:
            return None
        near = self.find(hash_)
        if near is None:
            self.add(url, hash_)
        return near if near is not None and near.url != url else None

    def find(self, hash_: int) -> Near | None:
        """The nearest known page within the distance, the first one known on a tie."""
        best: tuple[int, int] | None = None
        keys = _keys(hash_)
        rows = self._db.execute("SELECT hash, page FROM block WHERE key IN (?, ?, ?, ?)", keys)
        for other, page in rows:
            apart = distance(hash_, other & _MASK)
            if apart <= DISTANCE and (best is None or (apart, page) < best):
                best = (apart, page)
        fresh = [
            (apart, url)
            for key in keys
            for other, url in self._fresh_blocks.get(key, ())
            if (apart := distance(hash_, other)) <= DISTANCE
        ]
        if fresh and (best is None or min(fresh)[0] < best[0]):
            nearest = min(apart for apart, _ in fresh)
            return Near(next(url for apart, url in fresh if apart == nearest), nearest)
        if best is None:
            return None
        (url,) = self._db.execute("SELECT url FROM page WHERE id = ?", (best[1],)).fetchone()
        return Near(url, best[0])

    def add(self, url: str, hash_: int) -> None:
        """Remember a page; nothing happens when it is known already."""
        self._fresh.append((url, hash_))
        for key in _keys(hash_):
            self._fresh_blocks.setdefault(key, []).append((hash_, url))
        if len(self._fresh) >= self._together:
            self.write()

    def write(self) -> None:
        """Write what was remembered since the last time."""
        with self._db:
            self._db.execute("BEGIN IMMEDIATE")
            for url, hash_ in self._fresh:
                signed = hash_ - (1 << 64) if hash_ >> 63 else hash_
                done = self._db.execute("INSERT OR IGNORE INTO page (url, hash) VALUES (?, ?)", (url, signed))
                if done.rowcount:
                    rows = [(key, signed, done.lastrowid) for key in _keys(hash_)]
                    self._db.executemany("INSERT INTO block VALUES (?, ?, ?)", rows)
        self._fresh.clear()
        self._fresh_blocks.clear()

    def close(self) -> None:
        self.write()
        self._db.close()


def _keys(hash_: int) -> list[int]:
    return [(place << 16) | (hash_ >> (16 * place) & 0xFFFF) for place in range(4)]


def _mix(values: np.ndarray[tuple[int], np.dtype[np.uint64]]) -> np.ndarray[tuple[int], np.dtype[np.uint64]]:
    """The finaliser of SplitMix64: spreads every input bit over the whole word."""
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))
