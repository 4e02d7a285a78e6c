"""Pages whose text is nearly the same, kept in the search index: found and compared while pages are read into it, so
that showing them is one look into a table. The measure is that of a corpus: shared shingles of five words."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from phasa.corpus.shingles import Hashes

LEAST = 0.8
"""The share of shingles that two pages have in common, from which on they are nearly the same."""
MOST = 10
"""Others that are kept for a page; of a larger group those that were read first."""
LEAST_WORDS = 20
"""Shorter pages are not compared: what they share is a heading or a message."""
_BANDS = 10
"""Of the keys of a page, so many are kept: at a likeness of .8 they find 95 % of the others, at .9 more than 99.9 %."""
_PER_KEY = 8
_COMPARED = 20
NEAR_SCHEMA = """
CREATE TABLE IF NOT EXISTS band (key INTEGER NOT NULL, number INTEGER NOT NULL, PRIMARY KEY (key, number))
  WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS near (
  one INTEGER NOT NULL, other INTEGER NOT NULL, share REAL NOT NULL, PRIMARY KEY (one, other)) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS near_other ON near (other);
"""


class NearPage(msgspec.Struct, frozen=True):
    """A page that is nearly the same as another; `share` of one is what they have in common."""

    url: str
    title: str
    language: str
    time: str
    share: float


def add_page(db: sqlite3.Connection, number: int, words: str) -> None:
    """Compare a page, by its words as they stand in the index, with those that are there, and put it beside them."""
    from phasa.corpus.shingles import jaccard  # for the job that reads pages, not for who shows them

    own = _hashes(words)
    if own is None:
        return
    keys = _keys(own)
    found = sorted(_candidates(db, keys), reverse=True)[:_COMPARED]
    alike: list[tuple[float, int]] = []
    for _, minus_other in found:
        row = db.execute("SELECT body FROM words WHERE rowid = ?", (-minus_other,)).fetchone()
        theirs = _hashes(row[0]) if row else None
        if theirs is not None and (share := jaccard(own, theirs)) >= LEAST:
            alike.append((share, -minus_other))
    for share, other in sorted(alike, key=lambda pair: (-pair[0], pair[1]))[:MOST]:
        db.execute("INSERT OR REPLACE INTO near VALUES (?, ?, ?)", (number, other, share))
        if db.execute("SELECT count(*) FROM near WHERE one = ?", (other,)).fetchone()[0] < MOST:
            db.execute("INSERT OR REPLACE INTO near VALUES (?, ?, ?)", (other, number, share))
    db.executemany("INSERT OR IGNORE INTO band VALUES (?, ?)", [(key, number) for key in keys])


def remove_page(db: sqlite3.Connection, number: int, words: str) -> None:
    """Forget a page whose words were these."""
    db.execute("DELETE FROM near WHERE one = ? OR other = ?", (number, number))
    own = _hashes(words)
    if own is not None:
        db.executemany("DELETE FROM band WHERE key = ? AND number = ?", [(key, number) for key in _keys(own)])


def near_pages(db: sqlite3.Connection, url: str) -> list[NearPage]:
    """The others of a page, those most alike first."""
    rows = db.execute(
        "SELECT b.url, b.title, b.language, b.time, near.share FROM page AS a JOIN near ON near.one = a.number"
        " JOIN page AS b ON b.number = near.other WHERE a.url = ? ORDER BY near.share DESC, near.other LIMIT ?",
        (url, MOST),
    )
    return [NearPage(*row) for row in rows]


def _hashes(words: str) -> Hashes | None:
    from phasa.corpus.shingles import shingles

    # Thai stands there twice, cut in two ways, a line each: one of them is enough.
    found = words.partition("\n")[0].split()
    return shingles(found) if len(found) >= LEAST_WORDS else None


def _keys(own: Hashes) -> list[int]:
    """Keys as the database takes them: signed."""
    from phasa.corpus.shingles import keys_of

    return [int(key) - (1 << 64) * (int(key) >> 63) for key in keys_of([own])[0][:_BANDS]]


def _candidates(db: sqlite3.Connection, keys: Iterable[int]) -> set[tuple[int, int]]:
    """(keys in common, minus the number) of pages that have some."""
    common: dict[int, int] = {}
    for key in keys:
        for (number,) in db.execute("SELECT number FROM band WHERE key = ? ORDER BY number LIMIT ?", (key, _PER_KEY)):
            common[number] = common.get(number, 0) + 1
    return {(count, -number) for number, count in common.items()}
