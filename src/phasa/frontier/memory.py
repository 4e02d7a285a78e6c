"""The frontier in memory: for the lab, where one process replays a web, and the plain model of the one on disk.

Without manners all URLs share one queue in strict order of priority; with them there is one queue per host, and the
heads of the hosts whose turn it is compete.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from heapq import heappop, heappush

from phasa.frontier.addresses import IN_USE
from phasa.frontier.protocol import (
    Ending,
    Lease,
    Offer,
    Rediscovery,
    Standing,
    State,
    Stats,
    Story,
    Visit,
    Waiting,
)
from phasa.frontier.ready import AWAKE
from phasa.frontier.rules import HOST_SPENT, QUEUE_FULL, SITE_SPENT, Rules, may_return
from phasa.web.url import Url, authority, registered_domain


class _Entry:
    """One URL. `serial` is its place in the order of discovery."""

    __slots__ = (
        "attempts",
        "depth",
        "note",
        "priority",
        "queue",
        "reason",
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


class _Turn:
    """When a host, or an address, may be asked again."""

    __slots__ = ("address", "failures", "until")

    def __init__(self) -> None:
        self.until = AWAKE
        self.failures = 0
        self.address = ""


class MemoryFrontier:
    """See `phasa.frontier.protocol.Frontier`."""

    def __init__(self, rules: Rules | None = None) -> None:
        self.rules = rules or Rules()
        manners = self.rules.manners
        self._by_host = bool(manners.delay or manners.address_delay)
        self._higher = self.rules.rediscovery is Rediscovery.HIGHER
        budgets = self.rules.budgets
        self._counted = bool(budgets.pages_per_host or budgets.pages_per_site)
        self._plain = not (
            self._by_host
            or self._counted
            or budgets.queue
            or self.rules.scope is not None
            or self.rules.traps is not None
        )
        self._known: dict[str, _Entry] = {}
        self._entries: list[_Entry] = []
        # Heaps hold (-priority, serial); an item is stale when its entry no longer waits with that priority.
        self._queues: dict[str, list[tuple[float, int]]] = {"": []} if not self._by_host else {}
        self._heads: list[tuple[float, int]] = []
        self._resting: list[tuple[float, str]] = []
        self._busy: dict[str, int] = {}
        self._turns: dict[str, _Turn] = {}
        self._addresses: dict[str, float] = {}
        self._holding: dict[int, str] = {}
        self._leases: dict[int, Lease] = {}
        self._tail: list[tuple[float, int]] = []
        self._taken: Counter[str] = Counter()
        self._counts = [0] * len(State)
        self._wanted = self._judged = self._bytes = self._words = 0

    # ── taking in ────────────────────────────────────────────────────────────────────────────────

    def offer(self, offers: Sequence[Offer]) -> list[Standing]:
        return [self._offer(offer) for offer in offers]

    def _offer(self, offer: Offer) -> Standing:
        entry = self._known.get(offer.url)
        if entry is not None:
            return self._offer_known(entry, offer)
        if self._plain:
            # The lab's way in: nothing can refuse it, and there is one queue.
            serial = len(self._entries)
            entry = self._known[offer.url] = _Entry(offer, serial, "")
            self._entries.append(entry)
            heappush(self._queues[""], (-offer.priority, serial))
            self._counts[0] += 1
            return Standing.NEW
        entry = _Entry(offer, len(self._entries), authority(offer.url) if self._by_host else "")
        self._known[offer.url] = entry
        self._entries.append(entry)
        refusal = self.rules.refuse(offer.url, offer.depth) or self._spent(entry)
        if refusal is not None:
            standing, entry.reason = refusal
            entry.state = State.QUARANTINED if standing is Standing.TRAPPED else State.DROPPED
            self._counts[entry.state] += 1
            return standing
        self._counts[State.WAITING] += 1
        self._push(entry)
        return self._keep_cap(entry)

    def _offer_known(self, entry: _Entry, offer: Offer) -> Standing:
        if entry.state is State.WAITING:
            if self._higher:
                if offer.priority <= entry.priority:
                    return Standing.KNOWN
            elif not self.rules.replaces(offer, Waiting(entry.url, entry.priority, entry.depth, entry.note)):
                return Standing.KNOWN
            entry.note = offer.note
            if offer.priority != entry.priority:
                entry.priority = offer.priority
                self._push(entry)
            return Standing.RAISED
        if entry.state is State.DROPPED and may_return(entry.reason):
            entry.priority, entry.note = offer.priority, offer.note
            self._move(entry, State.WAITING, "")
            self._push(entry)
            return self._keep_cap(entry)
        return Standing.KNOWN

    def _spent(self, entry: _Entry) -> tuple[Standing, str] | None:
        if not self._counted:
            return None
        budgets = self.rules.budgets
        if budgets.pages_per_host and self._taken["h " + authority(entry.url)] >= budgets.pages_per_host:
            return Standing.CAPPED, HOST_SPENT
        if budgets.pages_per_site and self._taken["s " + registered_domain(entry.url)] >= budgets.pages_per_site:
            return Standing.CAPPED, SITE_SPENT
        return None

    def _keep_cap(self, entry: _Entry) -> Standing:
        """The queue cap: beyond it the URL of the lowest priority goes, the last one found first among equals."""
        cap = self.rules.budgets.queue
        if not cap:
            return Standing.NEW
        heappush(self._tail, (entry.priority, -entry.serial))
        while self._counts[State.WAITING] > cap:
            priority, serial = heappop(self._tail)
            worst = self._entries[-serial]
            if worst.state is State.WAITING:
                if worst.priority == priority:
                    self._move(worst, State.DROPPED, QUEUE_FULL)
                else:
                    heappush(self._tail, (worst.priority, serial))
        return Standing.CAPPED if entry.state is State.DROPPED else Standing.NEW

    def _push(self, entry: _Entry) -> None:
        item = (-entry.priority, entry.serial)
        queue = self._queues.get(entry.queue)
        if queue is None:
            queue = self._queues[entry.queue] = []
        heappush(queue, item)
        if self._by_host and entry.queue not in self._busy and self._head(entry.queue) == item:
            turn = self._turns.get(entry.queue)
            if turn is None or turn.until == AWAKE:
                heappush(self._heads, item)

    def _move(self, entry: _Entry, state: State, reason: str) -> None:
        self._counts[entry.state] -= 1
        self._counts[state] += 1
        entry.state = state
        entry.reason = reason

    def sift(self, urls: Sequence[Url]) -> list[State | None]:
        known = self._known.get
        return [entry.state if (entry := known(url)) is not None else None for url in urls]

    def settled(self, urls: Sequence[Url]) -> list[bool]:
        known = self._known.get
        return [(entry := known(url)) is not None and entry.state is not State.WAITING for url in urls]

    # ── giving out ───────────────────────────────────────────────────────────────────────────────

    def lease(self, now: float, worker: str = "", n: int = 1) -> list[Lease]:
        self._expire(now)
        leases: list[Lease] = []
        expires = now + self.rules.manners.lease
        for entry in self._best(now):
            if self._refused_late(entry):
                self._wake(entry.queue)
                continue
            self._move(entry, State.LEASED, "")
            lease = Lease(
                entry.serial,
                entry.url,
                entry.queue or authority(entry.url),
                entry.priority,
                entry.depth,
                entry.source,
                entry.note,
                entry.attempts,
                expires,
                turn.failures if self._by_host and (turn := self._turns.get(entry.queue)) is not None else 0,
            )
            self._leases[entry.serial] = lease
            if self._by_host:
                self._busy[entry.queue] = entry.serial
            leases.append(lease)
            if len(leases) >= n:
                break
        return leases

    def _best(self, now: float) -> Iterator[_Entry]:
        """Waiting URLs that may be asked now, best first; the one given is out of its heap."""
        if not self._by_host:
            queue = self._queues[""]
            while queue:
                priority, serial = heappop(queue)
                entry = self._entries[serial]
                if entry.state is State.WAITING and entry.priority == -priority:
                    yield entry
            return
        while self._resting and self._resting[0][0] <= now:
            until, host = heappop(self._resting)
            rested = self._turns[host]
            if rested.until == until:
                rested.until = AWAKE
                self._wake(host)
        while self._heads:
            item = heappop(self._heads)
            entry = self._entries[item[1]]
            host = entry.queue
            if host in self._busy or entry.state is not State.WAITING or self._head(host) != item:
                continue
            turn = self._turns.get(host)
            if turn is not None and turn.until > AWAKE:
                continue
            if turn is not None and (free_at := self._addresses.get(turn.address, AWAKE)) > now:
                self._rest(host, free_at)
                continue
            heappop(self._queues[host])
            yield entry

    def _head(self, host: str) -> tuple[float, int] | None:
        """The best item of a host that is not stale."""
        queue = self._queues.get(host)
        while queue:
            entry = self._entries[queue[0][1]]
            if entry.state is State.WAITING and entry.priority == -queue[0][0]:
                return queue[0]
            heappop(queue)
        return None

    def _wake(self, host: str) -> None:
        if self._by_host and (head := self._head(host)) is not None:
            heappush(self._heads, head)

    def _rest(self, host: str, until: float) -> None:
        turn = self._turns.setdefault(host, _Turn())
        turn.until = until
        heappush(self._resting, (until, host))

    def _refused_late(self, entry: _Entry) -> bool:
        """Budgets and traps that were found spent or barren after the URL was taken in."""
        if refusal := self._spent(entry):
            self._move(entry, State.DROPPED, refusal[1])
            return True
        if self.rules.traps is not None and (evidence := self.rules.traps.found_barren(entry.url)):
            self._move(entry, State.QUARANTINED, f"trap: {evidence}")
            return True
        return False

    def _expire(self, now: float) -> None:
        if not self._leases:
            return
        # Leases are given out in the order of time and all last as long: the oldest comes first.
        for lease in list(self._leases.values()):
            if lease.expires > now:
                break
            self._give_back(lease)

    def _give_back(self, lease: Lease) -> bool:
        """Take a lease from the leased; False when it had expired or was finished already."""
        if self._leases.get(lease.id) is not lease:
            return False
        del self._leases[lease.id]
        self._release(lease, None)
        entry = self._entries[lease.id]
        if self._busy.get(entry.queue) == lease.id:
            del self._busy[entry.queue]
        self._move(entry, State.WAITING, "")
        self._push(entry)
        return True

    def admit(self, lease: Lease, address: str, now: float) -> float:
        if not self.rules.manners.address_delay or self._leases.get(lease.id) is not lease:
            return 0.0
        host = self._entries[lease.id].queue
        self._turns.setdefault(host, _Turn()).address = address
        free_at = self._addresses.get(address, AWAKE)
        if free_at > now:
            self._rest(host, free_at)
            self._give_back(lease)
            return free_at
        # Until the answer is there nobody knows how long it takes: the address is closed.
        self._addresses[address] = IN_USE
        self._holding[lease.id] = address
        return 0.0

    def _release(self, lease: Lease, asked: float | None, address: str = "") -> None:
        """The request of a lease is over: its address rests, and the hosts that waited for it hear until when."""
        held = self._holding.pop(lease.id, "")
        for name in {held, address} - {""}:
            free_at = AWAKE if asked is None else asked + self.rules.manners.address_delay
            self._addresses[name] = free_at
            for host, turn in self._turns.items():
                if turn.address == name and turn.until == IN_USE:
                    self._rest(host, max(free_at, 0.0))

    # ── ending ───────────────────────────────────────────────────────────────────────────────────

    def finish(self, lease: Lease, ending: Ending, found: Sequence[Offer] = ()) -> None:
        if self._leases.get(lease.id) is not lease:
            return  # it expired and is somebody else's now
        del self._leases[lease.id]
        entry = self._entries[lease.id]
        entry.attempts += 1
        self._counts[State.LEASED] -= 1
        self._counts[ending.state] += 1
        entry.state = ending.state
        entry.reason = ending.reason
        visit = entry.visit = ending.visit
        if visit is not None:
            self._bytes += visit.size
            self._words += visit.words
            if visit.wanted is not None:
                self._judged += 1
                self._wanted += visit.wanted
            if self.rules.traps is not None:
                self.rules.traps.saw(lease.url, visit.digest)
        if self._counted and ending.state is State.DONE:
            self._taken["h " + authority(lease.url)] += 1
            self._taken["s " + registered_domain(lease.url)] += 1
        for offer in found:
            self._offer(offer)
        if self._by_host:
            self._end_turn(entry, lease, ending)
        elif ending.state is State.WAITING:
            self._push(entry)

    def _end_turn(self, entry: _Entry, lease: Lease, ending: Ending) -> None:
        host = entry.queue
        self._busy.pop(host, None)
        self._release(lease, ending.at, ending.address)
        turn = self._turns.setdefault(host, _Turn())
        if ending.address:
            turn.address = ending.address
        turn.failures = turn.failures + 1 if ending.failed else 0
        if ending.state is State.WAITING:
            heappush(self._queues.setdefault(host, []), (-entry.priority, entry.serial))
        if turn.failures >= self.rules.manners.failures:
            self._give_up(host, ending.reason)
        self._rest(host, ending.at + ending.pause)

    def _give_up(self, host: str, reason: str) -> None:
        for _, serial in self._queues.pop(host, []):
            entry = self._entries[serial]
            if entry.state is State.WAITING:
                self._move(entry, State.DROPPED, f"host given up: {reason}")

    def hold(self, lease: Lease, until: float, asked: float | None = None) -> None:
        if not self._by_host:
            self._give_back(lease)
        elif self._leases.get(lease.id) is lease:
            # It rests before it has work again, so that it does not compete meanwhile.
            self._release(lease, asked)
            self._rest(self._entries[lease.id].queue, until)
            self._give_back(lease)

    def drop(self, url: Url, reason: str) -> bool:
        entry = self._known.get(url)
        if entry is None or entry.state is not State.WAITING:
            return False
        self._move(entry, State.DROPPED, reason)
        self._wake(entry.queue)
        return True

    def requeue(self, url: Url, priority: float | None = None) -> bool:
        entry = self._known.get(url)
        if entry is None or entry.state in (State.WAITING, State.LEASED):
            return False
        entry.attempts = 0
        entry.priority = entry.priority if priority is None else priority
        self._move(entry, State.WAITING, "")
        self._push(entry)
        return True

    def reprioritise(self, changes: Sequence[tuple[Url, float]]) -> int:
        count = 0
        for url, priority in changes:
            entry = self._known.get(url)
            if entry is None or entry.state is not State.WAITING:
                continue
            count += 1
            if priority != entry.priority:
                lower = priority < entry.priority
                entry.priority = priority
                self._push(entry)
                if lower:
                    self._wake(entry.queue)
        return count

    # ── looking ──────────────────────────────────────────────────────────────────────────────────

    def waiting(self, host: str, limit: int) -> list[Waiting]:
        found = [e for e in self._entries if e.state is State.WAITING and authority(e.url) == host]
        found.sort(key=lambda e: (-e.priority, e.serial))
        return [Waiting(e.url, e.priority, e.depth, e.note) for e in found[:limit]]

    def next_ready(self, now: float) -> float | None:
        if not self._counts[State.WAITING]:
            return None
        if not self._by_host or self._heads:
            return now
        return max(now, self._resting[0][0]) if self._resting else None

    def stats(self) -> Stats:
        counts = self._counts
        return Stats(
            waiting=counts[State.WAITING],
            leased=counts[State.LEASED],
            done=counts[State.DONE],
            dropped=counts[State.DROPPED],
            quarantined=counts[State.QUARANTINED],
            wanted=self._wanted,
            judged=self._judged,
            bytes=self._bytes,
            words=self._words,
            hosts=len(self._queues),
            ready_hosts=len(self._heads) if self._by_host else int(counts[State.WAITING] > 0),
            resting_hosts=len(self._resting),
        )

    def story(self, url: Url) -> Story | None:
        entry = self._known.get(url)
        if entry is None:
            return None
        return Story(
            entry.url,
            entry.state,
            entry.reason,
            authority(entry.url),
            entry.priority,
            entry.depth,
            entry.source,
            entry.note,
            entry.attempts,
            entry.visit,
        )

    def commit(self) -> None:
        """Nothing to do: this frontier lives as long as its process."""

    def close(self) -> None:
        for lease in list(self._leases.values()):
            self._give_back(lease)
