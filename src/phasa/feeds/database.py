"""The file feeds.db: its tables, and what brings files of earlier versions up to date."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from phasa.errors import CollectionError

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
    number INTEGER, catalogue INTEGER NOT NULL DEFAULT 0, read REAL NOT NULL DEFAULT 0, star REAL NOT NULL DEFAULT 0,
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
    rule TEXT NOT NULL DEFAULT '', bins INTEGER NOT NULL DEFAULT 24, PRIMARY KEY (feed, version, cluster));
CREATE TABLE IF NOT EXISTS subscription (
    feed INTEGER PRIMARY KEY REFERENCES feed(id), hub TEXT NOT NULL, topic TEXT NOT NULL, token TEXT NOT NULL UNIQUE,
    secret TEXT NOT NULL, state TEXT NOT NULL, asked REAL NOT NULL, expires REAL NOT NULL, note TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS scanned (file TEXT PRIMARY KEY, bytes INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS hook (
    id INTEGER PRIMARY KEY, url TEXT NOT NULL UNIQUE, secret TEXT NOT NULL, category TEXT NOT NULL DEFAULT '',
    cursor INTEGER NOT NULL, added REAL NOT NULL, attempts INTEGER NOT NULL DEFAULT 0,
    first_try REAL NOT NULL DEFAULT 0, next_try REAL NOT NULL DEFAULT 0, delivered INTEGER NOT NULL DEFAULT 0,
    note TEXT NOT NULL DEFAULT '');
CREATE TABLE IF NOT EXISTS dead_letter (
    hook INTEGER NOT NULL REFERENCES hook(id), number INTEGER NOT NULL, at REAL NOT NULL, attempts INTEGER NOT NULL,
    why TEXT NOT NULL, PRIMARY KEY (hook, number)) WITHOUT ROWID;
CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5(
    title, body, content='', tokenize="unicode61 remove_diacritics 0 categories 'L* N* Co Mn Mc'");
"""
# Columns that came later, and what puts right the rows of files that did not have them: earlier versions kept the same
# fact inside another column.
_LATER: tuple[tuple[str, str, str, str], ...] = (
    ("plan", "why", "TEXT NOT NULL DEFAULT ''", ""),
    ("feed", "topic", "TEXT NOT NULL DEFAULT ''", ""),
    ("feed", "validated", "TEXT NOT NULL DEFAULT ''", ""),
    ("feed", "hold", "TEXT NOT NULL DEFAULT ''",
     "UPDATE feed SET hold = 'retry-after' WHERE why LIKE '%, failure %: Retry-After %'"),
    ("feed", "not_feed", "INTEGER NOT NULL DEFAULT 0",
     "UPDATE feed SET not_feed = 1, body_hash = substr(body_hash, 9) WHERE body_hash LIKE 'no feed %'"),
    ("feed", "activity", "REAL", ""),
    ("feed", "policy", "TEXT NOT NULL DEFAULT ''", ""),
    ("feed", "zone", "TEXT NOT NULL DEFAULT ''", ""),
    ("feed", "bootstrap", "REAL", ""),
    ("feed", "entries", "INTEGER NOT NULL DEFAULT 0", ""),
    ("feed", "since", "REAL NOT NULL DEFAULT 0", "UPDATE feed SET since = added"),
    ("feed", "paused", "REAL NOT NULL DEFAULT 0", ""),
    ("plan", "rule", "TEXT NOT NULL DEFAULT ''", ""),
    ("plan", "bins", "INTEGER NOT NULL DEFAULT 24", ""),
    ("post", "catalogue", "INTEGER NOT NULL DEFAULT 0",
     "UPDATE post SET catalogue = published < (SELECT added FROM feed WHERE id = feed) WHERE published IS NOT NULL"),
    ("post", "read", "REAL NOT NULL DEFAULT 0", ""),
    ("post", "star", "REAL NOT NULL DEFAULT 0", ""),
    ("post", "number", "INTEGER",
     "UPDATE post SET number = t.n FROM (SELECT feed AS f, key AS k, row_number() OVER (ORDER BY first_seen, feed) AS n"
     " FROM post) AS t WHERE feed = t.f AND key = t.k"),
)  # fmt: skip
# They need columns that came later.
_INDEXES = """
CREATE UNIQUE INDEX IF NOT EXISTS post_number ON post (number);
CREATE INDEX IF NOT EXISTS poll_made ON poll (feed, at) WHERE outcome != 'pushed';
CREATE INDEX IF NOT EXISTS poll_missing ON poll (feed, at) WHERE missing;
CREATE INDEX IF NOT EXISTS post_posted ON post (min(coalesce(published, first_seen), first_seen), number);
CREATE INDEX IF NOT EXISTS post_star ON post (star) WHERE star > 0;
"""


def open_database(path: Path | str, read_only: bool) -> sqlite3.Connection:
    """A connection to a file of feeds. Raises CollectionError when it is none, or is to be read and not there.

    A file of an earlier version is brought up to date by whoever writes it. A reader changes no file: what it gets is a
    copy in memory that is up to date.
    """
    if read_only and not Path(path).is_file():
        raise CollectionError(f"{path}: no feeds yet; add one with: phasa feeds add DIR URL")
    where = f"{Path(path).resolve().as_uri()}?mode=ro" if read_only else path
    db = sqlite3.connect(where, isolation_level=None, uri=read_only)
    try:
        if not read_only:
            _prepare(db)
        elif db.execute("PRAGMA table_info(feed)").fetchone() and _outdated(db):
            copy = sqlite3.connect(":memory:", isolation_level=None)
            db.backup(copy)
            db.close()
            db = copy
            _prepare(db)
        if not db.execute("PRAGMA table_info(feed)").fetchone():
            raise sqlite3.DatabaseError("it has no feeds in it")
    except sqlite3.DatabaseError as trouble:
        db.close()
        raise CollectionError(f"{path}: not a database of feeds ({trouble}); move it away") from None
    return db


def _prepare(db: sqlite3.Connection) -> None:
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("PRAGMA synchronous = NORMAL")
    db.executescript(_SCHEMA)
    for table, column, kind, repair in _LATER:
        if not _has(db, table, column):
            with transaction(db):
                # Another process may have been faster.
                if not _has(db, table, column):
                    db.execute(f"ALTER TABLE {table} ADD COLUMN {column} {kind}")
                    db.execute(repair)
    db.executescript(_INDEXES)


def _outdated(db: sqlite3.Connection) -> bool:
    """Whether a later version added tables or columns."""
    tables = {table for table, *_ in _LATER}
    present = {(table, row[1]) for table in tables for row in db.execute(f"PRAGMA table_info({table})")}
    return any((table, column) not in present for table, column, *_ in _LATER) or not all(
        db.execute("SELECT 1 FROM sqlite_master WHERE name = ?", (name,)).fetchone() for name in ("hook", "words")
    )


def _has(db: sqlite3.Connection, table: str, column: str) -> bool:
    return any(row[1] == column for row in db.execute(f"PRAGMA table_info({table})"))


@contextmanager
def transaction(db: sqlite3.Connection) -> Iterator[None]:
    """All of it or nothing."""
    db.execute("BEGIN IMMEDIATE")
    try:
        yield
        db.execute("COMMIT")
    except BaseException:
        db.execute("ROLLBACK")
        raise
