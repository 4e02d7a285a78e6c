"""What each commit leaves behind so that nothing outside the frontier can miss it: the lines of the crawl log, and how
far the archive was known.

The lines of the finished leases are stored in the transaction that finishes them, and appended to the log after it.
They stay in the file until the next commit; a start after a kill appends those that the log does not have. `record` is
the last record of the archive that a commit knew: what a killed worker wrote behind it was answered, and not settled.
`answered` remembers such records until their URLs are settled.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple, Protocol

from phasa.frontier.protocol import Ending, Lease
from phasa.frontier.storage import Storage


class Journal(Protocol):
    """The log of what became of leases."""

    def text(self, finished: Iterable[tuple[Lease, Ending]]) -> str:
        """The lines of ended leases."""
        ...

    def size(self) -> int:
        """The bytes that it has now."""
        ...

    def append(self, text: str) -> None: ...

    def complete(self, begin: int, text: str) -> None:
        """Append those of some lines that do not stand behind the byte `begin`. Raises ShortenedError when it has fewer
        bytes than that."""
        ...


class ShortenedError(Exception):
    """A journal has fewer bytes than it had."""


class Unsettled(NamedTuple):
    """A URL that was answered: the record is in the archive, and no commit knew it."""

    url: str
    record: str


class Outbox:
    """The row of one worker. `store` belongs to the caller's transaction, `deliver` comes after its commit."""

    def __init__(self, db: Storage, worker: int, journal: Journal | None) -> None:
        self._db = db
        self._worker = worker
        self._journal = journal
        self._stored = ""
        self._begin = 0
        self._record = ""
        self.log_is_whole = True

    def store(self, finished: Sequence[tuple[Lease, Ending]]) -> None:
        """Keep the lines of leases that this transaction ends; those of the one before are in the log by now."""
        for _, ending in finished:
            if ending.visit is not None and (record := ending.record or ending.visit.record):
                self._record = record
        if self._journal is not None:
            if not self._stored:
                self._begin = self._journal.size()
            self._stored += self._journal.text(finished)  # behind what could not be delivered, if anything
            self._write(self._begin, self._stored)

    def deliver(self) -> None:
        if self._journal is not None and self._stored:
            self._journal.append(self._stored)
            self._stored = ""

    def close(self) -> None:
        """When all lines are in the log, say how long it is."""
        if self._journal is not None and not self._stored:
            self._write(self._journal.size(), "")

    def _write(self, logged: int, lines: str) -> None:
        self._db.execute(
            "INSERT INTO progress VALUES (?, ?, ?, ?) ON CONFLICT (worker) DO UPDATE SET logged = excluded.logged,"
            " lines = excluded.lines,"
            " record = CASE WHEN excluded.record = '' THEN progress.record ELSE excluded.record END",
            (self._worker, logged, lines, self._record),
        )

    # ── at the start, by the first worker ────────────────────────────────────────────────────────

    def recover(self, only: int | None = None) -> None:
        """Complete the log with what the workers of the run before could not deliver, or `only` one of them. When the
        log is shorter than it was, more than that is missing: `log_is_whole` says so."""
        if self._journal is None:
            return
        which, values = ("", ()) if only is None else (" WHERE worker = ?", (only,))
        rows = self._db.execute(f"SELECT logged, lines FROM progress{which} ORDER BY logged", values).fetchall()
        for logged, lines in rows:
            try:
                self._journal.complete(logged, lines)
            except ShortenedError:
                self._journal.complete(0, lines)
                self.log_is_whole = False
        self._db.execute(f"UPDATE progress SET logged = ?, lines = ''{which}", (self._journal.size(), *values))

    def records(self) -> dict[int, str]:
        """The last record that each worker of earlier runs had committed."""
        return dict(self._db.execute("SELECT worker, record FROM progress WHERE record != ''"))

    def remember(self, found: Iterable[Unsettled], marks: dict[int, str]) -> None:
        """Records behind those of `records`, and the new marks: what stands before them is known or remembered."""
        self._db.executemany(
            "INSERT INTO answered VALUES (?, ?) ON CONFLICT (url) DO UPDATE SET record = excluded.record", found
        )
        self._db.executemany(
            "INSERT INTO progress VALUES (?, 0, '', ?) ON CONFLICT (worker) DO UPDATE SET record = excluded.record",
            marks.items(),
        )

    def answered(self) -> list[Unsettled]:
        """What is remembered."""
        return [Unsettled(*row) for row in self._db.execute("SELECT url, record FROM answered ORDER BY record")]

    def keep(self, waits: Callable[[str], bool]) -> list[Unsettled]:
        """Forget the records of URLs that do not wait; the others."""
        kept = []
        for one in self.answered():
            if waits(one.url):
                kept.append(one)
            else:
                self._db.execute("DELETE FROM answered WHERE url = ?", (one.url,))
        return kept
