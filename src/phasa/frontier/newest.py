"""The URLs that were added last: a few thousand, in dictionaries and heaps, with both indexes' answers at once."""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Sequence
from heapq import heapify, heappop, heappush, nsmallest
from itertools import count
from operator import itemgetter

import numpy as np

from phasa.frontier.ready import Head
from phasa.frontier.run import GONE, Columns

NewUrl = tuple[int, int, int, float, int, int | str | None, str, bytes | None, str | None]
"""A URL to be: host, key, state, priority, depth, source, url, note, reason."""


_host, _key = itemgetter(0), itemgetter(1)


class Newest:
    """`ids`: key → id. The queues are one heap of heads per host; an item whose URL no longer waits, or waits with
    another rank, stays there until it comes up. New URLs enter their heap only when somebody asks for its head."""

    def __init__(self) -> None:
        self.ids: dict[int, int] = {}
        self.first = sys.maxsize  # the lowest id in here
        self._ranks: dict[int, float] = {}
        self._queues: dict[int, list[tuple[float, int]]] = {}
        self._added: defaultdict[int, list[int]] = defaultdict(list)

    def add(self, first: int, rows: Sequence[NewUrl]) -> None:
        """New URLs, numbered from `first` on; those that wait enter the queues of their hosts."""
        if not self.ids:
            self.first = first
        self.ids.update(zip(map(_key, rows), count(first)))
        self._ranks.update(zip(count(first), [GONE if row[2] else -row[3] for row in rows]))
        added = self._added
        for id, host in enumerate(map(_host, rows), first):
            added[host].append(id)

    def _queue(self, host: int) -> list[tuple[float, int]]:
        """The heap of a host, with what waits at its top."""
        queue = self._queues.setdefault(host, [])
        ranks = self._ranks
        if added := self._added.pop(host, None):
            items = [(ranks[id], id) for id in added]
            if queue:
                for item in items:
                    heappush(queue, item)
            else:
                queue += items
                heapify(queue)
        while queue and (queue[0][0] == GONE or ranks[queue[0][1]] != queue[0][0]):
            heappop(queue)
        return queue

    def push(self, host: int, rank: float, id: int) -> None:
        """One URL waits (again)."""
        self._ranks[id] = rank
        heappush(self._queues.setdefault(host, []), (rank, id))

    def remove(self, id: int) -> None:
        """A URL no longer waits."""
        self._ranks[id] = GONE

    def heads(self, host: int, limit: int) -> list[Head]:
        """The best waiting URLs of a host."""
        if host not in self._queues and host not in self._added:
            return []
        queue = self._queue(host)
        if limit == 1:
            return [Head(*queue[0])] if queue else []
        return [Head(*item) for item in nsmallest(limit, self._valid(queue))]

    def _valid(self, queue: list[tuple[float, int]]) -> set[tuple[float, int]]:
        return {item for item in queue if item[0] != GONE and self._ranks[item[1]] == item[0]}

    def take_queue(self, host: int) -> list[int]:
        """Empty the queue of a host; the ids that waited in it."""
        waiting = [id for _, id in self._valid(self._queue(host))]
        del self._queues[host]
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
        self._queues.clear()
        self._added.clear()
        self.first = sys.maxsize
