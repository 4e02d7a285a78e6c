"""Which feed is polled next: the one that is due first, but before it those that would lose posts by waiting."""

from __future__ import annotations

import heapq


class Due:
    """Feeds by the moment they are due. When polls are short, what is due waits; an `urgent` feed, whose document would
    soon show only some of its new posts, goes before the others that are due."""

    def __init__(self) -> None:
        self._heaps: tuple[list[tuple[float, int]], list[tuple[float, int]]] = ([], [])  # urgent, others

    def __len__(self) -> int:
        return sum(map(len, self._heaps))

    def push(self, due: float, feed: int, *, urgent: bool = False) -> None:
        """It is due then."""
        heapq.heappush(self._heaps[not urgent], (due, feed))

    def first(self, now: float) -> tuple[float, int, bool]:
        """Moment and number of the feed that is next, and whether it is urgent. There must be one."""
        urgent, others = self._heaps
        mine = urgent if urgent and (not others or urgent[0][0] <= now or urgent[0] < others[0]) else others
        return *mine[0], mine is urgent

    def pop(self, now: float) -> None:
        """Take out the one that is first."""
        heapq.heappop(self._heaps[not self.first(now)[2]])
