"""The queues of the frontier in memory: one for all URLs, or one per host with turns and rests.

Heaps hold (-priority, serial); an item is stale when its entry no longer waits with that priority.
"""

from __future__ import annotations

from collections.abc import Iterator
from heapq import heappop, heappush

from phasa.frontier.origins import host_of, other_origin
from phasa.frontier.politeness import AWAKE, IN_USE
from phasa.frontier.protocol import Ending, Offer, Seen, State, Visit

Item = tuple[float, int]


class Entry:
    """One URL. `serial` is its place in the order of discovery."""

    __slots__ = (
        "attempts",
        "depth",
        "due",
        "note",
        "priority",
        "queue",
        "reason",
        "seen",
        "serial",
        "source",
        "state",
        "url",
        "visit",
    )

    def __init__(self, offer: Offer, serial: int, queue: str) -> None:
        self.url = offer.url
        self.priority = offer.priority
        self.depth = offer.depth
        self.source = offer.source
        self.note = offer.note
        self.serial = serial
        self.queue = queue
        self.state = State.WAITING
        self.reason = ""
        self.attempts = 0
        self.visit: Visit | None = None
        self.seen: Seen | None = None
        self.due: float | None = None

    @property
    def score(self) -> float | None:
        """What the judge gave it at its last visit; None where nothing was judged."""
        return self.visit.judged if self.visit is not None else None


class OneQueue:
    """All URLs in strict order of priority."""

    def __init__(self, entries: list[Entry]) -> None:
        self._entries = entries
        self.heap: list[Item] = []

    def push(self, entry: Entry) -> None:
        heappush(self.heap, (-entry.priority, entry.serial))

    def best(self, worst: float) -> Iterator[Entry]:
        """Waiting URLs, best first, none with a higher rank than `worst`; the one given is out of the heap."""
        while self.heap and self.heap[0][0] <= worst:
            priority, serial = heappop(self.heap)
            entry = self._entries[serial]
            if entry.state is State.WAITING and entry.priority == -priority:
                yield entry

    def best_rank(self) -> float:
        """Minus the highest priority that waits."""
        while self.heap:
            priority, serial = self.heap[0]
            entry = self._entries[serial]
            if entry.state is State.WAITING and entry.priority == -priority:
                return priority
            heappop(self.heap)
        return float("inf")


class Turn:
    """When a host may be asked again."""

    __slots__ = ("address", "failures", "until")

    def __init__(self) -> None:
        self.until = AWAKE
        self.failures = 0
        self.address = ""


class HostQueues:
    """One queue per origin of a host (`origins`); the heads of those whose turn it is compete. Addresses rest
    `address_delay`."""

    def __init__(self, entries: list[Entry], address_delay: float) -> None:
        self.address_delay = address_delay
        self.busy: dict[str, int] = {}
        self.heads: list[Item] = []
        self.resting: list[tuple[float, str]] = []
        self._entries = entries
        self._queues: dict[str, list[Item]] = {}
        self._turns: dict[str, Turn] = {}
        self._addresses: dict[str, float] = {}
        self._servers: dict[str, float] = {}
        """When each host may be asked, whatever the scheme."""
        self._holding: dict[int, str] = {}

    def __len__(self) -> int:
        return len({host_of(queue) for queue in self._queues})

    def push(self, entry: Entry) -> None:
        """A URL waits, or waits with another priority."""
        item = (-entry.priority, entry.serial)
        queue = self._queues.get(entry.queue)
        if queue is None:
            queue = self._queues[entry.queue] = []
        heappush(queue, item)
        if entry.queue not in self.busy and self._head(entry.queue) == item:
            turn = self._turns.get(entry.queue)
            if turn is None or turn.until == AWAKE:
                heappush(self.heads, item)

    def best_rank(self, until: float) -> float:
        """Minus the highest priority that waits at a host which may be asked by then and is not being asked."""
        ranks = []
        for host in self._queues:
            turn = self._turns.get(host)
            if host not in self.busy and (turn is None or turn.until <= until) and (head := self._head(host)):
                ranks.append(head[0])
        return min(ranks, default=float("inf"))

    def best(self, now: float, worst: float) -> Iterator[Entry]:
        """Waiting URLs whose hosts may be asked now, best first, none with a higher rank than `worst`; the one given is
        out of its heap."""
        while self.resting and self.resting[0][0] <= now:
            until, host = heappop(self.resting)
            rested = self._turns[host]
            if rested.until == until:
                rested.until = AWAKE
                self.wake(host)
        while self.heads and self.heads[0][0] <= worst:
            item = heappop(self.heads)
            entry = self._entries[item[1]]
            host = entry.queue
            if host in self.busy or entry.state is not State.WAITING or self._head(host) != item:
                continue
            turn = self._turns.get(host)
            if turn is not None and turn.until > AWAKE:
                continue
            free_at = self._servers.get(host_of(host), AWAKE)
            if free_at <= now and turn is not None:
                free_at = self._addresses.get(turn.address, AWAKE)
            if free_at > now:
                self.rest(host, free_at)
                continue
            heappop(self._queues[host])
            yield entry

    def _head(self, host: str) -> Item | None:
        """The best item of a host that is not stale."""
        queue = self._queues.get(host)
        while queue:
            entry = self._entries[queue[0][1]]
            if entry.state is State.WAITING and entry.priority == -queue[0][0]:
                return queue[0]
            heappop(queue)
        return None

    def wake(self, host: str) -> None:
        """Let the present head of a host compete."""
        if (head := self._head(host)) is not None:
            heappush(self.heads, head)

    def rest(self, host: str, until: float) -> None:
        """No turn for this host before then."""
        self._turns.setdefault(host, Turn()).until = until
        heappush(self.resting, (until, host))

    def failures(self, host: str) -> int:
        """Failures of a host in a row."""
        turn = self._turns.get(host)
        return turn.failures if turn is not None else 0

    def take(self, entry: Entry) -> None:
        """A URL is leased: its host is being asked, by whatever scheme."""
        self.busy[entry.queue] = entry.serial
        self._servers[host_of(entry.queue)] = IN_USE

    def free(self, entry: Entry) -> None:
        """The lease of this URL is over."""
        if self.busy.get(entry.queue) == entry.serial:
            del self.busy[entry.queue]
            self.rest_host(entry.queue, 0.0)

    def rest_host(self, queue: str, until: float) -> None:
        """The host of an origin is not to be asked before then, whatever the scheme; who waited for it hears that."""
        self._servers[host_of(queue)] = until
        other = other_origin(queue)
        turn = self._turns.get(other)
        if turn is not None and turn.until == IN_USE:
            self.rest(other, until)

    def end_turn(self, entry: Entry, ending: Ending) -> int:
        """A fetch ended, its URL waits again if the ending says so; the failures of the host in a row."""
        host = entry.queue
        self.busy.pop(host, None)
        self.release(entry, ending.at, ending.address)
        self.rest_host(host, ending.at + ending.host_rest)
        turn = self._turns.setdefault(host, Turn())
        if ending.address:
            turn.address = ending.address
        turn.failures = turn.failures + 1 if ending.failed else 0
        if ending.state is State.WAITING:
            heappush(self._queues.setdefault(host, []), (-entry.priority, entry.serial))
        return turn.failures

    def empty(self, host: str) -> list[Entry]:
        """Take all that waits out of the queue of a host."""
        entries = (self._entries[serial] for _, serial in self._queues.pop(host, []))
        return [entry for entry in entries if entry.state is State.WAITING]

    def claim(self, entry: Entry, address: str, now: float) -> float:
        """Use an address: 0; or, when it is not free, when it will be, and the host rests until then."""
        host = entry.queue
        self._turns.setdefault(host, Turn()).address = address
        free_at = self._addresses.get(address, AWAKE)
        if free_at > now:
            self.rest(host, free_at)
            return free_at
        # Until the answer is there nobody knows how long it takes: the address is closed.
        self._addresses[address] = IN_USE
        self._holding[entry.serial] = address
        return 0.0

    def release(self, entry: Entry, asked: float | None, address: str = "") -> None:
        """The request of a lease is over: its address rests, and the hosts that waited for it hear until when."""
        held = self._holding.pop(entry.serial, "")
        for name in {held, address} - {""}:
            free_at = AWAKE if asked is None else asked + self.address_delay
            self._addresses[name] = free_at
            for host, turn in self._turns.items():
                if turn.address == name and turn.until == IN_USE:
                    self.rest(host, max(free_at, 0.0))
