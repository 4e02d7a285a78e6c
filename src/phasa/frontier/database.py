"""The frontier's file: its tables, the connection, transactions, and the small values that have no table of their own.

What makes offers cheap at ten million URLs: a URL row is appended in the order of discovery, which touches one page of
the file. The two tables whose order is not that of discovery (`seen` and `queue`) belong to `phasa.frontier.index`,
which fills them some hundred thousand URLs at a time. `url` is the truth: after a crash the index is completed from it.
"""

from __future__ import annotations

import logging
import sqlite3
from pathlib import Path

from phasa.errors import CollectionError
from phasa.frontier.index import SCHEMA as INDEX_SCHEMA
from phasa.frontier.storage import Storage
from phasa.frontier.storage import SupersededError as SupersededError
from phasa.frontier.upgrade import split_origins
from phasa.seals import unseal

log = logging.getLogger(__name__)

FORMAT = 5
_UNPACKED = 2  # one row for each entry of `seen` and `queue`
_WITHOUT_CHARSET = 3  # of a visit
_WITHOUT_ORIGINS = 4  # one row of `host` for both origins of a host

_SCHEMA = f"""{INDEX_SCHEMA}
CREATE TABLE IF NOT EXISTS meta(key TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS tally(name TEXT PRIMARY KEY, n INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS site(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, done INTEGER NOT NULL DEFAULT 0);
CREATE TABLE IF NOT EXISTS host(
    id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, site INTEGER NOT NULL, worker INTEGER NOT NULL,
    rank REAL, head INTEGER, until REAL NOT NULL DEFAULT 0, rest REAL NOT NULL DEFAULT 0,
    address TEXT NOT NULL DEFAULT '', failures INTEGER NOT NULL DEFAULT 0, done INTEGER NOT NULL DEFAULT 0,
    note TEXT NOT NULL DEFAULT '');
CREATE INDEX IF NOT EXISTS turn ON host(worker, rank, head) WHERE rank IS NOT NULL;
CREATE TABLE IF NOT EXISTS url(
    id INTEGER PRIMARY KEY, host INTEGER NOT NULL, key INTEGER NOT NULL, state INTEGER NOT NULL,
    priority REAL NOT NULL, depth INTEGER NOT NULL, attempts INTEGER NOT NULL, source, url TEXT NOT NULL,
    note BLOB, reason TEXT);
CREATE TABLE IF NOT EXISTS visit(
    id INTEGER PRIMARY KEY, at REAL, status INTEGER, mime TEXT, size INTEGER, wanted INTEGER, score REAL,
    language TEXT, words INTEGER, digest INTEGER, record TEXT, seconds REAL, charset TEXT);
CREATE TABLE IF NOT EXISTS template(key TEXT PRIMARY KEY, evidence TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS address(name TEXT PRIMARY KEY, until REAL NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS inbox(
    id INTEGER PRIMARY KEY, worker INTEGER NOT NULL, url TEXT, priority REAL, depth INTEGER, source TEXT, note BLOB);
CREATE INDEX IF NOT EXISTS letters ON inbox(worker, id);
CREATE TABLE IF NOT EXISTS progress(
    worker INTEGER PRIMARY KEY, logged INTEGER NOT NULL, lines TEXT NOT NULL, record TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS revisit(
    id INTEGER PRIMARY KEY, due REAL, since REAL NOT NULL, at REAL NOT NULL, visits INTEGER NOT NULL,
    changes REAL NOT NULL, seconds REAL NOT NULL, same INTEGER NOT NULL, gone INTEGER NOT NULL,
    digest INTEGER NOT NULL, sketch INTEGER NOT NULL, etag TEXT NOT NULL, modified TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS due_next ON revisit(due) WHERE due IS NOT NULL;
DROP TABLE IF EXISTS folder;
CREATE TABLE IF NOT EXISTS capture(
    id INTEGER NOT NULL, at REAL NOT NULL, status INTEGER, change REAL, record TEXT, PRIMARY KEY (id, at)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS answered(url TEXT PRIMARY KEY, record TEXT NOT NULL) WITHOUT ROWID;
"""


def damaged(path: Path, problem: object) -> CollectionError:
    """What is said of a frontier that cannot be read."""
    return CollectionError(f"{path}: damaged ({problem}); mend it with: phasa repair {path.parent}")


class Database(Storage):
    """One connection to a frontier file. Raises CollectionError when the file is not a frontier.

    Callers open transactions with `begin` and end them with `commit`. Who only reads the file, perhaps while a crawl
    writes it, uses `reader.FrontierReader`.
    """

    def __init__(self, path: Path, cache_megabytes: int = 4) -> None:
        self.path = path
        self.epoch = None
        unseal(path)
        try:
            # One statement cache for everything; transactions are ours to open, not the driver's.
            self.connection = sqlite3.connect(path, isolation_level=None, cached_statements=256, timeout=60.0)
            self.execute = self.connection.execute
            self.executemany = self.connection.executemany
            self.execute("PRAGMA journal_mode=WAL")
            # A crash of the process loses nothing; a power cut may lose the last commits, never the file.
            self.execute("PRAGMA synchronous=NORMAL")
            self.execute(f"PRAGMA cache_size=-{cache_megabytes * 1024}")
            self.execute("PRAGMA journal_size_limit=67108864")
            self.execute("PRAGMA temp_store=MEMORY")
            self.connection.executescript(f"BEGIN IMMEDIATE; {_SCHEMA} COMMIT;")
            format = self.meta("format")
            if format is None:
                self.set_meta("format", FORMAT)
            elif format in (_UNPACKED, _WITHOUT_CHARSET, _WITHOUT_ORIGINS):
                log.info("%s: bringing the frontier from format %s up to format %d", path, format, FORMAT)
                self._bring_up()
            elif format != FORMAT:
                raise CollectionError(f"{path}: frontier of format {format}, this phasa reads {FORMAT}")
        except sqlite3.OperationalError as problem:  # locked, read-only, the disk is full, or a folder in its place
            raise CollectionError(f"{path}: cannot be used as a frontier: {problem}") from None
        except sqlite3.DatabaseError as problem:
            raise damaged(path, problem) from None

    def _bring_up(self) -> None:
        """Bring a file of an older format up to date; the index is filled again then, as after a crash."""
        self.begin()
        self.execute("DROP TABLE seen")
        self.execute("DROP TABLE queue")
        for statement in _SCHEMA.split(";"):
            self.execute(statement)
        self.execute("DELETE FROM meta WHERE key LIKE 'merged %'")
        if "charset" not in {row[1] for row in self.execute("PRAGMA table_info(visit)")}:
            self.execute("ALTER TABLE visit ADD COLUMN charset TEXT")
        split_origins(self.connection)
        self.set_meta("format", FORMAT)
        self.commit()

    # ── owners ───────────────────────────────────────────────────────────────────────────────────

    def take_epoch(self) -> int:
        """Be the new owner: nobody who was one before can write any more. Inside a transaction."""
        self.epoch = int(self.meta("epoch") or 0) + 1
        self.set_meta("epoch", self.epoch)
        return self.epoch

    def join_epoch(self, epoch: int | None) -> None:
        """Write for the owner of that epoch; None: for the one of now."""
        self.epoch = int(self.meta("epoch") or 0) if epoch is None else epoch

    def begin(self) -> None:
        """Raises SupersededError, with nothing begun, when there is a newer owner."""
        self.execute("BEGIN IMMEDIATE")
        if self.epoch is not None and (newest := self.meta("epoch") or 0) != self.epoch:
            self.rollback()
            raise SupersededError(
                f"{self.path.parent}: taken over by another process (owner {newest}, this one is {self.epoch}); "
                "this process ends, and what it had not committed is fetched again there"
            )

    @property
    def in_transaction(self) -> bool:
        return self.connection.in_transaction

    def close(self) -> None:
        self.connection.close()
