"""Revisits in the crawl: what a visit showed, when the page is due again, and how many pages the budget wakes.

A page that was wanted is due when a visit is worth the price (`schedule.value`); the price is the one at which the
pages under revisit, at the rates that are believed of them, use up the budget. Rates of pages are drawn to that of
their host, and those of hosts to that of all, so that a page seen once has a rate.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

import msgspec
import numpy as np
from xxhash import xxh3_64_intdigest

from phasa.archive.duplicates import distance, simhash
from phasa.crawl.answer import Answer, Kind
from phasa.crawl.judge import Judgement
from phasa.crawl.record import content_digest
from phasa.fresh_settings import FreshSettings
from phasa.frontier.origins import host_of, queue_of
from phasa.frontier.protocol import Ending, Frontier, Lease, Seen, State
from phasa.schedule.bursts import Bursts, folders_of
from phasa.schedule.value import Floats, rest, share_budget
from phasa.web.url import Url
from phasa.web.url import host as host_name

DAY = 86_400.0
_MASK = (1 << 64) - 1


class Revisits:
    """The revisits of one process, with its share (`part`) of the budget. `start` is the time of now."""

    PRICED = 600.0  # seconds for which a price holds
    SAMPLE = 5_000  # pages by which it is found
    SAVED = DAY / 24  # seconds of the budget that can be saved up
    FULL = 9  # every so many visits ask for the whole page, whatever the server says
    GONE = 3  # visits in a row at which a page was not there, before it is let go
    USUAL = 1 / (30 * DAY)  # changes a second of a page when nothing is known yet
    HINTED = 10_000  # pages whose hints are waited to come true
    LIES = 3  # hints of a host that may be wrong, beyond those that were right, before they are not heard any more
    SISTERS = 1_000  # pages of a folder that are told of a burst at a time
    TOLD = 20  # pages that are told of bursts for each visit that is made, so that neighbours never cost more than that
    TRUST = 1.0  # changes that the rate of a host counts for in that of a page

    def __init__(self, settings: FreshSettings, frontier: Frontier, start: float, part: float = 1.0) -> None:
        self.settings = settings
        self.price = 0.0
        self._frontier = frontier
        self._budget = settings.requests_per_day * part / DAY
        self._paid, self._last = 0.0, start
        self._priced = -math.inf
        self._mean = self.USUAL
        self._hosts: dict[str, float] = {}
        self._woken = 0  # pages that were woken and not visited yet
        self._credit = 0.0  # revisits that discovery leaves room for
        self._found_at = -math.inf  # when a page was last fetched that was not seen before
        self._hinted: dict[Url, str] = {}
        self._wrong: Counter[str] = Counter()
        self._bursts = Bursts()
        self._attention = float(self.SISTERS)  # pages that may be told of bursts

    # ── which pages next ─────────────────────────────────────────────────────────────────────────

    def wake(self, now: float) -> int:
        """Let the pages wait again that are due first, as many as the budget has paid for; how many. What is paid for
        is used, so they may come early or late: a price that fits the budget keeps that small."""
        settings = self.settings
        most = self._budget * self.SAVED + 1.0
        self._paid = min(self._paid + (now - self._last) * self._budget, most)
        self._last = now
        if self._paid < 1:
            return 0
        self._find_price(now)
        self._tell_neighbours()
        rested = now - settings.least_hours * 3600
        woken = self._frontier.wake(now + settings.most_days * DAY, rested, self._room(now))
        self._paid -= woken
        self._credit -= woken
        self._woken += woken
        return woken

    def _room(self, now: float) -> int:
        """How many pages may be woken: as many as are paid for and, while pages are being found, no more than leave
        discovery its share. Where nothing was found for as long as four visits take, nothing more is expected."""
        paid = int(self._paid)
        finding = now - self._found_at < 4 / self._budget and self._frontier.stats().waiting > self._woken
        if not finding:
            self._credit = 0.0
            return paid
        return max(0, min(paid, int(self._credit)))

    def _count(self, lease: Lease, now: float) -> None:
        """A lease has ended: of a revisit, or of a page that gives others room."""
        if lease.seen is not None:
            self._attention = min(self._attention + self.TOLD, 4.0 * self.SISTERS)
            self._woken = max(0, self._woken - 1)
            return
        self._found_at = now
        share = self.settings.discovery
        self._credit = min(self._credit + (1 - share) / max(share, 1e-9), 100.0)

    def hint(self, told_by: str, changed: Mapping[Url, float], listed: Sequence[Url], now: float) -> int:
        """Hear from a sitemap of a host when pages changed: those that were seen before are due now, as far as its
        earlier hints were right; how many. What a visit shows counts, a hint never does."""
        if self._wrong[told_by] >= self.LIES:
            return 0
        told = [(url, changed[url]) for url in listed if url in changed and host_name(url) == host_of(told_by)]
        found = self._frontier.hasten(told, now)
        for url in found[: self.HINTED - len(self._hinted)]:
            self._hinted[url] = told_by
        return len(found)

    def _weigh_hint(self, url: Url, changed: bool) -> str:
        """What a visit says of the hint that led to it."""
        told_by = self._hinted.pop(url, "")
        if not told_by:
            return ""
        self._wrong[told_by] = max(0, self._wrong[told_by] + (-1 if changed else 1))
        return "" if changed else "; its sitemap said that it had changed"

    def _tell_neighbours(self) -> None:
        """Where visits say that pages of a folder changed together, or did not after all, the others of it are due
        sooner, or later again. Of their own next moments nothing is kept: they are found anew."""
        for folder, until in self._bursts.stirred(lambda: self._attention >= self.SISTERS):
            sisters = self._frontier.neighbours(folder, until, self.SISTERS)
            self._attention -= len(sisters) + 1
            if not sisters or not self.price:
                continue
            usual = self.rate(queue_of(sisters[0].url))
            _, _, seen, changes, seconds = (np.asarray(column) for column in zip(*sisters, strict=True))
            more = np.asarray([self._bursts.expected(folders_of(one.url), one.at) for one in sisters])
            rates = (self.TRUST + changes) / (self.TRUST / usual + seconds)
            dues = seen + self._gaps(rates, more)
            self._frontier.reschedule([(one.id, due) for one, due in zip(sisters, dues.tolist(), strict=True)])

    def waits(self) -> bool:
        """Whether any page is to be visited again, sooner or later."""
        return self._frontier.next_due() is not None

    def _find_price(self, now: float) -> None:
        if now < self._priced + self.PRICED:
            return
        self._priced = now
        paces = self._frontier.paces(self.SAMPLE)
        if not paces:
            return
        hosts: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0])
        for host, changes, seconds in paces:
            hosts[host][0] += changes
            hosts[host][1] += seconds
        every = np.asarray(list(hosts.values()))
        self._mean = float((1 + every[:, 0].sum()) / (1 / self.USUAL + every[:, 1].sum()))
        self._hosts = {host: (1 + c) / (1 / self._mean + s) for host, (c, s) in hosts.items()}
        rates = np.asarray([self.rate(*pace) for pace in paces])
        share = len(paces) / max(self._under_revisit(len(paces)), 1)
        self.price = share_budget(rates, self._budget * share, self.settings.aim).price

    def _under_revisit(self, sample: int) -> int:
        return sample if sample < self.SAMPLE else self._frontier.stats().wanted

    def rate(self, host: str, changes: float = 0.0, seconds: float = 0.0) -> float:
        """The rate that is believed of a page with so many changes in such a time."""
        usual = self._hosts.get(host, self._mean)
        return (self.TRUST + changes) / (self.TRUST / usual + seconds)

    # ── what a visit showed ──────────────────────────────────────────────────────────────────────

    def plan(self, lease: Lease, answer: Answer, judgement: Judgement | None, ending: Ending) -> Ending:
        """The ending of a lease with what the visit showed, and when the page is due again."""
        if ending.state is State.WAITING:
            return ending
        self._count(lease, ending.at)
        if answer.kind is Kind.SITEMAP:
            return self._plan_sitemap(lease, answer, ending)
        if lease.seen is None:
            if judgement is None or not judgement.wanted:
                return ending
            seen = self._remember(Seen(ending.at, ending.at), answer)
            return self._due(lease, ending, seen, None)
        seen, now = lease.seen, ending.at
        gap = max(now - seen.at, 1.0)
        known = msgspec.structs.replace(seen, at=now, visits=seen.visits + 1)
        if answer.kind is Kind.PAGE or is_same(answer):
            change = 0.0 if is_same(answer) else self._change(seen, answer)
            changed = change > 0 and change >= self.settings.least_change
            before = self.rate(lease.host, seen.changes, seen.seconds) * gap
            known = msgspec.structs.replace(
                known,
                changes=seen.changes + (before / -math.expm1(-before) if changed else 0.0),
                seconds=seen.seconds + gap,
                same=seen.same + 1 if is_same(answer) else 0,
                gone=0,
            )
            self._bursts.saw(folders_of(lease.url), seen.at, now, changed, before)
            if changed:
                known = self._remember(known, answer)
            elif answer.kind is Kind.PAGE:
                known = _validated(known, answer)
            said = "unchanged" if not changed else f"changed: {change:.0%} of its text"
            said += self._weigh_hint(lease.url, changed)
            return self._due(lease, _with(ending, f"{ending.reason}; {said}"), known, change)
        known = msgspec.structs.replace(known, gone=seen.gone + 1)
        if answer.kind in (Kind.MOVED, Kind.REFUSED) or known.gone >= self.GONE:
            return _with(ending, f"{ending.reason}; not visited again", State.DONE, known)
        later = min(2 * gap, self.settings.most_days * DAY)
        return _with(ending, f"{ending.reason}; was a page before", State.DONE, known, now + later)

    def _plan_sitemap(self, lease: Lease, answer: Answer, ending: Ending) -> Ending:
        """A sitemap is read again like a page: it has changed when it lists something else, or other dates."""
        listing = "\n".join(f"{url} {answer.changed.get(url, '')}" for url in answer.listed)
        digest = xxh3_64_intdigest(listing.encode()) >> 1
        seen = lease.seen
        if seen is None:
            return self._due(lease, ending, _validated(Seen(ending.at, ending.at, digest=digest), answer), None)
        gap, changed = max(ending.at - seen.at, 1.0), digest != seen.digest
        before = self.rate(lease.host, seen.changes, seen.seconds) * gap
        known = msgspec.structs.replace(
            seen,
            at=ending.at,
            visits=seen.visits + 1,
            changes=seen.changes + (before / -math.expm1(-before) if changed else 0.0),
            seconds=seen.seconds + gap,
            digest=digest,
            same=0,
            gone=0,
        )
        said = f"{ending.reason}; {'lists something else' if changed else 'unchanged'}"
        return self._due(lease, _with(ending, said), _validated(known, answer), 1.0 if changed else 0.0)

    def _remember(self, seen: Seen, answer: Answer) -> Seen:
        """With the content of an answer as what later ones are compared with."""
        text = answer.page.text if answer.page is not None else ""
        sketch = simhash(text)
        signed = sketch - (1 << 64) if sketch >> 63 else sketch
        return _validated(msgspec.structs.replace(seen, digest=content_digest(text), sketch=signed), answer)

    def _change(self, seen: Seen, answer: Answer) -> float:
        """How much of the text differs, digits left out: by the bits of its simhash, of which half differ when texts
        have nothing in common. Short texts are the same or not."""
        text = answer.page.text if answer.page is not None else ""
        if content_digest(text) == seen.digest:
            return 0.0
        sketch = simhash(text)
        if not sketch or not seen.sketch:
            return 1.0
        return min(1.0, max(1, distance(sketch, seen.sketch & _MASK)) / 32)

    def _due(self, lease: Lease, ending: Ending, seen: Seen, change: float | None) -> Ending:
        rate = np.asarray([self.rate(lease.host, seen.changes, seen.seconds)])
        gap = float(self._gaps(rate, np.zeros(1))[0])
        folders = folders_of(lease.url)
        return msgspec.structs.replace(ending, seen=seen, due=ending.at + gap, change=change, folders=folders)

    def _gaps(self, rates: Floats, expected: Floats) -> Floats:
        """Seconds from the visit of each page to the next, where so many changes are expected beside those of its own
        rate."""
        aim, least, most = self.settings.aim, self.settings.least_hours * 3600, self.settings.most_days * DAY
        price = self.price or share_budget(rates, float(rates.sum()), aim).price
        return np.clip(rest(price, rates, aim) - expected / rates, least, most)


def is_same(answer: Answer) -> bool:
    """Whether a server said that nothing changed (304)."""
    return answer.status == 304


def _validated(seen: Seen, answer: Answer) -> Seen:
    exchange = answer.exchange
    if exchange is None:
        return seen
    return msgspec.structs.replace(seen, etag=(exchange.etag or "")[:512], modified=(exchange.modified or "")[:64])


def _with(
    ending: Ending, reason: str, state: State | None = None, seen: Seen | None = None, due: float | None = None
) -> Ending:
    return msgspec.structs.replace(
        ending, reason=reason, state=ending.state if state is None else state, seen=seen, due=due
    )
