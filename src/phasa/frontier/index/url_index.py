"""The URL index as one: memtable and index tables answer together, and the one is merged into the others."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Sequence
from heapq import heappop, heappush
from itertools import islice
from sqlite3 import Connection
from typing import NamedTuple

import numpy as np
from xxhash import xxh3_64_intdigest

from phasa.frontier.index.memtable import Memtable
from phasa.frontier.index.run import HASH_BITS, Columns, Head, NewUrl, RankChange, Run, split_changes
from phasa.frontier.index.tables import QueueTable, SeenTable, ids_between

log = logging.getLogger(__name__)

SCHEMA = """
CREATE TABLE IF NOT EXISTS seen(first INTEGER PRIMARY KEY, entries BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS queue(
    host INTEGER, rank REAL, id INTEGER, more BLOB, PRIMARY KEY(host, rank, id)) WITHOUT ROWID;
"""
"""The index tables. Beside them the index reads and writes the rows `merged WORKER` of `meta` (all URLs up to this id
are in the index tables), and reads `url`."""

Hash = Callable[[bytes], int]
url_hash: Hash = xxh3_64_intdigest
_HASH = (1 << HASH_BITS) - 1


def url_keys(hosts: Iterable[int], urls: Iterable[str], hash: Hash = url_hash) -> list[int]:
    """The key of each URL in the index, given the id of its host. URLs of one host lie side by side, so that the links
    of a page touch few places of the index. 63 bits: 268 million hosts. Equal keys are told apart by `next_key`."""
    return [host << HASH_BITS | hash(url.encode()) & _HASH for host, url in zip(hosts, urls, strict=True)]


def next_key(key: int) -> int:
    """The key of a URL whose own key belongs to another URL: the next one of the same host (open addressing)."""
    return key & ~_HASH | (key + 1) & _HASH


def ids_of_host(db: Connection, host: int) -> list[int]:
    """The ids of the URLs of a host that are merged into the file, by any connection to it. Only reads."""
    return ids_between(db, host << HASH_BITS, ((host + 1) << HASH_BITS) - 1)


def ids_of_key(db: Connection, key: int) -> list[int]:
    """The id of the URL with that key, if it is merged into the file, by any connection to it. Only reads."""
    return ids_between(db, key, key)


class IndexOptions(NamedTuple):
    """Sizes, as measured to be fast, and the hash of the keys; tests make them small and bad."""

    hash: Hash = url_hash
    memtable: int = 1_000_000  # URLs between two merges at most
    memtable_hashed: int = 8_192
    memtable_small_run: int = 65_536
    seen_row: int = 240  # keys in a row of `seen`: they fill a page of the file
    queue_row: int = 128  # entries in a row of `queue`


class UrlIndex:
    """The index of one worker's URLs. Everything that writes belongs to the caller's transaction; `find`, `find_many`
    and `waiting` only read. An id greater than the last merged one is in the memtable, any other one in the file.
    """

    RECOVERED_AT_ONCE = 200_000  # URLs that are indexed at a time after a crash
    MERGE_AT_LEAST = 50_000  # merges into a small file are cheap: then so many are enough

    def __init__(self, db: Connection, worker: int = 0, options: IndexOptions | None = None) -> None:
        options = options or IndexOptions()
        self._db = db
        self._worker = worker
        self._hash = options.hash
        self._merged = self._last_merged()
        self._memtable = Memtable(options.memtable, options.memtable_hashed, options.memtable_small_run)
        self._seen = SeenTable(db, options.seen_row)
        self._queue = QueueTable(db, options.queue_row)
        # With `keep_worst`: a heap of what waits in the memtable, the lowest priority first; may be stale.
        self._keeps_worst = False
        self._worst_first: list[tuple[float, int]] = []

    # ── known URLs ───────────────────────────────────────────────────────────────────────────────

    def keys(self, hosts: Iterable[int], urls: Iterable[str]) -> list[int]:
        """The keys of URLs, by the hash of this index (`url_keys`)."""
        return url_keys(hosts, urls, self._hash)

    def find(self, key: int) -> int | None:
        """The id of the URL with this key; None when there is none."""
        id = self._memtable.find_many([key]).get(key)
        return self._seen.find(key) if id is None else id

    def find_many(self, keys: list[int]) -> dict[int, int]:
        """Those of many keys that are known, with their ids."""
        keys = sorted(keys)
        known = self._memtable.find_many(keys)
        rest = [key for key in keys if key not in known] if known else keys
        if rest and self._merged:
            known.update(self._seen.find_many(rest))
        return known

    def add(self, first: int, rows: Sequence[NewUrl]) -> None:
        """New URLs, with ids from `first` on, which are greater than all before; those that wait are enqueued."""
        self._memtable.add(first, rows)
        if self._keeps_worst:
            for id, row in enumerate(rows, first):
                heappush(self._worst_first, (row[3], -id))

    # ── queues ───────────────────────────────────────────────────────────────────────────────────

    def enqueue(self, host: int, rank: float, id: int) -> None:
        """A URL waits again. One that is merged goes straight into the file: the memtable is rebuilt after a crash
        only from URLs that are not."""
        if id > self._merged:
            self._memtable.enqueue(host, rank, id)
        else:
            self._queue.add(host, rank, id)
        if self._keeps_worst:
            heappush(self._worst_first, (-rank, -id))

    def dequeue(self, host: int, rank: float, id: int) -> None:
        """A URL that waited with this rank no longer does."""
        if id > self._merged:
            self._memtable.dequeue(host, id)
        else:
            self._queue.remove(host, rank, id)

    def change_ranks(self, changes: Sequence[RankChange]) -> None:
        """Waiting URLs get other ranks, each at most once, in the order of their ids."""
        in_file, young = split_changes(changes, self._merged + 1)
        self._memtable.change_ranks(young)
        if in_file:
            self._queue.change(
                [(host, before, id) for id, host, _, before, _ in in_file],
                [(host, now, id) for id, host, _, _, now in in_file],
            )
        if self._keeps_worst:
            for id, _, _, _, now in changes:
                heappush(self._worst_first, (-now, -id))

    def best(self, host: int) -> Head | None:
        """The best waiting URL of a host. Stale entries before it are taken out of the file."""
        young = self._memtable.waiting(host, 1)
        old = self._queue.best(host) if self._merged else None  # before the first merge nothing is in the file
        return old if old is not None and not (young and young[0] < old) else young[0] if young else None

    def waiting(self, host: int, limit: int) -> list[Head]:
        """The waiting URLs of a host, best first. Only reads."""
        return sorted([*self._memtable.waiting(host, limit), *islice(self._queue.waiting(host), limit)])[:limit]

    def take_queue(self, host: int) -> list[int]:
        """Empty the queue of a host; the ids of all that waited in it, and perhaps of others that no longer did."""
        ids = {*self._memtable.take_queue(host), *self._queue.ids(host)}
        self._queue.empty(host)
        return sorted(ids)

    def keep_worst(self) -> None:
        """From now on `worst` finds its answer without a search; only a capped queue pays for that."""
        self._queue.index_ranks()
        self._keeps_worst = True

    def worst(self) -> int | None:
        """The id of the waiting URL of the lowest priority, the last one found among equals. Needs `keep_worst`."""
        old = self._queue.worst()
        while self._worst_first:
            rank, id = -self._worst_first[0][0], -self._worst_first[0][1]
            if id <= self._merged or not self._waits(rank, id):
                heappop(self._worst_first)
            elif old is None or (rank, id) > old:
                return id
            else:
                break
        return old[1] if old else None

    def _waits(self, rank: float, id: int) -> bool:
        state, priority = self._db.execute("SELECT state, priority FROM url WHERE id = ?", (id,)).fetchone()
        return bool(state == 0 and -priority == rank)

    # ── merging ──────────────────────────────────────────────────────────────────────────────────

    @property
    def merge_due(self) -> bool:
        """Whether the memtable is full, or half as large as what is in the file."""
        return len(self._memtable) >= min(self._memtable.capacity, max(self.MERGE_AT_LEAST, self._merged // 2))

    def merge(self) -> None:
        """Bring the memtable into the file: all URLs of this worker so far are indexed there then."""
        last = self._last_id()
        log.debug("worker %d: merging %d URLs into an index of %d", self._worker, len(self._memtable), self._merged)
        self._write(self._memtable.as_run())
        self._set_merged(self._worker, last)
        self._merged = last
        self._memtable.clear()
        self._worst_first.clear()

    def recover(self, workers: int) -> list[tuple[int, Head]]:
        """Complete the index tables from the URLs that were added after the last merge of any worker, before the
        workers start; the heads of the hosts of these URLs."""
        hosts: set[int] = set()
        last = self._last_id()
        if last > self._merged:
            log.info("completing the index of known URLs: %d were added after the last merge", last - self._merged)
        for start in range(self._merged, last, self.RECOVERED_AT_ONCE):
            run = self._read_run(start, start + self.RECOVERED_AT_ONCE)
            self._write(run)
            hosts.update((run.columns().keys >> HASH_BITS).tolist())
        self._db.execute("DELETE FROM meta WHERE key LIKE 'merged %'")
        self._merged = last
        for worker in range(workers):
            self._set_merged(worker, last)
        return [(host, head) for host in sorted(hosts) if (head := self._queue.best(host)) is not None]

    def _write(self, run: Run) -> None:
        keys, ids, _ = run.columns()
        self._seen.add(keys, ids, few=len(run) < self._merged // 1000)
        self._queue.add_run(run)

    def _read_run(self, after: int, last: int) -> Run:
        """The URLs with these ids as the URL table has them."""
        rows = self._db.execute(
            "SELECT key, id, iif(state = 0, -priority, 9e999) FROM url WHERE id > ? AND id <= ? ORDER BY key",
            (after, last),
        ).fetchall()
        keys, ids, ranks = zip(*rows, strict=True) if rows else ((), (), ())
        run = Run(0)
        run.add(Columns(np.array(keys, np.int64), np.array(ids, np.int64), np.array(ranks, np.float64)))
        return run

    def _last_id(self) -> int:
        return int(self._db.execute("SELECT max(id) FROM url").fetchone()[0] or 0)

    def _last_merged(self) -> int:
        """All URLs up to this one, of all workers, are in the index tables."""
        merged = [int(row[0]) for row in self._db.execute("SELECT value FROM meta WHERE key LIKE 'merged %'")]
        return min(merged, default=0)

    def _set_merged(self, worker: int, id: int) -> None:
        self._db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (f"merged {worker}", id))
