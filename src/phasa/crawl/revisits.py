"""Revisits in the crawl: what a visit showed, when the page is due again, and how many pages the budget wakes.

A page that was wanted is due when a visit is worth the price (`schedule.value`); the price is the one at which the
pages under revisit, at the rates that are believed of them, use up the budget. Rates of pages are drawn to what is
usual where they are (`schedule.usual`), so that a page seen once has a rate.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

import msgspec
import numpy as np
from xxhash import xxh3_64_intdigest

from phasa.archive.duplicates import distance, simhash
from phasa.crawl.answer import Answer, Kind
from phasa.crawl.judge import Judgement
from phasa.crawl.page_weights import PageWeights
from phasa.crawl.record import content_digest
from phasa.crawl.told_times import Found, ToldTimes, found_change
from phasa.fresh_settings import FreshSettings
from phasa.frontier.origins import host_of
from phasa.frontier.protocol import DuePage, Ending, Frontier, Lease, Seen, State
from phasa.schedule.common_budget import CommonBudget
from phasa.schedule.neighbours import Neighbours, slot_of
from phasa.schedule.trust import FIRST, OWN_PAST, Trust
from phasa.schedule.usual import Usual, place_of
from phasa.schedule.value import SPREAD, Floats, rest, share_budget, uneven, worth
from phasa.web.url import Url
from phasa.web.url import host as host_name

DAY = 86_400.0
_MASK = (1 << 64) - 1


class Revisits:
    """The revisits of one process. Of the budget it has as much as the pages that are its own are worth at the price of
    all, so that processes with more or busier sites make more of the visits. `start` is the time of now."""

    PRICED = 600.0  # seconds for which a price holds
    SAMPLE = 5_000  # pages by which it is found
    SAVED = DAY / 24  # seconds of the budget that can be saved up
    FULL = 9  # every so many visits ask for the whole page, whatever the server says
    GONE = 3  # visits in a row at which a page was not there, before it is let go
    HINTED = 10_000  # pages whose hints are waited to come true
    LIES = 3  # hints of a host that may be wrong, beyond those that were right, before they are not heard any more
    LOOKED_AT = 1_000  # pages whose moments are found anew at a time
    VERSION = DAY  # seconds of waiting that a version missed counts for beside the posts of feeds

    def __init__(
        self,
        settings: FreshSettings,
        frontier: Frontier,
        start: float,
        part: float = 1.0,
        common: CommonBudget | None = None,
    ) -> None:
        """`part`: of the budget, until it is known which of the pages under revisit this process has. `common`: the
        budget is shared with feeds."""
        self.settings = settings
        self.price = 0.0
        self._frontier = frontier
        self._common, self._part = common, part
        self._all = settings.requests_per_day / DAY  # visits a second of all processes together
        self._paid, self._last = 0.0, start
        self._priced = -math.inf
        self._pages, self._new = 0, 0  # under revisit when the price was found, and those that came since
        self._usual = Usual()
        self._weights = PageWeights(settings)
        self._woken = 0  # pages that were woken and not visited yet
        self._credit = 0.0  # revisits that discovery leaves room for
        self._found_at = -math.inf  # when a page was last fetched that was not seen before
        self._hinted: dict[Url, str] = {}
        self._wrong: Counter[str] = Counter()
        self._told = ToldTimes()
        self._trust = Trust(frontier.note(OWN_PAST) or FIRST)
        self._neighbours: Neighbours | None = None
        self._looked_at = -1  # the last page whose moment was found anew, of a look at all
        self._next_look = start

    @property
    def _budget(self) -> float:
        return self._all * self._part

    # ── which pages next ─────────────────────────────────────────────────────────────────────────

    def wake(self, now: float) -> int:
        """Let the pages wait again that are due first, as many as the budget has paid for; how many. What is paid for
        is used, so they may come early or late: a price that fits the budget keeps that small."""
        settings = self.settings
        most = self._budget * self.SAVED + 1.0
        self._paid = min(self._paid + (now - self._last) * self._budget, most)
        self._last = now
        self._find_price(now)
        self._look(now)
        if self._paid < 1:
            return 0
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

    def _look(self, now: float) -> None:
        """Look at some pages again, and twice in a slot at all of them: where visits say that pages of a folder changed
        together, or did not, the others are due sooner, or later."""
        if now < self._next_look or not self.price or self._neighbours is None:
            return
        known, pages = self._neighbours, self._frontier.due_pages(self._looked_at, self.LOOKED_AT)
        known.count(page.url for page in pages)
        if pages:
            self._looked_at = pages[-1].id
            dues = self._dues(pages, known, now)
            soon = now + known.slot
            moved = [
                (page.id, due)
                for page, due in zip(pages, dues.tolist(), strict=True)
                if abs(due - page.due) > known.slot / 8 and min(due, page.due) < soon and page.url not in self._hinted
            ]
            if moved:
                self._frontier.reschedule(moved)
        if len(pages) < self.LOOKED_AT:
            known.settle()
            self._frontier.keep_note(OWN_PAST, round(self._trust.changes, 3))
            self._looked_at, self._next_look = -1, now + known.slot / 2

    def _dues(self, pages: Sequence[DuePage], known: Neighbours, now: float) -> Floats:
        """When a visit of each page is worth the price, as things stand. Where it is already, those are due first to
        which it is worth most."""
        seen = np.asarray([page.at for page in pages])
        rates = np.asarray([self._rate(page.url, page.changes, page.seconds) for page in pages])
        weights = np.asarray([self._weight(page.url, page.score) for page in pages])
        passed = known.passed([page.url for page in pages], seen, now)
        dues = seen + self._gaps(rates, passed - (now - seen), weights)
        above = worth(rates * passed, rates, self.settings.aim, weights) / self.price - 1
        first = np.maximum(now - DAY * above, seen + self.settings.least_hours * 3600)
        return np.where(above > 0, first, dues)

    def leave(self) -> None:
        """The crawl stops: what it had of a shared budget is free."""
        if self._common is not None:
            self._common.leave()

    def waits(self) -> bool:
        """Whether any page is to be visited again, sooner or later."""
        return self._frontier.next_due() is not None

    def _find_price(self, now: float) -> None:
        if now < self._priced + self.PRICED and self._new <= self._pages / 2:
            return
        self._priced, self._new = now, 0
        paces = self._frontier.paces(self.SAMPLE)
        if not paces:
            self._share_budget(np.zeros(0), np.zeros(0), 1.0, now)
            return
        self._usual = Usual(pace[:3] for pace in paces)
        rates = np.asarray([self._rate(*pace[:3]) for pace in paces])
        self._pages = self._under_revisit(len(paces))
        share = len(paces) / max(self._pages, 1)
        self._share_budget(rates, np.asarray([self._weights.of(p.url, p.score).times for p in paces]), share, now)
        weights = np.asarray([self._weight(pace.url, pace.score) for pace in paces])
        before = self.price
        visits, self.price = share_budget(rates, self._all * share, self.settings.aim, weights)
        ours = np.asarray([pace.ours for pace in paces])
        # At the least one page of the sample: a process may have pages of which none is in it.
        self._part = max(float(visits[ours].sum() / (visits.sum() or 1.0)), 1 / len(paces))
        if not 0.8 <= before / self.price <= 1.25:
            self._next_look = now  # moments that were found at another price
        gap = len(paces) / share / self._all  # seconds between two visits of a page in the mean
        if self._neighbours is None or not 0.5 <= slot_of(gap) / self._neighbours.slot <= 2.0:
            self._neighbours, self._looked_at = Neighbours(now, gap, self._trust), -1

    def _rate(self, url: Url, changes: float, seconds: float) -> float:
        """The rate that is believed of a page with so many changes in such a time."""
        return self._usual.rate(url, changes, seconds, self._trust.changes)

    def _weight(self, url: Url, score: float | None) -> float:
        """How much it weighs beside others: as much as it is wanted, and as unevenly as neighbours have to tell each
        other something."""
        return self._weights.of(url, score).times * uneven(url, SPREAD * (1 - self._trust.alone))

    def _share_budget(self, rates: Floats, weights: Floats, share: float, now: float) -> None:
        """Where feeds are on the same budget: as many visits as are worth more than their polls. `share`: of the pages,
        whose rates and weights these are."""
        if self._common is None:
            return
        unit = self.VERSION if self.settings.aim == "versions" else 1.0

        def demand(prices: Floats) -> Floats:
            return np.asarray(
                [(DAY / self._bounded(price / unit, rates, 0.0, weights)).sum() / share for price in prices]
            )

        self._all = max(self._common.share(demand, now), 1e-3) / DAY

    def _under_revisit(self, sample: int) -> int:
        return sample if sample < self.SAMPLE else self._frontier.stats().wanted

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
            self._new += 1
            seen = self._remember(Seen(ending.at, ending.at), answer)
            return self._due(lease, ending, seen, None)
        seen, now = lease.seen, ending.at
        gap = max(now - seen.at, 1.0)
        known = msgspec.structs.replace(seen, at=now, visits=seen.visits + 1)
        if answer.kind is Kind.PAGE or is_same(answer):
            change = 0.0 if is_same(answer) else self._change(seen, answer)
            changed = change > 0 and change >= self.settings.least_change
            rate = self._rate(lease.url, seen.changes, seen.seconds)
            told = answer.exchange.modified if answer.exchange is not None else None
            last = self._told.heard(lease.host, told, seen.at, now, changed)
            found = found_change(rate, now - gap, now, last) if changed else Found(0.0, gap)
            known = msgspec.structs.replace(
                known,
                changes=seen.changes + found.changes,
                seconds=seen.seconds + found.seconds,
                same=seen.same + 1 if is_same(answer) else 0,
                gone=0,
            )
            if self._neighbours is not None:
                usual = self._usual.at(place_of(lease.url))
                self._neighbours.saw(lease.url, seen.at, now, changed, usual, (seen.changes, seen.seconds))
            if changed:
                known = self._remember(known, answer)
            elif answer.kind is Kind.PAGE:
                known = _validated(known, answer)
            said = "unchanged" if not changed else f"changed: {change:.0%} of its text"
            said += f", last {datetime.fromtimestamp(last, UTC):%Y-%m-%d %H:%M} as its server says" if last else ""
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
        rate = self._rate(lease.url, seen.changes, seen.seconds)
        found = found_change(rate, ending.at - gap, ending.at, None) if changed else Found(0.0, gap)
        known = msgspec.structs.replace(
            seen,
            at=ending.at,
            visits=seen.visits + 1,
            changes=seen.changes + found.changes,
            seconds=seen.seconds + found.seconds,
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
        rate = np.asarray([self._rate(lease.url, seen.changes, seen.seconds)])
        score = ending.visit.judged if ending.visit is not None else None
        gap = float(self._gaps(rate, 0.0, self._weight(lease.url, score))[0])
        return msgspec.structs.replace(ending, seen=seen, due=ending.at + gap, change=change)

    def _gaps(self, rates: Floats, earlier: Floats | float = 0.0, weights: Floats | float = 1.0) -> Floats:
        """Seconds from the visit of each page to the next, where it is worth one so much earlier than by its rate."""
        price = self.price or share_budget(rates, float(rates.sum()), self.settings.aim).price
        return self._bounded(price, rates, earlier, weights)

    def _bounded(
        self, price: float, rates: Floats, earlier: Floats | float = 0.0, weights: Floats | float = 1.0
    ) -> Floats:
        least, most = self.settings.least_hours * 3600, self.settings.most_days * DAY
        return np.clip(rest(price, rates, self.settings.aim, weights) - earlier, least, most)


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
