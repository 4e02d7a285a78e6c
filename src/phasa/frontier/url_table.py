"""URLs in SQLite: their rows, the index of what was seen, the queues of the hosts. All of their SQL, no decisions."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from heapq import heappop, heappush
from itertools import islice
from operator import itemgetter
from typing import NamedTuple

import msgspec
import numpy as np

from phasa.frontier.database import Database
from phasa.frontier.newest import NewUrl
from phasa.frontier.protocol import State, Visit
from phasa.frontier.queue_table import QueueTable
from phasa.frontier.ready import Head
from phasa.frontier.run import HASH_BITS, Columns, Run
from phasa.frontier.seen_table import SeenTable
from phasa.frontier.young import Young
from phasa.web.url import Url


class Row(NamedTuple):
    """A URL as stored."""

    id: int
    host: int
    state: int
    priority: float
    depth: int
    attempts: int
    source: int | str | None
    url: Url
    note: bytes | None
    reason: str | None
    key: int


_ROW = "id, host, state, priority, depth, attempts, source, url, note, reason, key"
_COLUMNS = ", ".join(f"url.{name}" for name in _ROW.split(", "))
_simple = itemgetter(1, 3, 4, 5, 6)
_ADD_SIMPLE = (
    "INSERT INTO url(host, key, state, priority, depth, attempts, source, url)"
    f" VALUES (?1 >> {HASH_BITS}, ?1, 0, ?2, ?3, 0, ?4, ?5)"
)
_ADD = (
    "INSERT INTO url(host, key, state, priority, depth, source, url, note, reason, attempts)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 0)"
)


def _first_id(change: tuple[Row, float, bytes | None]) -> int:
    return change[0].id


class UrlTable:
    """The URLs of one worker's hosts (and, for looking, all others)."""

    YOUNG = 1_000_000  # new URLs between two merges of the indexes, at most
    AT_ONCE = 200_000  # URLs that are indexed at a time after a crash
    FEW = 50_000  # merges of a small file are cheap: then so many are enough

    def __init__(self, db: Database, worker: int = 0, workers: int = 1, *, read_only: bool = False) -> None:
        self._db = db
        self._worker = worker
        self._workers = workers
        self._merged = self._last_merged()
        self._capped = False
        self._tail: list[tuple[float, int]] = []
        self._looking = read_only
        self.young = Young(0 if read_only else self.YOUNG)
        self._seen = SeenTable(db)
        self._queue = QueueTable(db)

    # ── rows ─────────────────────────────────────────────────────────────────────────────────────

    def last_id(self) -> int:
        return int(self._db.execute("SELECT max(id) FROM url").fetchone()[0] or 0)

    def row(self, id: int) -> Row:
        return Row(*self._db.execute(f"SELECT {_ROW} FROM url WHERE id = ?", (id,)).fetchone())

    def rows(self, ids: Collection[int]) -> dict[int, Row]:
        """Many rows by their numbers."""
        if not ids:
            return {}
        asked = msgspec.json.encode(sorted(ids)).decode()
        found = self._db.execute(
            f"SELECT {_COLUMNS} FROM json_each(?) AS asked CROSS JOIN url ON url.id = asked.value", (asked,)
        )
        return {row[0]: row for row in map(Row._make, found)}

    def by_reason(self, state: State, pattern: str) -> list[Row]:
        """URLs in a state whose reason matches a LIKE pattern. Looks through all URLs: for commands, not for crawls."""
        rows = self._db.execute(
            f"SELECT {_ROW} FROM url WHERE state = ? AND reason LIKE ? ORDER BY id", (int(state), pattern)
        )
        return [Row(*row) for row in rows]

    def add(self, first: int, rows: list[NewUrl], *, simple: bool = False) -> None:
        """Append URLs, numbered from `first` on; those that wait enter the queue. `simple`: all wait, without notes."""
        if not rows:
            return
        if simple:
            # Every value that is handed over costs as much as storing it.
            self._db.executemany(_ADD_SIMPLE, map(_simple, rows))
        else:
            self._db.executemany(_ADD, rows)
        self.young.add(first, rows)
        if self._capped:
            for id, row in enumerate(rows, first):
                heappush(self._tail, (row[3], -id))

    def change(self, row: Row, priority: float, note: bytes | None) -> None:
        """New priority and note of a URL; the queue follows when it waits."""
        self._db.execute("UPDATE url SET priority = ?, note = ? WHERE id = ?", (priority, note, row.id))
        if row.state == State.WAITING and priority != row.priority:
            self.unqueue(row.host, -row.priority, row.id)
            self.enqueue(row.host, -priority, row.id)

    def change_many(self, changes: Iterable[tuple[Row, float, bytes | None]]) -> None:
        """`change` for many waiting URLs, each at most once."""
        changes = sorted(changes, key=_first_id)
        self._db.executemany(
            "UPDATE url SET priority = ?, note = ? WHERE id = ?",
            [(priority, note, row.id) for row, priority, note in changes],
        )
        moves = [(row, priority) for row, priority, _ in changes if priority != row.priority]
        old = [(row, priority) for row, priority in moves if row.id <= self._merged]
        self.young.move([(row.host, row.key, row.id, -new) for row, new in moves if row.id > self._merged])
        if old:
            self._queue.change(
                [(row.host, -row.priority, row.id) for row, _ in old],
                [(row.host, -priority, row.id) for row, priority in old],
            )
        if self._capped:
            for row, priority in moves:
                heappush(self._tail, (priority, -row.id))

    def move(self, id: int, state: State, reason: str, attempts: int) -> None:
        self._db.execute(
            "UPDATE url SET state = ?, reason = ?, attempts = ? WHERE id = ?", (int(state), reason, attempts, id)
        )

    # ── seen ─────────────────────────────────────────────────────────────────────────────────────

    def seen(self, key: int) -> int | None:
        """The id of the URL with this key."""
        id = self.young.find(key)
        if id is None:
            id = self._seen.find(key)
        if id is None and self._looking:
            # What a running crawl has not merged yet: some hundred thousand rows to look through.
            row = self._db.execute("SELECT id FROM url WHERE id > ? AND key = ?", (self._merged, key)).fetchone()
            id = row[0] if row else None
        return id

    def seen_many(self, keys: list[int]) -> dict[int, int]:
        """Those of many keys that are known, with their ids."""
        keys = sorted(keys)
        known = self.young.find_many(keys)
        rest = [key for key in keys if key not in known] if known else keys
        if rest and self._merged:
            known.update(self._seen.find_many(rest))
        return known

    # ── queues ───────────────────────────────────────────────────────────────────────────────────

    def enqueue(self, host: int, rank: float, id: int) -> None:
        """A URL waits again, or with another rank. One older than the last merge goes straight into the file, since
        it would not survive a crash in memory."""
        if id > self._merged:
            self.young.push(host, rank, id)
        else:
            self._queue.add(host, rank, id)
        if self._capped:
            heappush(self._tail, (-rank, -id))

    def unqueue(self, host: int, rank: float, id: int) -> None:
        if id > self._merged:
            self.young.remove(host, id)
        else:
            self._queue.remove(host, rank, id)

    def heads(self, host: int, limit: int) -> list[Head]:
        """The best waiting URLs of a host."""
        found = self.young.heads(host, limit)
        if limit > 1:
            return sorted([*found, *islice(self._queue.waiting(host), limit)])[:limit]
        old = self._queue.best(host)
        if old is None or (found and found[0] < old):
            return found
        return [old]

    def drop_queue(self, host: int, state: State, reason: str) -> int:
        """Every waiting URL of a host gets another state; how many."""
        ids = {*self.young.take_queue(host), *self._queue.ids(host)}
        self._queue.empty(host)
        return self._db.executemany(
            "UPDATE url SET state = ?, reason = ? WHERE id = ? AND state = 0",
            [(int(state), reason, id) for id in sorted(ids)],
        ).rowcount

    def index_ranks(self) -> None:
        """Let `worst` find its answer without looking through the queue; only a capped queue pays for it."""
        self._db.begin()
        self._queue.index_ranks()
        self._db.commit()
        self._capped = True

    def worst(self) -> Row | None:
        """The waiting URL of the lowest priority, the last one found among equals. Needs `index_ranks`."""
        old = self._queue.worst()
        while self._tail:
            rank, id = -self._tail[0][0], -self._tail[0][1]
            row = self.row(id) if id > self._merged else None
            if row is None or row.state != State.WAITING or -row.priority != rank:
                heappop(self._tail)
            elif old is None or (rank, id) > old:
                return row
            else:
                break
        return self.row(old[1]) if old else None

    # ── merging ──────────────────────────────────────────────────────────────────────────────────

    @property
    def merge_due(self) -> bool:
        """Whether the young are many, or half as many as there are in the file."""
        return len(self.young) >= min(self.young.capacity, max(self.FEW, self._merged // 2))

    def merge(self) -> None:
        """Bring the young entries into the file; all URLs of this worker so far are indexed then."""
        last = self.last_id()
        run = self.young.hand_over()
        keys, ids, _ = run.columns()
        self._seen.add(keys, ids, few=len(run) < self._merged // 1000)
        self._queue.add_run(run)
        self._db.set_meta(f"merged {self._worker}", last)
        self._merged = last
        self.young.clear()
        self._tail.clear()

    def recover(self) -> None:
        """Complete the indexes from the URLs that were added after the last merges; all workers start from there."""
        last = self._last_merged()
        hosts: set[int] = set()
        for start in range(last, self.last_id(), self.AT_ONCE):
            run = self._read_run(start, start + self.AT_ONCE)
            keys, ids, _ = run.columns()
            self._seen.add(keys, ids, few=len(run) < last // 1000)
            self._queue.add_run(run)
            hosts.update((keys >> HASH_BITS).tolist())
        # Heads that were owed to the hosts (`HostTable.owe_heads`).
        self._db.executemany(
            "UPDATE host SET rank = ?, head = ? WHERE id = ?",
            [(head.rank, head.id, host) for host in sorted(hosts) if (head := self._queue.best(host)) is not None],
        )
        self._db.execute("DELETE FROM meta WHERE key LIKE 'merged %'")
        self._merged = self.last_id()
        for worker in range(self._workers):
            self._db.set_meta(f"merged {worker}", self._merged)

    def _read_run(self, after: int, last: int) -> Run:
        """The URLs with these numbers as the file has them."""
        rows = self._db.execute(
            "SELECT key, id, iif(state = 0, -priority, 9e999) FROM url WHERE id > ? AND id <= ? ORDER BY key",
            (after, last),
        ).fetchall()
        keys, ids, ranks = zip(*rows, strict=True) if rows else ((), (), ())
        run = Run(0)
        run.add(Columns(np.array(keys, np.int64), np.array(ids, np.int64), np.array(ranks, np.float64)))
        return run

    def _last_merged(self) -> int:
        """All URLs up to this one are indexed in the file."""
        merged = [int(row[0]) for row in self._db.execute("SELECT value FROM meta WHERE key LIKE 'merged %'")]
        return min(merged, default=0)

    # ── visits ───────────────────────────────────────────────────────────────────────────────────

    def add_visit(self, id: int, visit: Visit) -> None:
        v = visit
        self._db.execute(
            "INSERT OR REPLACE INTO visit VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (id, v.at, v.status, v.mime, v.size, v.wanted, v.score, v.language, v.words, v.digest, v.record, v.seconds),
        )

    def visit(self, id: int) -> Visit | None:
        row = self._db.execute("SELECT * FROM visit WHERE id = ?", (id,)).fetchone()
        if row is None:
            return None
        _, at, status, mime, size, wanted, score, language, words, digest, record, seconds = row
        seen = None if wanted is None else bool(wanted)
        return Visit(at, status, mime, size, seen, score, language, words, digest, record, seconds)
