"""The frontier in memory: for the lab, where one process replays a web, and the plain model of the one on disk.

Without manners all URLs share one queue in strict order of priority; with them there is one queue per host, and the
heads of the hosts whose turn it is compete.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from heapq import heappop, heappush
from itertools import islice

from phasa.frontier.memory_queues import Entry, HostQueues, Item, OneQueue
from phasa.frontier.origins import host_of, queue_of
from phasa.frontier.protocol import (
    ANY,
    NEAR_DUPLICATE,
    REQUISITE,
    DuePage,
    Ending,
    Lease,
    Offer,
    OfferResult,
    Pace,
    Rediscovery,
    State,
    Stats,
    Story,
    Visited,
    Waiting,
)
from phasa.frontier.recent import SETTLED, sifted
from phasa.frontier.rules import QUEUE_FULL, Rules, may_return
from phasa.web.url import Url, authority, registered_domain


class MemoryFrontier:
    """See `phasa.frontier.protocol.Frontier`."""

    def __init__(self, rules: Rules | None = None) -> None:
        self.rules = rules or Rules()
        manners = self.rules.manners
        self._higher = self.rules.rediscovery is Rediscovery.HIGHER
        self._counts_pages = self.rules.counts_pages
        self._refuses_nothing = self.rules.refuses_nothing
        self._known: dict[str, Entry] = {}
        self._entries: list[Entry] = []
        self._all = OneQueue(self._entries)
        by_host = bool(manners.delay or manners.address_delay)
        self._hosts = HostQueues(self._entries, manners.address_delay) if by_host else None
        self._plain = self._refuses_nothing and not by_host and not self.rules.budgets.queue
        self._leases: dict[int, Lease] = {}
        self._tail: list[Item] = []
        self._notes: dict[str, float] = {}
        self._due: list[Item] = []
        self._taken: Counter[str] = Counter()
        self._counts = [0] * len(State)
        self._wanted = self._judged = self._copies = self._requisites = self._bytes = self._words = 0

    # ── taking in ────────────────────────────────────────────────────────────────────────────────

    def offer(self, offers: Sequence[Offer]) -> list[OfferResult]:
        return [self._offer(offer) for offer in offers]

    def _offer(self, offer: Offer) -> OfferResult:
        entry = self._known.get(offer.url)
        if entry is not None:
            return self._offer_known(entry, offer)
        if self._plain:
            # The lab's way in: nothing can refuse it, and there is one queue.
            serial = len(self._entries)
            entry = self._known[offer.url] = Entry(offer, serial, "")
            self._entries.append(entry)
            heappush(self._all.heap, (-offer.priority, serial))
            self._counts[0] += 1
            return OfferResult.NEW
        entry = Entry(offer, len(self._entries), queue_of(offer.url) if self._hosts is not None else "")
        self._known[offer.url] = entry
        self._entries.append(entry)
        refusal = self.rules.refuse(offer.url, offer.depth, offer.note)
        if refusal is None and not offer.is_requisite and (reason := self.rules.spent(*self._pages_of(offer.url))):
            refusal = OfferResult.CAPPED, reason
        if refusal is not None:
            result, entry.reason = refusal
            entry.state = State.QUARANTINED if result is OfferResult.TRAPPED else State.DROPPED
            self._counts[entry.state] += 1
            return result
        self._counts[State.WAITING] += 1
        self._push(entry)
        return self._keep_cap(entry)

    def _offer_known(self, entry: Entry, offer: Offer) -> OfferResult:
        if entry.state is State.WAITING:
            if self._higher and not (entry.note or offer.note):
                if offer.priority <= entry.priority:
                    return OfferResult.KNOWN
            elif not self.rules.replaces(offer, entry.priority, entry.note):
                return OfferResult.KNOWN
            entry.note = offer.note
            self._rank(entry, offer.priority)
            return OfferResult.RAISED
        if entry.state is State.DROPPED and may_return(entry.reason, offer):
            entry.priority, entry.note = offer.priority, offer.note
            self._move(entry, State.WAITING, "")
            self._push(entry)
            return self._keep_cap(entry)
        return OfferResult.KNOWN

    def _pages_of(self, url: Url) -> tuple[int, int]:
        """Pages taken from the host of a URL and from its site."""
        if not self._counts_pages:
            return 0, 0
        return self._taken["h " + authority(url)], self._taken["s " + registered_domain(url)]

    def _keep_cap(self, entry: Entry) -> OfferResult:
        """The queue cap: beyond it the URL of the lowest priority goes, the last one found first among equals."""
        cap = self.rules.budgets.queue
        if not cap:
            return OfferResult.NEW
        heappush(self._tail, (entry.priority, -entry.serial))
        while self._counts[State.WAITING] > cap:
            priority, serial = heappop(self._tail)
            worst = self._entries[-serial]
            if worst.state is State.WAITING:
                if worst.priority == priority:
                    self._move(worst, State.DROPPED, QUEUE_FULL)
                else:
                    heappush(self._tail, (worst.priority, serial))
        return OfferResult.CAPPED if entry.state is State.DROPPED else OfferResult.NEW

    def _push(self, entry: Entry) -> None:
        (self._all if self._hosts is None else self._hosts).push(entry)

    def _move(self, entry: Entry, state: State, reason: str) -> None:
        self._counts[entry.state] -= 1
        self._counts[state] += 1
        entry.state = state
        entry.reason = reason

    # ── giving out ───────────────────────────────────────────────────────────────────────────────

    def lease(self, now: float, n: int = 1, least: float = ANY) -> list[Lease]:
        self._expire(now)
        leases: list[Lease] = []
        expires = now + self.rules.manners.lease
        for entry in self._best(now, -least):
            if not self._refuses_nothing and self._refused_late(entry):
                self._wake(entry)
                continue
            self._move(entry, State.LEASED, "")
            lease = Lease(
                entry.serial,
                entry.url,
                entry.queue or queue_of(entry.url),
                entry.priority,
                entry.depth,
                entry.source,
                entry.note,
                entry.attempts,
                expires,
                self._hosts.failures(entry.queue) if self._hosts is not None else 0,
                entry.seen,
            )
            self._leases[entry.serial] = lease
            if self._hosts is not None:
                self._hosts.take(entry)
            leases.append(lease)
            if len(leases) >= n:
                break
        return leases

    def _best(self, now: float, worst: float) -> Iterator[Entry]:
        return self._hosts.best(now, worst) if self._hosts is not None else self._all.best(worst)

    def _wake(self, entry: Entry) -> None:
        if self._hosts is not None:
            self._hosts.wake(entry.queue)

    def _refused_late(self, entry: Entry) -> bool:
        """Budgets and traps that were found spent or barren after the URL was taken in."""
        if entry.note.startswith(REQUISITE):
            return False
        refusal = self.rules.refuse_late(entry.url, *self._pages_of(entry.url))
        if refusal is not None:
            self._move(entry, *refusal)
        return refusal is not None

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
        entry = self._entries[lease.id]
        if self._hosts is not None:
            self._hosts.release(entry, None)
            self._hosts.free(entry)
        self._move(entry, State.WAITING, "")
        self._push(entry)
        return True

    def admit(self, lease: Lease, address: str, now: float) -> float:
        hosts = self._hosts
        if hosts is None or not hosts.address_delay or self._leases.get(lease.id) is not lease:
            return 0.0
        free_at = hosts.claim(self._entries[lease.id], address, now)
        if free_at:
            self._give_back(lease)
        return free_at

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
            if lease.seen is not None:  # a page is one page however often it is visited
                pass
            elif visit.wanted is not None:
                self._words += visit.words
                self._judged += 1
                self._copies += ending.reason.startswith(NEAR_DUPLICATE)
                self._wanted += visit.wanted
            if self.rules.traps is not None and lease.seen is None:
                self.rules.traps.saw(lease.url, visit.digest)
        if ending.seen is not None:
            entry.seen, entry.due = ending.seen, ending.due
            if ending.due is not None:
                heappush(self._due, (ending.due, entry.serial))
        if ending.state is State.DONE and lease.is_requisite:
            self._requisites += 1
        elif self._counts_pages and ending.state is State.DONE and lease.seen is None:
            self._taken["h " + authority(lease.url)] += 1
            self._taken["s " + registered_domain(lease.url)] += 1
        for offer in found:
            self._offer(offer)
        if self._hosts is not None:
            self._end_turn(self._hosts, entry, ending)
        elif ending.state is State.WAITING:
            self._push(entry)

    def _end_turn(self, hosts: HostQueues, entry: Entry, ending: Ending) -> None:
        if hosts.end_turn(entry, ending) >= self.rules.manners.failures:
            for left in hosts.empty(entry.queue):
                self._move(left, State.DROPPED, f"host given up: {ending.reason}")
        hosts.rest(entry.queue, ending.at + ending.pause)

    def hold(self, lease: Lease, until: float, asked: float | None = None) -> None:
        if self._hosts is not None and self._leases.get(lease.id) is lease:
            # It rests before it has work again, so that it does not compete meanwhile.
            entry = self._entries[lease.id]
            self._hosts.release(entry, asked)
            self._hosts.rest(entry.queue, until)
            self._give_back(lease)
            self._hosts.rest_host(entry.queue, until)
            return
        self._give_back(lease)

    def drop(self, url: Url, reason: str) -> bool:
        entry = self._known.get(url)
        if entry is None or entry.state is not State.WAITING:
            return False
        self._move(entry, State.DROPPED, reason)
        self._wake(entry)
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

    def wake(self, until: float, rested: float, most: int) -> int:
        best, woken, early = self.best(until), 0, []
        while self._due and self._due[0][0] <= until and woken < most:
            due, serial = heappop(self._due)
            entry = self._entries[serial]
            if entry.due != due or entry.state is not State.DONE:
                continue
            assert entry.seen is not None
            if entry.seen.at > rested:
                early.append((due, serial))
                continue
            entry.due = None
            woken += self.requeue(entry.url, max(entry.priority, best))
        for item in early:
            heappush(self._due, item)
        return woken

    def hasten(self, pages: Sequence[tuple[Url, float]], now: float) -> list[Url]:
        found = []
        for url, changed in pages:
            entry = self._known.get(url)
            if entry is None or entry.seen is None or entry.due is None:
                continue
            if entry.seen.at < changed and entry.due > now:
                entry.due = now
                heappush(self._due, (now, entry.serial))
                found.append(url)
        return found

    def due_pages(self, after: int, most: int) -> list[DuePage]:
        found = (
            DuePage(e.serial, e.url, e.seen.at, e.seen.changes, e.seen.seconds, e.due, e.score)
            for e in islice(self._entries, after + 1, None)
            if e.due is not None and e.seen is not None
        )
        return list(islice(found, most))

    def reschedule(self, dues: Sequence[tuple[int, float]]) -> None:
        for serial, due in dues:
            entry = self._entries[serial]
            if entry.due is not None:
                entry.due = due
                heappush(self._due, (due, serial))

    def note(self, name: str) -> float | None:
        return self._notes.get(name)

    def keep_note(self, name: str, value: float) -> None:
        self._notes[name] = value

    def next_due(self) -> float | None:
        while self._due and self._entries[self._due[0][1]].due != self._due[0][0]:
            heappop(self._due)
        return self._due[0][0] if self._due else None

    def paces(self, most: int) -> list[Pace]:
        under = [entry for entry in self._entries if entry.seen is not None and entry.due is not None]
        some = under[:: max(1, len(under) // most)]
        return [Pace(e.url, e.seen.changes, e.seen.seconds, e.score) for e in some if e.seen is not None]

    def release(self, text: str = "") -> int:
        traps = self.rules.traps
        if traps is not None:
            for key in [key for key, evidence in traps.barren.items() if text in evidence]:
                traps.release(key)
        found = [e for e in self._entries if e.state is State.QUARANTINED and text in f"{e.url} {e.reason}"]
        return sum(self.requeue(entry.url) for entry in found)

    def reprioritise(self, changes: Sequence[tuple[Url, float]]) -> None:
        for url, priority in changes:
            entry = self._known.get(url)
            if entry is None or entry.state is not State.WAITING:
                continue
            self._rank(entry, priority)

    def _rank(self, entry: Entry, priority: float) -> None:
        """Give a waiting URL another priority; another URL of its host may be the best one then."""
        if priority != entry.priority:
            lower = priority < entry.priority
            entry.priority = priority
            self._push(entry)
            if lower:
                self._wake(entry)

    # ── questions ────────────────────────────────────────────────────────────────────────────────

    def states(self, urls: Sequence[Url]) -> list[State | None]:
        known = self._known.get
        return [entry.state if (entry := known(url)) is not None else None for url in urls]

    def settled(self, urls: Sequence[Url]) -> list[bool]:
        known = self._known.get
        return [(entry := known(url)) is not None and entry.state is not State.WAITING for url in urls]

    def repeats(self, urls: Sequence[Url], priorities: Sequence[float]) -> list[bool]:
        return self.settled(urls)

    def sift(self, urls: Sequence[Url], depth: int) -> tuple[list[int], list[int]]:
        bounds = [
            None if (entry := self._known.get(url)) is None else ANY if entry.state is State.WAITING else SETTLED
            for url in urls
        ]
        return sifted(urls, bounds, self.rules.scope, depth)

    def waiting(self, host: str, limit: int) -> list[Waiting]:
        found = [e for e in self._entries if e.state is State.WAITING and authority(e.url) == host_of(host)]
        found.sort(key=lambda e: (-e.priority, e.serial))
        return [Waiting(e.url, e.priority, e.depth, e.note) for e in found[:limit]]

    def queue(self) -> Iterator[Waiting]:
        for entry in self._entries:
            if entry.state is State.WAITING:
                yield Waiting(entry.url, entry.priority, entry.depth, entry.note)

    def visited(self, since: float = ANY) -> Iterator[Visited]:
        for entry in self._entries:
            if entry.visit is not None and entry.visit.at >= since:
                yield Visited(entry.url, entry.depth, entry.note, entry.visit)

    def best(self, until: float) -> float:
        return -(self._all.best_rank() if self._hosts is None else self._hosts.best_rank(until))

    def next_ready(self, now: float, least: float = ANY) -> float | None:
        if not self._counts[State.WAITING]:
            return None
        hosts = self._hosts
        if hosts is None or (hosts.heads and hosts.heads[0][0] <= -least):
            return now
        return max(now, hosts.resting[0][0]) if hosts.resting else None

    def stats(self) -> Stats:
        counts, hosts = self._counts, self._hosts
        return Stats(
            waiting=counts[State.WAITING],
            leased=counts[State.LEASED],
            done=counts[State.DONE],
            dropped=counts[State.DROPPED],
            quarantined=counts[State.QUARANTINED],
            near_duplicates=self._copies,
            requisites=self._requisites,
            wanted=self._wanted,
            pages=self._judged,
            bytes=self._bytes,
            words=self._words,
            hosts=len(hosts) if hosts is not None else 1,
            ready_hosts=len(hosts.heads) if hosts is not None else int(counts[State.WAITING] > 0),
            resting_hosts=len(hosts.resting) if hosts is not None else 0,
        )

    def story(self, url: Url) -> Story | None:
        entry = self._known.get(url)
        if entry is None:
            return None
        return Story(
            entry.url,
            entry.state,
            entry.reason,
            queue_of(entry.url),
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
