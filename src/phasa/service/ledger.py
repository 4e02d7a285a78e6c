"""The ledger: what crawl.log says, counted once and kept in SQLite, so that no page looks through a million lines.

`tally` holds counts per kind (language, domain, charset, status, media type, size class), per day and in all; `host`
and `segment` one row each; `place` where in the log the lines of a host, a language, a status or a charset are. It is
filled by `phasa.service.following` from where it stopped, may be deleted at any time, and is made anew from the log.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

import msgspec

FORMAT = 1
ALL = ""  # the day that stands for all days
KINDS = ("language", "domain", "charset", "status", "type", "size")
Kind = Literal["language", "domain", "charset", "status", "type", "size"]
PLACED = ("host", "language", "status", "charset")

_SCHEMA = """
CREATE TABLE IF NOT EXISTS meta(key TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS tally(
    kind TEXT, day TEXT, key TEXT, fetches INTEGER, pages INTEGER, wanted INTEGER, bytes INTEGER,
    PRIMARY KEY(kind, day, key)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS host(
    id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, key TEXT NOT NULL, fetches INTEGER, pages INTEGER,
    wanted INTEGER, bytes INTEGER, last TEXT);
CREATE INDEX IF NOT EXISTS host_key ON host(key, id);
CREATE INDEX IF NOT EXISTS host_pages ON host(pages, id);
CREATE INDEX IF NOT EXISTS host_wanted ON host(wanted, id);
CREATE INDEX IF NOT EXISTS host_bytes ON host(bytes, id);
CREATE INDEX IF NOT EXISTS host_last ON host(last, id);
CREATE TABLE IF NOT EXISTS segment(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, pages INTEGER, wanted INTEGER);
CREATE INDEX IF NOT EXISTS segment_wanted ON segment(wanted, pages, id);
CREATE TABLE IF NOT EXISTS label(id INTEGER PRIMARY KEY, kind TEXT, key TEXT, UNIQUE(kind, key));
CREATE TABLE IF NOT EXISTS place(label INTEGER, at INTEGER, PRIMARY KEY(label, at)) WITHOUT ROWID;
"""


class Count(NamedTuple):
    """How often, of which pages that were judged, of which wanted; and how many bytes."""

    fetches: int
    pages: int
    wanted: int
    bytes: int


class Share(msgspec.Struct, frozen=True):
    """One value of a kind with its counts."""

    key: str
    fetches: int
    pages: int
    wanted: int
    bytes: int


class DayShare(msgspec.Struct, frozen=True):
    """The same on one day."""

    day: str
    key: str
    fetches: int
    bytes: int


class HostCount(msgspec.Struct, frozen=True):
    """A host in numbers."""

    id: int
    name: str
    fetches: int
    pages: int
    wanted: int
    bytes: int
    last: str


class SegmentCount(msgspec.Struct, frozen=True):
    """A website segment (the pages of one directory) in numbers."""

    name: str
    pages: int
    wanted: int


class Chunk(NamedTuple):
    """What a part of the log comes to: counts to be added, and the places of its lines."""

    tallies: dict[tuple[str, str, str], Count]
    hosts: dict[str, tuple[Count, str]]
    segments: dict[str, tuple[int, int]]
    places: dict[tuple[str, str], list[int]]


Order = Literal["name", "pages", "wanted", "bytes", "last"]
_HOST = "id, name, fetches, pages, wanted, bytes, last"


class Ledger:
    """One connection, for one thread. Raises sqlite3.Error when the file cannot be used."""

    def __init__(self, path: Path) -> None:
        self._db = sqlite3.connect(path, isolation_level=None, timeout=30.0, check_same_thread=False)
        self._db.execute("PRAGMA journal_mode=WAL")
        self._db.execute("PRAGMA synchronous=NORMAL")
        self._db.execute("PRAGMA cache_size=-8192")
        self._db.executescript(f"BEGIN IMMEDIATE; {_SCHEMA} COMMIT;")

    def close(self) -> None:
        self._db.close()

    # ── how far it has been read ─────────────────────────────────────────────────────────────────

    def meta(self, key: str) -> str:
        row = self._db.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
        return str(row[0]) if row else ""

    def set_meta(self, **values: str) -> None:
        self._db.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", values.items())

    def clear(self) -> None:
        """Forget everything: the log is another one."""
        tables = ("meta", "tally", "host", "segment", "label", "place")
        self._db.executescript("BEGIN; " + " ".join(f"DELETE FROM {table};" for table in tables) + " COMMIT;")

    def add(self, chunk: Chunk, read: int) -> None:
        """Add what a part of the log comes to, and how far the log has been read; together or not at all."""
        db = self._db
        db.execute("BEGIN IMMEDIATE")
        try:
            db.executemany(
                "INSERT INTO tally VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET fetches = fetches +"
                " excluded.fetches, pages = pages + excluded.pages, wanted = wanted + excluded.wanted,"
                " bytes = bytes + excluded.bytes",
                [(*key, *count) for key, count in chunk.tallies.items()],
            )
            db.executemany(
                "INSERT INTO host(name, key, fetches, pages, wanted, bytes, last) VALUES (?, ?, ?, ?, ?, ?, ?)"
                " ON CONFLICT(name) DO UPDATE SET fetches = fetches + excluded.fetches, pages = pages + excluded.pages,"
                " wanted = wanted + excluded.wanted, bytes = bytes + excluded.bytes, last = max(last, excluded.last)",
                [(name, reversed_name(name), *count, last) for name, (count, last) in chunk.hosts.items()],
            )
            db.executemany(
                "INSERT INTO segment(name, pages, wanted) VALUES (?, ?, ?) ON CONFLICT(name) DO UPDATE SET"
                " pages = pages + excluded.pages, wanted = wanted + excluded.wanted",
                [(name, *counts) for name, counts in chunk.segments.items()],
            )
            db.executemany("INSERT OR IGNORE INTO label(kind, key) VALUES (?, ?)", chunk.places)
            for label, places in chunk.places.items():
                id = self._label(*label)
                db.executemany("INSERT OR IGNORE INTO place VALUES (?, ?)", [(id, at) for at in places])
            self.set_meta(read=str(read))
            db.execute("COMMIT")
        except BaseException:
            if db.in_transaction:
                db.execute("ROLLBACK")
            raise

    # ── reading ──────────────────────────────────────────────────────────────────────────────────

    def shares(self, kind: Kind, most: int) -> list[Share]:
        """The values of a kind, most frequent first."""
        rows = self._db.execute(
            "SELECT key, fetches, pages, wanted, bytes FROM tally WHERE kind = ? AND day = ''"
            " ORDER BY fetches DESC, key LIMIT ?",
            (kind, most),
        )
        return [Share(*row) for row in rows]

    def over_time(self, kind: Kind, keys: Sequence[str], width: int) -> list[DayShare]:
        """Counts per day (width 10) or month (width 7); the keys that are not named are one, ''."""
        marks = ", ".join("?" * len(keys))
        rows = self._db.execute(
            f"SELECT substr(day, 1, ?), CASE WHEN key IN ({marks}) THEN key ELSE '' END, sum(fetches), sum(bytes)"
            " FROM tally WHERE kind = ? AND day > '' GROUP BY 1, 2 ORDER BY 1, 2",
            (width, *keys, kind),
        )
        return [DayShare(*row) for row in rows]

    def days(self) -> tuple[str, str, int]:
        """First day, last day, and how many days something was fetched."""
        row = self._db.execute(
            "SELECT min(day), max(day), count(DISTINCT day) FROM tally WHERE kind = 'status' AND day > ''"
        ).fetchone()
        return row[0] or "", row[1] or "", row[2]

    def months(self) -> list[str]:
        """The months in which something was fetched, newest first."""
        rows = self._db.execute(
            "SELECT DISTINCT substr(day, 1, 7) FROM tally WHERE kind = 'status' AND day > '' ORDER BY 1 DESC"
        )
        return [row[0] for row in rows]

    def hosts(self, order: Order, after: str, most: int, domain: str = "") -> list[HostCount]:
        """Hosts from after a place on (`after`: what `place_of` said; '' for the first), names ascending, the rest
        descending. `domain`: only that host and those below it, in the order of names."""
        if domain:
            key = reversed_name(domain)
            floor, id = _cut(after) if after else (key, 0)
            rows = self._db.execute(
                f"SELECT {_HOST} FROM host WHERE (key, id) > (?, ?) AND key < ? AND (key = ? OR key LIKE ? ESCAPE '!')"
                " ORDER BY key, id LIMIT ?",
                (floor, id, key + "\U0010ffff", key, _like(key) + ",%", most),
            )
        elif order == "name":
            floor, id = _cut(after) if after else ("", 0)
            rows = self._db.execute(
                f"SELECT {_HOST} FROM host WHERE (key, id) > (?, ?) ORDER BY key, id LIMIT ?", (floor, id, most)
            )
        elif after:
            value, id = _cut(after)
            bound: str | int = value if order == "last" else _integer(value)
            rows = self._db.execute(
                f"SELECT {_HOST} FROM host WHERE ({order}, id) < (?, ?) ORDER BY {order} DESC, id DESC LIMIT ?",
                (bound, id, most),
            )
        else:
            rows = self._db.execute(f"SELECT {_HOST} FROM host ORDER BY {order} DESC, id DESC LIMIT ?", (most,))
        return [HostCount(*row) for row in rows]

    def host(self, name: str) -> HostCount | None:
        row = self._db.execute(f"SELECT {_HOST} FROM host WHERE name = ?", (name,)).fetchone()
        return HostCount(*row) if row else None

    def segments(self, most: int) -> list[SegmentCount]:
        """The segments with most wanted pages."""
        rows = self._db.execute(
            "SELECT name, pages, wanted FROM segment ORDER BY wanted DESC, pages DESC, id DESC LIMIT ?", (most,)
        )
        return [SegmentCount(*row) for row in rows]

    def places(self, kind: str, key: str, before: int, most: int) -> list[int]:
        """Where in the log the lines of a host, language, status or charset begin, newest first, before a place."""
        label = self._label(kind, key)
        rows = self._db.execute(
            "SELECT at FROM place WHERE label = ? AND at < ? ORDER BY at DESC LIMIT ?", (label, before, most)
        )
        return [row[0] for row in rows]

    def _label(self, kind: str, key: str) -> int:
        row = self._db.execute("SELECT id FROM label WHERE kind = ? AND key = ?", (kind, key)).fetchone()
        return int(row[0]) if row else 0


def place_of(host: HostCount, order: Order, domain: str = "") -> str:
    """Where a host stands in an order: what `hosts` goes on after."""
    value = reversed_name(host.name) if domain or order == "name" else getattr(host, order)
    return f"{value}~{host.id}"


def reversed_name(name: str) -> str:
    """`www.ku.ac.th` -> `th,ac,ku,www`: the hosts of a domain stand together."""
    return ",".join(reversed(name.lower().strip(".").split(".")))


def counts_of(counts: Iterable[Count]) -> Count:
    """The sum."""
    sums = [sum(column) for column in zip(*counts, strict=True)]
    return Count(*sums) if sums else Count(0, 0, 0, 0)


def _cut(place: str) -> tuple[str, int]:
    value, _, id = place.rpartition("~")
    return value, _integer(id)


def _integer(text: str) -> int:
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 19 else 0


def _like(text: str) -> str:
    return text.replace("!", "!!").replace("%", "!%").replace("_", "!_")
