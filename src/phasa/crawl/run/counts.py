"""What a crawl did in numbers, kept in one SQLite file so that no page looks through a million lines of crawl.log.

`tally` holds counts per kind (language, domain, charset, status, media type, size class), per day and in all; `host`,
`segment` and `level` one row each; `line` where in the log the lines of a host, a language, a status or a charset are.
`phasa.crawl.run.log_reader` fills it. The file may be deleted at any time: it is made again from log and frontier.

The log alone knows answers, media types and charsets, and where its lines are. Hosts, segments, levels, languages,
domains and sizes the frontier knows too: they can be counted again from there (`clear_pages`).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Literal

import msgspec

from phasa.crawl.run.batch import EVERY_DAY, OF_THE_LOG, Batch, Kind
from phasa.errors import CollectionError

FORMAT = 1
HostOrder = Literal["name", "pages", "wanted", "bytes", "last"]

_SCHEMA = """
CREATE TABLE IF NOT EXISTS bookmark(one INTEGER PRIMARY KEY CHECK (one = 1), value TEXT NOT NULL);
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
CREATE TABLE IF NOT EXISTS spoken(
    host INTEGER, language TEXT, pages INTEGER, PRIMARY KEY(host, language)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS segment(
    id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, pages INTEGER, wanted INTEGER, bytes INTEGER);
CREATE INDEX IF NOT EXISTS segment_pages ON segment(pages, id);
CREATE INDEX IF NOT EXISTS segment_wanted ON segment(wanted, pages, id);
CREATE TABLE IF NOT EXISTS level(
    depth INTEGER PRIMARY KEY, known INTEGER NOT NULL DEFAULT 0, tried INTEGER NOT NULL DEFAULT 0,
    pages INTEGER NOT NULL DEFAULT 0, wanted INTEGER NOT NULL DEFAULT 0);
CREATE TABLE IF NOT EXISTS label(id INTEGER PRIMARY KEY, kind TEXT, key TEXT, UNIQUE(kind, key));
CREATE TABLE IF NOT EXISTS line(label INTEGER, at INTEGER, PRIMARY KEY(label, at)) WITHOUT ROWID;
"""
_HARVEST = "iif(pages, 1.0 * wanted / pages, 0.0)"
_HOST = f"id, name, fetches, pages, wanted, {_HARVEST}, bytes, last"
_SEGMENT = f"name, pages, wanted, {_HARVEST}, bytes"
_SEGMENT_ORDERS = {"pages": "pages DESC, id DESC", "wanted": "wanted DESC, pages DESC, id DESC"}


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


class LanguageShare(msgspec.Struct, frozen=True):
    """How many pages are in a language, and which share that is."""

    language: str
    pages: int
    share: float


class Level(msgspec.Struct, frozen=True):
    """The URLs at one distance from the seeds: how many are known, were tried, gave a page, and are wanted."""

    depth: int
    known: int
    tried: int
    pages: int
    wanted: int


class HostCount(msgspec.Struct, frozen=True):
    """A host in numbers. `languages`, most spoken first, only where they were asked for."""

    id: int
    name: str
    fetches: int
    pages: int
    wanted: int
    harvest: float
    bytes: int
    last: str
    languages: tuple[LanguageShare, ...] = ()


class SegmentCount(msgspec.Struct, frozen=True):
    """A website segment (the pages of one directory) in numbers."""

    name: str
    pages: int
    wanted: int
    harvest: float
    bytes: int


class Bookmark(msgspec.Struct, frozen=True, kw_only=True):
    """How far log and frontier have been counted."""

    format: int = FORMAT
    log: str = ""
    """By which the log is known again; '' before the first line."""
    read: int = 0
    """Bytes of the log that were read."""
    pages_from: int = 0
    """Lines before this place are in the counts of pages already, which were made from the frontier."""
    recounting: bool = False
    """The pages are being counted again, from the frontier."""
    recounted: int = -1
    """Pages of the collection when that was begun the last time."""
    visit: int = 0
    """The last visit that was counted in it."""
    url: int = 0
    """The last discovery that was counted."""


class Counts:
    """One connection, for one thread. Raises CollectionError when the file cannot be used."""

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            if is_damaged(path):
                drop_counts(path)
            self._db = sqlite3.connect(path, isolation_level=None, timeout=30.0, check_same_thread=False)
            self._db.execute("PRAGMA journal_mode=WAL")
            self._db.execute("PRAGMA synchronous=NORMAL")
            self._db.execute("PRAGMA cache_size=-8192")
            self._db.executescript(f"BEGIN IMMEDIATE; {_SCHEMA} COMMIT;")
        except sqlite3.Error as problem:
            raise CollectionError(f"{path}: cannot be used ({problem}); delete it, it is made again") from None

    def close(self) -> None:
        self._db.close()

    # ── adding ───────────────────────────────────────────────────────────────────────────────────

    def bookmark(self) -> Bookmark:
        row = self._db.execute("SELECT value FROM bookmark").fetchone()
        return msgspec.json.decode(row[0], type=Bookmark) if row else Bookmark()

    def add(self, batch: Batch, before: Bookmark, after: Bookmark) -> bool:
        """Add what was counted from one bookmark to the next, both together or neither; False when somebody else has
        moved the bookmark meanwhile. Raises sqlite3.Error when the file cannot be written."""
        return self._change(before, after, lambda: self._add(batch))

    def clear_pages(self, before: Bookmark, after: Bookmark) -> bool:
        """Forget what the frontier knows too: it is to be counted again from there."""
        kinds = ", ".join(f"'{kind}'" for kind in OF_THE_LOG)
        return self._change(before, after, lambda: self._forget(f"DELETE FROM tally WHERE kind NOT IN ({kinds})"))

    def clear(self, before: Bookmark, after: Bookmark) -> bool:
        """Forget everything but what is known of discoveries: the log is another one."""
        statements = ("DELETE FROM tally", "DELETE FROM label", "DELETE FROM line")
        return self._change(before, after, lambda: self._forget(*statements))

    def _change(self, before: Bookmark, after: Bookmark, change: Callable[[], None]) -> bool:
        self._db.execute("BEGIN IMMEDIATE")
        try:
            current = self.bookmark() == before
            if current:
                change()
                value = msgspec.json.encode(after).decode()
                self._db.execute("INSERT OR REPLACE INTO bookmark VALUES (1, ?)", (value,))
            self._db.execute("COMMIT")
        except BaseException:
            if self._db.in_transaction:
                self._db.execute("ROLLBACK")
            raise
        return current

    def _forget(self, *statements: str) -> None:
        for statement in (
            *("DELETE FROM host", "DELETE FROM spoken", "DELETE FROM segment"),
            *("UPDATE level SET tried = 0, pages = 0, wanted = 0", *statements),
        ):
            self._db.execute(statement)

    def _add(self, batch: Batch) -> None:
        db = self._db
        db.executemany(
            "INSERT INTO tally VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET fetches = fetches +"
            " excluded.fetches, pages = pages + excluded.pages, wanted = wanted + excluded.wanted,"
            " bytes = bytes + excluded.bytes",
            [(*key, *counts) for key, counts in batch.tallies()],
        )
        db.executemany(
            "INSERT INTO host(name, key, fetches, pages, wanted, bytes, last) VALUES (?, ?, ?, ?, ?, ?, ?)"
            " ON CONFLICT(name) DO UPDATE SET fetches = fetches + excluded.fetches, pages = pages + excluded.pages,"
            " wanted = wanted + excluded.wanted, bytes = bytes + excluded.bytes, last = max(last, excluded.last)",
            [(name, reversed_name(name), *counts, batch.last[name]) for name, counts in batch.hosts.items()],
        )
        db.executemany(
            "INSERT INTO spoken SELECT id, ?, ? FROM host WHERE name = ?"
            " ON CONFLICT DO UPDATE SET pages = pages + excluded.pages",
            [(language, pages, name) for (name, language), pages in batch.spoken.items()],
        )
        db.executemany(
            "INSERT INTO segment(name, pages, wanted, bytes) VALUES (?, ?, ?, ?) ON CONFLICT(name) DO UPDATE SET"
            " pages = pages + excluded.pages, wanted = wanted + excluded.wanted, bytes = bytes + excluded.bytes",
            [(name, *counts) for name, counts in batch.segments.items()],
        )
        db.executemany(
            "INSERT INTO level VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET known = known + excluded.known,"
            " tried = tried + excluded.tried, pages = pages + excluded.pages, wanted = wanted + excluded.wanted",
            [(depth, *counts) for depth, counts in batch.levels.items()],
        )
        db.executemany("INSERT OR IGNORE INTO label(kind, key) VALUES (?, ?)", batch.lines)
        ids = {label: self._label(*label) for label in batch.lines}
        places = sorted((ids[label], at) for label, where in batch.lines.items() for at in where)
        db.executemany("INSERT OR IGNORE INTO line VALUES (?, ?)", places)

    # ── what was counted ─────────────────────────────────────────────────────────────────────────

    def pages(self) -> tuple[int, int]:
        """Pages that were counted, and how many of them are wanted."""
        row = self._db.execute("SELECT coalesce(sum(pages), 0), coalesce(sum(wanted), 0) FROM level").fetchone()
        return int(row[0]), int(row[1])

    def shares(self, kind: Kind, most: int) -> list[Share]:
        """The values of a kind, most frequent first."""
        rows = self._db.execute(
            "SELECT key, fetches, pages, wanted, bytes FROM tally WHERE kind = ? AND day = ?"
            " ORDER BY fetches DESC, key LIMIT ?",
            (kind, EVERY_DAY, most),
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
            "SELECT min(day), max(day), count(DISTINCT day) FROM tally WHERE kind = 'domain' AND day > ''"
        ).fetchone()
        return row[0] or "", row[1] or "", row[2]

    def months(self) -> list[str]:
        """The months in which something was fetched, newest first."""
        rows = self._db.execute(
            "SELECT DISTINCT substr(day, 1, 7) FROM tally WHERE kind = 'domain' AND day > '' ORDER BY 1 DESC"
        )
        return [row[0] for row in rows]

    def hosts(self, order: HostOrder, after: str, most: int, domain: str = "") -> list[HostCount]:
        """Hosts from after a position on (`after`: what `position_of` said; '' for the first), names ascending, the
        rest descending. `domain`: only that host and those below it, in the order of names."""
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

    def top_hosts(self, most: int) -> list[HostCount]:
        """The hosts with the most pages, and the languages of each."""
        found = [host for host in self.hosts("pages", "", most) if host.pages]
        return [msgspec.structs.replace(host, languages=self._languages(host)) for host in found]

    def _languages(self, host: HostCount) -> tuple[LanguageShare, ...]:
        rows = self._db.execute(
            "SELECT language, pages FROM spoken WHERE host = ? ORDER BY pages DESC, language LIMIT 5", (host.id,)
        )
        return tuple(LanguageShare(language, n, n / host.pages) for language, n in rows)

    def wanted_hosts(self) -> int:
        """How many hosts have a wanted page."""
        return int(self._db.execute("SELECT count(*) FROM host WHERE wanted > 0").fetchone()[0])

    def segments(self, order: Literal["pages", "wanted"], most: int) -> list[SegmentCount]:
        """The segments with most pages, or with most wanted pages."""
        rows = self._db.execute(f"SELECT {_SEGMENT} FROM segment ORDER BY {_SEGMENT_ORDERS[order]} LIMIT ?", (most,))
        return [SegmentCount(*row) for row in rows]

    def levels(self) -> list[Level]:
        """The URLs by their distance from the seeds."""
        return [Level(*row) for row in self._db.execute("SELECT * FROM level ORDER BY depth")]

    def lines(self, kind: str, key: str, before: int, most: int) -> list[int]:
        """Where in the log the lines of a host, language, status or charset begin, newest first, before a place."""
        rows = self._db.execute(
            "SELECT at FROM line WHERE label = ? AND at < ? ORDER BY at DESC LIMIT ?",
            (self._label(kind, key), before, most),
        )
        return [row[0] for row in rows]

    def _label(self, kind: str, key: str) -> int:
        row = self._db.execute("SELECT id FROM label WHERE kind = ? AND key = ?", (kind, key)).fetchone()
        return int(row[0]) if row else 0


def is_damaged(path: Path) -> bool:
    """Whether a file cannot be what was counted. Looks at its head only."""
    try:
        with path.open("rb") as file:
            head = file.read(16)
    except OSError:
        return False
    return bool(head) and head != b"SQLite format 3\0"


def drop_counts(path: Path) -> None:
    """Away with what was counted: it is counted again."""
    for name in (path.name, f"{path.name}-wal", f"{path.name}-shm"):
        (path.parent / name).unlink(missing_ok=True)


def position_of(host: HostCount, order: HostOrder, domain: str = "") -> str:
    """Where a host stands in an order: what `hosts` goes on after."""
    value = reversed_name(host.name) if domain or order == "name" else getattr(host, order)
    return f"{value}~{host.id}"


def reversed_name(name: str) -> str:
    """`www.ku.ac.th` -> `th,ac,ku,www`: the hosts of a domain stand together."""
    return ",".join(reversed(name.lower().strip(".").split(".")))


def _cut(position: str) -> tuple[str, int]:
    value, _, id = position.rpartition("~")
    return value, _integer(id)


def _integer(text: str) -> int:
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 19 else 0


def _like(text: str) -> str:
    return text.replace("!", "!!").replace("%", "!%").replace("_", "!_")
