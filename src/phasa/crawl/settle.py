"""Settling answers: each is judged, its links are scored, it is archived, and its lease is finished."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from itertools import repeat
from typing import NamedTuple

from phasa.archive.duplicates import NearDuplicates
from phasa.crawl.answer import Answer, Kind, OutLinks, Web
from phasa.crawl.clock import Clock
from phasa.crawl.judge import BatchJudge, Judge, Judgement
from phasa.crawl.meter import Meter
from phasa.crawl.record import Archive, Log, ending_of, visit_of
from phasa.crawl.strategy import DROP, Asking, Change, JudgedPage, Offers, Selective, Strategy, same_priority
from phasa.errors import with_place
from phasa.frontier.politeness import Politeness
from phasa.frontier.protocol import Ending, Frontier, Lease, Offer, State
from phasa.web.url import Url

_LOG = logging.getLogger(__name__)

NEAR_DUPLICATE = "near duplicate"
"""How a page that nearly repeats a known one is counted among the outcomes, and begins its reason in the log."""


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


class Settler:
    """Does what answers ask for; `saw` hears the priority of each settled lease, and whether its page was wanted.

    `errors` has the first of what went wrong in the strategy; over all runs, `done` counts finished URLs and `pages`
    those of them that gave a page. `one_by_one` says that answers must not be settled several at a time.
    """

    ERRORS = 100

    def __init__(
        self,
        parts: Parts,
        meter: Meter,
        saw: Callable[[float, bool], None],
        manners: Politeness,
        words: Callable[[str], int],
        *,
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
        self._words = words
        self._skip_duplicates = skip_duplicates
        # Looked up once: an instance check of a protocol costs as much as the rest of a replayed page.
        self._judge_many = parts.judge.judge_many if isinstance(parts.judge, BatchJudge) else None
        self._sifts = isinstance(parts.strategy, Selective)
        # What it asks about must be in the frontier: the links of the page before, too.
        self.one_by_one = isinstance(parts.strategy, Asking)
        if isinstance(parts.strategy, Asking):
            parts.strategy.ask_with(self._waits)

    def settle(self, answered: list[tuple[Lease, Answer]]) -> None:
        """Do what some answers ask for, in the order in which they came."""
        now, log, frontier = self.parts.clock.now(), self.parts.log, self.parts.frontier
        self.settled += len(answered)
        copies = [self._copy_of(*one) for one in answered]
        for (_, answer), copy in zip(answered, copies, strict=True):
            self._meter.fetched(_outcome(answer) if not copy else NEAR_DUPLICATE, answer.size)
        judgements = self._judge([answer for _, answer in answered])
        found = [
            self._links(*one, judgement, copy)
            for one, judgement, copy in zip(answered, judgements, copies, strict=True)
        ]
        endings = [
            self._ending(*one, judgement, now, problem or copy)
            for one, judgement, (_, problem), copy in zip(answered, judgements, found, copies, strict=True)
        ]
        for (lease, answer), judgement, (offers, _), ending in zip(answered, judgements, found, endings, strict=True):
            if answer.kind is Kind.FIRST:
                frontier.hold(lease, now + ending.pause, asked=now)
                if offers:
                    frontier.offer(offers)
                continue
            if answer.kind is not Kind.MOVED:
                self._saw(lease.priority, judgement is not None and judgement.wanted)
            frontier.finish(lease, ending, offers)
            self.done += ending.state is State.DONE
            self.pages += judgement is not None
            if changes := self._changes():
                self._apply(changes)
            if log is not None:
                log.write(lease, ending)

    def _copy_of(self, lease: Lease, answer: Answer) -> str:
        """Which known page this one nearly repeats, in words; '' when it is new or nobody wants to know."""
        known = self.parts.duplicates
        if known is None or answer.page is None:
            return ""
        near = known.seen(lease.url, answer.page.text)
        return f"{NEAR_DUPLICATE} of {near.url}" if near is not None else ""

    def _judge(self, answers: list[Answer]) -> list[Judgement | None]:
        """The judgement of each page, None for what is not a page."""
        pages = [answer for answer in answers if answer.kind is Kind.PAGE]
        judge = self.parts.judge
        found = self._judge_many(pages) if self._judge_many is not None else [judge.judge(page) for page in pages]
        for judgement in found:
            self._meter.judged(judgement.wanted)
        following = iter(found)
        return [next(following) if answer.kind is Kind.PAGE else None for answer in answers]

    def _links(
        self, lease: Lease, answer: Answer, judgement: Judgement | None, copy: str
    ) -> tuple[Sequence[Offer], str]:
        """What the answer leads to, and what went wrong in the strategy: then the page counts all the same, and its
        links are offered with priority 0."""
        strategy = self.parts.strategy
        if answer.kind is Kind.MOVED and answer.target is not None:
            return [Offer(answer.target, lease.priority, lease.depth, lease.url, lease.note)], ""
        if judgement is None:
            if answer.kind in (Kind.BUSY, Kind.FAILED):
                gone = lease.attempts + 1 >= self.manners.tries
            else:
                gone = answer.kind is not Kind.FIRST
            if gone:
                self._missed(lease)
            return self._listed(lease, answer), ""
        links, refused = self._sifted(lease, answer.links) if self._sifts else (answer.links, ())
        page = JudgedPage(lease.url, judgement, links, lease.note, lease.depth, answer.country)
        problem = ""
        try:
            offers = strategy.page(page)
        except Exception as trouble:  # noqa: BLE001 - whatever a strategy does, the crawl goes on
            problem = self._note(trouble)
            offers = same_priority(0.0, len(links))
        follow = answer.follow and not (copy and self._skip_duplicates)
        return ([*self._offers(lease, page, offers), *refused] if follow else ()), problem

    def _sifted(self, lease: Lease, links: OutLinks) -> tuple[OutLinks, Sequence[Offer]]:
        """The links that are worth scoring, and offers of those that are out of scope, to be recorded."""
        urls, depth = links.urls, lease.depth + 1
        fit, refused = self.parts.frontier.sift(urls, depth)  # type: ignore[arg-type]
        picked = links if len(fit) == len(urls) else links.pick(fit)
        return picked, [Offer(Url(urls[place]), 0.0, depth, lease.url) for place in refused]

    def _listed(self, lease: Lease, answer: Answer) -> list[Offer]:
        """Sitemaps and what they list: nobody linked to it, so it is wanted as much as the URL that led there."""
        gone = self.parts.frontier.settled(answer.listed) if answer.listed else ()
        return [
            Offer(url, lease.priority, lease.depth + 1, lease.url, lease.note)
            for url, settled in zip(answer.listed, gone, strict=True)
            if not settled
        ]

    def _offers(self, lease: Lease, page: JudgedPage, offers: Offers) -> list[Offer]:
        urls = page.links.urls
        settled = repeat(False, len(urls)) if self._sifts else self.parts.frontier.settled(urls)  # type: ignore[arg-type]
        depth, source, notes = lease.depth + 1, lease.url, offers.notes
        values = offers.priorities.tolist()
        if not notes:
            return [
                Offer(Url(url), priority, depth, source)
                for url, priority, gone in zip(urls, values, settled, strict=True)
                if not gone and priority > DROP
            ]
        return [
            Offer(Url(url), priority, depth, source, note)
            for url, priority, gone, note in zip(urls, values, settled, notes, strict=True)
            if not gone and priority > DROP
        ]

    def _changes(self) -> Sequence[Change]:
        try:
            return self.parts.strategy.changes()
        except Exception as trouble:  # noqa: BLE001 - as above
            self._note(trouble)
            return ()

    def _apply(self, changes: Sequence[Change]) -> None:
        """New priorities; what is dropped or taken back is rare and goes one by one."""
        frontier = self.parts.frontier
        plain = [(Url(change.url), change.priority) for change in changes if not change.reason]
        if plain:
            frontier.reprioritise(plain)
        for url, priority, reason in changes:
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

    def _missed(self, lease: Lease) -> None:
        """Tell the strategy that a URL gave no page."""
        try:
            self.parts.strategy.failed(lease.url, lease.note)
        except Exception as trouble:  # noqa: BLE001 - as above
            self._note(trouble)

    def _note(self, trouble: Exception) -> str:
        problem = f"strategy {self.parts.strategy.name}: {with_place(trouble, __file__)}"
        if len(self.errors) < self.ERRORS:
            self.errors.append(problem)
            _LOG.error("%s", problem, exc_info=trouble)
        return problem

    def _ending(self, lease: Lease, answer: Answer, judgement: Judgement | None, now: float, problem: str) -> Ending:
        """Keep what came, then say how the lease ends."""
        archive, record, visit = self.parts.archive, "", None
        if archive is not None and (answer.kind is not Kind.REFUSED or answer.exchange is not None):
            record = archive.keep(answer, judgement)
        if answer.kind not in (Kind.FIRST, Kind.REFUSED):
            visit = visit_of(answer, judgement, now, record, self._words)
        return ending_of(lease, answer, visit, self.manners, now, problem)


def _outcome(answer: Answer) -> str:
    return str(answer.status) if answer.status else answer.reason or answer.kind.value
