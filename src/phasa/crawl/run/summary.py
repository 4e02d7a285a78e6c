"""Hosts, website segments and levels of a crawl in numbers, kept up to date by reading on from a bookmark.

The crawl pays nothing for it: crawl.log names every page in the order of its fetch, and URLs are numbered in the order
of their discovery, so both can be read on from where the last reader stopped. What is counted lies in
reports/summary.db and may be deleted at any time. After a crash the log may have a few lines too many or too few; when
nothing runs and the numbers do not agree with the frontier's own, everything is counted anew from the frontier.
"""

from __future__ import annotations

import sqlite3
import time
from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import Any, NamedTuple

import msgspec

from phasa.collection import Collection
from phasa.crawl.run.crawl_log import parse_line
from phasa.crawl.run.shadow import Level
from phasa.crawl.run.status import has_begun, is_running, reading
from phasa.errors import CollectionError
from phasa.frontier.protocol import State
from phasa.web.url import Url, authority, segment_key

FILE = "summary.db"
CHUNK = 500_000  # bytes of the log per transaction
ROWS = 5_000  # rows of the frontier per transaction

_SCHEMA = """
CREATE TABLE IF NOT EXISTS mark(name TEXT PRIMARY KEY, n INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS place(
    kind TEXT, name TEXT, pages INTEGER NOT NULL, wanted INTEGER NOT NULL, bytes INTEGER NOT NULL,
    PRIMARY KEY(kind, name)) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS ranked ON place(kind, pages DESC, name);
CREATE TABLE IF NOT EXISTS spoken(
    host TEXT, language TEXT, pages INTEGER NOT NULL, PRIMARY KEY(host, language)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS level(
    depth INTEGER PRIMARY KEY, known INTEGER NOT NULL DEFAULT 0, tried INTEGER NOT NULL DEFAULT 0,
    judged INTEGER NOT NULL DEFAULT 0, wanted INTEGER NOT NULL DEFAULT 0);
"""
_TABLES = ("mark", "place", "spoken", "level")


class LanguageShare(msgspec.Struct, frozen=True):
    """How many pages are in a language, and which share that is."""

    language: str
    pages: int
    share: float


class Place(msgspec.Struct, frozen=True):
    """A host, or a website segment (one directory of a host), as far as it was fetched."""

    name: str
    pages: int
    wanted: int
    harvest: float
    bytes: int
    languages: tuple[LanguageShare, ...] = ()
    """The most spoken first; for hosts only."""


class WantedHosts(NamedTuple):
    """Hosts that have wanted pages, and how many of them have exactly one and two."""

    hosts: int
    once: int
    twice: int


class _Seen(NamedTuple):
    """One URL that was tried."""

    url: str
    depth: int
    size: int
    wanted: bool | None
    language: str


class Summary:
    """One reader of a collection; not to be shared between threads."""

    def __init__(self, collection: Collection) -> None:
        self._collection = collection
        self._log = collection.log_file
        try:
            collection.reports_folder.mkdir(exist_ok=True)
            self._db = sqlite3.connect(collection.reports_folder / FILE, isolation_level=None, timeout=10.0)
            self._db.execute("PRAGMA journal_mode=WAL")
            self._db.execute("PRAGMA synchronous=OFF")
            self._db.executescript(_SCHEMA)
        except (OSError, sqlite3.OperationalError):
            # A collection that we may only read is counted in memory.
            self._db = sqlite3.connect(":memory:", isolation_level=None)
            self._db.executescript(_SCHEMA)
        except sqlite3.DatabaseError as problem:
            path = collection.reports_folder / FILE
            raise CollectionError(f"{path}: cannot be read ({problem}); delete it, it is made anew") from None

    def close(self) -> None:
        self._db.close()

    def __enter__(self) -> Summary:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # ── reading on ───────────────────────────────────────────────────────────────────────────────

    def follow(self, seconds: float = 0.05) -> bool:
        """Read on for about so long; True when everything there is has been counted."""
        until = time.monotonic() + seconds
        if not has_begun(self._collection):
            return True
        while True:
            more = self._follow_frontier() if self._marks().get("recount") else self._follow_log()
            more = self._follow_discoveries() or more
            if not more:
                return not self._must_recount()
            if time.monotonic() >= until:
                return False

    def progress(self) -> float:
        """Which share of the pages is counted, 0 to 1."""
        judged = self._frontier("SELECT n FROM tally WHERE name = 'judged'")
        all_pages = int(judged[0][0]) if judged else 0
        return min(1.0, self.pages() / all_pages) if all_pages else 1.0

    def pages(self) -> int:
        """Pages that were counted."""
        return int(self._db.execute("SELECT coalesce(sum(judged), 0) FROM level").fetchone()[0])

    def _follow_log(self) -> bool:
        """Count one more chunk of the log; False when there was none."""
        if not self._log.exists():
            return False
        self._db.execute("BEGIN IMMEDIATE")
        try:
            start = self._marks().get("log", 0)
            with self._log.open("rb") as file:
                if file.seek(0, 2) < start:
                    self._forget()  # another log: what was counted is of the old one
                    self._mark("recount", 1)
                    return True
                file.seek(start)
                chunk = file.read(CHUNK)
            end = chunk.rfind(b"\n") + 1
            if end:
                self._count(line for line in map(_seen, chunk[:end].split(b"\n")) if line is not None)
                self._mark("log", start + end)
            return bool(end)
        finally:
            self._db.execute("COMMIT")

    def _follow_discoveries(self) -> bool:
        """Count URLs that became known; those that the scope refused are not what a crawl could fetch."""
        last = self._marks().get("url", 0)
        rows = self._frontier(
            "SELECT depth, sum(NOT (state = ? AND coalesce(reason, '') LIKE 'out of scope%')), max(id)"
            " FROM (SELECT id, depth, state, reason FROM url WHERE id > ? ORDER BY id LIMIT ?) GROUP BY depth",
            (int(State.DROPPED), last, ROWS * 20),
        )
        if not rows:
            return False
        self._db.execute("BEGIN IMMEDIATE")
        try:
            if self._marks().get("url", 0) == last:  # nobody else counted them meanwhile
                self._db.executemany(
                    "INSERT INTO level(depth, known) VALUES (?, ?)"
                    " ON CONFLICT (depth) DO UPDATE SET known = known + excluded.known",
                    [(depth, known) for depth, known, _ in rows],
                )
                self._mark("url", max(row[2] for row in rows))
        finally:
            self._db.execute("COMMIT")
        return True

    def _must_recount(self) -> bool:
        """When nothing runs, what was counted must be what the frontier says."""
        if self._marks().get("recount") or is_running(self._collection):
            return False
        tally = dict(self._frontier("SELECT name, n FROM tally WHERE name IN ('judged', 'wanted')"))
        counted = self._db.execute("SELECT coalesce(sum(judged), 0), coalesce(sum(wanted), 0) FROM level").fetchone()
        if counted == (tally.get("judged", 0), tally.get("wanted", 0)):
            return False
        if self._marks().get("recounted") == tally.get("judged", 0):
            return False  # a page that was fetched twice counts once here and twice there
        self._db.execute("BEGIN IMMEDIATE")
        self._forget()
        self._mark("recount", 1)
        self._mark("recounted", tally.get("judged", 0))
        self._db.execute("COMMIT")
        return True

    def _follow_frontier(self) -> bool:
        """Count some more of the frontier's visits; when all are counted the log is followed again from its end."""
        last = self._marks().get("visit", 0)
        rows = self._frontier(
            "SELECT v.id, u.url, u.depth, v.size, v.wanted, v.language FROM visit v JOIN url u ON u.id = v.id"
            " WHERE v.id > ? ORDER BY v.id LIMIT ?",
            (last, ROWS),
        )
        self._db.execute("BEGIN IMMEDIATE")
        try:
            if self._marks().get("visit", 0) != last:
                return True
            self._count(
                _Seen(url, depth, size or 0, None if wanted is None else bool(wanted), language or "und")
                for _, url, depth, size, wanted, language in rows
            )
            if rows:
                self._mark("visit", rows[-1][0])
                return True
            self._mark("recount", 0)
            self._mark("log", self._log.stat().st_size if self._log.exists() else 0)
            return False
        finally:
            self._db.execute("COMMIT")

    def _count(self, seen: Iterable[_Seen]) -> None:
        """Inside a transaction: add URLs that were tried."""
        places: dict[tuple[str, str], list[int]] = defaultdict(lambda: [0, 0, 0])
        spoken: Counter[tuple[str, str]] = Counter()
        levels: dict[int, list[int]] = defaultdict(lambda: [0, 0, 0])
        for url, depth, size, wanted, language in seen:
            level = levels[depth]
            level[0] += 1
            if wanted is None:
                continue
            level[1] += 1
            level[2] += wanted
            host = authority(Url(url))
            spoken[host, language] += 1
            for place in (places["host", host], places["segment", segment_key(Url(url))]):
                place[0] += 1
                place[1] += wanted
                place[2] += size
        db = self._db
        db.executemany(
            "INSERT INTO place VALUES (?, ?, ?, ?, ?) ON CONFLICT (kind, name) DO UPDATE SET"
            " pages = pages + excluded.pages, wanted = wanted + excluded.wanted, bytes = bytes + excluded.bytes",
            [(*key, *counts) for key, counts in places.items()],
        )
        db.executemany(
            "INSERT INTO spoken VALUES (?, ?, ?)"
            " ON CONFLICT (host, language) DO UPDATE SET pages = pages + excluded.pages",
            [(*key, pages) for key, pages in spoken.items()],
        )
        db.executemany(
            "INSERT INTO level(depth, tried, judged, wanted) VALUES (?, ?, ?, ?) ON CONFLICT (depth) DO UPDATE SET"
            " tried = tried + excluded.tried, judged = judged + excluded.judged, wanted = wanted + excluded.wanted",
            [(depth, *counts) for depth, counts in levels.items()],
        )

    # ── what was counted ─────────────────────────────────────────────────────────────────────────

    def hosts(self, limit: int = 20) -> list[Place]:
        """The hosts with the most pages, and the languages of each."""
        return [
            msgspec.structs.replace(place, languages=self._languages(place.name, place.pages))
            for place in self._top("host", limit)
        ]

    def segments(self, limit: int = 20) -> list[Place]:
        """The website segments with the most pages."""
        return self._top("segment", limit)

    def levels(self) -> list[Level]:
        """The URLs by their distance from the seeds."""
        return [Level(*row) for row in self._db.execute("SELECT * FROM level ORDER BY depth")]

    def wanted_hosts(self) -> WantedHosts:
        """Hosts by how many wanted pages they have."""
        row = self._db.execute(
            "SELECT count(*), coalesce(sum(wanted = 1), 0), coalesce(sum(wanted = 2), 0) FROM place"
            " WHERE kind = 'host' AND wanted > 0"
        ).fetchone()
        return WantedHosts(*row)

    def _top(self, kind: str, limit: int) -> list[Place]:
        rows = self._db.execute(
            "SELECT name, pages, wanted, 1.0 * wanted / pages, bytes FROM place WHERE kind = ?"
            " ORDER BY pages DESC, name LIMIT ?",
            (kind, limit),
        )
        return [Place(*row) for row in rows]

    def _languages(self, host: str, pages: int) -> tuple[LanguageShare, ...]:
        rows = self._db.execute(
            "SELECT language, pages FROM spoken WHERE host = ? ORDER BY pages DESC, language LIMIT 5", (host,)
        )
        return tuple(LanguageShare(language, n, n / pages) for language, n in rows)

    # ── small things ─────────────────────────────────────────────────────────────────────────────

    def _frontier(self, query: str, values: tuple[object, ...] = ()) -> list[tuple[Any, ...]]:
        if not has_begun(self._collection):
            return []
        with reading(self._collection) as db:
            return db.execute(query, values).fetchall()

    def _marks(self) -> dict[str, int]:
        return dict(self._db.execute("SELECT name, n FROM mark"))

    def _mark(self, name: str, n: int) -> None:
        self._db.execute("INSERT OR REPLACE INTO mark VALUES (?, ?)", (name, n))

    def _forget(self) -> None:
        for table in _TABLES:
            self._db.execute(f"DELETE FROM {table}")


def _seen(line: bytes) -> _Seen | None:
    """What a line of crawl.log says; None when it is torn or empty."""
    told = parse_line(line.decode("utf-8", "replace"))
    return _Seen(told.url, told.depth, told.size, told.wanted, told.language) if told else None
