"""Whose turn it is: the hosts that may be asked, the addresses that are in use, and who stands in line for them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from phasa.frontier.addresses import IN_USE, Addresses
from phasa.frontier.database import Database
from phasa.frontier.host_table import HostRow, HostTable
from phasa.frontier.mailbox import Mailbox, Share
from phasa.frontier.politeness import Politeness
from phasa.frontier.protocol import Lease
from phasa.frontier.ready import AWAKE, Head, Host, Ready
from phasa.frontier.url_table import UrlTable


class Turns:
    """The turns of one worker's hosts. `now` is the latest time it has heard of."""

    IN_LINE = 10.0  # seconds after which a host in line for an address asks again by itself

    def __init__(
        self, db: Database, urls: UrlTable, hosts: HostTable, mail: Mailbox, share: Share, manners: Politeness
    ) -> None:
        self.ready = Ready(self._load)
        self.now = 0.0
        self._db = db
        self._urls = urls
        self._hosts = hosts
        self._mail = mail
        self._share = share
        self._delay = manners.address_delay
        self._rest = max(manners.delay, manners.address_delay)
        self._addresses = Addresses(manners.address_delay)
        self._holding: dict[int, str] = {}

    # ── hosts ────────────────────────────────────────────────────────────────────────────────────

    def hear(self, now: float) -> None:
        self.now = max(self.now, now)

    def begin(self, now: float) -> float:
        """When the first request may go out: nobody knows what a process that was killed had asked for just before."""
        ended = self._db.meta("ended")
        began = self._db.meta("began")
        self._db.set_meta("began", now)
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
        host = self.ready.loaded.get(id)
        if host is None:
            host = self.ready.loaded[id] = self._host(id)
        return host

    def renew(self, id: int) -> None:
        """Look up the head of a host whose queue changed other than for the better."""
        heads = self._urls.heads(id, 1)
        head = heads[0] if heads else None
        self._hosts.set_head(id, head)
        host = self.ready.loaded.get(id)
        if host is not None:
            host.head = head
            self.ready.compete(host)
        elif head is not None and head <= self.ready.floor:
            self.ready.load(self._host(id))

    def compete(self, better: Mapping[int, Head], worse: Iterable[int]) -> None:
        """Let hosts whose queues changed compete with their new heads."""
        for id in worse:
            self.renew(id)
        floor = self.ready.floor
        for id, head in better.items():
            if id not in worse and self.ready.improve(id, head) is None and head <= floor:
                self.ready.load(self._host(id))

    def _host(self, id: int) -> Host:
        return self._awake(self._hosts.row(id))

    def _load(self, floor: Head, n: int) -> list[Host]:
        return [self._awake(row) for row in self._hosts.after(self._share.worker, floor, n)]

    def _awake(self, row: HostRow) -> Host:
        host = Host(row.id, row.name, Head(row.rank, row.head or 0) if row.rank is not None else None)
        host.address, host.failures = row.address, row.failures
        # A clock that was set back must not make a host rest for longer than it was told to.
        until = min(row.until, self.now + row.rest)
        host.until = until if until > self.now else AWAKE
        return host

    # ── addresses ────────────────────────────────────────────────────────────────────────────────

    def must_wait(self, host: Host, now: float) -> bool:
        """Whether the address of a host is not free: then the host rests, or stands in line."""
        if not host.address or not (free_at := self._addresses.free_at(host.address, now)):
            return False
        self.ready.rest(host, self._stand_in_line(host, free_at, now))
        return True

    def claim(self, lease: Lease, host: Host, address: str, now: float) -> float:
        """Use an address for a lease: 0; or, when it is not free, when its host may ask again."""
        host.address = address
        free_at = self._addresses.free_at(address, now)
        if not free_at and self._delay and not self._share.alone:
            self._db.begin()
            free_at = self._mail.claim_address(address, now, lease.expires)
            self._db.commit()
            if free_at:
                # Another worker has it, and cannot wake us.
                free_at = min(free_at, now + max(1.0, self._delay))
        if free_at:
            return self._stand_in_line(host, free_at, now)
        self._addresses.use(address)
        self._holding[lease.id] = address
        return 0.0

    def _stand_in_line(self, host: Host, free_at: float, now: float) -> float:
        """Until when a host rests whose address is busy: it is woken earlier when the address is released."""
        if free_at < IN_USE:
            return free_at
        self._addresses.queue(host.address, host.id)
        return now + self.IN_LINE

    def release(self, lease: Lease, asked: float | None, address: str = "") -> None:
        """The request of a lease is over: its address rests, and those in line for it hear when it is free."""
        held = self._holding.pop(lease.id, "")
        for name in {held, address} - {""}:
            free_at, waiting = self._addresses.release(name, asked, self.now)
            for id in waiting:
                if (host := self.ready.loaded.get(id)) is not None and not host.busy:
                    self.ready.rest(host, free_at)
            if not self._share.alone:
                self._mail.close_address(name, free_at)

    def give_back(self, lease: Lease, until: float) -> None:
        """A lease ends without a fetch; its host rests until then, or competes at once (`AWAKE`)."""
        if lease.id in self._holding:
            self.release(lease, None)
        host = self.host_of(lease)
        host.busy = 0
        if until > AWAKE:
            self.ready.rest(host, until)
        else:
            self.ready.compete(host)
