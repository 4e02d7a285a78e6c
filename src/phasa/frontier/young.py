"""The entries of both indexes that are not in the file yet: URLs added since the last merge, in memory.

Two parts. The *newest* few thousand are in dictionaries; when they are many they are sorted into the *run*, three
arrays of fixed size in the order of the keys: 24 bytes a URL, and no more at the end of a crawl than at its start.
Nothing here needs to survive: the rows of the URLs themselves are in the file.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from heapq import heapify, heappop, heappush, nsmallest

import numpy as np
from numpy.typing import NDArray

from phasa.frontier.ready import Head

NewUrl = tuple[int, int, int, int, float, int, int, int | str | None, str, bytes | None, str | None]
"""A row of `url`: id, host, key, state, priority, depth, attempts, source, url, note, reason."""

HASH_BITS = 35
_GONE = np.inf
"""The rank of a URL that does not wait."""


class Newest:
    """`ids`: key → id. The queues are one heap of heads per host; what leaves from the middle of a heap stays there as
    *stale* until it comes up. New URLs are only put into their heap when somebody asks for its head."""

    def __init__(self) -> None:
        self.ids: dict[int, int] = {}
        self.first = sys.maxsize  # the lowest id in here
        self._queues: dict[int, list[tuple[float, int]]] = {}
        self._added: defaultdict[int, list[tuple[float, int]]] = defaultdict(list)
        self._stale: set[tuple[float, int]] = set()

    def add(self, rows: Sequence[NewUrl]) -> None:
        """New URLs, with ids that follow those before; those that wait enter the queues of their hosts."""
        if not self.ids:
            self.first = rows[0][0]
        self.ids.update([(row[2], row[0]) for row in rows])
        added = self._added
        for row in rows:
            if not row[3]:
                added[row[1]].append((-row[4], row[0]))

    def _queue(self, host: int) -> list[tuple[float, int]] | None:
        """The heap of a host."""
        queue = self._queues.get(host)
        if added := self._added.pop(host, None):
            if queue is None:
                heapify(added)
                queue = self._queues[host] = added
            else:
                for item in added:
                    heappush(queue, item)
        return queue

    def push(self, host: int, rank: float, id: int) -> None:
        """One URL waits (again)."""
        item = (rank, id)
        if item in self._stale:
            self._stale.discard(item)
        else:
            heappush(self._queues.setdefault(host, []), item)

    def remove(self, host: int, rank: float, id: int) -> None:
        """A URL that waited with this rank no longer does."""
        queue = self._queue(host)
        if not queue:
            return
        if queue[0] == (rank, id):
            heappop(queue)
        else:
            self._stale.add((rank, id))

    def heads(self, host: int, limit: int) -> list[Head]:
        """The best waiting URLs of a host."""
        queue = self._queue(host)
        if queue is None:
            return []
        while queue and queue[0] in self._stale:
            self._stale.discard(heappop(queue))
        if limit == 1:
            return [Head(*queue[0])] if queue else []
        return [Head(*item) for item in nsmallest(limit, (item for item in queue if item not in self._stale))]

    def take_queue(self, host: int) -> list[int]:
        """Empty the queue of a host; the ids that waited in it."""
        queue = self._queue(host) or []
        self._queues.pop(host, None)
        waiting = [item[1] for item in queue if item not in self._stale]
        self._stale.difference_update(queue)
        return waiting

    def columns(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
        """Keys, ids and ranks in the order of the keys."""
        keys = np.fromiter(self.ids.keys(), np.int64, len(self.ids))
        ids = np.fromiter(self.ids.values(), np.int64, len(self.ids))
        order = np.argsort(keys)
        keys, ids = keys[order], ids[order]
        ranks = np.full(int(ids.max()) + 1 - self.first, _GONE)
        stale = self._stale
        for queues in (self._queues, self._added):
            items = [item for queue in queues.values() for item in queue if not stale or item not in stale]
            if items:
                waiting = np.array(items)
                ranks[waiting[:, 1].astype(np.int64) - self.first] = waiting[:, 0]
        return keys, ids, ranks[ids - self.first]

    def clear(self) -> None:
        self.ids.clear()
        self._queues.clear()
        self._added.clear()
        self._stale.clear()
        self.first = sys.maxsize


class Run:
    """Up to `capacity` URLs as arrays in the order of their keys."""

    def __init__(self, capacity: int) -> None:
        # Filled, not empty: the memory is taken now and not little by little.
        self._keys: NDArray[np.int64] = np.full(capacity, -1, np.int64)
        self._ids: NDArray[np.int64] = np.full(capacity, -1, np.int64)
        self._ranks: NDArray[np.float64] = np.full(capacity, _GONE, np.float64)
        self._n = 0

    def __len__(self) -> int:
        return self._n

    def add(self, keys: NDArray[np.int64], ids: NDArray[np.int64], ranks: NDArray[np.float64]) -> None:
        """URLs in the order of their keys; the rank of what does not wait is infinite."""
        places = np.searchsorted(self._keys[: self._n], keys)
        end = self._n + len(keys)
        if end > len(self._keys):
            self._keys = np.resize(self._keys, end)
            self._ids = np.resize(self._ids, end)
            self._ranks = np.resize(self._ranks, end)
        self._keys[:end] = np.insert(self._keys[: self._n], places, keys)
        self._ids[:end] = np.insert(self._ids[: self._n], places, ids)
        self._ranks[:end] = np.insert(self._ranks[: self._n], places, ranks)
        self._n = end

    def find(self, keys: list[int]) -> dict[int, int]:
        """Those of the keys that are here, with their ids."""
        asked = np.array(keys, np.int64)
        places = np.minimum(np.searchsorted(self._keys[: self._n], asked), self._n - 1)
        here = self._keys[places] == asked
        return dict(zip(asked[here].tolist(), self._ids[places[here]].tolist(), strict=True))

    def _slice(self, host: int) -> slice:
        first, end = np.searchsorted(self._keys[: self._n], (host << HASH_BITS, (host + 1) << HASH_BITS))
        return slice(int(first), int(end))

    def set_rank(self, host: int, id: int, rank: float | None) -> None:
        """A URL waits with this rank now; with none it does not."""
        here = self._slice(host)
        self._ranks[here][self._ids[here] == id] = _GONE if rank is None else rank

    def set_ranks(self, keys: list[int], ranks: list[float]) -> None:
        """URLs that wait with other ranks now."""
        self._ranks[np.searchsorted(self._keys[: self._n], np.array(keys, np.int64))] = ranks

    def heads(self, host: int, limit: int) -> list[Head]:
        """The best waiting URLs of a host."""
        here = self._slice(host)
        ranks, ids = self._ranks[here], self._ids[here]
        if limit == 1:
            best = ranks.min(initial=_GONE)
            return [Head(float(best), int(ids[ranks == best].min()))] if best < _GONE else []
        order = np.lexsort((ids, ranks))[:limit]
        return [Head(*item) for item in zip(ranks[order].tolist(), ids[order].tolist(), strict=True) if item[0] < _GONE]

    def take_queue(self, host: int) -> list[int]:
        """Empty the queue of a host; the ids that waited in it."""
        here = self._slice(host)
        ids: list[int] = self._ids[here][self._ranks[here] < _GONE].tolist()
        self._ranks[here] = _GONE
        return ids

    def seen(self) -> Iterator[tuple[int, int]]:
        """(key, id) in order."""
        for part in self._parts():
            yield from zip(self._keys[part].tolist(), self._ids[part].tolist(), strict=True)

    def queue(self) -> Iterator[tuple[int, float, int]]:
        """(host, rank, id) of all that wait, in order."""
        for part in self._parts():
            waits = self._ranks[part] < _GONE
            ranks, ids = self._ranks[part][waits], self._ids[part][waits]
            hosts = self._keys[part][waits] >> HASH_BITS
            order = np.lexsort((ids, ranks, hosts))
            yield from zip(hosts[order].tolist(), ranks[order].tolist(), ids[order].tolist(), strict=True)

    def _parts(self, size: int = 8_192) -> Iterator[slice]:
        """Slices of whole hosts, some thousand URLs long, so that a merge needs little memory for itself."""
        keys, start = self._keys[: self._n], 0
        while start < self._n:
            last = int(keys[min(start + size, self._n) - 1]) >> HASH_BITS
            end = int(np.searchsorted(keys, (last + 1) << HASH_BITS))
            yield slice(start, end)
            start = end

    def clear(self) -> None:
        self._n = 0


class Young:
    """Newest and run as one. Full, and to be merged, when `len` reaches the capacity."""

    NEWEST = 8_192

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self._newest = Newest()
        self._run = Run(capacity)

    def __len__(self) -> int:
        return len(self._newest.ids) + len(self._run)

    def add(self, rows: Sequence[NewUrl]) -> None:
        """New URLs, with ids that follow those before."""
        if len(self._newest.ids) >= self.NEWEST:
            self._settle()
        self._newest.add(rows)

    def _settle(self) -> None:
        """Sort the newest into the run."""
        if self._newest.ids:
            self._run.add(*self._newest.columns())
            self._newest.clear()

    def find(self, key: int) -> int | None:
        """The id of the URL with this key."""
        id = self._newest.ids.get(key)
        if id is None and len(self._run):
            return self._run.find([key]).get(key)
        return id

    def find_many(self, keys: list[int]) -> dict[int, int]:
        """Those of many keys that are here, with their ids."""
        newest = self._newest.ids
        found = {key: newest[key] for key in keys if key in newest}
        if len(self._run) and keys:
            found.update(self._run.find(keys))
        return found

    def push(self, host: int, rank: float, id: int) -> None:
        """A URL of ours waits, or waits again."""
        if id >= self._newest.first:
            self._newest.push(host, rank, id)
        else:
            self._run.set_rank(host, id, rank)

    def remove(self, host: int, rank: float, id: int) -> None:
        """A URL of ours that waited with this rank no longer does."""
        if id >= self._newest.first:
            self._newest.remove(host, rank, id)
        else:
            self._run.set_rank(host, id, None)

    def move(self, moves: Sequence[tuple[int, int, int, float, float]]) -> None:
        """URLs of ours that wait get other ranks: (host, key, id, rank before, rank now)."""
        keys: list[int] = []
        ranks: list[float] = []
        first, newest = self._newest.first, self._newest
        for host, key, id, before, now in moves:
            if id >= first:
                newest.remove(host, before, id)
                newest.push(host, now, id)
            else:
                keys.append(key)
                ranks.append(now)
        if keys:
            self._run.set_ranks(keys, ranks)

    def heads(self, host: int, limit: int) -> list[Head]:
        """The best waiting URLs of a host."""
        found = self._newest.heads(host, limit)
        if len(self._run):
            found += self._run.heads(host, limit)
        return found

    def take_queue(self, host: int) -> list[int]:
        """Empty the queue of a host; the ids that waited in it."""
        return self._newest.take_queue(host) + self._run.take_queue(host)

    def hand_over(self) -> tuple[Iterator[tuple[int, int]], Iterator[tuple[int, float, int]]]:
        """Everything, in the orders of the two indexes: (key, id), and (host, rank, id) of what waits. To be read
        before `clear`."""
        self._settle()
        return self._run.seen(), self._run.queue()

    def clear(self) -> None:
        """Everything is in the file now."""
        self._newest.clear()
        self._run.clear()
