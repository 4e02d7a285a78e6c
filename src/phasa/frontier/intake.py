"""Taking offers into the store: which are new, which change what waits, which are refused. One transaction's worth."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xxhash import xxh3_64_intdigest

from phasa.frontier.host_table import HostTable
from phasa.frontier.newest import NewUrl
from phasa.frontier.protocol import Offer, Rediscovery, Standing, State
from phasa.frontier.ready import Head
from phasa.frontier.recent import SETTLED, Recent
from phasa.frontier.rules import HOST_SPENT, QUEUE_FULL, SITE_SPENT, Rules, may_return
from phasa.frontier.run import HASH_BITS
from phasa.frontier.url_table import Row, UrlTable
from phasa.web.url import Url, private_suffix
from phasa.web.url import host as host_name

Hash = Callable[[bytes], int]
url_hash: Hash = xxh3_64_intdigest

Sourced = tuple[Offer, int | str | None]
"""An offer with its source: the number of a page of ours, or its address, or nothing."""

_HASH = (1 << HASH_BITS) - 1


def key_of(host: int, hash: int) -> int:
    """The key of a URL in the index of what was seen: URLs of one host lie side by side, so that the links of a page
    touch few places of the index. Equal keys are told apart by the URLs themselves. 63 bits: 268 million hosts."""
    return host << HASH_BITS | hash & _HASH


def next_key(key: int) -> int:
    """Where a URL stands whose key was taken: the next key of the same host."""
    return key & ~_HASH | (key + 1) & _HASH


def find_row(urls: UrlTable, key: int, url: str) -> Row | None:
    """The row of a URL whose key is this one, or one after it that was free."""
    while (id := urls.seen(key)) is not None:
        row = urls.row(id)
        if row.url == url:
            return row
        key = next_key(key)
    return None


class Intake:
    """`take` decides, `write` puts what came of it into the store. Lives as long as one transaction."""

    def __init__(
        self,
        urls: UrlTable,
        hosts: HostTable,
        rules: Rules,
        recent: Recent,
        leased: Callable[[int], bool],
        hash: Hash = url_hash,
    ) -> None:
        self._urls = urls
        self._hosts = hosts
        self._rules = rules
        self._recent = recent
        self._leased = leased
        self._hash = hash
        self._first = urls.last_id() + 1
        self._rows: list[NewUrl] = []
        self._simple = True  # none of them has a note or was refused
        self._known: dict[int, int] = {}
        # Rows of the store that offers are about, as they are now, and as they were when they were changed first.
        self._stored: dict[int, Row] = {}
        self._before: dict[int, Row] = {}
        self._taken: dict[int, tuple[int, int]] = {}
        budgets = rules.budgets
        self._counted = bool(budgets.pages_per_host or budgets.pages_per_site)
        self._plain = not self._counted and rules.scope is None and rules.traps is None
        self._rediscovery = rules.rediscovery
        self.better: dict[int, Head] = {}
        self.worse: set[int] = set()
        self.counts: dict[str, int] = {"waiting": 0, "dropped": 0, "quarantined": 0, "hosts": 0}

    def take(self, offers: Sequence[Sourced]) -> list[Standing]:
        """What each offer leads to. What is known is asked of the store for all of them at once."""
        standings = [Standing.KNOWN] * len(offers)
        places, names = self._unanswered(offers)
        hosts = self._numbers(names, [offers[at][0].url for at in places])
        hash_of = self._hash
        # key_of, without a call
        keys = [
            hosts[name] << HASH_BITS | hash_of(offers[at][0].url.encode()) & _HASH
            for at, name in zip(places, names, strict=True)
        ]
        known = self._known = self._urls.seen_many(keys)
        self._stored = self._urls.rows(known.values())
        rows, better, first, plain = self._rows, self.better, self._first, self._plain
        remember, new = self._recent.young, Standing.NEW
        for at, name, key in zip(places, names, keys, strict=True):
            offer, source = offers[at]
            id = known.get(key)
            if id is not None:
                standings[at] = self._take_seen(id, offer, hosts[name], key, source)
            elif plain:
                # As `_take_new` does when nothing can be refused.
                host, url, priority = hosts[name], offer.url, offer.priority
                id = known[key] = first + len(rows)
                remember[url] = priority
                best = better.get(host)
                if best is None or -priority < best[0]:
                    better[host] = Head(-priority, id)
                note = offer.note or None
                if note:
                    self._simple = False
                rows.append((host, key, 0, priority, offer.depth, source, url, note, None))
                standings[at] = new
            else:
                standings[at] = self._take_new(offer, hosts[name], key, source)
        self._recent.turn()
        return standings

    def _unanswered(self, offers: Sequence[Sourced]) -> tuple[list[int], list[str]]:
        """The places of the offers that what was seen lately does not answer, and the names of their hosts."""
        trusting = self._rediscovery is not Rediscovery.LATEST
        first = self._rediscovery is Rediscovery.FIRST
        recent, recalled = self._recent.young.get, self._recent.old.get
        places: list[int] = []
        names: list[str] = []
        for at, (offer, _) in enumerate(offers):
            url = offer.url
            bound = recent(url)
            if bound is None:
                bound = recalled(url)
            if bound is not None and (bound == SETTLED or (trusting and (first or offer.priority <= bound))):
                continue
            places.append(at)
            names.append(url.split("/", 3)[2])
        return places, names

    def _numbers(self, names: list[str], urls: list[Url]) -> dict[str, int]:
        """The number of each host, by its name as it stands in its URL; hosts never seen are added, in order."""
        found = self._hosts.find_many(set(names))
        for name, url in zip(names, urls, strict=True):
            if name not in found:
                found[name] = self._host(url, name)
        return found

    def _host(self, url: Url, name: str) -> int:
        """The number of the host of a URL; a host without credentials, whatever the URL has."""
        name = name.rpartition("@")[2]
        host = self._hosts.find(name)
        if host is None:
            # Past the cache of `registered_domain`: a new host is asked about once.
            bare = host_name(url)
            host = self._hosts.add(name, private_suffix.__wrapped__(bare) or bare)
            self.counts["hosts"] += 1
        return host

    def _take_seen(self, id: int | None, offer: Offer, host: int, key: int, source: int | str | None) -> Standing:
        """An offer whose key is taken: by its own URL, or else by another one."""
        while id is not None:
            if id >= self._first:
                place = id - self._first
                if self._rows[place][6] == offer.url:
                    return self._retake(place, offer)
            else:
                row = self._stored.get(id)
                if row is None:
                    row = self._stored[id] = self._urls.row(id)
                if row.url == offer.url:
                    return self._take_known(row, offer)
            key = next_key(key)
            id = self._known.get(key) or self._urls.seen(key)
        return self._take_new(offer, host, key, source)

    def _take_new(self, offer: Offer, host: int, key: int, source: int | str | None) -> Standing:
        state, reason, standing = 0, None, Standing.NEW
        url, priority, rows = offer.url, offer.priority, self._rows
        id = self._first + len(rows)
        refusal = None if self._plain else self._refuse(offer, host)
        if refusal is None:
            self._recent.young[url] = priority
            self._improve(host, -priority, id)
        else:
            standing, reason = refusal
            state = int(State.QUARANTINED if standing is Standing.TRAPPED else State.DROPPED)
            self.counts["quarantined" if state == State.QUARANTINED else "dropped"] += 1
            self.counts["waiting"] -= 1
            self._recent.young[url] = SETTLED
        self._known[key] = id
        note = offer.note or None
        self._simple = self._simple and not state and note is None
        rows.append((host, key, state, priority, offer.depth, source, url, note, reason))
        return standing

    def _retake(self, place: int, offer: Offer) -> Standing:
        """An offer of a URL that is new in this same transaction."""
        row = self._rows[place]
        if row[2] != State.WAITING or not self._rules.replaces(offer, row[3], row[7] or b""):
            return Standing.KNOWN
        note = offer.note or None
        self._simple = self._simple and note is None
        self._rows[place] = (*row[:3], offer.priority, *row[4:7], note, row[8])
        self._recent.young[offer.url] = offer.priority
        if offer.priority < row[3]:
            self.worse.add(row[0])
        self._improve(row[0], -offer.priority, self._first + place)
        return Standing.RAISED

    def _take_known(self, row: Row, offer: Offer) -> Standing:
        if row.state == State.WAITING and not self._leased(row.id):
            if not self._rules.replaces(offer, row.priority, row.note or b""):
                self._recent.young[row.url] = row.priority
                return Standing.KNOWN
            self._before.setdefault(row.id, row)
            self._stored[row.id] = row._replace(priority=offer.priority, note=offer.note or None)
            self._recent.young[row.url] = offer.priority
            if offer.priority < row.priority:
                self.worse.add(row.host)
            self._improve(row.host, -offer.priority, row.id)
            return Standing.RAISED
        if row.state == State.DROPPED and may_return(row.reason or ""):
            self._urls.change(row, offer.priority, offer.note or None)
            self._urls.move(row.id, State.WAITING, "", row.attempts)
            self._urls.enqueue(row.host, -offer.priority, row.id)
            self._stored[row.id] = self._urls.row(row.id)
            self._recent.young[row.url] = offer.priority
            self.counts["waiting"] += 1
            self.counts["dropped"] -= 1
            self._improve(row.host, -offer.priority, row.id)
            return Standing.NEW
        if row.state != State.WAITING:
            self._recent.young[row.url] = SETTLED
        return Standing.KNOWN

    def _improve(self, host: int, rank: float, id: int) -> None:
        best = self.better.get(host)
        if best is None or (rank, id) < best:
            self.better[host] = Head(rank, id)

    def _refuse(self, offer: Offer, host: int) -> tuple[Standing, str] | None:
        """What the rules, or a spent budget, say against a new URL."""
        refusal = self._rules.refuse(offer.url, offer.depth)
        if refusal is not None or not self._counted:
            return refusal
        taken = self._taken.get(host)
        if taken is None:
            taken = self._taken[host] = self._hosts.taken(host)
        budgets = self._rules.budgets
        if budgets.pages_per_host and taken[0] >= budgets.pages_per_host:
            return Standing.CAPPED, HOST_SPENT
        if budgets.pages_per_site and taken[1] >= budgets.pages_per_site:
            return Standing.CAPPED, SITE_SPENT
        return None

    def write(self) -> None:
        """Store the new URLs and the better heads of their hosts. Once, after all is taken."""
        self.counts["waiting"] += len(self._rows)
        self._urls.change_many(
            (row, self._stored[id].priority, self._stored[id].note) for id, row in self._before.items()
        )
        self._urls.add(self._first, self._rows, simple=self._simple)
        first, better = self._first, self.better.items()
        self._hosts.owe_heads((host, head) for host, head in better if head.id >= first)
        self._hosts.improve_heads((host, head) for host, head in better if head.id < first)

    def keep_cap(self, waiting: int, cap: int) -> set[str]:
        """Drop what is too much, the least wanted first; the URLs that were dropped. `waiting` counts all of now."""
        dropped: set[str] = set()
        while waiting > cap and (row := self._urls.worst()) is not None and not self._leased(row.id):
            self._urls.move(row.id, State.DROPPED, QUEUE_FULL, row.attempts)
            self._urls.unqueue(row.host, -row.priority, row.id)
            self._recent.forget(row.url)
            self.worse.add(row.host)
            dropped.add(row.url)
            waiting -= 1
        self.counts["waiting"] -= len(dropped)
        self.counts["dropped"] += len(dropped)
        return dropped
