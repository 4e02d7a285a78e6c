"""The entries of both indexes that are not in the file yet: URLs added since the last merge, in memory.

Two parts. The *newest* few thousand are in dictionaries; when they are many they are sorted into the *run*, three
arrays of fixed size in the order of the keys: 24 bytes a URL, and no more at the end of a crawl than at its start.
Nothing here needs to survive: the rows of the URLs themselves are in the file.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from heapq import heappop, heappush, nsmallest

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
    *stale* until it comes up."""

    def __init__(self) -> None:
        self.ids: dict[int, int] = {}
        self.first = sys.maxsize  # the lowest id in here
        self._queues: dict[int, list[tuple[float, int]]] = {}
        self._stale: set[tuple[float, int]] = set()

    def add(self, rows: Sequence[NewUrl]) -> None:
        """New URLs, with ids that follow those before; those that wait enter the queues of their hosts."""
        if not self.ids:
            self.first = rows[0][0]
        self.ids.update(zip([row[2] for row in rows], [row[0] for row in rows], strict=True))
        queues = self._queues
        for row in rows:
            if row[3]:
                continue
            queue = queues.get(row[1])
            if queue is None:
                queues[row[1]] = [(-row[4], row[0])]
            else:
                heappush(queue, (-row[4], row[0]))

    def push(self, host: int, rank: float, id: int) -> None:
        """One URL waits (again)."""
        item = (rank, id)
        if item in self._stale:
            self._stale.discard(item)
        else:
            heappush(self._queues.setdefault(host, []), item)

    def remove(self, host: int, rank: float, id: int) -> None:
        """A URL that waited with this rank no longer does."""
        queue = self._queues.get(host)
        if not queue:
            return
        if queue[0] == (rank, id):
            heappop(queue)
        else:
            self._stale.add((rank, id))

    def heads(self, host: int, limit: int) -> list[Head]:
        """The best waiting URLs of a host."""
        queue = self._queues.get(host)
        if queue is None:
            return []
        while queue and queue[0] in self._stale:
            self._stale.discard(heappop(queue))
        if limit == 1:
            return [Head(*queue[0])] if queue else []
        return [Head(*item) for item in nsmallest(limit, (item for item in queue if item not in self._stale))]

    def take_queue(self, host: int) -> list[int]:
        """Empty the queue of a host; the ids that waited in it."""
        queue = self._queues.pop(host, [])
        waiting = [item[1] for item in queue if item not in self._stale]
        self._stale.difference_update(queue)
        return waiting

    def ranks(self) -> dict[int, float]:
        """id → rank of all that wait."""
        return {id: rank for queue in self._queues.values() for rank, id in queue if (rank, id) not in self._stale}

    def clear(self) -> None:
        self.ids.clear()
        self._queues.clear()
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

    def add(self, ids: dict[int, int], ranks: dict[int, float]) -> None:
        """URLs as key → id, and the ranks of those that wait."""
        keys = np.fromiter(sorted(ids), np.int64, len(ids))
        numbers = [ids[key] for key in keys.tolist()]
        places = np.searchsorted(self._keys[: self._n], keys)
        values = np.array([ranks.get(id, _GONE) for id in numbers])
        end = self._n + len(keys)
        if end > len(self._keys):
            self._keys = np.resize(self._keys, end)
            self._ids = np.resize(self._ids, end)
            self._ranks = np.resize(self._ranks, end)
        self._keys[:end] = np.insert(self._keys[: self._n], places, keys)
        self._ids[:end] = np.insert(self._ids[: self._n], places, numbers)
        self._ranks[:end] = np.insert(self._ranks[: self._n], places, values)
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
            self._run.add(self._newest.ids, self._newest.ranks())
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
