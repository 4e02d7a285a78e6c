"""feeds.db: feeds, their posts, the log of polls and the plans, in SQLite. All SQL that writes is here; `reading` asks.

What one poll brought is written in one transaction, so a kill at any moment loses at most the poll in flight.
"""

from __future__ import annotations

import datetime as dt
import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import closing
from pathlib import Path

import msgspec
import numpy as np

from phasa.errors import CollectionError
from phasa.feeds.post import Hints, Identity, Post
from phasa.feeds.rhythm import stamp
from phasa.feeds.trace import Times

_SCHEMA = """
CREATE TABLE IF NOT EXISTS feed (
    id INTEGER PRIMARY KEY, url TEXT NOT NULL UNIQUE, publisher TEXT NOT NULL DEFAULT '',
    category TEXT NOT NULL DEFAULT '', title TEXT NOT NULL DEFAULT '', added REAL NOT NULL,
    etag TEXT, modified TEXT, body_hash TEXT, not_before REAL NOT NULL DEFAULT 0, due REAL NOT NULL DEFAULT 0,
    why TEXT NOT NULL DEFAULT 'new', failures INTEGER NOT NULL DEFAULT 0, retired TEXT NOT NULL DEFAULT '',
    hub TEXT NOT NULL DEFAULT '', hints BLOB, expected_delay REAL, gain REAL);
CREATE TABLE IF NOT EXISTS former (url TEXT PRIMARY KEY, feed INTEGER NOT NULL REFERENCES feed(id));
CREATE TABLE IF NOT EXISTS post (
    feed INTEGER NOT NULL REFERENCES feed(id), key TEXT NOT NULL, title TEXT NOT NULL, description TEXT NOT NULL,
    link TEXT NOT NULL, published REAL, first_seen REAL NOT NULL, day INTEGER, month INTEGER, hour INTEGER,
    PRIMARY KEY (feed, key)) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS post_seen ON post (first_seen);
CREATE TABLE IF NOT EXISTS poll (
    feed INTEGER NOT NULL REFERENCES feed(id), at REAL NOT NULL, status INTEGER NOT NULL, outcome TEXT NOT NULL,
    seen INTEGER NOT NULL, new INTEGER NOT NULL, missing INTEGER NOT NULL DEFAULT 0, note TEXT NOT NULL DEFAULT '');
CREATE INDEX IF NOT EXISTS poll_feed ON poll (feed, at);
CREATE TABLE IF NOT EXISTS bad_day (
    feed INTEGER NOT NULL, day TEXT NOT NULL, reason TEXT NOT NULL, PRIMARY KEY (feed, day));
CREATE TABLE IF NOT EXISTS plan (
    feed INTEGER NOT NULL REFERENCES feed(id), version INTEGER NOT NULL, cluster TEXT NOT NULL, made REAL NOT NULL,
    per_day INTEGER NOT NULL, points TEXT NOT NULL, expected REAL NOT NULL, why TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (feed, version, cluster));
CREATE TABLE IF NOT EXISTS subscription (
    feed INTEGER PRIMARY KEY REFERENCES feed(id), hub TEXT NOT NULL, topic TEXT NOT NULL, token TEXT NOT NULL UNIQUE,
    secret TEXT NOT NULL, state TEXT NOT NULL, asked REAL NOT NULL, expires REAL NOT NULL, note TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS scanned (file TEXT PRIMARY KEY, bytes INTEGER NOT NULL);
"""
# Columns that came later: databases of earlier versions get them when they are opened.
_LATER = (
    ("plan", "why", "TEXT NOT NULL DEFAULT ''"),
    ("feed", "topic", "TEXT NOT NULL DEFAULT ''"),
    ("feed", "validated", "TEXT NOT NULL DEFAULT ''"),
)


class FeedRow(msgspec.Struct, frozen=True):
    """A registered feed and what is known for its next poll. `validated`: the address that gave etag and modified."""

    id: int
    url: str
    publisher: str
    category: str
    title: str
    added: float
    etag: str | None
    modified: str | None
    body_hash: str | None
    not_before: float
    due: float
    why: str
    failures: int
    retired: str
    hub: str
    hints: Hints
    expected_delay: float | None
    gain: float | None
    topic: str = ""
    validated: str = ""


class PollRow(msgspec.Struct, frozen=True):
    """One line of the retrieval log."""

    feed: int
    at: float
    status: int
    outcome: str
    seen: int
    new: int
    missing: bool
    note: str


class Subscription(msgspec.Struct, frozen=True):
    """What we have with the hub of a feed. `state`: asked, active or refused; `expires`: when the lease ends."""

    feed: int
    hub: str
    topic: str
    token: str
    secret: str
    state: str
    asked: float
    expires: float
    note: str

    def with_state(self, state: str, expires: float, note: str) -> Subscription:
        return msgspec.structs.replace(self, state=state, expires=expires, note=note)


class Shown(msgspec.Struct, frozen=True):
    """A post as a reader sees it."""

    feed: str
    title: str
    link: str
    description: str
    published: float | None
    first_seen: float


class FeedStore:
    """One feeds.db. Raises CollectionError when the file is no such database."""

    def __init__(self, path: Path | str, identity: Identity = "guid") -> None:
        self.identity: Identity = identity
        self._db = sqlite3.connect(path, isolation_level=None)
        try:
            self._db.execute("PRAGMA journal_mode = WAL")
            self._db.execute("PRAGMA synchronous = NORMAL")
            self._db.executescript(_SCHEMA)
            for table, column, kind in _LATER:
                if not any(row[1] == column for row in self._db.execute(f"PRAGMA table_info({table})")):
                    self._db.execute(f"ALTER TABLE {table} ADD COLUMN {column} {kind}")
        except sqlite3.DatabaseError as trouble:
            self._db.close()
            raise CollectionError(f"{path}: not a database of feeds ({trouble}); move it away") from None

    def close(self) -> None:
        self._db.close()

    def __enter__(self) -> FeedStore:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def add(self, url: str, now: float, publisher: str = "", category: str = "", title: str = "") -> bool:
        """Register a feed; False when it, or a feed that moved from this address, is known already."""
        if self._db.execute("SELECT 1 FROM former WHERE url = ?", (url,)).fetchone():
            return False
        done = self._db.execute(
            "INSERT OR IGNORE INTO feed (url, added, due, publisher, category, title) VALUES (?, ?, ?, ?, ?, ?)",
            (url, now, now, publisher, category, title),
        )
        return done.rowcount == 1

    def retire(self, url: str, why: str) -> bool:
        """Ask a feed no more; its posts stay. False when there is no such feed under watch."""
        done = self._db.execute("UPDATE feed SET retired = ?, why = ? WHERE url = ? AND retired = ''", (why, why, url))
        return done.rowcount == 1

    def revive(self, url: str, now: float) -> str:
        """Ask a retired feed again, from now on; why it was retired, "" when it was not or is unknown."""
        row = self._db.execute("SELECT retired FROM feed WHERE url = ?", (url,)).fetchone()
        if row and row[0]:
            self._db.execute(
                "UPDATE feed SET retired = '', failures = 0, why = 'watched again', due = ? WHERE url = ?", (now, url)
            )
        return str(row[0]) if row else ""

    def feeds(self) -> list[FeedRow]:
        names = ", ".join(FeedRow.__struct_fields__)
        return [_feed_row(row) for row in self._db.execute(f"SELECT {names} FROM feed ORDER BY id")]

    def feed(self, number: int) -> FeedRow:
        names = ", ".join(FeedRow.__struct_fields__)
        return _feed_row(self._db.execute(f"SELECT {names} FROM feed WHERE id = ?", (number,)).fetchone())

    def record(
        self, poll: PollRow, posts: Iterable[Post] = (), changes: dict[str, object] | None = None,
        bad_day: tuple[dt.date, str] | None = None, moved_to: str | None = None,
    ) -> list[Post]:  # fmt: skip
        """Everything that one poll brought, in one transaction; the posts that were not known before, in order."""
        new: list[Post] = []
        self._db.execute("BEGIN IMMEDIATE")
        try:
            for post in posts:
                when = post.when()
                at = stamp(when) if when is not None else None
                done = self._db.execute(
                    "INSERT OR IGNORE INTO post VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                    (poll.feed, post.key(self.identity), post.title, post.summary, post.link, when, poll.at,
                     at.day if at else None, at.month if at else None, at.bin if at else None),
                )  # fmt: skip
                if done.rowcount:
                    new.append(post)
            had = self._db.execute("SELECT 1 FROM poll WHERE feed = ? AND new > 0 LIMIT 1", (poll.feed,)).fetchone()
            # The window was replaced as a whole since the last poll: others may have come and gone (§5.13).
            missing = bool(had) and poll.seen >= 2 and len(new) == poll.seen
            self._db.execute(
                "INSERT INTO poll VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (poll.feed, poll.at, poll.status, poll.outcome, poll.seen, len(new), missing, poll.note),
            )
            if changes:
                keys = ", ".join(f"{key} = ?" for key in changes)
                self._db.execute(f"UPDATE feed SET {keys} WHERE id = ?", (*changes.values(), poll.feed))
            if bad_day:
                self._db.execute(
                    "INSERT OR IGNORE INTO bad_day VALUES (?, ?, ?)", (poll.feed, bad_day[0].isoformat(), bad_day[1])
                )
            if moved_to:
                self._move(poll.feed, moved_to)
            self._db.execute("COMMIT")
        except BaseException:
            self._db.execute("ROLLBACK")
            raise
        return new

    def _move(self, number: int, url: str) -> None:
        old = self.feed(number).url
        if self._db.execute("SELECT 1 FROM feed WHERE url = ?", (url,)).fetchone():
            self._db.execute("UPDATE feed SET retired = ? WHERE id = ?", (f"moved to {url}, which is known", number))
            return
        self._db.execute("UPDATE feed SET url = ? WHERE id = ?", (url, number))
        self._db.execute("INSERT OR REPLACE INTO former VALUES (?, ?)", (old, number))

    def schedule(self, number: int, due: float, why: str) -> None:
        self._db.execute("UPDATE feed SET due = ?, why = ? WHERE id = ?", (due, why, number))

    def posting_times(self, number: int) -> Times:
        """When the feed posted, ascending: claimed times, but never later than they were seen."""
        rows = self._db.execute(
            "SELECT min(coalesce(published, first_seen), first_seen) FROM post WHERE feed = ? ORDER BY 1", (number,)
        )
        return np.array([int(row[0]) for row in rows], dtype=np.int64)

    def integer_times(self, number: int) -> list[tuple[int, int, int]]:
        """(day, month, hour 1..24) of each dated post, as the thesis stores them (§5.3), oldest first."""
        rows = self._db.execute(
            "SELECT day, month, hour FROM post WHERE feed = ? AND hour IS NOT NULL ORDER BY published", (number,)
        )
        return [(int(day), int(month), int(hour)) for day, month, hour in rows]

    def delays(self, number: int, since: float) -> list[float]:
        """Seconds between posting and first sight of the posts that were posted while we watched, from `since` on."""
        rows = self._db.execute(
            "SELECT first_seen - published FROM post JOIN feed ON feed.id = post.feed"
            " WHERE feed = ? AND published >= max(added, ?) AND published <= first_seen",
            (number, since),
        )
        return [float(row[0]) for row in rows]

    def log(self, number: int | None = None) -> list[PollRow]:
        where, values = ("WHERE feed = ?", (number,)) if number is not None else ("", ())
        names = ", ".join(PollRow.__struct_fields__)
        rows = self._db.execute(f"SELECT {names} FROM poll {where} ORDER BY at, rowid", values)
        return [
            PollRow(f, at, status, out, seen, new, bool(gap), note) for f, at, status, out, seen, new, gap, note in rows
        ]

    def polls_since(self, moment: float) -> int:
        return int(
            self._db.execute("SELECT count(*) FROM poll WHERE at > ? AND outcome != 'pushed'", (moment,)).fetchone()[0]
        )

    def subscribe(self, wish: Subscription) -> None:
        """Write down what stands with a hub, in place of what stood before."""
        marks = ", ".join("?" * len(Subscription.__struct_fields__))
        self._db.execute(f"INSERT OR REPLACE INTO subscription VALUES ({marks})", msgspec.structs.astuple(wish))

    def subscription(self, number: int) -> Subscription | None:
        return self._subscription("feed", number)

    def subscription_of(self, token: str) -> Subscription | None:
        """The subscription whose callback has this secret name."""
        return self._subscription("token", token)

    def _subscription(self, column: str, value: object) -> Subscription | None:
        names = ", ".join(Subscription.__struct_fields__)
        row = self._db.execute(f"SELECT {names} FROM subscription WHERE {column} = ?", (value,)).fetchone()
        return Subscription(*row) if row else None

    def scanned(self) -> dict[str, int]:
        """How many bytes of each file of the archive were searched for feeds."""
        return dict(self._db.execute("SELECT file, bytes FROM scanned").fetchall())

    def mark_scanned(self, file: str, size: int) -> None:
        self._db.execute("INSERT OR REPLACE INTO scanned VALUES (?, ?)", (file, size))

    def last_plan(self, number: int) -> float | None:
        """When the feed's present plan was made."""
        return self._db.execute("SELECT max(made) FROM plan WHERE feed = ?", (number,)).fetchone()[0]  # type: ignore[no-any-return]

    def bad_days(self, number: int) -> set[dt.date]:
        rows = self._db.execute("SELECT day FROM bad_day WHERE feed = ?", (number,))
        return {dt.date.fromisoformat(row[0]) for row in rows}

    def keep_plans(
        self, number: int, made: float, plans: Sequence[tuple[str, int, tuple[int, ...], float]], why: str = ""
    ) -> int:
        """A new version of the feed's plans (cluster, polls a day, points, expected hours); older ones stay."""
        version = 1 + int(
            self._db.execute("SELECT coalesce(max(version), 0) FROM plan WHERE feed = ?", (number,)).fetchone()[0]
        )
        self._db.executemany(
            "INSERT INTO plan VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            [
                (number, version, cluster, made, per_day, " ".join(map(str, points)), hours, why)
                for cluster, per_day, points, hours in plans
            ],
        )
        return version

    def plans(self, number: int) -> list[tuple[int, str, float, tuple[int, ...], float]]:
        """(version, cluster, made, points, expected hours) of every version, oldest first."""
        rows = self._db.execute(
            "SELECT version, cluster, made, points, expected FROM plan WHERE feed = ? ORDER BY version, cluster",
            (number,),
        )
        return [(v, c, made, tuple(int(p) for p in points.split()), hours) for v, c, made, points, hours in rows]

    def latest(self, count: int = 50) -> list[Shown]:
        """The newest posts of all feeds, latest first; a date in the future counts as the moment of first sight."""
        rows = self._db.execute(
            "SELECT coalesce(nullif(feed.title, ''), feed.url), post.title, post.link, description, published,"
            " first_seen FROM post JOIN feed ON feed.id = post.feed"
            " ORDER BY min(coalesce(published, first_seen), first_seen) DESC, key LIMIT ?",
            (count,),
        )
        return [Shown(*row) for row in rows]

    def sound(self) -> bool:
        """Whether the file is intact."""
        with closing(self._db.execute("PRAGMA integrity_check")) as answer:
            return bool(answer.fetchone()[0] == "ok")


def _feed_row(row: Sequence[object]) -> FeedRow:
    values = dict(zip(FeedRow.__struct_fields__, row, strict=True))
    hints = values["hints"]
    values["hints"] = msgspec.msgpack.decode(hints, type=Hints) if isinstance(hints, bytes) else Hints()
    return msgspec.convert(values, FeedRow)
