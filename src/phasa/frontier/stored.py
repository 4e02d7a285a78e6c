"""A frontier that is kept in a database: what is done, in which order, in which transaction.

Leases live in memory: a host belongs to one process at a time, so a URL that is leased when the process dies simply
still waits.

Commits are shared by groups of pages. `finish` and `reprioritise` keep what they are told until the next commit: first
`before_commit` (the archive is flushed to disk), then all of it, with all links, in one short transaction, so that
several workers can take turns; last the lines of the log (`outbox`). A host whose page is not committed yet gets no
turn, so the order of leases is the same as if every page were committed at once.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

import msgspec

from phasa.frontier.inbox import Inbox, Partition
from phasa.frontier.index import Head, QueueIndex
from phasa.frontier.offer_batch import OfferBatch, Sourced
from phasa.frontier.origins import other_origin
from phasa.frontier.outbox import Outbox, Unsettled
from phasa.frontier.politeness import AWAKE
from phasa.frontier.protocol import (
    ANY,
    REQUISITE,
    DuePage,
    Ending,
    Lease,
    Offer,
    OfferResult,
    Pace,
    Rediscovery,
    Rescoped,
    State,
    Stats,
    Story,
    Visited,
    Waiting,
)
from phasa.frontier.recent import SETTLED, RecentOffers, sifted
from phasa.frontier.revisits import RevisitTable
from phasa.frontier.row import Row
from phasa.frontier.rules import Rules
from phasa.frontier.schedule import Host, HostSchedule
from phasa.frontier.storage import NOTE, Storage, as_number
from phasa.frontier.tables import HostTable, UrlTable
from phasa.frontier.transitions import Transitions
from phasa.web.url import Url, registered_domain

log = logging.getLogger(__name__)


def nothing() -> None: ...


class Tables(NamedTuple):
    """The tables of a frontier, of one kind of database."""

    db: Storage
    entries: QueueIndex
    hosts: HostTable
    urls: UrlTable
    inbox: Inbox
    revisits: RevisitTable
    outbox: Outbox


class StoredFrontier:
    """See `phasa.frontier.protocol.Frontier`. `SqliteFrontier` and `PostgresFrontier` open its tables.

    `partition`: the sites of this process when it is one of several workers."""

    GROUP = 64  # pages per transaction at most
    CHANGES = 10_000  # new priorities that wait for the next transaction at most
    PATIENCE = 0.25  # seconds that a finished page may wait for others to share its transaction

    def __init__(
        self,
        tables: Tables,
        rules: Rules,
        partition: Partition,
        before_commit: Callable[[], None] = nothing,
        ready_hosts: int = 1_024,
    ) -> None:
        self.rules = rules
        self._db = db = tables.db
        self._partition = partition
        self._before_commit = before_commit
        self._adopt_links: Callable[[Sequence[Offer]], Sequence[Offer]] = lambda offers: offers
        self._recent = RecentOffers()
        self._index = tables.entries
        self._hosts = tables.hosts
        self._urls = tables.urls
        self._inbox = tables.inbox
        self._schedule = self._make_schedule(ready_hosts)
        self._revisits = tables.revisits
        self._transitions = Transitions(
            db, self._urls, self._hosts, self._schedule, self._recent, rules, self._revisits
        )
        self._leases: dict[int, Lease] = {}
        # What the next commit writes: finished leases with the links of their pages, and new priorities.
        self._finished: dict[int, tuple[Lease, Ending, Sequence[Offer]]] = {}
        self._changes: dict[Url, float] = {}
        # When the first host of the finished pages may be asked again, and when `lease` committed last.
        self._free_at = AWAKE
        self._committed = AWAKE
        self._not_before: float | None = None
        # Nothing is written after an error of the database.
        self._closed_to_writes = False
        self.outbox = tables.outbox

    def _make_schedule(self, ready_hosts: int) -> HostSchedule:
        return HostSchedule(
            self._db, self._hosts, self._index, self._inbox, self._partition, self.rules.manners, ready_hosts
        )

    @property
    def epoch(self) -> int:
        """The owner that this frontier writes for: for the workers that share it."""
        return self._db.epoch or 0

    def pass_links(self, evidence: Callable[[Url], bytes], adopt: Callable[[Sequence[Offer]], Sequence[Offer]]) -> None:
        """Among several workers: `evidence` goes as the note of a link without one to the worker that owns its site,
        and `adopt` makes of such links, when they come from others, what this worker takes in."""
        self._inbox.evidence, self._adopt_links = evidence, adopt

    @property
    def partition(self) -> Partition:
        """Which sites are this process's."""
        return self._partition

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        """All or nothing. After an error (the disk is full, or worse) what is in memory may not be used, and nothing
        more is written."""
        try:
            self._db.begin()
            yield
            self._db.commit()
        except BaseException as problem:
            why = " ".join(f"{type(problem).__name__}: {problem}".split())[:300]
            log.info("a transaction of the frontier failed, nothing of it was written, nothing more will be: %s", why)
            self._db.rollback()
            self._closed_to_writes = True
            raise

    # ── taking in ────────────────────────────────────────────────────────────────────────────────

    def offer(self, offers: Sequence[Offer]) -> list[OfferResult]:
        self.commit()
        with self._transaction():
            sources = {source: self._urls.source(source) for source in {offer.source for offer in offers} if source}
            results = self._take([(offer, sources.get(offer.source)) for offer in offers])
        self._merge_when_due()
        return results

    def _take(self, offers: Sequence[Sourced]) -> list[OfferResult]:
        """Inside a transaction: take offers in, and let hosts with better heads compete. Offers for the hosts of other
        workers are sent to them; the results are of ours only."""
        batch = OfferBatch(self._urls, self._hosts, self.rules, self._recent, self._is_leased)
        if not self._partition.alone:
            offers = self._inbox.send(offers)
        results = batch.take(offers)
        batch.write()
        if cap := self.rules.budgets.queue:
            waiting = self._db.tallies().get("waiting", 0) + batch.counts["waiting"]
            if dropped := batch.keep_cap(waiting, cap):
                results = [
                    OfferResult.CAPPED if result is OfferResult.NEW and offer.url in dropped else result
                    for result, (offer, _) in zip(results, offers, strict=True)
                ]
        self._db.count({name: n for name, n in batch.counts.items() if n})
        self._schedule.compete(batch.better, batch.worse)
        return results

    # ── giving out ───────────────────────────────────────────────────────────────────────────────

    def lease(self, now: float, n: int = 1, least: float = ANY) -> list[Lease]:
        self._schedule.hear(now)
        self._expire(now)
        if self._not_before is None:
            self._not_before = self._schedule.begin(now)
        if now < self._not_before or self._closed_to_writes:
            return []
        if now >= self._committed + self.PATIENCE:
            self.commit()
            self._committed = now
        leases: list[Lease] = []
        while len(leases) < n:
            host = self._schedule.ready.pop(now, -least)
            if host is not None:
                if (lease := self._lease(host, now)) is not None:
                    leases.append(lease)
            elif self._commit_helps(now):
                self.commit()
                self._committed = now
            else:
                break
        return leases

    def _commit_helps(self, now: float) -> bool:
        """Whether a commit may bring hosts that can be asked now."""
        return self._free_at <= now if self._finished else self._inbox.has_offers()

    def _lease(self, host: Host, now: float) -> Lease | None:
        """The best URL of a host, unless its address must rest or a budget or a trap is in the way."""
        if self._schedule.must_wait(host, now):
            return None
        assert host.head is not None
        row = self._urls.row(host.head.id)
        if (row.note or b"").startswith(REQUISITE):
            return self._lease_row(host, row, now)
        of_host, of_site, out = self._pages_of(row) if self.rules.counts_pages else (0, 0, 0)
        if (refusal := self.rules.refuse_late(row.url, of_host, of_site)) is not None:
            self._refuse(row, *refusal)
            return None
        if self.rules.spent(of_host, of_site + out):
            # The pages that are being fetched may spend the budget of the site: wait for them.
            self._schedule.ready.rest(host, now + max(self.rules.manners.delay, 0.1))
            return None
        return self._lease_row(host, row, now)

    def _lease_row(self, host: Host, row: Row, now: float) -> Lease:
        self._schedule.take(host, row.id)
        lease = Lease(
            *(row.id, row.url, host.name, row.priority, row.depth),
            *(self._urls.source_url(row.source), row.note or b"", row.attempts, now + self.rules.manners.lease),
            host.failures,
            self._revisits.seen(row.id),
        )
        self._leases[row.id] = lease
        self._recent.put(row.url, SETTLED)
        return lease

    def lease_url(self, url: Url, now: float) -> Lease | None:
        """A lease of this very URL, whatever its turn and manners say: for what was fetched before (`phasa repair`).
        None when it does not wait."""
        row = self._urls.find(url)
        if row is None or self._state(row) is not State.WAITING:
            return None
        self._schedule.hear(now)
        host = self._schedule.loaded(row.host)
        if host.busy:
            self.commit()
        host.head = Head(-row.priority, row.id)
        return self._lease_row(host, row, now)

    def _pages_of(self, row: Row) -> tuple[int, int, int]:
        """Pages taken from the host of a URL, from its site, and pages of the site that are being fetched."""
        of_host, of_site = self._hosts.taken(row.host)
        site = registered_domain(row.url)
        done = (lease.url for lease, ending, _ in self._finished.values() if ending.state is State.DONE)
        of_site += sum(registered_domain(url) == site for url in done)
        return of_host, of_site, sum(registered_domain(lease.url) == site for lease in self._leases.values())

    def _refuse(self, row: Row, state: State, reason: str) -> None:
        self.commit()
        with self._transaction():
            self._transitions.refuse(row, state, reason)

    def _expire(self, now: float) -> None:
        # Leases are given out in the order of time and all last as long: the oldest comes first.
        for lease in list(self._leases.values()):
            if lease.expires > now:
                break
            log.info("lease of %s expired: it waits again", lease.url)
            self._give_back(lease, AWAKE)

    def _give_back(self, lease: Lease, until: float) -> None:
        if self._leases.get(lease.id) is lease:
            del self._leases[lease.id]
            self._recent.forget(lease.url)
            self._schedule.give_back(lease, until)

    def admit(self, lease: Lease, address: str, now: float) -> float:
        if self._leases.get(lease.id) is not lease:
            return 0.0
        until = self._schedule.claim(lease, self._schedule.host_of(lease), address, now)
        if until:
            self._give_back(lease, until)
        return until

    def assure(self) -> None:
        """A request is about to be sent. Raises SupersededError when others have taken the sites of this worker while
        it was still; no other process can have those of a file."""

    def hold(self, lease: Lease, until: float, asked: float | None = None) -> None:
        if lease.id in self._leases:
            self._schedule.hear(asked or 0.0)
            self._schedule.release(lease, asked)
            self._give_back(lease, until)
            self._schedule.rest_host(lease, until)

    # ── ending ───────────────────────────────────────────────────────────────────────────────────

    def finish(self, lease: Lease, ending: Ending, found: Sequence[Offer] = ()) -> None:
        if self._leases.get(lease.id) is not lease:
            return  # it expired and is somebody else's now
        del self._leases[lease.id]
        free_at = ending.at + ending.pause
        self._free_at = min(self._free_at, free_at) if self._finished else free_at
        self._finished[lease.id] = (lease, ending, found)
        self._schedule.hear(ending.at)
        # At once, not with the commit: hosts of the same address may be leased before it.
        self._schedule.release(lease, ending.at, ending.address)
        self._schedule.rest_host(lease, ending.at + ending.host_rest)
        if len(self._finished) >= self.GROUP:
            self.commit()

    def commit(self) -> None:
        if self._closed_to_writes or not (self._finished or self._changes or self._inbox.has_offers()):
            return
        self._before_commit()
        finished, self._finished = list(self._finished.values()), {}
        changes, self._changes = self._changes, {}
        with self._transaction():
            leases = [(lease, ending) for lease, ending, _ in finished]
            with self._db.together():
                ended = self._transitions.end_leases(leases)
                self.outbox.store(leases)
            found = [(offer, _source_id(offer, lease)) for lease, _, offers in finished for offer in offers]
            letters = self._adopt_links(self._inbox.take())
            self._take([*found, *((offer, self._urls.source(offer.source)) for offer in letters)])
            self._transitions.reprioritise(self._ours(changes), self._leases)
            with self._db.together():
                self._transitions.end_turns(ended)
        self.outbox.deliver()
        self._merge_when_due()

    def complete_log(self, worker: int) -> None:
        """Append to the log what the worker of this number had committed and could not write before it was killed."""
        with self._transaction():
            self.outbox.recover(worker)

    def recall(self, found: Sequence[Unsettled], marks: dict[int, str]) -> list[Unsettled]:
        """Remember answers in the archive that no commit knew, up to those marks (`outbox`). All that are remembered,
        of URLs that still wait."""
        with self._transaction():
            self.outbox.remember(found, marks)
            return self.outbox.keep(lambda url: self.states([Url(url)])[0] is State.WAITING)

    def drop(self, url: Url, reason: str) -> bool:
        self.commit()
        row = self._urls.find(url)
        if row is None or self._state(row) is not State.WAITING:
            return False
        with self._transaction():
            self._transitions.settle(row, State.DROPPED, reason)
        return True

    def requeue(self, url: Url, priority: float | None = None) -> bool:
        self.commit()
        row = self._urls.find(url)
        if row is None or row.state == State.WAITING:
            return False
        with self._transaction():
            self._transitions.requeue(row, row.priority if priority is None else priority)
        return True

    def wake(self, until: float, rested: float, most: int) -> int:
        if not self._revisits.used:
            return 0
        self.commit()
        best = self.best(until)
        with self._transaction():
            return self._transitions.wake(until, rested, most, best)

    def hasten(self, pages: Sequence[tuple[Url, float]], now: float) -> list[Url]:
        self.commit()
        if not self._revisits.used:
            return []
        with self._transaction():
            rows = self._urls.find_many([url for url, _ in pages])
            return [url for url, at in pages if url in rows and self._revisits.hasten(rows[url].id, at, now)]

    def due_pages(self, after: int, most: int) -> list[DuePage]:
        self.commit()
        return self._revisits.due_pages(after, most) if self._revisits.used else []

    def reschedule(self, dues: Sequence[tuple[int, float]]) -> None:
        with self._transaction():
            self._revisits.reschedule(dues)

    def note(self, name: str) -> float | None:
        return as_number(self._db.meta(NOTE + name))

    def keep_note(self, name: str, value: float) -> None:
        with self._transaction():
            self._db.set_meta(NOTE + name, value)

    def next_due(self) -> float | None:
        return self._revisits.next_due()

    def paces(self, most: int) -> list[Pace]:
        return self._revisits.paces(most)

    def release(self, text: str = "") -> int:
        self.commit()
        with self._transaction():
            return self._transitions.release(text)

    def rescope(self, after: int = 0, most: int = 1_000) -> Rescoped:
        """Look again, in one transaction, at the next URLs that the scope refused, behind the number `after`; those
        that it takes now wait again."""
        self.commit()
        with self._transaction():
            return self._transitions.rescope(after, most)

    def write_scope(self, scope: str, *, anew: bool) -> None:
        """Write down the scope by which URLs are dropped; unless `anew`, only where nothing was taken in so far."""
        if anew or self._urls.is_empty():
            with self._transaction():
                self._db.set_meta("scope", scope)

    def _ours(self, changes: dict[Url, float]) -> dict[Url, float]:
        """The changes of URLs on our own sites. A strategy also has an opinion of links that it found for others; to
        heed it here would put their hosts into our queue, and each would be asked by two."""
        if self._partition.alone:
            return changes
        return {url: rank for url, rank in changes.items() if self._partition.owns(registered_domain(url))}

    def reprioritise(self, changes: Sequence[tuple[Url, float]]) -> None:
        self._changes.update(changes)
        if len(self._changes) >= self.CHANGES:
            self.commit()

    # ── questions: they write nothing ────────────────────────────────────────────────────────────

    def states(self, urls: Sequence[Url]) -> list[State | None]:
        found = self._urls.find_many(urls)
        return [self._state(row) if (row := found.get(url)) is not None else None for url in urls]

    def settled(self, urls: Sequence[Url]) -> list[bool]:
        return self._recent.settled(urls)

    def repeats(self, urls: Sequence[Url], priorities: Sequence[float]) -> list[bool]:
        rule, bounds = self.rules.rediscovery, self._recent.bounds(urls)
        if rule is Rediscovery.LATEST:  # what others of the same transaction offer may be the latest by then
            return [bound == SETTLED for bound in bounds]
        if rule is Rediscovery.FIRST:
            return [bound is not None for bound in bounds]
        return [bound is not None and priority <= bound for bound, priority in zip(bounds, priorities, strict=True)]

    def sift(self, urls: Sequence[Url], depth: int) -> tuple[list[int], list[int]]:
        return sifted(urls, self._recent.bounds(urls), self.rules.scope, depth)

    def waiting(self, host: str, limit: int) -> list[Waiting]:
        ids = self._hosts.find_many({host, other_origin(host)}).values()
        heads = sorted(head for id in ids for head in self._index.waiting(id, limit + 1))
        rows = [self._urls.row(head.id) for head in heads[: limit + 1]]
        kept = [row for row in rows if not self._is_leased(row.id)][:limit]
        return [Waiting(row.url, row.priority, row.depth, row.note or b"") for row in kept]

    def queue(self) -> Iterator[Waiting]:
        return (
            Waiting(row.url, row.priority, row.depth, row.note or b"")
            for row in self._urls.waiting()
            if not self._is_leased(row.id)
        )

    def visited(self, since: float = ANY) -> Iterator[Visited]:
        return self._urls.visited(since)

    def best(self, until: float) -> float:
        # Hosts whose pages are not committed have no turn, but will have one: their next page is taken to be as good.
        soon = (lease.priority for lease, ending, _ in self._finished.values() if ending.at + ending.pause <= until)
        return max(-self._schedule.ready.best(until), max(soon, default=ANY))

    def next_ready(self, now: float, least: float = ANY) -> float | None:
        if self._finished:
            # `lease` commits them when the first of their hosts may be asked again, or they waited long enough.
            return max(now, min(self._free_at, self._committed + self.PATIENCE))
        if self._not_before is not None and now < self._not_before:
            return self._not_before
        if self._inbox.has_offers():
            return now
        if self._db.tallies().get("waiting", 0) <= len(self._leases):
            return None
        ready = self._schedule.ready
        if ready.competing(-least):
            return now
        time = ready.next_time()
        return None if time is None else max(now, time)

    def stats(self) -> Stats:
        counts = Stats.of(self._db.tallies(), len(self._leases) + len(self._finished))
        ready = self._schedule.ready
        return msgspec.structs.replace(counts, ready_hosts=len(ready), resting_hosts=ready.resting)

    def story(self, url: Url) -> Story | None:
        row = self._urls.find(url)
        return self._urls.story(row, self._state(row)) if row is not None else None

    # ── small things ─────────────────────────────────────────────────────────────────────────────

    def _is_leased(self, id: int) -> bool:
        return id in self._leases or id in self._finished

    def _state(self, row: Row) -> State:
        return State.LEASED if self._is_leased(row.id) else State(row.state)

    def _merge_when_due(self) -> None:
        if self._index.merge_due:
            with self._transaction():
                self._urls.merge()

    def close(self) -> None:
        if not self._closed_to_writes:
            self.commit()
            with self._transaction():
                self._last_words()
                self.outbox.close()
                if self._not_before is not None:
                    self._db.set_meta("ended", self._schedule.now)
        self._db.close()

    def _last_words(self) -> None:
        """What a frontier of this kind writes when it is closed in good order. Inside a transaction."""
        self._urls.merge()


def _source_id(offer: Offer, lease: Lease) -> int | str | None:
    return lease.id if offer.source == lease.url else offer.source or None
