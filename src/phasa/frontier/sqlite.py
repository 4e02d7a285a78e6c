"""The frontier of a collection, in one SQLite file.

Leases live in memory: a collection has one owner (its lock), and its workers never share a host, so a URL that is
leased when the process dies simply still waits. `finish` is kept until the next commit, which happens every few pages:
first `before_commit` (the archive is flushed to disk), then all of them with all their links in one transaction. A
host whose page is not committed yet gets no turn, so nobody can tell the difference.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from phasa.frontier.database import Database
from phasa.frontier.host_table import HostTable
from phasa.frontier.intake import Hash, Intake, Sourced, url_hash
from phasa.frontier.ledger import Ledger
from phasa.frontier.mailbox import ALONE as ALONE
from phasa.frontier.mailbox import Mailbox
from phasa.frontier.mailbox import Share as Share
from phasa.frontier.protocol import Ending, Lease, Offer, Standing, State, Stats, Story, Waiting
from phasa.frontier.ready import AWAKE, Host
from phasa.frontier.recent import SETTLED, Recent
from phasa.frontier.rules import Rules
from phasa.frontier.spending import Spending
from phasa.frontier.turns import Turns
from phasa.frontier.url_table import Row, UrlTable
from phasa.web.url import Url


def _nothing() -> None: ...


class SqliteFrontier:
    """See `phasa.frontier.protocol.Frontier`. Raises CollectionError when the file is not a frontier.

    `looking` opens it beside a crawl that may be running: for `story` and `stats`, never for changes.
    """

    GROUP = 64  # pages per transaction at most
    CHANGES = 10_000  # new priorities that wait for the next transaction at most
    PATIENCE = 0.25  # seconds that a finished page may wait for others to share its transaction

    def __init__(
        self,
        path: Path,
        rules: Rules | None = None,
        *,
        share: Share = ALONE,
        before_commit: Callable[[], None] = _nothing,
        hash: Hash = url_hash,
        read_only: bool = False,
    ) -> None:
        self.rules = rules = rules or Rules()
        self._db = Database(path, read_only=read_only)
        self._share = share
        self._before_commit = before_commit
        self._hash = hash
        self._recent = Recent()
        self._urls = UrlTable(self._db, share.worker, share.workers, read_only=read_only)
        self._hosts = HostTable(self._db, share.owner)
        self._mail = Mailbox(self._db, share)
        self._turns = Turns(self._db, self._urls, self._hosts, self._mail, share, rules.manners)
        self._ledger = Ledger(self._db, self._urls, self._hosts, self._turns, self._recent, rules, hash)
        self._spending = Spending(rules, self._hosts)
        self._leases: dict[int, Lease] = {}
        self._pending: dict[int, tuple[Lease, Ending, Sequence[Offer]]] = {}
        self._changes: dict[Url, float] = {}
        # When the first host of the pending pages may be asked again, and when the last commit was.
        self._free_at = AWAKE
        self._committed = AWAKE
        self._not_before: float | None = None
        # Nothing is written by one who only looks, nor after an error of the store.
        self._broken = read_only
        if share.worker == 0 and not read_only:
            self._open()
        if rules.budgets.queue and not read_only:
            self._urls.index_ranks()
        if rules.traps is not None:
            rules.traps.barren.update(self._db.templates())

    def _open(self) -> None:
        """Mend what a crash left and give hosts to workers; only the first worker does, before the others start."""
        self._db.begin()
        self._urls.recover()
        self._mail.open_addresses()
        if (self._db.meta("workers") or 1) != self._share.workers:
            self._hosts.assign(self._share.workers)
            self._mail.readdress()
        self._db.commit()

    # ── taking in ────────────────────────────────────────────────────────────────────────────────

    def offer(self, offers: Sequence[Offer]) -> list[Standing]:
        self.commit()
        self._db.begin()
        try:
            standings = self._take([(offer, self._ledger.source(offer) if offer.source else None) for offer in offers])
            self._db.commit()
        except BaseException:
            self._break()
            raise
        self._merge_when_due()
        return standings

    def _take(self, offers: Sequence[Sourced]) -> list[Standing]:
        """Inside a transaction: take offers in, and let hosts with better heads compete. Offers for the hosts of other
        workers are posted to them; the standings are of ours only."""
        intake = Intake(self._urls, self._hosts, self.rules, self._recent, self._is_leased, self._hash)
        if not self._share.alone:
            offers = self._mail.sort(offers)
        standings = intake.take(offers)
        intake.write()
        if cap := self.rules.budgets.queue:
            waiting = self._db.tallies().get("waiting", 0) + intake.counts["waiting"]
            if dropped := intake.keep_cap(waiting, cap):
                standings = [
                    Standing.CAPPED if standing is Standing.NEW and url in dropped else standing
                    for standing, url in zip(standings, (offer.url for offer, _ in offers), strict=True)
                ]
        self._db.count({name: n for name, n in intake.counts.items() if n})
        self._turns.compete(intake.better, intake.worse)
        return standings

    def _is_leased(self, id: int) -> bool:
        return id in self._leases or id in self._pending

    def sift(self, urls: Sequence[Url]) -> list[State | None]:
        self.commit()
        return [self._state(row) if (row := self._ledger.find(url)) is not None else None for url in urls]

    def settled(self, urls: Sequence[Url]) -> list[bool]:
        young, get = self._recent.young, self._recent.get
        return [(young[url] if url in young else get(url)) == SETTLED for url in urls]

    # ── giving out ───────────────────────────────────────────────────────────────────────────────

    def lease(self, now: float, worker: str = "", n: int = 1) -> list[Lease]:
        self._turns.hear(now)
        self._expire(now)
        if self._not_before is None:
            self._not_before = self._turns.begin(now)
        if now < self._not_before:
            return []
        if (self._pending or self._changes) and now >= self._committed + self.PATIENCE:
            self._commit_at(now)
        leases: list[Lease] = []
        while len(leases) < n:
            host = self._turns.ready.pop(now)
            if host is not None:
                if (lease := self._lease(host, now)) is not None:
                    leases.append(lease)
            elif self._pending and self._free_at <= now:
                self._commit_at(now)
            else:
                break
        return leases

    def _lease(self, host: Host, now: float) -> Lease | None:
        """The best URL of a host, unless its address must rest or a budget or a trap is in the way."""
        if self._turns.must_wait(host, now):
            return None
        assert host.head is not None
        row = self._urls.row(host.head.id)
        if (refusal := self._spending.refuses(row, self._uncommitted())) is not None:
            self._refuse(host, row, *refusal)
            return None
        if self._spending.may_be_spent(row, self._uncommitted(), self._leases.values()):
            self._turns.ready.rest(host, now + max(self.rules.manners.delay, 0.1))
            return None
        host.busy = row.id
        lease = Lease(
            *(row.id, row.url, host.name, row.priority, row.depth),
            *(self._ledger.source_url(row.source), row.note or b"", row.attempts, now + self.rules.manners.lease),
            host.failures,
        )
        self._leases[row.id] = lease
        self._recent.put(row.url, SETTLED)
        return lease

    def _uncommitted(self) -> Iterator[Url]:
        """Pages that are done but not committed yet."""
        return (lease.url for lease, ending, _ in self._pending.values() if ending.state is State.DONE)

    def _refuse(self, host: Host, row: Row, state: State, reason: str) -> None:
        self.commit()
        self._db.begin()
        if state is State.QUARANTINED:
            self._ledger.settle(row, state, reason)
        else:
            # A spent budget refuses every URL of the host alike.
            self._ledger.drop_queue(host.id, reason)
        self._turns.renew(host.id)
        self._db.commit()

    def _expire(self, now: float) -> None:
        # Leases are given out in the order of time and all last as long: the oldest comes first.
        for lease in list(self._leases.values()):
            if lease.expires > now:
                break
            self._give_back(lease, AWAKE)

    def _give_back(self, lease: Lease, until: float) -> None:
        if self._leases.get(lease.id) is lease:
            del self._leases[lease.id]
            self._recent.forget(lease.url)
            self._turns.give_back(lease, until)

    def admit(self, lease: Lease, address: str, now: float) -> float:
        if self._leases.get(lease.id) is not lease:
            return 0.0
        until = self._turns.claim(lease, self._turns.host_of(lease), address, now)
        if until:
            self._give_back(lease, until)
        return until

    def hold(self, lease: Lease, until: float, asked: float | None = None) -> None:
        if lease.id in self._leases:
            self._turns.hear(asked or 0.0)
            self._turns.release(lease, asked)
            self._give_back(lease, until)

    # ── ending ───────────────────────────────────────────────────────────────────────────────────

    def finish(self, lease: Lease, ending: Ending, found: Sequence[Offer] = ()) -> None:
        if self._leases.get(lease.id) is not lease:
            return  # it expired and is somebody else's now
        del self._leases[lease.id]
        free_at = ending.at + ending.pause
        self._free_at = min(self._free_at, free_at) if self._pending else free_at
        self._pending[lease.id] = (lease, ending, found)
        self._turns.hear(ending.at)
        # At once, not with the commit: hosts of the same address may be leased before it.
        self._turns.release(lease, ending.at, ending.address)
        if len(self._pending) >= self.GROUP:
            self.commit()

    def commit(self) -> None:
        if self._broken or not (self._pending or self._changes or self._mail.waiting()):
            return
        self._before_commit()
        pending, self._pending = self._pending, {}
        changes, self._changes = self._changes, {}
        self._db.begin()
        try:
            ended = [self._ledger.end(lease, ending) for lease, ending, _ in pending.values()]
            self._ledger.count()
            found = [(offer, _source_id(offer, lease)) for lease, _, offers in pending.values() for offer in offers]
            self._take([*found, *((offer, self._ledger.source(offer)) for offer in self._mail.take())])
            self._ledger.rank_anew(changes, self._is_leased)
            for host, ending in ended:
                self._ledger.end_turn(host, ending)
            self._db.commit()
        except BaseException:
            self._break()
            raise
        self._merge_when_due()

    def _commit_at(self, now: float) -> None:
        self.commit()
        self._committed = now

    def _break(self) -> None:
        """The disk is full, or worse: nothing of this transaction happened, and what is in memory may not be used."""
        self._db.rollback()
        self._broken = True

    def drop(self, url: Url, reason: str) -> bool:
        self.commit()
        row = self._ledger.find(url)
        if row is None or self._state(row) is not State.WAITING:
            return False
        self._db.begin()
        self._ledger.settle(row, State.DROPPED, reason)
        self._turns.renew(row.host)
        self._db.commit()
        return True

    def requeue(self, url: Url, priority: float | None = None) -> bool:
        self.commit()
        row = self._ledger.find(url)
        if row is None or row.state == State.WAITING:
            return False
        self._db.begin()
        self._ledger.requeue(row, row.priority if priority is None else priority)
        self._db.commit()
        return True

    def release(self, text: str = "") -> int:
        """Let quarantined URLs whose evidence contains `text` wait again and trust their templates; how many."""
        self.commit()
        self._db.begin()
        for key, evidence in self._db.templates().items():
            if text in evidence:
                self._db.remove_template(key)
                if self.rules.traps is not None:
                    self.rules.traps.release(key)
        rows = [row for row in self._urls.by_reason(State.QUARANTINED, "%") if text in f"{row.url} {row.reason}"]
        for row in rows:
            self._ledger.requeue(row, row.priority)
        self._db.commit()
        return len(rows)

    def reprioritise(self, changes: Sequence[tuple[Url, float]]) -> None:
        self._changes.update(changes)
        if len(self._changes) >= self.CHANGES:
            self.commit()

    # ── looking ──────────────────────────────────────────────────────────────────────────────────

    def waiting(self, host: str, limit: int) -> list[Waiting]:
        self.commit()
        id = self._hosts.find(host)
        if id is None:
            return []
        rows = [self._urls.row(head.id) for head in self._urls.heads(id, limit + 1)]
        kept = [row for row in rows if not self._is_leased(row.id)][:limit]
        return [Waiting(row.url, row.priority, row.depth, row.note or b"") for row in kept]

    def next_ready(self, now: float) -> float | None:
        if self._pending and now < self._committed + self.PATIENCE:
            return min(max(now, self._free_at), self._committed + self.PATIENCE)
        self._commit_at(now)
        if self._not_before is not None and now < self._not_before:
            return self._not_before
        if self._db.tallies().get("waiting", 0) <= len(self._leases):
            return None
        ready = self._turns.ready
        if ready.competing():
            return now
        time = ready.next_time()
        return None if time is None else max(now, time)

    def stats(self) -> Stats:
        self.commit()
        tally = self._db.tallies()
        return Stats(
            waiting=tally.get("waiting", 0) - len(self._leases),
            leased=len(self._leases),
            ready_hosts=len(self._turns.ready),
            resting_hosts=self._turns.ready.resting,
            pages=tally.get("judged", 0),
            **{
                name: tally.get(name, 0)
                for name in ("done", "dropped", "quarantined", "wanted", "bytes", "words", "hosts")
            },
        )

    def story(self, url: Url) -> Story | None:
        self.commit()
        row = self._ledger.find(url)
        if row is None:
            return None
        host = self._hosts.row(row.host)
        return Story(
            *(row.url, self._state(row), row.reason or "", host.name, row.priority, row.depth),
            *(self._ledger.source_url(row.source), row.note or b"", row.attempts, self._urls.visit(row.id), host.note),
        )

    def ask(self, query: str, values: Sequence[object] = ()) -> list[tuple[object, ...]]:
        """The rows of a query that only reads: for reports."""
        self.commit()
        return self._db.connection.execute(query, tuple(values)).fetchall()

    def close(self) -> None:
        if not self._broken:
            self.commit()
            self._db.begin()
            self._merge()
            if self._not_before is not None:
                self._db.set_meta("ended", self._turns.now)
            self._db.commit()
        self._db.close()

    # ── small things ─────────────────────────────────────────────────────────────────────────────

    def _state(self, row: Row) -> State:
        return State.LEASED if row.id in self._leases else State(row.state)

    def _merge_when_due(self) -> None:
        if self._urls.merge_due:
            self._db.begin()
            self._merge()
            self._db.commit()

    def _merge(self) -> None:
        self._hosts.write_heads()
        self._urls.merge()


def _source_id(offer: Offer, lease: Lease) -> int | str | None:
    return lease.id if offer.source == lease.url else offer.source or None
