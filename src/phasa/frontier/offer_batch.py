"""Offers that are taken in together, in one transaction: which are new, which change what waits, which are refused."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from phasa.frontier.index import Head, NewUrl, next_key
from phasa.frontier.origins import other_origin, queue_of
from phasa.frontier.protocol import REQUISITE, Offer, OfferResult, Rediscovery, State
from phasa.frontier.recent import SETTLED, RecentOffers
from phasa.frontier.row import Row
from phasa.frontier.rules import QUEUE_FULL, Rules, may_return
from phasa.frontier.tables import HostTable, UrlTable
from phasa.web.url import Url

Sourced = tuple[Offer, int | str | None]
"""An offer with its source as it is stored: the id of a page of ours, or its address, or nothing."""


class OfferBatch:
    """`take` decides, `write` stores what came of it, `keep_cap` drops what is too much; in this order, each once.

    Afterwards `counts` holds the changes of the tallies, `better` the better heads of hosts, and `worse` the hosts
    whose head may have become worse.
    """

    def __init__(
        self, urls: UrlTable, hosts: HostTable, rules: Rules, recent: RecentOffers, leased: Callable[[int], bool]
    ) -> None:
        self._urls = urls
        self._hosts = hosts
        self._rules = rules
        self._recent = recent
        self._leased = leased
        self._first = 0
        self._rows: list[NewUrl] = []
        self._simple = True  # none of them has a note or was refused
        self._known: dict[int, int] = {}
        # Stored rows that offers are about, as they are now, and as they were when they were changed first.
        self._stored: dict[int, Row] = {}
        self._before: dict[int, Row] = {}
        self._counts_pages = rules.counts_pages
        # Then the cache answers offers that repeat what is remembered: notes are not, so what has one is left out.
        self._latest = rules.rediscovery is Rediscovery.LATEST
        self._taken: dict[int, tuple[int, int]] = {}
        self.better: dict[int, Head] = {}
        self.worse: set[int] = set()
        self.counts: dict[str, int] = {"waiting": 0, "dropped": 0, "quarantined": 0, "hosts": 0}

    def take(self, offers: Sequence[Sourced]) -> list[OfferResult]:
        """What each offer leads to. What is known is asked of the index for all of them at once."""
        results = [OfferResult.KNOWN] * len(offers)
        places, urls, names = self._unanswered(offers)
        self._first = self._urls.next_ids(len(urls))
        hosts = self._host_ids(names, urls)
        keys = self._urls.index.keys([hosts[name] for name in names], urls)
        known = self._known = self._urls.index.find_many(keys)
        self._stored = self._urls.rows(known.values())
        rows, better, first, remember = self._rows, self.better, self._first, self._recent.young
        refuse = None if self._rules.refuses_nothing else self._refuse
        waiting, new, latest = int(State.WAITING), OfferResult.NEW, self._latest
        for at, url, name, key in zip(places, urls, names, keys, strict=True):
            offer, source = offers[at]
            id = known.get(key)
            if id is not None:
                result, key = self._take_seen(id, key, offer)
                if result is not None:
                    results[at] = result
                    continue
            id = known[key] = first + len(rows)
            host, priority, note = hosts[name], offer.priority, offer.note or None
            refusal = refuse(offer, host) if refuse is not None else None
            if refusal is not None:
                rows.append(self._refused(refusal, host, key, offers[at]))
                remember[url] = SETTLED
                results[at] = refusal[0]
                continue
            if note and note.startswith(REQUISITE):
                self._recent.forget(url)  # a link to it would make it a page
            elif not (latest and note):
                remember[url] = priority
            best = better.get(host)
            if best is None or -priority < best[0]:  # among equals the first one found, which has the lower id
                better[host] = Head(-priority, id)
            if note:
                self._simple = False
            rows.append((host, key, waiting, priority, offer.depth, source, url, note, None))
            results[at] = new
        self._recent.rotate()
        return results

    def _unanswered(self, offers: Sequence[Sourced]) -> tuple[list[int], list[Url], list[str]]:
        """The places of the offers that the cache does not answer, their URLs and the names of their hosts."""
        trusting, latest = not self._latest, self._latest
        first = self._rules.rediscovery is Rediscovery.FIRST
        young, old = self._recent.young.get, self._recent.old.get
        places: list[int] = []
        urls: list[Url] = []
        names: list[str] = []
        for at, (offer, _) in enumerate(offers):
            url = offer.url
            bound = young(url)
            if bound is None:
                bound = old(url)
            if (
                bound is not None
                and not offer.note.startswith(REQUISITE)
                and (
                    bound == SETTLED
                    or (trusting and (first or offer.priority <= bound))
                    or (latest and offer.priority == bound and not offer.note)
                )
            ):
                continue
            places.append(at)
            urls.append(url)
            # `queue_of`, without a call for every link; credentials are rare and looked at when the name is new.
            names.append(url[: url.index("/", 8)] if url[4] == "s" else url[7 : url.index("/", 8)])
        return places, urls, names

    def _host_ids(self, names: list[str], urls: list[Url]) -> dict[str, int]:
        """The id of each origin, by its name as it stands in its URL; those never seen are added, in order."""
        found = self._hosts.find_many(set(names))
        for name, url in zip(names, urls, strict=True):
            if name not in found:
                found[name] = self._host_id(queue_of(url), url)
        return found

    def _host_id(self, name: str, url: Url) -> int:
        """The id of an origin by its name without credentials."""
        host = self._hosts.find(name)
        if host is None:
            host = self._hosts.add(name, url)
            self.counts["hosts"] += self._hosts.find(other_origin(name)) is None
        return host

    def _take_seen(self, id: int | None, key: int, offer: Offer) -> tuple[OfferResult | None, int]:
        """An offer whose key is taken by a URL, its own or another one. The result; or None, and the key that is free
        for it."""
        while id is not None:
            if id >= self._first:
                if self._rows[id - self._first][6] == offer.url:
                    return self._take_again(id, offer), key
            else:
                row = self._stored.get(id)
                if row is None:
                    row = self._stored[id] = self._urls.row(id)
                if row.url == offer.url:
                    return self._take_known(row, offer), key
            key = next_key(key)
            id = self._known.get(key) or self._urls.index.find(key)
        return None, key

    def _take_again(self, id: int, offer: Offer) -> OfferResult:
        """An offer of a URL that is new in this same batch."""
        place = id - self._first
        row = self._rows[place]
        if row[2] != State.WAITING or not self._rules.replaces(offer, row[3], row[7] or b""):
            return OfferResult.KNOWN
        note = offer.note or None
        self._simple = self._simple and note is None
        self._rows[place] = (*row[:3], offer.priority, *row[4:7], note, row[8])
        self._change_rank(row[0], id, row[3], offer)
        return OfferResult.RAISED

    def _take_known(self, row: Row, offer: Offer) -> OfferResult:
        """An offer of a URL that is stored."""
        if row.state == State.WAITING and not self._leased(row.id):
            if not self._rules.replaces(offer, row.priority, row.note or b""):
                self._remember(row.url, row.priority, row.note)
                return OfferResult.KNOWN
            self._before.setdefault(row.id, row)
            self._stored[row.id] = row._replace(priority=offer.priority, note=offer.note or None)
            self._change_rank(row.host, row.id, row.priority, offer)
            return OfferResult.RAISED
        if row.state == State.DROPPED and may_return(row.reason or "", offer):
            self._urls.requeue(row, offer.priority, offer.note or None, row.attempts)
            self._stored[row.id] = self._urls.row(row.id)
            self.counts["waiting"] += 1
            self.counts["dropped"] -= 1
            self._change_rank(row.host, row.id, offer.priority, offer)
            return OfferResult.NEW
        if row.state != State.WAITING:
            self._recent.young[row.url] = SETTLED
        return OfferResult.KNOWN

    def _remember(self, url: Url, priority: float, note: bytes | None) -> None:
        """A URL waits with this priority."""
        if note and (self._latest or note.startswith(REQUISITE)):
            self._recent.forget(url)
        else:
            self._recent.young[url] = priority

    def _change_rank(self, host: int, id: int, before: float, offer: Offer) -> None:
        """A URL waits with the priority of an offer, not with that of before."""
        self._remember(offer.url, offer.priority, offer.note)
        if offer.priority < before:
            self.worse.add(host)
        best, head = self.better.get(host), Head(-offer.priority, id)
        if best is None or head < best:
            self.better[host] = head

    def _refuse(self, offer: Offer, host: int) -> tuple[OfferResult, str] | None:
        """What the rules, or a spent budget, say against a new URL."""
        refusal = self._rules.refuse(offer.url, offer.depth, offer.note)
        if refusal is not None or not self._counts_pages or offer.is_requisite:
            return refusal
        taken = self._taken.get(host)
        if taken is None:
            taken = self._taken[host] = self._hosts.taken(host)
        reason = self._rules.spent(*taken)
        return (OfferResult.CAPPED, reason) if reason else None

    def _refused(self, refusal: tuple[OfferResult, str], host: int, key: int, sourced: Sourced) -> NewUrl:
        """The row of a new URL that will not be fetched."""
        (result, reason), (offer, source) = refusal, sourced
        state = State.QUARANTINED if result is OfferResult.TRAPPED else State.DROPPED
        self.counts["quarantined" if state is State.QUARANTINED else "dropped"] += 1
        self.counts["waiting"] -= 1
        self._simple = False
        return (host, key, int(state), offer.priority, offer.depth, source, offer.url, offer.note or None, reason)

    def write(self) -> None:
        """Store the new URLs, the changed priorities and the better heads of their hosts."""
        self.counts["waiting"] += len(self._rows)
        stored = self._stored
        self._urls.change((row, stored[id].priority, stored[id].note) for id, row in self._before.items())
        self._urls.add(self._first, self._rows, simple=self._simple)
        first, better = self._first, self.better.items()
        self._hosts.improve_heads_later((host, head) for host, head in better if head.id >= first)
        self._hosts.improve_heads((host, head) for host, head in better if head.id < first)

    def keep_cap(self, waiting: int, cap: int) -> set[str]:
        """Drop what is too much, the least wanted first; the URLs that were dropped. `waiting` counts all of now."""
        dropped: set[str] = set()
        index = self._urls.index
        while waiting > cap and (id := index.worst()) is not None and not self._leased(id):
            row = self._urls.row(id)
            self._urls.set_state(id, State.DROPPED, QUEUE_FULL, row.attempts)
            index.dequeue(row.host, -row.priority, id)
            self._recent.forget(row.url)
            self.worse.add(row.host)
            dropped.add(row.url)
            waiting -= 1
        self.counts["waiting"] -= len(dropped)
        self.counts["dropped"] += len(dropped)
        return dropped
