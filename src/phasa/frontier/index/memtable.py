"""The memtable: index entries of the URLs added since the last merge, in memory. Rebuilt from the URL table on start.

Three levels of growing size. The last few thousand URLs are in hash tables and heaps (`HashLevel`); a full hash level
is flushed into the small run, and a full small run is merged into the large one. So each entry is moved only a few
times, and the memtable never takes more memory than for the URLs between two merges.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Sequence
from heapq import heapify, heappop, heappush, nsmallest
from itertools import count
from operator import itemgetter

import numpy as np

from phasa.frontier.index.run import GONE, Columns, Head, NewUrl, RankChange, Run, split_changes

_host, _key = itemgetter(0), itemgetter(1)


class HashLevel:
    """The newest URLs. `ids`: key → id. There is one heap per host; an item whose URL no longer waits, or waits with
    another rank, is stale and stays until it comes up. New URLs enter their heap only when it is asked for."""

    def __init__(self) -> None:
        self.ids: dict[int, int] = {}
        self.first = sys.maxsize  # the lowest id in here
        self._ranks: dict[int, float] = {}
        self._heaps: dict[int, list[tuple[float, int]]] = {}
        self._added: defaultdict[int, list[int]] = defaultdict(list)

    def __len__(self) -> int:
        return len(self.ids)

    def add(self, first: int, rows: Sequence[NewUrl]) -> None:
        """New URLs, numbered from `first` on; those that wait enter the queues of their hosts."""
        if not self.ids:
            self.first = first
        self.ids.update(zip(map(_key, rows), count(first)))
        self._ranks.update(zip(count(first), [GONE if row[2] else -row[3] for row in rows]))
        added = self._added
        for id, host in enumerate(map(_host, rows), first):
            added[host].append(id)

    def _heap(self, host: int) -> list[tuple[float, int]]:
        """The heap of a host, with a URL that waits at its top."""
        heap = self._heaps.setdefault(host, [])
        ranks = self._ranks
        if added := self._added.pop(host, None):
            items = [(ranks[id], id) for id in added]
            if heap:
                for item in items:
                    heappush(heap, item)
            else:
                heap += items
                heapify(heap)
        while heap and (heap[0][0] == GONE or ranks[heap[0][1]] != heap[0][0]):
            heappop(heap)
        return heap

    def enqueue(self, host: int, rank: float, id: int) -> None:
        """A URL waits again, or with another rank."""
        self._ranks[id] = rank
        heappush(self._heaps.setdefault(host, []), (rank, id))

    def change_ranks(self, changes: Sequence[RankChange]) -> None:
        """URLs wait with other ranks."""
        ranks, heaps = self._ranks, self._heaps
        for id, host, _, _, rank in changes:
            ranks[id] = rank
            heap = heaps.get(host)
            if heap is None:
                heap = heaps[host] = []
            heappush(heap, (rank, id))

    def dequeue(self, id: int) -> None:
        """A URL no longer waits."""
        self._ranks[id] = GONE

    def waiting(self, host: int, limit: int) -> list[Head]:
        """The waiting URLs of a host, best first."""
        if host not in self._heaps and host not in self._added:
            return []
        heap = self._heap(host)
        if limit == 1:
            return [Head(*heap[0])] if heap else []
        return [Head(*item) for item in nsmallest(limit, self._valid(heap))]

    def _valid(self, heap: list[tuple[float, int]]) -> set[tuple[float, int]]:
        return {item for item in heap if item[0] != GONE and self._ranks[item[1]] == item[0]}

    def take_queue(self, host: int) -> list[int]:
        """Empty the queue of a host; the ids that waited in it."""
        waiting = [id for _, id in self._valid(self._heap(host))]
        del self._heaps[host]
        for id in waiting:
            self._ranks[id] = GONE
        return waiting

    def columns(self) -> Columns:
        """Keys, ids and ranks in the order of the keys."""
        keys = np.fromiter(self.ids.keys(), np.int64, len(self.ids))
        ids = np.fromiter(self.ids.values(), np.int64, len(self.ids))
        ranks = np.fromiter(map(self._ranks.__getitem__, self.ids.values()), np.float64, len(self.ids))
        order = np.argsort(keys)
        return Columns(keys[order], ids[order], ranks[order])

    def clear(self) -> None:
        self.ids.clear()
        self._ranks.clear()
        self._heaps.clear()
        self._added.clear()
        self.first = sys.maxsize


class Memtable:
    """Three levels as one, for `capacity` URLs: the hash level for `hashed` of them, the small run for `small`."""

    def __init__(self, capacity: int, hashed: int, small: int) -> None:
        self.capacity = capacity
        self._most_hashed = hashed
        self._most_small = small
        self._hashed = HashLevel()
        self._small = Run(min(small, capacity))
        self._small_first = sys.maxsize  # the lowest id in there
        self._large = Run(capacity + min(small, capacity))

    def __len__(self) -> int:
        return len(self._hashed) + len(self._small) + len(self._large)

    def add(self, first: int, rows: Sequence[NewUrl]) -> None:
        """New URLs, numbered from `first` on."""
        if len(self._hashed) >= self._most_hashed:
            self._flush()
        self._hashed.add(first, rows)

    def _flush(self) -> None:
        """The hash level goes into the small run; when that would be too full it is merged into the large one first."""
        if len(self._small) + len(self._hashed) > self._most_small:
            self._merge()
        if len(self._hashed):
            if not len(self._small):
                self._small_first = self._hashed.first
            self._small.add(self._hashed.columns())
            self._hashed.clear()

    def _merge(self) -> None:
        self._large.add(self._small.columns())
        self._small.clear()
        self._small_first = sys.maxsize

    def find_many(self, keys: list[int]) -> dict[int, int]:
        """Those of the keys that are here, with their ids."""
        ids = self._hashed.ids
        found = {key: ids[key] for key in keys if key in ids}
        if keys:
            for run in (self._small, self._large):
                if len(run):
                    found.update(run.find(keys))
        return found

    def enqueue(self, host: int, rank: float, id: int) -> None:
        """A URL of the memtable waits again, or with another rank."""
        if id >= self._hashed.first:
            self._hashed.enqueue(host, rank, id)
        else:
            self._run_of(id).set_rank(host, id, rank)

    def dequeue(self, host: int, id: int) -> None:
        """A URL of the memtable no longer waits."""
        if id >= self._hashed.first:
            self._hashed.dequeue(id)
        else:
            self._run_of(id).set_rank(host, id, None)

    def _run_of(self, id: int) -> Run:
        return self._small if id >= self._small_first else self._large

    def change_ranks(self, changes: Sequence[RankChange]) -> None:
        """URLs of the memtable that wait get other ranks, in the order of their ids."""
        in_runs, in_hashes = split_changes(changes, self._hashed.first)
        self._hashed.change_ranks(in_hashes)
        for run, changed in zip((self._large, self._small), split_changes(in_runs, self._small_first), strict=True):
            if changed:
                run.set_ranks([key for _, _, key, _, _ in changed], [rank for _, _, _, _, rank in changed])

    def waiting(self, host: int, limit: int) -> list[Head]:
        """The waiting URLs of a host, best first."""
        found = self._hashed.waiting(host, limit)
        for run in (self._small, self._large):
            if len(run):
                found += run.waiting(host, limit)
        return sorted(found)[:limit]

    def take_queue(self, host: int) -> list[int]:
        """Empty the queue of a host; the ids that waited in it."""
        return self._hashed.take_queue(host) + self._small.take_queue(host) + self._large.take_queue(host)

    def as_run(self) -> Run:
        """Everything as one run, to be read before `clear`."""
        self._flush()
        self._merge()
        return self._large

    def clear(self) -> None:
        """Everything is in the file now."""
        self._hashed.clear()
        self._small.clear()
        self._small_first = sys.maxsize
        self._large.clear()
