"""What happens to the rows of URLs and hosts when something ends or changes, inside the caller's transaction."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping

from phasa.frontier.database import Database
from phasa.frontier.host_table import HostTable
from phasa.frontier.intake import Hash, find_row, key_of
from phasa.frontier.protocol import Ending, Lease, Offer, State
from phasa.frontier.ready import Host
from phasa.frontier.recent import SETTLED, Recent
from phasa.frontier.rules import Rules
from phasa.frontier.traps import template
from phasa.frontier.turns import Turns
from phasa.frontier.url_table import Row, UrlTable
from phasa.web.url import Url, authority


class Ledger:
    """Books endings and changes: the URL, its queue, its host, the tallies, and what is remembered of it."""

    def __init__(
        self,
        db: Database,
        urls: UrlTable,
        hosts: HostTable,
        turns: Turns,
        recent: Recent,
        rules: Rules,
        hash: Hash,
    ) -> None:
        self._db = db
        self._urls = urls
        self._hosts = hosts
        self._turns = turns
        self._recent = recent
        self._rules = rules
        self._hash = hash
        self._counts: Counter[str] = Counter()

    def find(self, url: Url) -> Row | None:
        """The row of a URL; None when it was never taken in."""
        host = self._hosts.find(authority(url))
        if host is None:
            return None
        return find_row(self._urls, key_of(host, self._hash(url.encode())), url)

    def source(self, offer: Offer) -> int | str | None:
        """Sources that are pages of ours are kept by number."""
        row = self.find(Url(offer.source)) if offer.source else None
        return row.id if row is not None else offer.source or None

    def source_url(self, source: int | str | None) -> str:
        """The address that a stored source means."""
        return self._urls.row(source).url if isinstance(source, int) else source or ""

    def drop_queue(self, host: int, reason: str) -> None:
        """Nothing of what waits at a host will be fetched."""
        n = self._urls.drop_queue(host, State.DROPPED, reason)
        self._db.count({"waiting": -n, "dropped": n})

    def settle(self, row: Row, state: State, reason: str) -> None:
        """A waiting URL will not be fetched."""
        self._urls.move(row.id, state, reason, row.attempts)
        self._urls.unqueue(row.host, -row.priority, row.id)
        self._db.count({"waiting": -1, _tally(state): 1})
        self._recent.put(row.url, SETTLED)

    def requeue(self, row: Row, priority: float) -> None:
        """A URL that does not wait waits again."""
        self._urls.change(row, priority, row.note)
        self._urls.move(row.id, State.WAITING, "", 0)
        self._urls.enqueue(row.host, -priority, row.id)
        self._db.count({"waiting": 1, _tally(State(row.state)): -1})
        self._recent.forget(row.url)
        self._turns.renew(row.host)

    def end(self, lease: Lease, ending: Ending) -> tuple[Host, Ending]:
        """The URL's part of a finish; `count` is to follow."""
        urls, host, visit = self._urls, self._turns.host_of(lease), ending.visit
        urls.move(lease.id, ending.state, ending.reason, lease.attempts + 1)
        counts: dict[str, int] = {}
        if ending.state is State.WAITING:
            self._recent.forget(lease.url)
        else:
            urls.unqueue(host.id, -lease.priority, lease.id)
            counts = {"waiting": -1, _tally(ending.state): 1}
        if visit is not None:
            urls.add_visit(lease.id, visit)
            counts["bytes"] = visit.size
            counts["words"] = visit.words
            if visit.wanted is not None:
                counts["judged"] = 1
                counts["wanted"] = int(visit.wanted)
            traps = self._rules.traps
            if traps is not None and (evidence := traps.saw(lease.url, visit.digest)):
                self._db.add_template(template(lease.url), evidence)
        if ending.state is State.DONE:
            self._hosts.took_page(host.id)
        self._counts.update(counts)
        return host, ending

    def count(self) -> None:
        """Write what the last endings add to the tallies."""
        self._db.count(self._counts)
        self._counts.clear()

    def end_turn(self, host: Host, ending: Ending) -> None:
        """After the links were taken in: the host's part of a finish."""
        host.busy = 0
        host.address = ending.address or host.address
        host.failures = host.failures + 1 if ending.failed else 0
        until = ending.at + ending.pause
        self._turns.ready.rest(host, until)
        note = ending.reason if ending.failed or ending.state is State.WAITING else ""
        self._hosts.end_turn(host.id, until, ending.pause, host.address, host.failures, note)
        if host.failures >= self._rules.manners.failures:
            self.drop_queue(host.id, f"host given up: {ending.reason}")
            host.failures = 0
            self._recent.clear()
        self._turns.renew(host.id)

    def rank_anew(self, changes: Mapping[Url, float], leased: Callable[[int], bool]) -> None:
        """After the links were taken in: new priorities for what waits and is not leased."""
        hosts = set()
        changed = []
        for url, row in self._find_many(changes).items():
            priority = changes[url]
            if priority != row.priority and row.state == State.WAITING and not leased(row.id):
                changed.append((row, priority, row.note))
                self._recent.forget(url)
                hosts.add(row.host)
        self._urls.change_many(changed)
        for host in hosts:
            self._turns.renew(host)

    def _find_many(self, urls: Collection[Url]) -> dict[Url, Row]:
        """The rows of those URLs that were taken in."""
        hosts = self._hosts.find_many({authority(url) for url in urls})
        keys = {
            url: key_of(host, self._hash(url.encode()))
            for url in urls
            if (host := hosts.get(authority(url))) is not None
        }
        seen = self._urls.seen_many(list(keys.values()))
        rows = self._urls.rows(set(seen.values()))
        found: dict[Url, Row] = {}
        for url, key in keys.items():
            row = rows.get(seen.get(key, 0))
            if row is not None and row.url != url:
                row = find_row(self._urls, key, url)
            if row is not None:
                found[url] = row
        return found


def _tally(state: State) -> str:
    return {State.DONE: "done", State.DROPPED: "dropped", State.QUARANTINED: "quarantined"}[state]
