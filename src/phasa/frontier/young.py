"""The entries of both indexes that are not in the file yet: URLs added since the last merge, in memory.

Bounded by the caller, who merges. Nothing here needs to survive: the rows of the URLs themselves are in the file.
"""

from __future__ import annotations

from collections.abc import Iterable
from heapq import heappop, heappush, nsmallest

from phasa.frontier.ready import Head

NewUrl = tuple[int, int, int, int, float, int, int, int | str | None, str, bytes | None, str | None]
"""A row of `url`: id, host, key, state, priority, depth, attempts, source, url, note, reason."""


class Young:
    """`ids`: key → id of every young URL. The queues are one heap of heads per host.

    An entry that leaves from the middle of a heap stays there as *stale* until it comes up.
    """

    def __init__(self) -> None:
        self.ids: dict[int, int] = {}
        self._queues: dict[int, list[tuple[float, int]]] = {}
        self._stale: set[tuple[float, int]] = set()

    def __len__(self) -> int:
        return len(self.ids)

    def push_all(self, rows: Iterable[NewUrl]) -> None:
        """New URLs: those that wait enter the queues of their hosts."""
        queues = self._queues
        for row in rows:
            if row[3]:
                continue
            id, host, priority = row[0], row[1], row[4]
            queue = queues.get(host)
            if queue is None:
                queues[host] = [(-priority, id)]
            else:
                heappush(queue, (-priority, id))

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
        """The best waiting URLs of a host among the young."""
        queue = self._queues.get(host)
        if queue is None:
            return []
        while queue and queue[0] in self._stale:
            self._stale.discard(heappop(queue))
        if limit == 1:
            return [Head(*queue[0])] if queue else []
        fresh = (item for item in queue if item not in self._stale)
        return [Head(*item) for item in nsmallest(limit, fresh)]

    def take_queue(self, host: int) -> list[int]:
        """Empty the queue of a host; the ids that waited in it."""
        queue = self._queues.pop(host, [])
        waiting = [item[1] for item in queue if item not in self._stale]
        self._stale.difference_update(queue)
        return waiting

    def clear(self) -> None:
        """Everything is in the file now."""
        self.ids.clear()
        self._queues.clear()
        self._stale.clear()
