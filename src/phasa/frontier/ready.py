"""Which host next: the hosts whose turn it is, in memory, best head first; the others stay in the store.

Memory is bounded. Hosts that are not loaded have heads that are worse than the *floor*; so the best loaded head is
the best of all, and the store is asked for more only when the loaded ones run out.
"""

from __future__ import annotations

from collections.abc import Callable
from heapq import heapify, heappop, heappush, nsmallest
from typing import NamedTuple


class Head(NamedTuple):
    """The best waiting URL of a host: rank is minus its priority, id its place in the order of discovery."""

    rank: float
    id: int


LAST = Head(float("inf"), 0)
AWAKE = float("-inf")


class Host:
    """A loaded host. It is busy (leased), resting until a time, or else competing."""

    __slots__ = ("address", "busy", "failures", "head", "id", "name", "until")

    def __init__(self, id: int, name: str, head: Head | None) -> None:
        self.id = id
        self.name = name
        self.head = head
        self.address = ""
        self.failures = 0
        self.until = AWAKE
        self.busy = 0


Refill = Callable[[Head, int], list[Host]]


class Ready:
    """The loaded hosts. `refill(floor, n)` gives the next n hosts of the store in the order of their heads."""

    def __init__(self, refill: Refill, size: int = 1024) -> None:
        self.loaded: dict[int, Host] = {}
        self.floor = Head(float("-inf"), 0)
        self._refill = refill
        self._size = size
        self._heads: list[tuple[float, int, int]] = []
        self._resting: list[tuple[float, int]] = []

    def __len__(self) -> int:
        return len(self._heads)

    @property
    def resting(self) -> int:
        return sum(host.until > AWAKE for host in self.loaded.values())

    def load(self, host: Host) -> None:
        """Take a host in; it competes when it has a head and neither rests nor is busy."""
        self.loaded[host.id] = host
        if host.until > AWAKE:
            heappush(self._resting, (host.until, host.id))
        else:
            self.compete(host)

    def compete(self, host: Host) -> None:
        """Let a loaded host's present head compete; a host without a head, or with one worse than the floor, goes."""
        if host.busy or host.until > AWAKE:
            return
        if host.head is None or host.head > self.floor:
            self.loaded.pop(host.id, None)
            return
        heappush(self._heads, (host.head.rank, host.head.id, host.id))
        if len(self._heads) > 2 * self._size:
            self._shrink()

    def improve(self, id: int, head: Head) -> Host | None:
        """A host of the store got a better head. The loaded host if there is one; else it is for the caller to load
        it when `head` is not worse than the floor."""
        host = self.loaded.get(id)
        if host is not None and (host.head is None or head < host.head):
            host.head = head
            self.compete(host)
        return host

    def rest(self, host: Host, until: float) -> None:
        """No turn for this host before then."""
        host.until = until
        heappush(self._resting, (host.until, host.id))

    def pop(self, now: float) -> Host | None:
        """The host with the best head whose turn it is; it no longer competes. None when there is none."""
        self._wake(now)
        while True:
            while self._heads:
                rank, head, id = heappop(self._heads)
                host = self.loaded.get(id)
                if host is not None and not host.busy and host.until == AWAKE and host.head == (rank, head):
                    return host
            if self.floor == LAST:
                return None
            self._load_more()

    def next_time(self) -> float | None:
        """When the first resting host may be asked; None when none rests."""
        return self._resting[0][0] if self._resting else None

    def competing(self) -> bool:
        """Whether a host may have its turn without waiting (there may be none after all)."""
        return bool(self._heads) or self.floor != LAST

    def _wake(self, now: float) -> None:
        while self._resting and self._resting[0][0] <= now:
            until, id = heappop(self._resting)
            host = self.loaded.get(id)
            if host is not None and host.until == until:
                host.until = AWAKE
                self.compete(host)

    def _load_more(self) -> None:
        found = self._refill(self.floor, self._size)
        self.floor = found[-1].head or LAST if len(found) >= self._size else LAST
        for host in found:
            if host.id not in self.loaded:
                self.load(host)

    def _shrink(self) -> None:
        kept = []
        for rank, head, id in nsmallest(self._size, set(self._heads)):
            host = self.loaded.get(id)
            if host is not None and host.head == (rank, head) and not host.busy and host.until == AWAKE:
                kept.append((rank, head, id))
        if kept:
            self.floor = min(self.floor, Head(kept[-1][0], kept[-1][1]))
        keep = {id for _, _, id in kept}
        for _, _, id in self._heads:
            host = self.loaded.get(id)
            if id not in keep and host is not None and not host.busy and host.until == AWAKE:
                del self.loaded[id]
        self._heads = kept
        heapify(self._heads)
