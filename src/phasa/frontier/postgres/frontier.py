"""The frontier of a collection in PostgreSQL: of one process, which owns every site, or of one worker among several,
which owns the sites of some shards for as long as it shows signs of life."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence, Set
from time import monotonic
from typing import NamedTuple

from phasa.frontier.index import Head
from phasa.frontier.origins import host_of
from phasa.frontier.outbox import Journal, Outbox
from phasa.frontier.postgres.database import PostgresDatabase
from phasa.frontier.postgres.inbox import ShardInbox
from phasa.frontier.postgres.members import LIFETIME, Members, Shards, shard_of
from phasa.frontier.postgres.tables import PostgresHosts, PostgresIndex, PostgresRevisits, PostgresUrls
from phasa.frontier.protocol import ANY, Lease, Offer, OfferResult
from phasa.frontier.rules import Rules
from phasa.frontier.schedule import Host, HostSchedule
from phasa.frontier.storage import SupersededError
from phasa.frontier.stored import StoredFrontier, Tables, nothing
from phasa.frontier.tables import HostRow
from phasa.web.url import Url, registered_domain

log = logging.getLogger(__name__)


class Member(NamedTuple):
    """Which worker this is, of how many as far as is known; `shared` when others may be at work at the same time."""

    place: str
    number: int = 0
    workers: int = 1
    shared: bool = False
    lifetime: float = LIFETIME


def site_of(host: str) -> str:
    """The site of a host as it stands in the tables."""
    return registered_domain(Url(f"http://{host_of(host)}/"))


class ShardSchedule(HostSchedule):
    """Turns of the hosts of owned shards. Hosts of a shard that others had rest first: nobody knows what they were
    asked for last."""

    shards: Shards
    since: dict[int, float]
    """When each such shard was left, on the clock of the caller."""
    shared = False
    after_fleet = False

    def begin(self, now: float) -> float:
        if self.shared:
            return now
        return max(super().begin(now), now + self._rest if self.after_fleet else now)

    def _awake(self, row: HostRow) -> Host:
        host = super()._awake(row)
        left = self.since.get(shard_of(site_of(row.name))) if self.since else None
        if left is not None:
            usual = max(
                self._rest, self._manners.delay_of(host_of(row.name)).seconds, 0.0 if row.failures else row.rest
            )
            if left + usual > max(self.now, host.until):
                host.until = left + usual
        return host


class PostgresFrontier(StoredFrontier):
    """See `phasa.frontier.protocol.Frontier`. Raises CollectionError when the server cannot be used, or when others are
    at work on the collection who exclude this process.

    One process alone takes the collection over from a process at the same place; a worker that is not alone takes what
    nobody else has. `journal` and `before_commit` as in `SqliteFrontier`."""

    def __init__(
        self,
        address: str,
        rules: Rules | None = None,
        *,
        member: Member,
        before_commit: Callable[[], None] = nothing,
        journal: Journal | None = None,
        ready_hosts: int = 1_024,
    ) -> None:
        db = self._server = PostgresDatabase(address, member.number)
        self._shards = shards = Shards(member.number, member.workers, alone=not member.shared)
        self._members = Members(db, shards, member.place, member.lifetime)
        self._beat = member.lifetime / 6
        self._tended = self._joined = monotonic()
        try:
            self._unseen = self._members.join()
            hosts, index = PostgresHosts(db, shards), PostgresIndex(db, shards)
            tables = Tables(
                *(db, index, hosts, PostgresUrls(db, hosts, index), ShardInbox(db, shards)),
                PostgresRevisits(db, shards.numbers),
                Outbox(db, member.number, journal),
            )
            super().__init__(tables, rules or Rules(), shards, before_commit, ready_hosts)
            with self._transaction():
                if not member.shared:
                    self.outbox.recover()
                    self._inbox.open_addresses()
                if self.rules.budgets.queue:
                    self._index.keep_worst()
        except BaseException:
            db.close()
            raise
        self._read_templates()

    def _make_schedule(self, ready_hosts: int) -> ShardSchedule:
        made = ShardSchedule(
            self._db, self._hosts, self._index, self._inbox, self._partition, self.rules.manners, ready_hosts
        )
        made.shards, made.since = self._shards, {}
        made.shared, made.after_fleet = not self._shards.alone, self._members.after_fleet
        self._turns = made
        return made

    def _read_templates(self) -> None:
        if self.rules.traps is not None:
            self.rules.traps.barren.update(self._db.templates())

    # ── signs of life ────────────────────────────────────────────────────────────────────────────

    def _tend(self, now: float | None = None) -> None:
        """Show that this worker lives, now and then; take and give shards."""
        if self._closed_to_writes or monotonic() - self._tended < self._beat:
            return
        self._tended = monotonic()
        young = monotonic() - self._joined < self._server.lifetime
        try:
            moved = self._members.tend(self._busy(), self._shards.workers if young else 1)
        except BaseException:
            self._closed_to_writes = True
            raise
        if moved.lost:
            self._forget(moved.lost)
        if moved.gained:
            self._adopt(moved.gained, self._schedule.now if now is None else now)

    def _busy(self) -> set[int]:
        """The shards of what is being fetched, or not committed yet."""
        held = [*self._leases.values(), *(lease for lease, _, _ in self._finished.values())]
        return {shard_of(registered_domain(lease.url)) for lease in held}

    def _forget(self, lost: Set[int]) -> None:
        loaded = self._schedule.ready.loaded
        for id in [id for id, host in loaded.items() if shard_of(site_of(host.name)) in lost]:
            del loaded[id]
        self._recent.clear()
        log.info("worker %d: %d shards are for others now", self._shards.worker, len(lost))

    def _adopt(self, gained: dict[int, float | None], now: float) -> None:
        for shard, age in gained.items():
            if age is not None:
                self._turns.since[shard] = now - age
        self._schedule.ready.floor = Head(float("-inf"), 0)
        self._recent.clear()
        self._read_templates()
        log.info("worker %d: %d more shards, %d in all", self._shards.worker, len(gained), len(self._shards.owned))

    # ── the protocol, as far as it differs ───────────────────────────────────────────────────────

    def offer(self, offers: Sequence[Offer]) -> list[OfferResult]:
        results: list[OfferResult] = []
        for start in range(0, max(len(offers), 1), 50_000):
            results += super().offer(offers[start : start + 50_000])
        return results

    def lease(self, now: float, n: int = 1, least: float = ANY) -> list[Lease]:
        self._schedule.hear(now)
        if self._unseen:
            if not self._shards.alone:
                self._adopt(self._unseen, now)
            self._unseen = {}
        self._tend(now)
        return super().lease(now, n, least)

    def admit(self, lease: Lease, address: str, now: float) -> float:
        self.assure()
        return super().admit(lease, address, now)

    def assure(self) -> None:
        if self._closed_to_writes:  # others of its requests found out first
            raise SupersededError(f"worker {self._shards.worker} has ended: its sites may be those of others now")
        if self._server.lifetime * 0.8 < monotonic() - self._server.renewed:
            self._tended = -1e9  # it has been still for long: is this worker still taken for alive?
            self._tend()

    def commit(self) -> None:
        self._tend()
        super().commit()

    def _last_words(self) -> None:
        self._members.leave()

    def close(self) -> None:
        try:
            super().close()
        finally:
            self._db.close()
