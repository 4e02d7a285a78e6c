"""Which bodies the archive already has: a table on disk, not in memory, made again from the records when it is lost."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from phasa.archive.capture import ArchiveError
from phasa.seals import unseal

DIGESTS = "digests.db"
_COMMIT_EVERY = 200


class Original(NamedTuple):
    """The record that a revisit refers to."""

    url: str
    date: str
    record_id: str


class Digests:
    """A table of entity digests, written some hundred rows at a time. What a kill takes of them is entered again from
    the records when the file is finished (`repair`); what a power cut takes costs a duplicate body. Never is there a
    wrong reference.
    Raises ArchiveError when the file cannot be used."""

    def __init__(self, path: Path) -> None:
        self._path = path
        unseal(path)
        with self._told():
            self._db = sqlite3.connect(path, isolation_level=None, timeout=30)
            self._db.execute("PRAGMA journal_mode = WAL")
            self._db.execute("PRAGMA synchronous = OFF")
            self._db.execute(
                "CREATE TABLE IF NOT EXISTS digest (sha1 BLOB PRIMARY KEY, url TEXT, date TEXT, record TEXT,"
                " file TEXT, offset INTEGER) WITHOUT ROWID"
            )
        self._pending: dict[bytes, tuple[bytes, str, str, str, str, int]] = {}
        self._looks = 0
        """Lookups since the last commit."""

    def get(self, digest: bytes) -> Original | None:
        if pending := self._pending.get(digest):
            return Original(*pending[1:4])
        self._looks += 1
        if self._looks >= _COMMIT_EVERY:
            self.commit()
        try:
            if not self._db.in_transaction:
                # One look at the file until the next commit: a lookup by itself spends its time on locks. What other
                # workers add meanwhile is not seen, which costs a duplicate body.
                self._db.execute("BEGIN")
            row = self._db.execute("SELECT url, date, record FROM digest WHERE sha1 = ?", (digest,)).fetchone()
        except sqlite3.DatabaseError as problem:
            raise self._in_words(problem) from None
        return Original(*row) if row else None

    def add(self, digest: bytes, original: Original, file: str, offset: int) -> None:
        self._pending.setdefault(digest, (digest, *original, file, offset))
        if len(self._pending) >= _COMMIT_EVERY:
            self.commit()

    def commit(self) -> None:
        self._looks = 0
        with self._told():
            if self._db.in_transaction:
                self._db.execute("COMMIT")
            if self._pending:
                self._db.execute("BEGIN IMMEDIATE")
                self._db.executemany("INSERT OR IGNORE INTO digest VALUES (?, ?, ?, ?, ?, ?)", self._pending.values())
                self._db.execute("COMMIT")
                self._pending.clear()

    def forget_from(self, file: str, offset: int) -> None:
        """Drop the rows that point at or behind `offset` of a file: that part was cut off."""
        self._db.execute("DELETE FROM digest WHERE file = ? AND offset >= ?", (file, offset))

    def close(self) -> None:
        self.commit()
        self._db.close()

    @contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.DatabaseError as problem:
            raise self._in_words(problem) from None

    def _in_words(self, problem: sqlite3.DatabaseError) -> ArchiveError:
        if isinstance(problem, sqlite3.OperationalError):
            return ArchiveError(f"{self._path}: {problem}; make room, then give the same command again")
        return ArchiveError(f"{self._path}: damaged ({problem}); delete it, it is made again")
