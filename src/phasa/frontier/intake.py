"""Taking offers into the store: which are new, which change what waits, which are refused. One transaction's worth."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xxhash import xxh3_64_intdigest

from phasa.frontier.protocol import Offer, Rediscovery, Standing, State, Waiting
from phasa.frontier.ready import Head
from phasa.frontier.recent import SETTLED, Recent
from phasa.frontier.rules import HOST_SPENT, QUEUE_FULL, SITE_SPENT, Rules, may_return
from phasa.frontier.store import NewUrl, Row, Store
from phasa.web.url import Url, authority, private_suffix
from phasa.web.url import host as host_name

Hash = Callable[[str], int]
_SIGN = 1 << 63


def url_hash(url: str) -> int:
    """64 bits as SQLite keeps them: signed."""
    return xxh3_64_intdigest(url.encode()) - _SIGN


def _next_key(key: int) -> int:
    return key + 1 if key < _SIGN - 1 else -_SIGN


def find_row(store: Store, host: int, key: int, url: str) -> Row | None:
    """The row of a URL. Equal hashes are verified: a URL whose hash was taken stands under the next free one."""
    while (id := store.seen(host, key)) is not None:
        row = store.row(id)
        if row.url == url:
            return row
        key = _next_key(key)
    return None


def _site(url: Url) -> str:
    """The registered domain, past the cache of `registered_domain`: a new host is asked about once."""
    name = host_name(url)
    return private_suffix.__wrapped__(name) or name


class Hosts:
    """Host names → (host, site) ids; bounded, the store knows the rest."""

    SIZE = 8_192

    def __init__(self, store: Store, worker_of: Callable[[str], int]) -> None:
        self._store = store
        self._worker_of = worker_of
        self._ids: dict[str, tuple[int, int]] = {}

    def find(self, name: str) -> tuple[int, int] | None:
        ids = self._ids.get(name)
        if ids is None and (ids := self._store.host_id(name)) is not None:
            self._remember(name, ids)
        return ids

    def add(self, name: str, site: str) -> tuple[int, int]:
        ids = self._store.add_host(name, site, self._worker_of(site))
        self._remember(name, ids)
        return ids

    def _remember(self, name: str, ids: tuple[int, int]) -> None:
        if len(self._ids) >= self.SIZE:
            self._ids.clear()
        self._ids[name] = ids


class Intake:
    """`take` decides, `write` puts what came of it into the store. Lives as long as one transaction."""

    def __init__(
        self, store: Store, rules: Rules, recent: Recent, hosts: Hosts, leased: Callable[[int], bool], hash: Hash
    ) -> None:
        self._store = store
        self._rules = rules
        self._recent = recent
        self._hosts = hosts
        self._leased = leased
        self._hash = hash
        self._next = store.last_id() + 1
        self._rows: list[NewUrl] = []
        self._places: dict[str, int] = {}
        self._keys: dict[tuple[int, int], int] = {}
        self._taken: dict[int, tuple[int, int]] = {}
        budgets = rules.budgets
        self._counted = bool(budgets.pages_per_host or budgets.pages_per_site)
        self._refusing = rules.scope is not None or rules.traps is not None
        self._trusting = rules.rediscovery is not Rediscovery.LATEST
        self._first = rules.rediscovery is Rediscovery.FIRST
        self.better: dict[int, Head] = {}
        self.worse: set[int] = set()
        self.counts: dict[str, int] = {"waiting": 0, "dropped": 0, "quarantined": 0, "hosts": 0}

    @property
    def size(self) -> int:
        return len(self._rows)

    def take(self, offers: Sequence[tuple[Offer, int | str | None]]) -> list[Standing]:
        """What each offer leads to. What is known is asked of the store for all of them at once."""
        standings = [Standing.KNOWN] * len(offers)
        asked: list[tuple[int, int, int, int]] = []
        get, trusting, first = self._recent.get, self._trusting, self._first
        for at, (offer, _) in enumerate(offers):
            bound = get(offer.url)
            if bound is None or (bound != SETTLED and not (trusting and (first or offer.priority <= bound))):
                asked.append((at, *self._host(offer.url), self._hash(offer.url)))
        known = self._store.seen_many([(host, key) for _, host, _, key in asked])
        for at, host, site, key in asked:
            standings[at] = self._take(*offers[at], host, site, key, known.get((host, key)))
        return standings

    def _host(self, url: Url) -> tuple[int, int]:
        name = authority(url)
        ids = self._hosts.find(name)
        if ids is None:
            ids = self._hosts.add(name, _site(url))
            self.counts["hosts"] += 1
        return ids

    def _take(
        self, offer: Offer, source: int | str | None, host: int, site: int, key: int, known: int | None
    ) -> Standing:
        url = offer.url
        place = self._places.get(url)
        if place is not None:
            return self._retake(place, offer)
        if known is not None or (host, key) in self._keys:
            if (row := find_row(self._store, host, key, url)) is not None:
                return self._take_known(row, offer)
            # Another URL has this hash.
            while (host, key) in self._keys or self._store.seen(host, key) is not None:
                key = _next_key(key)
        return self._take_new(offer, host, site, key, source)

    def _take_new(self, offer: Offer, host: int, site: int, key: int, source: int | str | None) -> Standing:
        state, reason, standing = State.WAITING, None, Standing.NEW
        refusal = (self._rules.refuse(offer.url, offer.depth) if self._refusing else None) or self._spent(host, site)
        if refusal is not None:
            standing, reason = refusal
            state = State.QUARANTINED if standing is Standing.TRAPPED else State.DROPPED
            self.counts["quarantined" if state is State.QUARANTINED else "dropped"] += 1
            self._recent.put(offer.url, SETTLED)
        else:
            self.counts["waiting"] += 1
            self._recent.put(offer.url, offer.priority)
            self._improve(host, Head(-offer.priority, self._next))
        self._places[offer.url] = len(self._rows)
        self._keys[host, key] = self._next
        self._rows.append(
            (
                *(self._next, host, key, int(state), offer.priority, offer.depth, 0),
                *(source, offer.url, offer.note or None, reason),
            )
        )
        self._next += 1
        return standing

    def _retake(self, place: int, offer: Offer) -> Standing:
        """An offer of a URL that is new in this same transaction."""
        row = self._rows[place]
        waiting = Waiting(offer.url, row[4], row[5], row[9] or b"")
        if row[3] != State.WAITING or not self._rules.replaces(offer, waiting):
            return Standing.KNOWN
        self._rows[place] = (*row[:4], offer.priority, *row[5:9], offer.note or None, row[10])
        self._recent.put(offer.url, offer.priority)
        if offer.priority < row[4]:
            self.worse.add(row[1])
        self._improve(row[1], Head(-offer.priority, row[0]))
        return Standing.RAISED

    def _take_known(self, row: Row, offer: Offer) -> Standing:
        if row.state == State.WAITING and not self._leased(row.id):
            waiting = Waiting(row.url, row.priority, row.depth, row.note or b"")
            if not self._rules.replaces(offer, waiting):
                self._recent.put(row.url, row.priority)
                return Standing.KNOWN
            self._store.change(row, offer.priority, offer.note or None)
            self._recent.put(row.url, offer.priority)
            if offer.priority < row.priority:
                self.worse.add(row.host)
            self._improve(row.host, Head(-offer.priority, row.id))
            return Standing.RAISED
        if row.state == State.DROPPED and may_return(row.reason or ""):
            self._store.change(row, offer.priority, offer.note or None)
            self._store.move(row.id, State.WAITING, "", row.attempts)
            self._store.enqueue(row.host, -offer.priority, row.id)
            self._recent.put(row.url, offer.priority)
            self.counts["waiting"] += 1
            self.counts["dropped"] -= 1
            self._improve(row.host, Head(-offer.priority, row.id))
            return Standing.NEW
        if row.state != State.WAITING:
            self._recent.put(row.url, SETTLED)
        return Standing.KNOWN

    def _improve(self, host: int, head: Head) -> None:
        best = self.better.get(host)
        if best is None or head < best:
            self.better[host] = head

    def _spent(self, host: int, site: int) -> tuple[Standing, str] | None:
        if not self._counted:
            return None
        taken = self._taken.get(host)
        if taken is None:
            taken = self._taken[host] = self._store.taken(host, site)
        budgets = self._rules.budgets
        if budgets.pages_per_host and taken[0] >= budgets.pages_per_host:
            return Standing.CAPPED, HOST_SPENT
        if budgets.pages_per_site and taken[1] >= budgets.pages_per_site:
            return Standing.CAPPED, SITE_SPENT
        return None

    def write(self) -> None:
        """Store the new URLs and the better heads of their hosts."""
        self._store.add_urls(self._rows)
        self._store.improve_heads(self.better.items())

    def keep_cap(self, waiting: int, cap: int) -> set[str]:
        """Drop what is too much, the least wanted first; the URLs that were dropped. `waiting` counts all of now."""
        dropped: set[str] = set()
        while waiting > cap and (row := self._store.worst()) is not None and not self._leased(row.id):
            self._store.move(row.id, State.DROPPED, QUEUE_FULL, row.attempts)
            self._store.unqueue(row.host, -row.priority, row.id)
            self._recent.forget(row.url)
            self.worse.add(row.host)
            dropped.add(row.url)
            waiting -= 1
        self.counts["waiting"] -= len(dropped)
        self.counts["dropped"] += len(dropped)
        return dropped
