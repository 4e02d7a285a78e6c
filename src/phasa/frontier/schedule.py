"""Whose turn it is: the hosts that may be asked, best head first, and the server addresses that are in use.

A host gets one request at a time and rests after each, whatever the scheme; so does an address, whatever the hosts on
it are called. What has turns here is an origin of a host (`origins`), which may rest for longer than its host does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Set
from heapq import heapify, heappop, heappush, nsmallest

from phasa.frontier.inbox import Inbox, Partition
from phasa.frontier.index import Head, QueueIndex
from phasa.frontier.origins import host_of
from phasa.frontier.politeness import AWAKE, IN_USE, Politeness
from phasa.frontier.protocol import Lease
from phasa.frontier.storage import Storage
from phasa.frontier.tables import HostRow, HostTable

LAST = Head(float("inf"), 0)


class Host:
    """A loaded host, or rather one origin of it. It is busy (leased), resting until a time, or else competing."""

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


class ReadyHosts:
    """The loaded hosts. `refill(floor, n)` gives the next n hosts of the file in the order of their heads.

    Memory is bounded. Hosts that are not loaded have heads that are worse than the *floor*; so the best loaded head is
    the best of all, and the file is asked for more only when the loaded ones run out.
    """

    def __init__(self, refill: Refill, size: int) -> None:
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
        """A host got a better head. The loaded host if there is one; else it is for the caller to load
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

    def pop(self, now: float, worst: float = float("inf")) -> Host | None:
        """The host with the best head whose turn it is, of no higher rank than `worst`; it no longer competes. None
        when there is none."""
        self._wake(now)
        while True:
            while self._heads:
                rank, head, id = self._heads[0]
                host = self.loaded.get(id)
                fits = host is not None and not host.busy and host.until == AWAKE and host.head == (rank, head)
                if fits and rank > worst:
                    return None
                heappop(self._heads)
                if fits:
                    return host
            if self.floor == LAST or self.floor.rank > worst:
                return None
            self._load_more()

    def best(self, until: float) -> float:
        """The best rank of the heads of hosts that may be asked by then."""
        while True:
            hosts = self.loaded.values()
            ranks = (host.head.rank for host in hosts if host.head and not host.busy and host.until <= until)
            best = min(ranks, default=float("inf"))
            if best <= self.floor.rank:
                return best
            self._load_more()

    def next_time(self) -> float | None:
        """When the first resting host may be asked; None when none rests."""
        return self._resting[0][0] if self._resting else None

    def competing(self, worst: float = float("inf")) -> bool:
        """Whether a host with a head of no higher rank may have its turn without waiting (there may be none)."""
        return bool(self._heads and self._heads[0][0] <= worst) or (self.floor != LAST and self.floor.rank <= worst)

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


class Servers:
    """When each server may be asked: an address, whatever the hosts on it are called, or a host, whatever the scheme.
    Without `active` every one is always free."""

    MOST = 10_000
    WOKEN = 4  # queues that are woken when a server is free: one has its turn, the others only in case it has not

    def __init__(self, *, active: bool) -> None:
        self._active = active
        self._free_at: dict[str, float] = {}
        self._line: dict[str, list[int]] = {}

    def free_at(self, name: str, now: float) -> float:
        """0 when the server may be asked now; else when, `IN_USE` while nobody knows."""
        time = self._free_at.get(name, AWAKE)
        return time if time > now else 0.0

    def use(self, name: str) -> None:
        """A request goes out."""
        if self._active:
            self._free_at[name] = IN_USE

    def queue(self, name: str, host: int) -> None:
        """A queue wants to know when the server is free."""
        line = self._line.setdefault(name, [])
        if host not in line:
            line.append(host)

    def release(self, name: str, until: float, now: float) -> list[int]:
        """The request ended, and the server rests until then. Who waited for that."""
        if not self._active:
            return []
        self._free_at[name] = until
        if len(self._free_at) > self.MOST:
            self._free_at = {name: until for name, until in self._free_at.items() if until > now}
        line = self._line.get(name, [])
        woken, rest = line[: self.WOKEN], line[self.WOKEN :]
        if rest:
            self._line[name] = rest
        else:
            self._line.pop(name, None)
        return woken


class HostSchedule:
    """The turns of one worker's hosts. `now` is the latest time it has heard of."""

    IN_LINE = 10.0  # seconds after which a host in line for an address asks again by itself

    def __init__(
        self,
        db: Storage,
        hosts: HostTable,
        index: QueueIndex,
        inbox: Inbox,
        partition: Partition,
        manners: Politeness,
        ready_hosts: int,
    ) -> None:
        self.ready = ReadyHosts(self._load, ready_hosts)
        self.now = 0.0
        self._db = db
        self._hosts = hosts
        self._index = index
        self._inbox = inbox
        self._partition = partition
        self._manners = manners
        self._delay = manners.address_delay
        self._rest = max(manners.delay, manners.address_delay)
        self._addresses = Servers(active=bool(manners.address_delay))
        self._servers = Servers(active=True)
        """The hosts by their names, for the origins that share one."""
        self._holding: dict[int, str] = {}

    # ── hosts ────────────────────────────────────────────────────────────────────────────────────

    def hear(self, now: float) -> None:
        self.now = max(self.now, now)

    def begin(self, now: float) -> float:
        """When the first request may go out: nobody knows what a process that was killed had asked for just before."""
        ended = self._db.meta("ended")
        began = self._db.meta("began")
        self._db.begin()
        self._db.set_meta("began", now)
        self._db.commit()
        if began is None:
            return now
        return (
            min(float(ended), now) + self._rest
            if ended is not None and float(ended) >= float(began)
            else now + self._rest
        )

    def host_of(self, lease: Lease) -> Host:
        id = self._hosts.find(lease.host)
        assert id is not None
        return self.loaded(id)

    def loaded(self, id: int) -> Host:
        """A host by its number, loaded whether or not it is its turn."""
        host = self.ready.loaded.get(id)
        if host is None:
            host = self.ready.loaded[id] = self._host(id)
        return host

    def renew(self, id: int) -> None:
        """Look up the head of a host whose queue changed other than for the better."""
        head = self._index.best(id)
        host = self.ready.loaded.get(id)
        if host is not None:
            self._set_head(host, head)
            return
        self._hosts.set_head(id, head)
        if head is not None and head <= self.ready.floor:
            self.ready.load(self._host(id))

    def _set_head(self, host: Host, head: Head | None) -> None:
        self._hosts.set_head(host.id, head)
        host.head = head
        self.ready.compete(host)

    def compete(self, better: Mapping[int, Head], worse: Iterable[int]) -> None:
        """Let hosts whose queues changed compete with their new heads."""
        for id in worse:
            self.renew(id)
        floor = self.ready.floor
        for id, head in better.items():
            if id not in worse and self.ready.improve(id, head) is None and head <= floor:
                self.ready.load(self._host(id))

    def reorder(self, best: Mapping[int, Head], changed: Set[int]) -> None:
        """URLs got other ranks: the best of these at each host, and the ids of all. A host keeps its head when that is
        not among them and none of them is better; what is better than its head is its head."""
        loaded = self.ready.loaded
        for id, head in best.items():
            host = loaded.get(id)
            if host is None or host.head is None:
                self.renew(id)
            elif head < host.head:
                self._set_head(host, head)
            elif host.head.id in changed:
                self.renew(id)

    def _host(self, id: int) -> Host:
        return self._awake(self._hosts.row(id))

    def _load(self, floor: Head, n: int) -> list[Host]:
        return [self._awake(row) for row in self._hosts.after(self._partition.worker, floor, n)]

    def _awake(self, row: HostRow) -> Host:
        host = Host(row.id, row.name, Head(row.rank, row.head or 0) if row.rank is not None else None)
        host.address, host.failures = row.address, row.failures
        # A clock that was set back must not make a host rest for longer than it was told to.
        until = min(row.until, self.now + row.rest)
        host.until = until if until > self.now else AWAKE
        return host

    # ── both origins of a host ───────────────────────────────────────────────────────────────────

    def take(self, host: Host, lease: int) -> None:
        """A host is being asked, by this lease."""
        host.busy = lease
        self._servers.use(host_of(host.name))

    def rest_host(self, lease: Lease, until: float) -> None:
        """The host of a lease that is over is not to be asked before then, whatever the scheme."""
        for id in self._servers.release(host_of(lease.host), until, self.now):
            if (host := self.ready.loaded.get(id)) is not None and not host.busy:
                self.ready.rest(host, until)

    # ── addresses ────────────────────────────────────────────────────────────────────────────────

    def must_wait(self, host: Host, now: float) -> bool:
        """Whether a host is being asked or rests by its other name, or its address is not free: then it rests, too, or
        stands in line."""
        name, servers = host_of(host.name), self._servers
        free_at = servers.free_at(name, now)
        if not free_at and host.address:
            name, servers = host.address, self._addresses
            free_at = servers.free_at(name, now)
        if free_at:
            self.ready.rest(host, self._stand_in_line(servers, name, host, free_at, now))
        return bool(free_at)

    def claim(self, lease: Lease, host: Host, address: str, now: float) -> float:
        """Use an address for a lease: 0; or, when it is not free, when its host may ask again."""
        host.address = address
        free_at = self._addresses.free_at(address, now)
        if not free_at and self._delay and not self._partition.alone:
            self._db.begin()
            free_at = self._inbox.claim_address(address, now, lease.expires)
            self._db.commit()
            if free_at:
                # Another worker has it, and cannot wake us.
                free_at = min(free_at, now + max(1.0, self._delay))
        if free_at:
            return self._stand_in_line(self._addresses, address, host, free_at, now)
        self._addresses.use(address)
        self._holding[lease.id] = address
        return 0.0

    def _stand_in_line(self, servers: Servers, name: str, host: Host, free_at: float, now: float) -> float:
        """Until when a host rests whose server is busy: it is woken earlier when that is released."""
        if free_at < IN_USE:
            return free_at
        servers.queue(name, host.id)
        return now + self.IN_LINE

    def release(self, lease: Lease, asked: float | None, address: str = "") -> None:
        """The request of a lease is over: its address rests, and those in line for it hear when it is free."""
        held = self._holding.pop(lease.id, "")
        for name in {held, address} - {""}:
            free_at = self.now if asked is None or not self._delay else asked + self._delay
            for id in self._addresses.release(name, free_at, self.now):
                if (host := self.ready.loaded.get(id)) is not None and not host.busy:
                    self.ready.rest(host, free_at)
            if not self._partition.alone:
                self._db.begin()
                self._inbox.close_address(name, free_at, self.now)
                self._db.commit()

    def give_back(self, lease: Lease, until: float) -> None:
        """A lease ends without a fetch; its host rests until then, or competes at once (`AWAKE`)."""
        if lease.id in self._holding:
            self.release(lease, None)
        host = self.host_of(lease)
        host.busy = 0
        self.rest_host(lease, self.now)
        if until > AWAKE:
            self.ready.rest(host, until)
        else:
            self.ready.compete(host)
