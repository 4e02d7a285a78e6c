"""Which feed is polled next: the one that is due first, but before it those that would lose posts by waiting."""

from __future__ import annotations

import heapq
from math import inf


class Due:
    """Feeds by the moment they are due, each once. When polls are short, what is due waits.

    A feed may have a moment from which on it is urgent, because its document will soon show only some of its new posts,
    and a deadline, after which it is expected to. What is due and urgent goes before the others, the earliest deadline
    first.
    """

    def __init__(self) -> None:
        self._due: list[tuple[float, int, int]] = []
        # Feeds that will be urgent, by when they are; those that are, by deadline.
        self._coming: list[tuple[float, int, int]] = []
        self._urgent: list[tuple[float, int, int]] = []
        # What holds for each feed: serial number, due, urgent from, deadline. Other serial numbers in heaps are void.
        self._held: dict[int, tuple[int, float, float, float]] = {}
        self._serial = 0

    def __len__(self) -> int:
        return len(self._held)

    def push(self, due: float, feed: int, urgent_from: float = inf, deadline: float = inf) -> None:
        """It is due then, and urgent from a later moment on."""
        self._serial += 1
        self._held[feed] = (self._serial, due, urgent_from, deadline)
        heapq.heappush(self._due, (due, feed, self._serial))
        if urgent_from < inf:
            heapq.heappush(self._coming, (max(due, urgent_from), feed, self._serial))

    def first(self, now: float) -> tuple[float, int]:
        """Moment and number of the feed that is next. There must be one."""
        while self._coming and self._coming[0][0] <= now:
            _, feed, serial = heapq.heappop(self._coming)
            if self._holds(feed, serial):
                heapq.heappush(self._urgent, (self._held[feed][3], feed, serial))
        for heap in (self._urgent, self._due):
            while heap and not self._holds(*heap[0][1:]):
                heapq.heappop(heap)
        feed = (self._urgent or self._due)[0][1]
        return self._held[feed][1], feed

    def pop(self, feed: int) -> None:
        """Take it out."""
        del self._held[feed]

    def postpone(self, feed: int, due: float) -> None:
        """It is due later; as urgent as before."""
        _, _, urgent_from, deadline = self._held[feed]
        self.push(due, feed, urgent_from, deadline)

    def _holds(self, feed: int, serial: int) -> bool:
        return feed in self._held and self._held[feed][0] == serial
