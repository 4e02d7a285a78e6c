"""Settling answers: each is judged, its links are scored, it is archived, and its lease is finished."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from itertools import repeat
from typing import NamedTuple

from msgspec.structs import replace

from phasa.archive.duplicates import NearDuplicates
from phasa.crawl.answer import Answer, Kind, OutLinks, Web
from phasa.crawl.clock import Clock
from phasa.crawl.judge import BatchJudge, Judge, Judgement
from phasa.crawl.leads import Lead, Leads
from phasa.crawl.meter import Meter
from phasa.crawl.record import Archive, Log, ending_of, visit_of
from phasa.crawl.requisites import Requisites
from phasa.crawl.revisits import Revisits, is_same
from phasa.crawl.strategy import DROP, Asking, Change, JudgedPage, Offers, Selective, Strategy, Taught
from phasa.errors import BrokenPartError, with_place
from phasa.frontier.politeness import Politeness
from phasa.frontier.protocol import NEAR_DUPLICATE, Ending, Frontier, Lease, Offer, State, Visit
from phasa.web.http import REDIRECTS
from phasa.web.url import Url

_LOG = logging.getLogger(__name__)


class Parts(NamedTuple):
    """The five nouns of a crawl (DESIGN §1), its clock, and what it may do without."""

    web: Web
    judge: Judge
    strategy: Strategy
    frontier: Frontier
    clock: Clock
    archive: Archive | None = None
    log: Log | None = None
    duplicates: NearDuplicates | None = None
    """Pages that nearly repeat a known one are found and counted."""
    revisits: Revisits | None = None
    """Pages are visited again."""
    requisites: Requisites | None = None
    """What wanted pages need to be seen is fetched, too."""


class Settler:
    """Does what answers ask for; `saw` hears the priority of each settled lease, and whether its page was wanted.

    A strategy or judge that raises ends the crawl: `stop` hears it, `errors` has it, and the answers that it should
    have settled are given back, so that nothing is lost when the crawl goes on with a better one. Over all runs, `done`
    counts finished URLs and `pages` those of them that gave a page. `one_by_one` says that answers must not be settled
    several at a time.
    """

    def __init__(
        self,
        parts: Parts,
        meter: Meter,
        saw: Callable[[float, bool], None],
        manners: Politeness,
        words: Callable[[str], int],
        *,
        stop: Callable[[str], None] = lambda why: None,
        skip_duplicates: bool = False,
    ) -> None:
        self.parts = parts
        self.manners = manners
        self.errors: list[str] = []
        stats = parts.frontier.stats()
        self.done, self.pages = stats.done, stats.pages
        self.settled = 0
        """Answers of this run."""
        self._meter = meter
        self._saw = saw
        self._stop = stop
        self._broken = False
        self._words = words
        self._skip_duplicates = skip_duplicates
        # Looked up once: an instance check of a protocol costs as much as the rest of a replayed page.
        self._judge_many = parts.judge.judge_many if isinstance(parts.judge, BatchJudge) else None
        self._taught = parts.strategy if isinstance(parts.strategy, Taught) else None
        self._leads = Leads()
        self._sifts = isinstance(parts.strategy, Selective)
        # What it asks about must be in the frontier: the links of the page before, too.
        self.one_by_one = isinstance(parts.strategy, Asking)
        if isinstance(parts.strategy, Asking):
            parts.strategy.ask_with(self._waits)

    def settle(self, answered: list[tuple[Lease, Answer]]) -> None:
        """Do what some answers ask for, in the order in which they came."""
        now, log, frontier = self.parts.clock.now(), self.parts.log, self.parts.frontier
        self.settled += len(answered)
        judgements: list[Judgement | None] = []
        found: list[Sequence[Offer]] = []
        copies: list[str] = []
        try:
            if not self._broken:
                judgements = self._judge([answer for _, answer in answered])
            for (lease, answer), judgement in zip(answered, judgements, strict=False):
                copy = self._copy_of(lease, answer)
                found.append([*self._links(lease, answer, judgement, copy), *self._needs(lease, answer, judgement)])
                copies.append(copy)
        except BrokenPartError as problem:
            self._break(problem)
        for lease, _ in answered[len(found) :]:
            frontier.hold(lease, now, asked=now)
        answered, judgements = answered[: len(found)], judgements[: len(found)]
        for (lease, answer), judgement, copy in zip(answered, judgements, copies, strict=True):
            self._meter.fetched(_outcome(answer) if not copy else "near duplicate", answer.size)
            if judgement is not None and lease.seen is None:
                self._meter.judged(judgement.wanted)
        endings = [
            self._ending(*one, judgement, now, copy)
            for one, judgement, copy in zip(answered, judgements, copies, strict=True)
        ]
        for (lease, answer), judgement, offers, ending in zip(answered, judgements, found, endings, strict=True):
            if answer.kind is Kind.FIRST:
                frontier.hold(lease, now + ending.pause, asked=now)
                if offers:
                    frontier.offer(offers)
                continue
            if answer.kind is not Kind.MOVED and lease.seen is None and not lease.is_requisite:
                self._saw(lease.priority, judgement is not None and judgement.wanted)
            frontier.finish(lease, ending, offers)
            self.done += ending.state is State.DONE and lease.seen is None
            self.pages += judgement is not None and lease.seen is None
            if log is not None:
                log.write(lease, ending)
        # After all of them: a change may be about a link that the last of them brought.
        if changes := self._changes():
            self._apply(changes)

    def _copy_of(self, lease: Lease, answer: Answer) -> str:
        """Which known page this one nearly repeats, in words; '' when it is new or nobody wants to know."""
        known = self.parts.duplicates
        if known is None or answer.page is None or lease.seen is not None:
            return ""
        near = known.seen(lease.url, answer.page.text)
        return f"{NEAR_DUPLICATE}{near.url}" if near is not None else ""

    def _judge(self, answers: list[Answer]) -> list[Judgement | None]:
        """The judgement of each page, None for what is not a page."""
        pages = [answer for answer in answers if answer.kind is Kind.PAGE]
        judge = self.parts.judge
        try:
            found = self._judge_many(pages) if self._judge_many is not None else [judge.judge(page) for page in pages]
        except Exception as trouble:
            raise BrokenPartError(f"judge {type(judge).__name__}: {with_place(trouble, __file__)}") from trouble
        following = iter(found)
        return [next(following) if answer.kind is Kind.PAGE else None for answer in answers]

    def _leads_to(self, lease: Lease, answer: Answer, judgement: Judgement | None) -> Sequence[Lead]:
        """The redirects that led to what was settled now. Those that led to what is dead hear it at once, as do those
        that lead to what was judged before."""
        if self._taught is None or lease.seen is not None or lease.is_requisite:
            return ()
        if judgement is not None:
            return self._leads.settle(lease.url, judgement.wanted)
        if answer.kind is Kind.MOVED and answer.target is not None:
            lead, target = Lead(lease.url, lease.note), answer.target
            self._leads.moved(lead, target)
            if (wanted := self._known_verdict(target)) is not None:
                self._teach(self._leads.settle(target, wanted), wanted)
        elif _is_dead(answer, lease.attempts, self.manners.tries):
            self._teach([Lead(lease.url, lease.note), *self._leads.settle(lease.url, False)], wanted=False)
        return ()

    def _known_verdict(self, url: Url) -> bool | None:
        """What came of an address that was settled before; None while it is not."""
        wanted = self._leads.verdict(url)
        if wanted is None and (story := self.parts.frontier.story(url)) is not None and story.visit is not None:
            moved = story.visit.status in REDIRECTS
            wanted = bool(story.visit.wanted) if story.state is State.DONE and not moved else None
        return wanted

    def _teach(self, leads: Sequence[Lead], wanted: bool) -> None:
        assert self._taught is not None
        for url, note in leads:
            try:
                self._taught.lesson(url, note, wanted)
            except Exception as trouble:
                raise self._raised(trouble) from trouble

    def _links(self, lease: Lease, answer: Answer, judgement: Judgement | None, copy: str) -> Sequence[Offer]:
        """What the answer leads to. Raises BrokenPartError."""
        strategy = self.parts.strategy
        via = self._leads_to(lease, answer, judgement)
        if answer.kind is Kind.MOVED and answer.target is not None:
            return [Offer(answer.target, lease.priority, lease.depth, lease.url, lease.note)]
        if judgement is None and (lease.seen is not None or lease.is_requisite):
            return self.listed(lease, answer)  # a page that did not come again says nothing of links
        if judgement is None:
            if answer.kind in (Kind.BUSY, Kind.FAILED):
                gone = lease.attempts + 1 >= self.manners.tries
            else:
                gone = answer.kind is not Kind.FIRST
            if gone:
                try:
                    strategy.failed(lease.url, lease.note)
                except Exception as trouble:
                    raise self._raised(trouble) from trouble
            return self.listed(lease, answer)
        links, refused = self._sifted(lease, answer.links) if self._sifts else (answer.links, ())
        led = [lead.url for lead in via]
        page = JudgedPage(lease.url, judgement, links, lease.note, lease.depth, answer.country, led)
        try:
            offers = strategy.page(page)
            given, notes = len(offers.priorities), len(offers.notes)
        except Exception as trouble:
            raise self._raised(trouble) from trouble
        if given != len(links) or notes not in (0, given):
            raise BrokenPartError(
                f"strategy {strategy.name}: page() gave {given} priorities and {notes} notes for {len(links)} links"
            )
        follow = answer.follow and not (copy and self._skip_duplicates)
        return [*self._offers(lease, page, offers), *refused] if follow else ()

    def _needs(self, lease: Lease, answer: Answer, judgement: Judgement | None) -> Sequence[Offer]:
        """What the page, or the requisite of one, needs to be seen."""
        requisites = self.parts.requisites
        return requisites.offers(lease, answer, judgement) if requisites is not None and answer.needs else ()

    def _sifted(self, lease: Lease, links: OutLinks) -> tuple[OutLinks, Sequence[Offer]]:
        """The links that are worth scoring, and offers of those that are out of scope, to be recorded."""
        urls, depth = links.urls, lease.depth + 1
        fit, refused = self.parts.frontier.sift(urls, depth)  # type: ignore[arg-type]
        picked = links if len(fit) == len(urls) else links.pick(fit)
        return picked, [Offer(Url(urls[place]), 0.0, depth, lease.url) for place in refused]

    def listed(self, lease: Lease, answer: Answer) -> list[Offer]:
        """Sitemaps and what they list: nobody linked to it, so it is wanted as much as the URL that led there; what the
        sitemap calls important first. Pages that are known and changed since, as it says, are due."""
        gone = self.parts.frontier.settled(answer.listed) if answer.listed else ()
        if answer.changed and self.parts.revisits is not None:
            self.parts.revisits.hint(lease.host, answer.changed, answer.listed, self.parts.clock.now())
        return [
            Offer(url, lease.priority, lease.depth + 1, lease.url, lease.note)
            for url, settled in zip(answer.listed, gone, strict=True)
            if not settled
        ]

    def _offers(self, lease: Lease, page: JudgedPage, offers: Offers) -> list[Offer]:
        urls = page.links.urls
        depth, source, notes = lease.depth + 1, lease.url, offers.notes
        values = offers.priorities.tolist()
        repeats = repeat(False, len(urls)) if self._sifts else self.parts.frontier.repeats(urls, values)  # type: ignore[arg-type]
        if not notes:
            return [
                Offer(Url(url), priority, depth, source)
                for url, priority, gone in zip(urls, values, repeats, strict=True)
                if not gone and priority > DROP
            ]
        return [
            Offer(Url(url), priority, depth, source, note)
            for url, priority, gone, note in zip(urls, values, repeats, notes, strict=True)
            if not gone and priority > DROP
        ]

    def _changes(self) -> Sequence[Change]:
        if self._broken:
            return ()
        try:
            return self.parts.strategy.changes()
        except Exception as trouble:  # noqa: BLE001 - whatever a strategy does, the crawl ends in good order
            self._break(self._raised(trouble))
            return ()

    def _apply(self, changes: Sequence[Change]) -> None:
        """New priorities; what is dropped or taken back is rare and goes one by one."""
        frontier = self.parts.frontier
        plain = [(url, priority) for url, priority, reason in changes if not reason]
        if plain:
            frontier.reprioritise(plain)  # type: ignore[arg-type]
        for url, priority, reason in changes if len(plain) < len(changes) else ():
            if not reason:
                continue
            if priority == DROP:
                frontier.drop(Url(url), reason)
                continue
            story = frontier.story(Url(url))
            if story is not None and story.state is State.DROPPED and story.reason == reason:
                frontier.requeue(Url(url), priority)
            else:
                frontier.reprioritise([(Url(url), priority)])

    def _waits(self, url: str) -> bool:
        """Whether an address waits or is being fetched."""
        self.parts.frontier.commit()  # so that the links of the last pages are known
        return self.parts.frontier.states([Url(url)])[0] in (State.WAITING, State.LEASED)

    def _raised(self, trouble: Exception) -> BrokenPartError:
        """What the strategy raised, as what is told."""
        broken = BrokenPartError(f"strategy {self.parts.strategy.name}: {with_place(trouble, __file__)}")
        broken.__cause__ = trouble
        return broken

    def _break(self, problem: BrokenPartError) -> None:
        """End the crawl: without its strategy or judge it would be another one."""
        if not self._broken:
            self._broken = True
            _LOG.error("%s", problem, exc_info=problem.__cause__)
            self.errors.append(str(problem))
            self._stop(f"{problem}; mend it and go on with the same command")

    def _ending(self, lease: Lease, answer: Answer, judgement: Judgement | None, now: float, copy: str) -> Ending:
        """Keep what came, then say how the lease ends."""
        archive, record, visit = self.parts.archive, "", None
        if archive is not None and (answer.kind is not Kind.REFUSED or answer.exchange is not None):
            record = archive.keep(answer, judgement)
        if answer.kind not in (Kind.FIRST, Kind.REFUSED):
            visit = visit_of(answer, judgement, now, record, self._words)
            if lease.seen is not None and is_same(answer):
                visit = self._as_before(lease, visit)
        ending = ending_of(lease, answer, visit, self.manners, now, copy)
        revisits = self.parts.revisits
        return ending if revisits is None else revisits.plan(lease, answer, judgement, replace(ending, record=record))

    def _as_before(self, lease: Lease, visit: Visit) -> Visit:
        """A visit that brought nothing new: the page is what it was at the one before."""
        story = self.parts.frontier.story(lease.url)
        before = story.visit if story is not None else None
        if before is None:
            return visit
        return replace(before, at=visit.at, status=visit.status, size=visit.size, words=0, seconds=visit.seconds)


def _is_dead(answer: Answer, tried: int, tries: int) -> bool:
    """Whether a link is found to lead nowhere: there is no such host or page, or it is none that can be read. What may
    come back is given up at its last try; robots.txt says nothing of what a page is worth."""
    if answer.kind is Kind.FAILED and "dns_error" in answer.reason:
        return tried == 0
    return answer.kind is Kind.OTHER or (answer.kind in (Kind.BUSY, Kind.FAILED) and tried + 1 >= tries)


def _outcome(answer: Answer) -> str:
    return str(answer.status) if answer.status else answer.reason or answer.kind.value
