"""The frontier of a collection, in one SQLite file.

Leases live in memory: a collection has one owner (its lock), and its workers never share a host, so a URL that is
leased when the process dies simply still waits. `finish` is kept until the next commit, which happens every few pages:
first `before_commit` (the archive is flushed to disk), then all of them with all their links in one transaction. A
host whose page is not committed yet gets no turn, so nobody can tell the difference.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from phasa.frontier.addresses import IN_USE, Addresses
from phasa.frontier.intake import Hash, Hosts, Intake, find_row, url_hash
from phasa.frontier.protocol import Ending, Lease, Offer, Standing, State, Stats, Story, Waiting
from phasa.frontier.ready import AWAKE, Head, Host, Ready
from phasa.frontier.recent import SETTLED, Recent
from phasa.frontier.rules import HOST_SPENT, SITE_SPENT, Rules
from phasa.frontier.store import HostRow, Row, Store
from phasa.frontier.traps import template
from phasa.web.url import Url, authority, registered_domain


class Share:
    """Which of several workers this one is. A site (registered domain) belongs to one worker, with all its hosts."""

    def __init__(self, worker: int = 0, workers: int = 1) -> None:
        self.worker = worker
        self.workers = workers

    def owner(self, site: str) -> int:
        return url_hash(site) % self.workers if self.workers > 1 else 0


ALONE = Share()
Sourced = tuple[Offer, int | str | None]


def _nothing() -> None:
    return None


class SqliteFrontier:
    """See `phasa.frontier.protocol.Frontier`. Raises CollectionError when the file is not a frontier.

    `looking` opens it beside a crawl that may be running: for `story` and `stats`, never for changes.
    """

    GROUP = 64  # pages per transaction at most
    MERGE = 100_000  # new URLs between two merges of the indexes
    LETTERS = 5_000  # offers read from other workers at a time
    IN_LINE = 10.0  # seconds after which a host in line for an address asks again by itself
    PATIENCE = 0.25  # seconds that a finished page may wait for others to share its transaction

    def __init__(
        self,
        path: Path,
        rules: Rules | None = None,
        *,
        share: Share = ALONE,
        before_commit: Callable[[], None] = _nothing,
        hash: Hash = url_hash,
        looking: bool = False,
    ) -> None:
        self.rules = rules or Rules()
        self._store = Store(path, looking=looking)
        self._share = share
        self._before_commit = before_commit
        self._hash = hash
        self._recent = Recent()
        self._hosts = Hosts(self._store, share.owner)
        self._ready = Ready(self._load_hosts)
        self._leases: dict[int, Lease] = {}
        self._pending: dict[int, tuple[Lease, Ending, Sequence[Offer]]] = {}
        self._addresses = Addresses(self.rules.manners.address_delay)
        # When the first host of the pending pages may be asked again, and when the last commit was.
        self._free_at = AWAKE
        self._committed = AWAKE
        self._holding: dict[int, str] = {}
        self._fresh = 0
        self._not_before: float | None = None
        self._now = 0.0
        # Nothing is written by one who only looks, nor after an error of the store.
        self._broken = looking
        if share.worker == 0 and not looking:
            self._open()
        if self.rules.traps is not None:
            self.rules.traps.barren.update(self._store.templates())

    def _open(self) -> None:
        """Mend what a crash left and give hosts to workers; only the first worker does, before the others start."""
        store, share = self._store, self._share
        store.begin()
        store.recover(share.workers)
        store.open_addresses()
        if self.rules.budgets.queue:
            store.index_ranks()
        if (store.meta("workers") or 1) != share.workers:
            store.assign(share.workers, {id: share.owner(name) for id, name in store.sites()})
            store.readdress({url: share.owner(registered_domain(Url(url))) for url in store.unread()})
        store.commit()

    # ── taking in ────────────────────────────────────────────────────────────────────────────────

    def offer(self, offers: Sequence[Offer]) -> list[Standing]:
        self.commit()
        self._store.begin()
        try:
            standings = self._take([(offer, self._source(offer)) for offer in offers])
            self._store.commit()
        except BaseException:
            self._break()
            raise
        self._merge_when_due()
        return standings

    def _source(self, offer: Offer) -> int | str | None:
        """Sources that are pages of ours are kept by number."""
        if not offer.source:
            return None
        row = self._find(Url(offer.source))
        return row.id if row is not None else offer.source

    def _take(self, offers: list[Sourced]) -> list[Standing]:
        """Inside a transaction: take offers in, and let hosts with better heads compete. Offers for the hosts of other
        workers are posted to them; the standings are of ours only."""
        store, share = self._store, self._share
        intake = Intake(store, self.rules, self._recent, self._hosts, self._is_leased, self._hash)
        if share.workers > 1:
            ours, foreign = self._sort(offers)
            store.post(foreign)
            offers = ours
        standings = intake.take(offers)
        intake.write()
        if cap := self.rules.budgets.queue:
            waiting = store.tallies().get("waiting", 0) + intake.counts["waiting"]
            if dropped := intake.keep_cap(waiting, cap):
                standings = [
                    Standing.CAPPED if standing is Standing.NEW and url in dropped else standing
                    for standing, url in zip(standings, (offer.url for offer, _ in offers), strict=True)
                ]
        store.count({name: n for name, n in intake.counts.items() if n})
        self._fresh += intake.size
        self._compete(intake)
        return standings

    def _sort(self, offers: list[Sourced]) -> tuple[list[Sourced], list[tuple[int, Offer]]]:
        """Our offers, and those for other workers with the worker."""
        ours: list[Sourced] = []
        foreign: list[tuple[int, Offer]] = []
        for offer, source in offers:
            owner = self._share.owner(registered_domain(offer.url))
            if owner == self._share.worker:
                ours.append((offer, source))
            else:
                foreign.append((owner, offer))
        return ours, foreign

    def _compete(self, intake: Intake) -> None:
        for id in intake.worse:
            self._renew(id)
        for id, head in intake.better.items():
            if id not in intake.worse and self._ready.improve(id, head) is None and head <= self._ready.floor:
                self._ready.load(self._host(id))

    def _renew(self, id: int) -> None:
        """Look up the head of a host whose queue changed other than for the better."""
        heads = self._store.heads(id, 1)
        head = heads[0] if heads else None
        self._store.set_head(id, head)
        host = self._ready.loaded.get(id)
        if host is not None:
            host.head = head
            self._ready.compete(host)
        elif head is not None and head <= self._ready.floor:
            self._ready.load(self._host(id))

    def _is_leased(self, id: int) -> bool:
        return id in self._leases or id in self._pending

    def sift(self, urls: Sequence[Url]) -> list[State | None]:
        self.commit()
        return [self._state(row) if (row := self._find(url)) is not None else None for url in urls]

    def settled(self, urls: Sequence[Url]) -> list[bool]:
        get = self._recent.get
        return [get(url) == SETTLED for url in urls]

    # ── giving out ───────────────────────────────────────────────────────────────────────────────

    def lease(self, now: float, worker: str = "", n: int = 1) -> list[Lease]:
        self._now = max(self._now, now)
        self._expire(now)
        if self._not_before is None:
            self._not_before = self._start_rest(now)
        if now < self._not_before:
            return []
        leases: list[Lease] = []
        while len(leases) < n:
            host = self._ready.pop(now)
            if host is not None:
                if (lease := self._lease(host, now)) is not None:
                    leases.append(lease)
            elif self._pending and (self._free_at <= now or now >= self._committed + self.PATIENCE):
                self.commit()
                self._committed = now
            else:
                break
        return leases

    def _start_rest(self, now: float) -> float:
        """When the first request may go out: nobody knows what a process that was killed had asked for just before."""
        manners = self.rules.manners
        ended = self._store.meta("ended")
        began = self._store.meta("began")
        self._store.set_meta("began", now)
        rest = max(manners.delay, manners.address_delay)
        if began is None:
            return now
        return min(float(ended), now) + rest if ended is not None and float(ended) >= float(began) else now + rest

    def _lease(self, host: Host, now: float) -> Lease | None:
        """The best URL of a host, unless its address must rest or a budget or a trap is in the way."""
        if host.address and (free_at := self._addresses.free_at(host.address, now)):
            self._ready.rest(host, self._stand_in_line(host, free_at, now))
            return None
        assert host.head is not None
        row = self._store.row(host.head.id)
        refusal = self._refused_late(row)
        if refusal is not None:
            self._refuse(host, row, *refusal)
            return None
        if self.rules.budgets.pages_per_site and self._site_may_be_spent(row):
            self._ready.rest(host, now + max(self.rules.manners.delay, 0.1))
            return None
        host.busy = row.id
        lease = Lease(
            *(row.id, row.url, host.name, row.priority, row.depth),
            *(self._source_url(row.source), row.note or b"", row.attempts, now + self.rules.manners.lease),
            host.failures,
        )
        self._leases[row.id] = lease
        self._recent.put(row.url, SETTLED)
        return lease

    def _refused_late(self, row: Row) -> tuple[State, str] | None:
        """A budget spent or a template found barren after the URL was taken in."""
        budgets, traps = self.rules.budgets, self.rules.traps
        if budgets.pages_per_host or budgets.pages_per_site:
            of_host, of_site = self._taken(row)
            if budgets.pages_per_host and of_host >= budgets.pages_per_host:
                return State.DROPPED, HOST_SPENT
            if budgets.pages_per_site and of_site >= budgets.pages_per_site:
                return State.DROPPED, SITE_SPENT
        if traps is not None and (evidence := traps.found_barren(row.url)):
            return State.QUARANTINED, f"trap: {evidence}"
        return None

    def _taken(self, row: Row) -> tuple[int, int]:
        """Pages taken from the host and the site of a URL, those not committed yet included."""
        of_host, of_site = self._store.taken(row.host, self._store.host(row.host).site)
        site = registered_domain(row.url)
        done = (lease.url for lease, ending, _ in self._pending.values() if ending.state is State.DONE)
        return of_host, of_site + sum(registered_domain(url) == site for url in done)

    def _site_may_be_spent(self, row: Row) -> bool:
        """Whether the pages that are being fetched now may spend the budget of this URL's site."""
        site = registered_domain(row.url)
        leased = sum(registered_domain(lease.url) == site for lease in self._leases.values())
        return self._taken(row)[1] + leased >= self.rules.budgets.pages_per_site

    def _refuse(self, host: Host, row: Row, state: State, reason: str) -> None:
        self.commit()
        self._store.begin()
        if state is State.QUARANTINED:
            self._settle(row, state, reason)
        else:
            # A spent budget refuses every URL of the host alike.
            n = self._store.drop_queue(host.id, state, reason)
            self._store.count({"waiting": -n, "dropped": n})
        self._renew(host.id)
        self._store.commit()

    def _settle(self, row: Row, state: State, reason: str) -> None:
        self._store.move(row.id, state, reason, row.attempts)
        self._store.unqueue(row.host, -row.priority, row.id)
        self._store.count({"waiting": -1, _tally(state): 1})
        self._recent.put(row.url, SETTLED)

    def _expire(self, now: float) -> None:
        # Leases are given out in the order of time and all last as long: the oldest comes first.
        for lease in list(self._leases.values()):
            if lease.expires > now:
                break
            self._give_back(lease, AWAKE)

    def _give_back(self, lease: Lease, until: float) -> None:
        if self._leases.get(lease.id) is not lease:
            return
        del self._leases[lease.id]
        if lease.id in self._holding:
            self._release_address(lease, None)
        self._recent.forget(lease.url)
        host = self._host_of(lease)
        host.busy = 0
        if until > AWAKE:
            self._ready.rest(host, until)
        else:
            self._ready.compete(host)

    def admit(self, lease: Lease, address: str, now: float) -> float:
        if self._leases.get(lease.id) is not lease:
            return 0.0
        host = self._host_of(lease)
        host.address = address
        free_at = self._addresses.free_at(address, now)
        if not free_at and self._share.workers > 1 and self.rules.manners.address_delay:
            self._store.begin()
            free_at = self._store.claim_address(address, now, lease.expires)
            self._store.commit()
            if free_at:
                # Another worker has it, and cannot wake us.
                free_at = min(free_at, now + max(1.0, self.rules.manners.address_delay))
        if free_at:
            until = self._stand_in_line(host, free_at, now)
            self._give_back(lease, until)
            return until
        self._addresses.use(address)
        self._holding[lease.id] = address
        return 0.0

    def _stand_in_line(self, host: Host, free_at: float, now: float) -> float:
        """Until when a host rests whose address is busy: it is woken earlier when the address is released."""
        if free_at < IN_USE:
            return free_at
        self._addresses.queue(host.address, host.id)
        return now + self.IN_LINE

    def _release_address(self, lease: Lease, asked: float | None, address: str = "") -> None:
        """The request of a lease is over: its address rests, and those in line for it hear when it is free."""
        held = self._holding.pop(lease.id, "")
        for name in {held, address} - {""}:
            free_at, waiting = self._addresses.release(name, asked, self._now)
            for id in waiting:
                if (host := self._ready.loaded.get(id)) is not None and not host.busy:
                    self._ready.rest(host, free_at)
            if self._share.workers > 1:
                self._store.close_address(name, free_at)

    def hold(self, lease: Lease, until: float, asked: float | None = None) -> None:
        if lease.id in self._leases:
            self._now = max(self._now, asked or 0.0)
            self._release_address(lease, asked)
            self._give_back(lease, until)

    # ── ending ───────────────────────────────────────────────────────────────────────────────────

    def finish(self, lease: Lease, ending: Ending, found: Sequence[Offer] = ()) -> None:
        if self._leases.get(lease.id) is not lease:
            return  # it expired and is somebody else's now
        del self._leases[lease.id]
        free_at = ending.at + ending.pause
        self._free_at = min(self._free_at, free_at) if self._pending else free_at
        self._pending[lease.id] = (lease, ending, found)
        self._now = max(self._now, ending.at)
        # At once, not with the commit: hosts of the same address may be leased before it.
        self._release_address(lease, ending.at, ending.address)
        if len(self._pending) >= self.GROUP:
            self.commit()

    def commit(self) -> None:
        if self._broken or (not self._pending and not self._has_letters()):
            return
        self._before_commit()
        pending, self._pending = self._pending, {}
        self._store.begin()
        try:
            ended = [self._end(lease, ending) for lease, ending, _ in pending.values()]
            last, letters = self._letters()
            found = ((offer, _source_id(offer, lease)) for lease, _, offers in pending.values() for offer in offers)
            self._take([*found, *((offer, self._source(offer)) for offer in letters)])
            if last:
                self._store.read_letters(self._share.worker, last)
            for host, ending in ended:
                self._end_turn(host, ending)
            self._store.commit()
        except BaseException:
            self._break()
            raise
        self._merge_when_due()

    def _break(self) -> None:
        """The disk is full, or worse: nothing of this transaction happened, and what is in memory may not be used."""
        self._store.rollback()
        self._broken = True

    def _has_letters(self) -> bool:
        return self._share.workers > 1 and bool(self._store.letters(self._share.worker, 1)[0])

    def _letters(self) -> tuple[int, list[Offer]]:
        return self._store.letters(self._share.worker, self.LETTERS) if self._share.workers > 1 else (0, [])

    def _end(self, lease: Lease, ending: Ending) -> tuple[Host, Ending]:
        """Inside a transaction: the URL's part of a finish."""
        store, host, visit = self._store, self._host_of(lease), ending.visit
        store.move(lease.id, ending.state, ending.reason, lease.attempts + 1)
        counts: dict[str, int] = {}
        if ending.state is State.WAITING:
            self._recent.forget(lease.url)
        else:
            store.unqueue(host.id, -lease.priority, lease.id)
            counts = {"waiting": -1, _tally(ending.state): 1}
        if visit is not None:
            store.add_visit(lease.id, visit)
            counts["bytes"] = visit.size
            counts["words"] = visit.words
            if visit.wanted is not None:
                counts["judged"] = 1
                counts["wanted"] = int(visit.wanted)
            traps = self.rules.traps
            if traps is not None and (evidence := traps.saw(lease.url, visit.digest)):
                store.add_template(template(lease.url), evidence)
        if ending.state is State.DONE:
            ids = self._hosts.find(host.name)
            assert ids is not None
            store.took_page(*ids)
        store.count(counts)
        return host, ending

    def _end_turn(self, host: Host, ending: Ending) -> None:
        """Inside a transaction, after the links were taken in: the host's part of a finish."""
        host.busy = 0
        host.address = ending.address or host.address
        host.failures = host.failures + 1 if ending.failed else 0
        until = ending.at + ending.pause
        self._ready.rest(host, until)
        note = ending.reason if ending.failed or ending.state is State.WAITING else ""
        self._store.end_turn(host.id, until, ending.pause, host.address, host.failures, note)
        if host.failures >= self.rules.manners.failures:
            n = self._store.drop_queue(host.id, State.DROPPED, f"host given up: {ending.reason}")
            self._store.count({"waiting": -n, "dropped": n})
            host.failures = 0
            self._recent.clear()
        self._renew(host.id)

    def drop(self, url: Url, reason: str) -> bool:
        self.commit()
        row = self._find(url)
        if row is None or self._state(row) is not State.WAITING:
            return False
        self._store.begin()
        self._settle(row, State.DROPPED, reason)
        self._renew(row.host)
        self._store.commit()
        return True

    def requeue(self, url: Url, priority: float | None = None) -> bool:
        self.commit()
        row = self._find(url)
        if row is None or row.state == State.WAITING:
            return False
        self._store.begin()
        self._requeue(row, row.priority if priority is None else priority)
        self._store.commit()
        return True

    def _requeue(self, row: Row, priority: float) -> None:
        self._store.change(row, priority, row.note)
        self._store.move(row.id, State.WAITING, "", 0)
        self._store.enqueue(row.host, -priority, row.id)
        self._store.count({"waiting": 1, _tally(State(row.state)): -1})
        self._recent.forget(row.url)
        self._renew(row.host)

    def release(self, text: str = "") -> int:
        """Let quarantined URLs whose evidence contains `text` wait again and trust their templates; how many."""
        self.commit()
        self._store.begin()
        for key, evidence in self._store.templates().items():
            if text in evidence:
                self._store.remove_template(key)
                if self.rules.traps is not None:
                    self.rules.traps.release(key)
        rows = [row for row in self._store.by_reason(State.QUARANTINED, "%") if text in f"{row.url} {row.reason}"]
        for row in rows:
            self._requeue(row, row.priority)
        self._store.commit()
        return len(rows)

    def reprioritise(self, changes: Sequence[tuple[Url, float]]) -> int:
        self.commit()
        count = 0
        self._store.begin()
        for url, priority in changes:
            row = self._find(url)
            if row is None or self._state(row) is not State.WAITING:
                continue
            count += 1
            if priority != row.priority:
                self._store.change(row, priority, row.note)
                self._recent.forget(url)
                self._renew(row.host)
        self._store.commit()
        return count

    # ── looking ──────────────────────────────────────────────────────────────────────────────────

    def waiting(self, host: str, limit: int) -> list[Waiting]:
        self.commit()
        ids = self._hosts.find(host)
        if ids is None:
            return []
        rows = [self._store.row(head.id) for head in self._store.heads(ids[0], limit + 1)]
        kept = [row for row in rows if not self._is_leased(row.id)][:limit]
        return [Waiting(row.url, row.priority, row.depth, row.note or b"") for row in kept]

    def next_ready(self, now: float) -> float | None:
        if self._pending and now < self._committed + self.PATIENCE:
            return min(max(now, self._free_at), self._committed + self.PATIENCE)
        self.commit()
        self._committed = now
        if self._not_before is not None and now < self._not_before:
            return self._not_before
        if self._store.tallies().get("waiting", 0) <= len(self._leases):
            return None
        if self._ready.competing():
            return now
        time = self._ready.next_time()
        return None if time is None else max(now, time)

    def stats(self) -> Stats:
        self.commit()
        tally = self._store.tallies()
        return Stats(
            waiting=tally.get("waiting", 0) - len(self._leases),
            leased=len(self._leases),
            ready_hosts=len(self._ready),
            resting_hosts=self._ready.resting,
            **{
                name: tally.get(name, 0)
                for name in ("done", "dropped", "quarantined", "wanted", "judged", "bytes", "words", "hosts")
            },
        )

    def story(self, url: Url) -> Story | None:
        self.commit()
        row = self._find(url)
        if row is None:
            return None
        host = self._store.host(row.host)
        return Story(
            *(row.url, self._state(row), row.reason or "", host.name, row.priority, row.depth),
            *(self._source_url(row.source), row.note or b"", row.attempts, self._store.visit(row.id), host.note),
        )

    def ask(self, query: str, values: Sequence[object] = ()) -> list[tuple[object, ...]]:
        """The rows of a query that only reads: for reports."""
        self.commit()
        return self._store.db.execute(query, tuple(values)).fetchall()

    def close(self) -> None:
        store = self._store
        if not self._broken:
            self.commit()
            store.begin()
            store.merge(self._share.worker, store.last_id())
            if self._not_before is not None:
                store.set_meta("ended", self._now)
            store.commit()
        store.close()

    # ── small things ─────────────────────────────────────────────────────────────────────────────

    def _find(self, url: Url) -> Row | None:
        ids = self._hosts.find(authority(url))
        if ids is None:
            return None
        return find_row(self._store, ids[0], self._hash(url), url)

    def _state(self, row: Row) -> State:
        return State.LEASED if row.id in self._leases else State(row.state)

    def _source_url(self, source: int | str | None) -> str:
        return self._store.row(source).url if isinstance(source, int) else source or ""

    def _host_of(self, lease: Lease) -> Host:
        ids = self._hosts.find(lease.host)
        assert ids is not None
        host = self._ready.loaded.get(ids[0])
        if host is None:
            host = self._host(ids[0])
            self._ready.loaded[host.id] = host
        return host

    def _host(self, id: int) -> Host:
        return self._awake(self._store.host(id))

    def _load_hosts(self, floor: Head, n: int) -> list[Host]:
        return [self._awake(row) for row in self._store.hosts_after(self._share.worker, floor, n)]

    def _awake(self, row: HostRow) -> Host:
        host = Host(row.id, row.name, Head(row.rank, row.head or 0) if row.rank is not None else None)
        host.address, host.failures = row.address, row.failures
        # A clock that was set back must not make a host rest for longer than it was told to.
        until = min(row.until, self._now + row.rest)
        host.until = until if until > self._now else AWAKE
        return host

    def _merge_when_due(self) -> None:
        if self._fresh < self.MERGE:
            return
        self._store.begin()
        self._store.merge(self._share.worker, self._store.last_id())
        self._store.commit()
        self._fresh = 0


def _tally(state: State) -> str:
    return {State.DONE: "done", State.DROPPED: "dropped", State.QUARANTINED: "quarantined"}[state]


def _source_id(offer: Offer, lease: Lease) -> int | str | None:
    return lease.id if offer.source == lease.url else offer.source or None
