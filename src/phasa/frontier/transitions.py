"""The changes of state of known URLs, each with all that follows from it: its row, its queue, its host, the tallies and
the cache of recent offers. Inside the caller's transaction."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Container, Mapping

from phasa.frontier.index import Head, RankChange
from phasa.frontier.protocol import NEAR_DUPLICATE, Ending, Lease, OfferResult, Rescoped, State
from phasa.frontier.recent import SETTLED, RecentOffers
from phasa.frontier.revisits import RevisitTable
from phasa.frontier.row import Row
from phasa.frontier.rules import Rules
from phasa.frontier.schedule import Host, HostSchedule
from phasa.frontier.storage import Storage
from phasa.frontier.tables import HostTable, Turn, UrlTable
from phasa.frontier.traps import template
from phasa.web.url import Url

log = logging.getLogger(__name__)

_TALLY = {State.DONE: "done", State.DROPPED: "dropped", State.QUARANTINED: "quarantined"}


class Transitions:
    """From waiting to done, dropped or quarantined, and back."""

    def __init__(
        self,
        db: Storage,
        urls: UrlTable,
        hosts: HostTable,
        schedule: HostSchedule,
        recent: RecentOffers,
        rules: Rules,
        revisits: RevisitTable,
    ) -> None:
        self._db = db
        self._urls = urls
        self._hosts = hosts
        self._schedule = schedule
        self._recent = recent
        self._rules = rules
        self._revisits = revisits

    def settle(self, row: Row, state: State, reason: str) -> None:
        """A waiting URL will not be fetched."""
        self._urls.set_state(row.id, state, reason, row.attempts)
        self._urls.index.dequeue(row.host, -row.priority, row.id)
        self._db.count({"waiting": -1, _TALLY[state]: 1})
        self._recent.put(row.url, SETTLED)
        self._schedule.renew(row.host)

    def refuse(self, row: Row, state: State, reason: str) -> None:
        """A waiting URL may no longer be fetched: it looks like a trap, or a budget is spent."""
        if state is State.QUARANTINED:
            log.info("quarantined: %s (%s)", row.url, reason)
            self.settle(row, state, reason)
        else:
            # A spent budget refuses every URL of the host alike.
            self.drop_queue(row.host, reason)

    def drop_queue(self, host: int, reason: str) -> int:
        """Nothing of what waits at a host will be fetched; how many URLs that are."""
        dropped = self._urls.drop_queue(host, reason)
        self._db.count({"waiting": -dropped, "dropped": dropped})
        self._schedule.renew(host)
        return dropped

    def requeue(self, row: Row, priority: float) -> None:
        """A URL that does not wait waits again, as if it had never been tried."""
        self._urls.requeue(row, priority, row.note, 0)
        self._db.count({"waiting": 1, _TALLY[State(row.state)]: -1})
        self._recent.forget(row.url)
        self._schedule.renew(row.host)

    def wake(self, until: float, rested: float, most: int, priority: float) -> int:
        """Pages that are due wait again; how many."""
        rows = self._urls.rows(self._revisits.take_due(until, rested, most))
        for row in rows.values():
            self.requeue(row, max(row.priority, priority))
        return len(rows)

    def release(self, text: str) -> int:
        """The quarantined URLs wait again whose address or evidence contains the text, and their templates are trusted
        again; how many URLs."""
        rows = [row for row in self._urls.quarantined() if text in f"{row.url} {row.reason}"]
        for key, evidence in self._db.templates().items():
            if text in evidence:
                self._db.remove_template(key)
                if self._rules.traps is not None:
                    self._rules.traps.release(key)
        for row in rows:
            self.requeue(row, row.priority)
        log.info("%d quarantined URLs wait again", len(rows))
        return len(rows)

    def rescope(self, after: int, most: int) -> Rescoped:
        """Let those of the next URLs that the scope refused wait again which the rules of now take; the others are
        told why they still do not."""
        rows = self._urls.out_of_scope(after, most)
        taken = 0
        for row in rows:
            refusal = self._rules.refuse(row.url, row.depth, row.note or b"")
            if refusal is None:
                self.requeue(row, row.priority)
                taken += 1
            elif refusal[1] != row.reason and refusal[0] is OfferResult.OUT_OF_SCOPE:
                self._urls.set_state(row.id, State.DROPPED, refusal[1], row.attempts)
        return Rescoped(rows[-1].id if rows else after, len(rows), taken)

    def reprioritise(self, changes: Mapping[Url, float], leased: Container[int]) -> None:
        """New priorities for those URLs that wait and are not leased."""
        changed: list[RankChange] = []
        remember = self._recent.young
        for (id, host, _, _, _, _, _, url, note, _, key), before in self._urls.waiting_rows(changes):
            priority = changes[url]
            if priority == before or id in leased:
                continue
            changed.append((id, host, key, -before, -priority))
            if note:
                self._recent.forget(url)
            else:
                remember[url] = priority
        self._recent.rotate()
        changed.sort()
        self._urls.change_priorities(changed)
        best: dict[int, tuple[float, int]] = {}
        for id, host, _, _, rank in changed:  # among equals the first one, which has the lowest id
            if host not in best or rank < best[host][0]:
                best[host] = rank, id
        self._schedule.reorder({host: Head(*head) for host, head in best.items()}, {change[0] for change in changed})

    # ── the end of a lease, in two steps: the links of all pages are taken in between them ───────

    def end_leases(self, finished: list[tuple[Lease, Ending]]) -> list[tuple[Host, Ending]]:
        """The URLs' part of the ends of leases; what `end_turns` needs for the hosts' part."""
        counts: Counter[str] = Counter()
        pages: Counter[int] = Counter()
        ended = [(self._end(lease, ending, counts, pages), ending) for lease, ending in finished]
        self._urls.set_states(
            [(int(ending.state), ending.reason, lease.attempts + 1, lease.id) for lease, ending in finished]
        )
        self._urls.add_visits([(lease.id, ending.visit) for lease, ending in finished if ending.visit is not None])
        self._hosts.took_pages(pages)
        self._db.count(counts)
        return ended

    def _end(self, lease: Lease, ending: Ending, counts: Counter[str], pages: Counter[int]) -> Host:
        """What follows from the end of a lease; its host. The row and the visit are written for all together."""
        urls, host, visit = self._urls, self._schedule.host_of(lease), ending.visit
        if ending.state is State.WAITING:
            self._recent.forget(lease.url)
        else:
            urls.index.dequeue(host.id, -lease.priority, lease.id)
            counts["waiting"] -= 1
            counts[_TALLY[ending.state]] += 1
        if visit is not None:
            counts["bytes"] += visit.size
            if lease.seen is not None:  # a page is one page however often it is visited
                pass
            elif visit.wanted is not None:
                counts["words"] += visit.words
                counts["judged"] += 1
                counts["near_duplicates"] += ending.reason.startswith(NEAR_DUPLICATE)
                counts["wanted"] += visit.wanted
            traps = self._rules.traps
            if lease.seen is None and traps is not None and (evidence := traps.saw(lease.url, visit.digest)):
                log.info("quarantined: %s", evidence)
                self._db.add_template(template(lease.url), evidence)
        if ending.seen is not None:
            self._revisits.write(lease.id, ending)
        if ending.state is State.DONE and lease.is_requisite:
            counts["requisites"] += 1
        elif ending.state is State.DONE and lease.seen is None:
            pages[host.id] += 1
        return host

    def end_turns(self, ended: list[tuple[Host, Ending]]) -> None:
        """The hosts' part of the ends of leases."""
        self._hosts.end_turns([self._end_turn(host, ending) for host, ending in ended])
        for host, ending in ended:
            self._follow_up(host, ending)

    def _end_turn(self, host: Host, ending: Ending) -> Turn:
        """A host rests; what is written down of that."""
        host.busy = 0
        host.address = ending.address or host.address
        host.failures = host.failures + 1 if ending.failed else 0
        until = ending.at + ending.pause
        self._schedule.ready.rest(host, until)
        note = ending.reason if ending.failed or ending.state is State.WAITING else ""
        return until, ending.pause, host.address, host.failures, note, host.id

    def _follow_up(self, host: Host, ending: Ending) -> None:
        """The other origin of a host that failed rests, too; a host that failed often is given up."""
        if ending.host_rest > self._rules.manners.delay:
            self._hosts.rest_other(host.name, ending.at + ending.host_rest, ending.host_rest)
        if host.failures >= self._rules.manners.failures:
            dropped = self.drop_queue(host.id, f"host given up: {ending.reason}")
            log.info(
                "%s given up after %d failures in a row (%s): %d waiting URLs dropped",
                host.name,
                host.failures,
                ending.reason,
                dropped,
            )
            host.failures = 0
            self._recent.clear()
        else:
            self._schedule.renew(host.id)
