"""Pages that are visited again: when each is due, what was seen of it, and its captures over time. All of the SQL.

Everything that writes belongs to the caller's transaction.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import msgspec

from phasa.frontier.protocol import DuePage, Ending, Pace, Seen
from phasa.frontier.storage import Storage
from phasa.web.url import Url

SEEN = "since, at, visits, changes, seconds, same, gone, digest, sketch, etag, modified"
SCORE = "CASE WHEN v.wanted IS NOT NULL THEN v.score END"
"""The score of a page, of the table `visit` (v), as `Visit.judged` gives it."""
_REPLACED = ", ".join(f"{name} = excluded.{name}" for name in ["due", *SEEN.split(", ")])


class CapturedVisit(NamedTuple):
    """One visit of a page that is visited again; `change` as in `Ending`."""

    at: float
    status: int
    change: float | None
    record: str


class Captures(NamedTuple):
    """The visits of a page, when it is due again, and what they have shown."""

    due: float | None
    seen: Seen
    captures: list[CapturedVisit]


class WatchedPage(NamedTuple):
    """A page under revisit: its address, when it is due (None: not any more), what is known of it, and its score as in
    `DuePage`."""

    url: Url
    due: float | None
    at: float
    visits: int
    changes: float
    seconds: float
    score: float | None


class RevisitTable:
    """The tables `revisit` and `capture` of a frontier. `used` says whether any page was ever to be visited again."""

    OURS = "h.worker = ?"  # the hosts of this process

    def __init__(self, db: Storage, owner: Callable[[], object]) -> None:
        self._db, self._owner = db, owner
        self.used = db.execute("SELECT 1 FROM revisit LIMIT 1").fetchone() is not None

    def seen(self, id: int) -> Seen | None:
        """What is known of a page from its visits; None when it is not visited again."""
        if not self.used:
            return None
        row = self._db.execute(f"SELECT {SEEN} FROM revisit WHERE id = ?", (id,)).fetchone()
        return Seen(*row) if row is not None else None

    def write(self, id: int, ending: Ending) -> None:
        """A page was seen; it is due again when its ending says so, or never."""
        seen, visit = ending.seen, ending.visit
        assert seen is not None
        self.used = True
        marks = ", ".join("?" * (len(SEEN.split(", ")) + 2))
        self._db.execute(
            f"INSERT INTO revisit(id, due, {SEEN}) VALUES ({marks}) ON CONFLICT (id) DO UPDATE SET {_REPLACED}",
            (id, ending.due, *msgspec.structs.astuple(seen)),
        )
        if visit is not None:
            self._db.execute(
                "INSERT INTO capture VALUES (?, ?, ?, ?, ?) ON CONFLICT (id, at) DO UPDATE SET"
                " status = excluded.status, change = excluded.change, record = excluded.record",
                (id, visit.at, visit.status, ending.change, ending.record or visit.record),
            )

    def take_due(self, until: float, rested: float, most: int) -> list[int]:
        """The pages of this worker that are due by then, and were last seen before `rested`, first due first. They are
        not due any more: they wait."""
        rows = self._db.execute(
            "SELECT r.id FROM revisit r JOIN url u ON u.id = r.id JOIN host h ON h.id = u.host"
            f" WHERE r.due <= ? AND r.at <= ? AND u.state = 1 AND {self.OURS} ORDER BY r.due LIMIT ?",
            (until, rested, self._owner(), most),
        ).fetchall()
        self._db.executemany("UPDATE revisit SET due = NULL WHERE id = ?", rows)
        return [row[0] for row in rows]

    def hasten(self, id: int, changed: float, now: float) -> bool:
        """Let a page be due now that was seen before it changed; whether it is one."""
        update = "UPDATE revisit SET due = ? WHERE id = ? AND due > ? AND at < ? RETURNING id"
        return self._db.execute(update, (now, id, now, changed)).fetchone() is not None

    def due_pages(self, after: int, most: int) -> list[DuePage]:
        """The pages of this worker that are to be visited again, in the order of their numbers, beyond that one."""
        rows = self._db.execute(
            f"SELECT r.id, u.url, r.at, r.changes, r.seconds, r.due, {SCORE} FROM revisit r JOIN url u ON u.id = r.id"
            " JOIN host h ON h.id = u.host LEFT JOIN visit v ON v.id = r.id"
            f" WHERE r.id > ? AND r.due IS NOT NULL AND {self.OURS}"
            " ORDER BY r.id LIMIT ?",
            (after, self._owner(), most),
        ).fetchall()
        return [DuePage(id, Url(url), *known) for id, url, *known in rows]

    def reschedule(self, dues: Sequence[tuple[int, float]]) -> None:
        """Let pages be due at other moments."""
        update = "UPDATE revisit SET due = ? WHERE id = ? AND due IS NOT NULL"
        self._db.executemany(update, [(due, id) for id, due in dues])

    def next_due(self) -> float | None:
        """When the first page is due; None when none is."""
        row = self._db.execute("SELECT min(due) FROM revisit WHERE due IS NOT NULL").fetchone() if self.used else None
        return row[0] if row is not None else None

    def count(self) -> int:
        """Pages that are visited again."""
        return int(self._db.execute("SELECT count(*) FROM revisit WHERE due IS NOT NULL").fetchone()[0])

    def paces(self, most: int) -> list[Pace]:
        """So many pages at most, spread over all of them."""
        last = self._size()
        rows = self._db.execute(
            f"SELECT u.url, r.changes, r.seconds, {SCORE}, {self.OURS} FROM revisit r JOIN url u ON u.id = r.id"
            " JOIN host h ON h.id = u.host LEFT JOIN visit v ON v.id = r.id"
            " WHERE r.due IS NOT NULL AND (r.id % 2147483648 * 2654435761 % 4294967296) <= ? LIMIT ?",
            (self._owner(), 4294967296 * min(1.0, 2.0 * most / max(last, 1)), most),
        ).fetchall()
        return [Pace(Url(url), found, time, score, bool(ours)) for url, found, time, score, ours in rows]

    def _size(self) -> int:
        """About as many as there are."""
        return int(self._db.execute("SELECT coalesce(max(id), 0) FROM revisit").fetchone()[0])
