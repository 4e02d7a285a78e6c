"""The crawl loop: lease → fetch → judge → score the links → archive → finish (DESIGN §1).

One loop for every strategy, on the live web and in the lab: it knows a Web, a Judge, a Strategy, a Frontier, an
Archive or none, and a Clock, and nothing of what they are.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from datetime import UTC, datetime

import msgspec

from phasa.crawl.answer import Answer, Kind
from phasa.crawl.choice import Choice
from phasa.crawl.judge import Judgement
from phasa.crawl.meter import Meter
from phasa.crawl.parts import Parts, QuickJudge
from phasa.crawl.strategy import DROP, Asking, Change, JudgedPage, Offers, same_priority
from phasa.crawl.visits import visit_of
from phasa.frontier.budgets import Budgets
from phasa.frontier.politeness import Politeness, pause
from phasa.frontier.protocol import Ending, Lease, Offer, State
from phasa.web.url import Url


class Outcome(msgspec.Struct, frozen=True):
    """How a run ended."""

    why: str
    fetches: int
    pages: int
    wanted: int


class Crawl:
    """One run. `slots` leases are out at a time; with one slot everything happens in strict order, with more a `choosy`
    crawl puts off poor links while good ones come. Answers that have come meanwhile are settled together, step by step:
    each step finds its code and tables at hand then, and pages are judged in one go.

    `words` counts the words of a wanted page. `watch` is called now and then; what it returns, if anything, ends the
    run as its reason. `may_get_work` is asked when nothing waits and nothing is out: True goes on waiting.
    """

    TICK = 0.25
    TOGETHER = 32  # answers that are settled together at most

    def __init__(
        self,
        parts: Parts,
        *,
        manners: Politeness,
        budgets: Budgets,
        slots: int = 1,
        choosy: float = 0.0,
        words: Callable[[str], int] = len,
        watch: Callable[[Crawl], str] | None = None,
        has_more_work: Callable[[], bool] = lambda: False,
    ) -> None:
        self.parts = parts
        self.meter = Meter(parts.clock.now(), budgets.pages)
        self.errors: list[str] = []
        self.paused = False
        self._manners = manners
        self._budgets = budgets
        self._slots = slots
        self._choice = Choice(choosy if slots > 1 else 0.0)
        self._words = words
        self._watch = watch
        self._may_get_work = has_more_work
        self._running: set[asyncio.Task[None]] = set()
        self._answered: list[tuple[Lease, Answer]] = []
        self._wake = asyncio.Event()
        self._why = ""
        self._failure: BaseException | None = None
        self._done = parts.frontier.stats().done
        self._next_tick = 0.0
        self._together = self.TOGETHER
        # Looked up once: an instance check of a protocol costs as much as the rest of a replayed page.
        self._judge_many = parts.judge.judge_many if isinstance(parts.judge, QuickJudge) else None
        if isinstance(parts.strategy, Asking):
            parts.strategy.ask_with(self._waits)
            # What it asks about must be in the frontier: the links of the page before, too.
            self._together = 1

    # ── running ──────────────────────────────────────────────────────────────────────────────────

    def stop(self, why: str) -> None:
        """Lease nothing more; what is being fetched is finished."""
        self._why = self._why or why
        self._wake.set()

    def obey(self, budgets: Budgets, manners: Politeness, *, paused: bool) -> None:
        """Go on with other limits and manners; paused, lease nothing until told otherwise."""
        self._budgets, self._manners = budgets, manners
        self.meter.limit, self.meter.paused, self.paused = budgets.pages, paused, paused
        self._wake.set()

    def limits(self) -> tuple[Budgets, Politeness]:
        """The limits and manners that hold now."""
        return self._budgets, self._manners

    def fetching(self) -> list[str]:
        """The URLs that are being fetched, in the order of the alphabet."""
        return sorted(task.get_name() for task in self._running)

    async def run(self) -> Outcome:
        """Crawl until nothing waits, a limit is reached or `stop` is called. Raises what the frontier or the archive
        raises: a crawl that cannot keep its promises ends."""
        frontier, clock = self.parts.frontier, self.parts.clock
        try:
            while not self._stopping():
                now = clock.now()
                if now >= self._next_tick:
                    self._tick(now)
                    continue
                room = self._room()
                leases = frontier.lease(now, n=room) if room > 0 else []
                if self._slots == 1:
                    for lease in leases:
                        await self._visit(lease)
                else:
                    leases = self._chosen(leases, now)
                    for lease in leases:
                        self._start(lease)
                if not leases and not await self._wait(now, room):
                    break
            await self._drain()
        except BaseException:
            for task in self._running:
                task.cancel()
            await asyncio.gather(*self._running, return_exceptions=True)
            raise
        frontier.commit()
        meter = self.meter
        return Outcome(self._why or "nothing is left to fetch", meter.fetches, meter.pages, meter.wanted)

    def _room(self) -> int:
        """How many more leases may go out: free slots, and not more than the page limit leaves."""
        room = 0 if self.paused else self._slots - self._out()
        if self._budgets.pages:
            room = min(room, self._budgets.pages - self._done - self._out())
        return room

    def _out(self) -> int:
        """Leases that are not settled."""
        return len(self._running) + len(self._answered)

    def _chosen(self, leases: list[Lease], now: float) -> list[Lease]:
        """Those worth a fetch now; the others go back and their hosts wait for a few turns of better ones."""
        rest = max(self._manners.delay, self.TICK)
        chosen = [lease for lease in leases if self._choice.takes(lease.priority, now, 2.0 * rest)]
        if len(chosen) < len(leases):
            taken = {lease.id for lease in chosen}
            for lease in leases:
                if lease.id not in taken:
                    self.parts.frontier.hold(lease, now + 4.0 * rest)
        return chosen

    def _start(self, lease: Lease) -> None:
        task = asyncio.get_running_loop().create_task(self._visit(lease), name=lease.url)
        self._running.add(task)
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._running.discard(task)
        if not task.cancelled() and (problem := task.exception()) is not None:
            self._failure = self._failure or problem
        self._wake.set()

    async def _wait(self, now: float, room: int) -> bool:
        """Wait for something to lease or to end; False when there is nothing to wait for."""
        self._wake.clear()
        ready = self.parts.frontier.next_ready(now) if room > 0 else None
        if not self._out() and room > 0:
            if ready is None:
                if not self._may_get_work():
                    return False
            elif self._too_long(ready - now):
                hour = datetime.fromtimestamp(ready, UTC).strftime("%H:%M:%S UTC")
                self.stop(f"every host that has work rests until {hour} or longer; go on then with the same command")
                return True
        until = self.TICK if ready is None else min(self.TICK, max(ready - now, 0.0005))
        await self.parts.clock.wait(self._wake, until)
        return True

    def _too_long(self, seconds: float) -> bool:
        """Whether waiting for the next host is not worth it; when nothing ever answered, nobody waits for long."""
        idle = self._budgets.idle_seconds
        return bool(idle) and seconds > (idle if self._done else min(idle, 5.0))

    async def _drain(self) -> None:
        while self._out():
            await (asyncio.wait(self._running) if self._running else asyncio.sleep(0))
        if self._failure is not None:
            raise self._failure

    def _stopping(self) -> bool:
        """Whether a limit is reached or somebody said stop. Raises what broke."""
        if self._failure is not None:
            raise self._failure
        if self._why:
            return True
        budgets, meter = self._budgets, self.meter
        if budgets.pages and self._done >= budgets.pages and not self._out():
            self._why = f"the limit of {budgets.pages:,} pages is reached"
        elif budgets.seconds and self.parts.clock.now() - meter.started >= budgets.seconds:
            self._why = f"the limit of {budgets.seconds:g} seconds is reached"
        elif budgets.megabytes and meter.bytes >= budgets.megabytes * 1e6:
            self._why = f"the limit of {budgets.megabytes:g} megabytes is reached"
        return bool(self._why)

    def _tick(self, now: float) -> None:
        """Now and then: commit, and let somebody look (progress, free disk)."""
        self._next_tick = now + self.TICK
        self._choice.weigh()
        if self._watch is not None:
            self.parts.frontier.commit()
            if why := self._watch(self):
                self.stop(why)

    # ── one URL ──────────────────────────────────────────────────────────────────────────────────

    async def _visit(self, lease: Lease) -> None:
        web, frontier, clock = self.parts.web, self.parts.frontier, self.parts.clock
        address = await web.address(lease)
        if address and frontier.admit(lease, address, clock.now()) > 0.0:
            return
        answer = await web.get(lease)
        if self._slots == 1:
            self._settle([(lease, answer)])
            return
        self._answered.append((lease, answer))
        if len(self._answered) == 1:
            asyncio.get_running_loop().call_soon(self._settle_answered)

    def _settle_answered(self) -> None:
        """Settle what has come; what is too much for once, soon."""
        some, self._answered = self._answered[: self._together], self._answered[self._together :]
        if self._answered:
            asyncio.get_running_loop().call_soon(self._settle_answered)
        try:
            self._settle(some)
        except BaseException as problem:  # noqa: BLE001 - `_stopping` raises it
            self._failure = self._failure or problem
        self._wake.set()

    def _settle(self, answered: list[tuple[Lease, Answer]]) -> None:
        """Do what some answers ask for, in the order in which they came."""
        now, log = self.parts.clock.now(), self.parts.log
        for _, answer in answered:
            self.meter.fetched(_outcome(answer), answer.size)
        judgements = self._judge([answer for _, answer in answered])
        found = [self._links(*one, judgement) for one, judgement in zip(answered, judgements, strict=True)]
        endings = [
            self._ending(*one, judgement, now, problem)
            for one, judgement, (_, problem) in zip(answered, judgements, found, strict=True)
        ]
        for (lease, answer), judgement, (offers, _), ending in zip(answered, judgements, found, endings, strict=True):
            if answer.kind is Kind.FIRST:
                self.parts.frontier.hold(lease, now + ending.pause, asked=now)
                continue
            self._choice.saw(lease.priority, judgement is not None and judgement.wanted)
            self.parts.frontier.finish(lease, ending, offers)
            self._done += ending.state is State.DONE
            if changes := self._changes():
                self._apply(changes)
            if log is not None:
                log.write(lease, ending)

    def _judge(self, answers: list[Answer]) -> list[Judgement | None]:
        """The judgement of each page, None for what is no page."""
        pages = [answer for answer in answers if answer.kind is Kind.PAGE]
        judge = self.parts.judge
        found = self._judge_many(pages) if self._judge_many is not None else [judge.judge(page) for page in pages]
        for judgement in found:
            self.meter.judged(judgement.wanted)
        following = iter(found)
        return [next(following) if answer.kind is Kind.PAGE else None for answer in answers]

    def _links(self, lease: Lease, answer: Answer, judgement: Judgement | None) -> tuple[Sequence[Offer], str]:
        """What the page leads to, and what went wrong in the strategy: then the page counts all the same, and its
        links are offered with priority 0."""
        strategy = self.parts.strategy
        if answer.kind is Kind.FIRST:
            return (), ""
        if answer.kind is Kind.MOVED and answer.target is not None:
            return [Offer(answer.target, lease.priority, lease.depth, lease.url, lease.note)], ""
        if judgement is None:
            if answer.kind not in (Kind.BUSY, Kind.FAILED) or lease.attempts + 1 >= self._manners.tries:
                self._missed(lease)
            return (), ""
        links = answer.links
        length = len(answer.page.text) if answer.page is not None else 0
        page = JudgedPage(lease.url, judgement, links, lease.note, lease.depth, answer.country, length)
        problem = ""
        try:
            offers = strategy.page(page)
        except Exception as trouble:  # noqa: BLE001 - whatever a strategy does, the crawl goes on
            problem = self._note(trouble)
            offers = same_priority(0.0, len(links))
        return (self._offers(lease, page, offers) if answer.follow else ()), problem

    def _offers(self, lease: Lease, page: JudgedPage, offers: Offers) -> list[Offer]:
        urls = page.links.urls
        settled = self.parts.frontier.settled(urls)  # type: ignore[arg-type]
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
        frontier = self.parts.frontier
        frontier.commit()  # so that the links of the last pages are known
        return frontier.states([Url(url)])[0] in (State.WAITING, State.LEASED)

    def _missed(self, lease: Lease) -> None:
        """Tell the strategy that a URL gave no page."""
        try:
            self.parts.strategy.failed(lease.url, lease.note)
        except Exception as trouble:  # noqa: BLE001 - as above
            self._note(trouble)

    def _note(self, trouble: Exception) -> str:
        problem = f"strategy {self.parts.strategy.name}: {type(trouble).__name__}: {trouble}"
        if len(self.errors) < 100:
            self.errors.append(problem)
        return problem

    def _ending(self, lease: Lease, answer: Answer, judgement: Judgement | None, now: float, problem: str) -> Ending:
        kind = answer.kind
        if kind is Kind.FIRST:
            if self.parts.archive is not None:
                self.parts.archive.keep(answer, None)
            return Ending(State.WAITING, "", now, pause(self._manners, crawl_delay=answer.crawl_delay))
        failed = kind in (Kind.BUSY, Kind.FAILED)
        if failed:
            last = lease.attempts + 1 >= self._manners.tries
            state = State.DROPPED if last else State.WAITING
        else:
            state = State.DROPPED if kind is Kind.REFUSED else State.DONE
        rest = 0.0
        if kind is not Kind.REFUSED or answer.kept is not None:
            rest = pause(
                self._manners,
                crawl_delay=answer.crawl_delay,
                retry_after=answer.retry_after,
                overloaded=kind is Kind.BUSY,
                failed=kind is Kind.FAILED,
                errors_in_row=lease.failures,
            )
        visit = None
        if kind is Kind.REFUSED:
            if answer.kept is not None and self.parts.archive is not None:
                self.parts.archive.keep(answer, None)
        else:
            record = self.parts.archive.keep(answer, judgement) if self.parts.archive is not None else ""
            visit = visit_of(answer, judgement, now, record, self._words)
        return Ending(state, problem or answer.reason, now, rest, answer.address, failed, visit)


def _outcome(answer: Answer) -> str:
    return str(answer.status) if answer.status else answer.reason or answer.kind.value
