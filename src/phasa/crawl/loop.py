"""The crawl loop: lease → fetch → judge → score the links → archive → finish (DESIGN §1).

One loop for every strategy, on the live web and in the lab: it knows a Web, a Judge, a Strategy, a Frontier, an
Archive or none, and a Clock, and nothing of what they are.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterator
from datetime import UTC, datetime

import msgspec

from phasa.crawl.answer import Answer, Kind
from phasa.crawl.chooser import Chooser
from phasa.crawl.meter import Meter
from phasa.crawl.settle import Parts, Settler
from phasa.frontier.budgets import Budgets
from phasa.frontier.common_order import CommonOrder
from phasa.frontier.politeness import Politeness
from phasa.frontier.protocol import ANY, Lease

_LOG = logging.getLogger(__name__)


RESTING = "every host that has work rests until"
"""How the reason begins when a run ends because nobody may be asked for long."""


class Outcome(msgspec.Struct, frozen=True):
    """How a run ended."""

    why: str
    fetches: int
    pages: int
    wanted: int


class PageLimit:
    """Counts pages against the limit of all runs. Several workers have one that they share (run/page_limit.py)."""

    def grant(self, limit: int, done: int, out: int, wanted: int) -> int:
        """How many of `wanted` more pages may be leased, when so many are done and so many leases are out."""
        return min(wanted, limit - done - out) if limit else wanted

    def reached(self, limit: int, done: int) -> bool:
        """Whether as many pages are done as may be."""
        return done >= limit


class Crawl:
    """One run. At most `slots` leases are out at a time. With one slot and a `tolerance` of 1 everything happens in
    strict order, as in the lab; otherwise the `Chooser` keeps near it, giving up `tolerance` of the harvest for speed.
    Answers that have come meanwhile are settled together, step by step: each step finds its code and tables at hand
    then, and pages are judged in one go.

    With `skip_duplicates` the links of a page that nearly repeats a known one are not followed. `words` counts the
    words of a wanted page. `watch` is called now and then; what it returns, if anything, ends the run as its reason.
    `has_more_work` is asked when nothing waits and nothing is out: True goes on waiting.
    """

    TICK = 0.25
    GLANCE = 0.02  # seconds for which the best priority that can come is believed
    TOGETHER = 32  # answers that are settled together at most
    PART = 3  # of the leases that are out, so many for one answer that is settled together with others
    LISTED = 1000  # addresses of a sitemap that are taken in at once

    def __init__(
        self,
        parts: Parts,
        *,
        manners: Politeness,
        budgets: Budgets,
        slots: int = 1,
        tolerance: float = 1.0,
        skip_duplicates: bool = False,
        words: Callable[[str], int] = len,
        watch: Callable[[Crawl], str] | None = None,
        has_more_work: Callable[[], bool] = lambda: False,
        page_limit: PageLimit | None = None,
        common: CommonOrder | None = None,
    ) -> None:
        self.bar = ANY
        """URLs below this priority are left for later: a crawl in cycles (`phasa.crawl.wire`) raises it."""
        self._page_limit = page_limit or PageLimit()
        self.parts = parts
        self.meter = Meter(parts.clock.now(), budgets.pages)
        self.paused = False
        self._budgets = budgets
        self._slots = slots
        self._strict = slots == 1 and tolerance >= 1.0
        self._chooser = Chooser(tolerance, parts.frontier.stats().pages, common)
        self._settler = Settler(
            parts, self.meter, self._chooser.saw, manners, words, stop=self.stop, skip_duplicates=skip_duplicates
        )
        self.errors = self._settler.errors
        self._watch = watch
        self._has_more_work = has_more_work
        self._running: set[asyncio.Task[None]] = set()
        self._answered: list[tuple[Lease, Answer]] = []
        self._gathered = 0
        """Answers that the last turn of the event loop found."""
        self._asked: dict[int, tuple[float, float]] = {}
        """The leases that are out and waited for: when they were given, and their priorities."""
        self._best = (ANY, ANY)
        """The best priority that can still come, and when that was asked."""
        self._committed = 0
        self._wake = asyncio.Event()
        self._why = ""
        self._closing = ""
        """Why no more pages are fetched, while what they need to be seen still is."""
        self._failure: BaseException | None = None
        self._next_tick = 0.0
        self._together = 1 if self._settler.one_by_one else self.TOGETHER

    # ── running ──────────────────────────────────────────────────────────────────────────────────

    def stop(self, why: str) -> None:
        """Lease nothing more; what is being fetched is finished."""
        self._why = self._why or why
        self._wake.set()

    def obey(self, budgets: Budgets, manners: Politeness, *, paused: bool) -> None:
        """Go on with other limits and manners; paused, lease nothing until told otherwise."""
        self._budgets, self._settler.manners = budgets, manners
        self.meter.limit, self.meter.paused, self.paused = budgets.pages, paused, paused
        self._wake.set()

    def limits(self) -> tuple[Budgets, Politeness]:
        """The limits and manners that hold now."""
        return self._budgets, self._settler.manners

    @property
    def answers(self) -> int:
        """Answers that came, in all runs and to all workers, as far as this one has heard."""
        return self._chooser.answers

    @property
    def stopped(self) -> bool:
        """Whether a limit or somebody ended the run, so that more could have been fetched."""
        return bool(self._why)

    def fetching(self) -> list[str]:
        """The URLs that are being fetched, in the order of the alphabet."""
        return sorted(task.get_name() for task in self._running)

    async def run(self) -> Outcome:
        """Crawl until nothing waits, a limit is reached or `stop` is called. Raises what the frontier or the archive
        raises: a crawl that cannot keep its promises ends."""
        frontier, clock = self.parts.frontier, self.parts.clock
        _LOG.info(
            "crawl starts: strategy %s, %d slots, %d done", self.parts.strategy.name, self._slots, self._settler.done
        )
        try:
            self._tick(clock.now())  # orders that stand already are obeyed before anything is asked for
            while not self._stopping():
                now = clock.now()
                room, least = self._room(now), ANY
                if self._strict:
                    leases = frontier.lease(now, 1, self.bar) if room > 0 else []
                    for lease in leases:
                        await self._visit(lease)
                else:
                    leases, least = self._choose(now, room) if room > 0 else ([], ANY)
                    for lease in leases:
                        self._start(lease, now)
                self._grant(0)  # what was granted and not leased is for others
                if now >= self._next_tick:
                    self._tick(now)  # here, where what was leased is under way: who watches sees it
                    continue
                if not leases and not await self._wait(now, room, least):
                    break
            await self._drain()
        except BaseException:
            for task in self._running:
                task.cancel()
            await asyncio.gather(*self._running, return_exceptions=True)
            raise
        frontier.commit()
        meter = self.meter
        why = self._why or self._closing or "nothing is left to fetch"
        outcome = Outcome(why, meter.fetches, meter.pages, meter.wanted)
        _LOG.info("crawl ends: %s; %d fetches, %d pages, %d wanted", *msgspec.structs.astuple(outcome))
        if self._chooser.has_company:
            _LOG.info("heard of %d answers that came to other workers", self._chooser.heard)
        return outcome

    def _room(self, now: float) -> int:
        """How many more leases may go out: free slots, not more than what is known allows, nor than the page limit."""
        room = 0 if self.paused else self._slots - self._out()
        if not self._strict:
            awaited = sum(1 for _ in self._awaited(now))
            if self._chooser.has_company:
                self._chooser.tell(awaited, self._best_to_come(now), now)
            room = int(min(room, self._chooser.room() - awaited))
        return self._grant(max(0, room))

    def _grant(self, wanted: int) -> int:
        if self._closing:
            return wanted  # no pages any more
        return self._page_limit.grant(self._budgets.pages, self._settler.pages, self._out(), wanted)

    def _out(self) -> int:
        """Leases that are not settled."""
        return len(self._running) + len(self._answered)

    def _awaited(self, now: float) -> Iterator[float]:
        """The priorities of the leases whose answers are still waited for: slow ones are not."""
        since = now - self._chooser.SLOW * self._chooser.usual
        return (priority for begun, priority in self._asked.values() if begun > since)

    def _choose(self, now: float, room: int) -> tuple[list[Lease], float]:
        """Leases that are worth a request now, and the least priority of what is next."""
        frontier, chooser = self.parts.frontier, self._chooser
        if (self._settler.settled - self._committed) * 2 * chooser.SHARE > chooser.answers:
            # So that the links of the last pages compete: later on the frontier does it often enough by itself.
            frontier.commit()
            self._committed = self._settler.settled
        if self._hurry(now) or self.bar > ANY:
            return frontier.lease(now, room, self.bar), ANY
        awaited = list(self._awaited(now))
        best, out = max(self._best_to_come(now), max(awaited, default=ANY)), len(awaited)
        free = chooser.free(best)
        leases = frontier.lease(now, room, max(free, chooser.known_enough(out + room - 1)))
        for lease in leases:
            chooser.asks(lease.priority, best, now)
        least = max(free, known := chooser.known_enough(out + len(leases)))
        while len(leases) < room:
            more = frontier.lease(now, 1, max(known, chooser.affordable(best)))
            if not more:
                break
            chooser.asks(more[0].priority, best, now)
            leases += more
            least = max(free, known := chooser.known_enough(out + len(leases)))
        return leases, least

    def _best_to_come(self, now: float) -> float:
        """The best priority of the links that may be asked for before long; looked up now and then."""
        best, asked = self._best
        if now - asked > self.GLANCE:
            best = self.parts.frontier.best(now + (self._budgets.idle_seconds or float("inf")))
            self._best = best, now
        return best

    def _hurry(self, now: float) -> bool:
        """Whether the time the user gave is too short to wait for better links: free connections are used then."""
        if not self._budgets.seconds:
            return False
        left = self.meter.started + self._budgets.seconds - now
        pages = self._budgets.pages - self._settler.pages if self._budgets.pages else float("inf")
        return pages > left * self._chooser.pace

    def _start(self, lease: Lease, now: float) -> None:
        if not self._chooser.is_slow(lease.host):
            self._asked[lease.id] = now, lease.priority
        task = asyncio.get_running_loop().create_task(self._visit(lease), name=lease.url)
        self._running.add(task)
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._running.discard(task)
        if not task.cancelled() and (problem := task.exception()) is not None:
            self._failure = self._failure or problem
        self._wake.set()

    async def _wait(self, now: float, room: int, least: float) -> bool:
        """Wait for something to lease or to end; False when there is nothing to wait for."""
        self._wake.clear()
        ready = self.parts.frontier.next_ready(now, max(least, self.bar)) if room > 0 else None
        if not self._out() and room > 0:
            if self.bar > ANY and self._below_bar():
                return False
            nothing_soon = ready is None or self._too_long(ready - now)
            revisits = self.parts.revisits
            if nothing_soon and self._chooser.leaves_it_to_others(self._best[0]):
                ready = None  # theirs come first; they may send some, too
            elif nothing_soon and least > ANY:
                self._best = ANY, ANY  # what was to come is gone: look again
                return True
            elif nothing_soon and revisits is not None and revisits.waits():
                ready = None  # nobody may be asked now, and some pages will be due
            elif ready is None:
                if not self._has_more_work():
                    return False
            elif nothing_soon:
                hour = datetime.fromtimestamp(ready, UTC).strftime("%H:%M:%S UTC")
                self.stop(f"{RESTING} {hour} or longer; go on then with the same command")
                return True
        until = self._chooser.glance(self.TICK)
        until = until if ready is None else min(until, max(ready - now, 0.0005))
        await self.parts.clock.wait(self._wake, until)
        if room > 0 and self._chooser.chooses:
            self._chooser.idles(self.parts.clock.now() - now)
        return True

    def _below_bar(self) -> bool:
        """Whether all that waits is left for later."""
        self.parts.frontier.commit()
        return self.parts.frontier.best(float("inf")) < self.bar

    def _too_long(self, seconds: float) -> bool:
        """Whether waiting for the next host is not worth it; when nothing ever answered, nobody waits for long."""
        idle = self._budgets.idle_seconds
        return bool(idle) and seconds > (idle if self._settler.done else min(idle, 5.0))

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
        if budgets.pages and self._page_limit.reached(budgets.pages, self._settler.pages) and not self._out():
            self._close(f"the limit of {budgets.pages:,} pages is reached")
        elif budgets.seconds and self.parts.clock.now() - meter.started >= budgets.seconds:
            self._why = f"the limit of {budgets.seconds:g} seconds is reached"
        elif budgets.megabytes and meter.bytes >= budgets.megabytes * 1e6:
            self._why = f"the limit of {budgets.megabytes:g} megabytes is reached"
        return bool(self._why)

    def _close(self, why: str) -> None:
        """No more pages are fetched; what they need to be seen is, before the run ends."""
        requisites = self.parts.requisites
        if requisites is None:
            self._why = why
        elif not self._closing:
            self._closing = why
            requisites.hurry(self.parts.frontier)
            self.bar = requisites.FIRST

    def _tick(self, now: float) -> None:
        """Now and then: commit, and let somebody look (progress, free disk)."""
        self._next_tick = now + self.TICK
        if self.parts.revisits is not None and not self.paused and not self._why and not self._closing:
            self.parts.revisits.wake(now)
        if self._watch is not None:
            self.parts.frontier.commit()
            if why := self._watch(self):
                self.stop(why)

    # ── one URL ──────────────────────────────────────────────────────────────────────────────────

    async def _visit(self, lease: Lease) -> None:
        web, frontier, clock = self.parts.web, self.parts.frontier, self.parts.clock
        try:
            address = await web.address(lease)
            if address and frontier.admit(lease, address, clock.now()) > 0.0:
                return
            requisites = self.parts.requisites
            answer = requisites.refuse(lease) if requisites is not None else None
            if answer is None:
                answer = await web.get(lease)
        finally:
            if self._asked.pop(lease.id, None) is not None:
                # The best that can come was looked up while this host was being asked, so without its links: until it
                # is looked up again the next of them is taken to be as good as this one.
                best, asked = self._best
                self._best = max(best, lease.priority), asked
        if self._strict:
            self._settler.settle([(lease, answer)])
            return
        self._chooser.took(lease.host, answer.seconds, answer.kind is not Kind.FAILED)
        if len(answer.listed) > self.LISTED:
            answer = await self._take_in(lease, answer)
        self._answered.append((lease, answer))
        if len(self._answered) == 1:
            asyncio.get_running_loop().call_soon(self._settle_answered)

    async def _take_in(self, lease: Lease, answer: Answer) -> Answer:
        """Offer what a long sitemap lists a slice at a time, so that other hosts have their turn between two of them;
        the last slice is left. Until that is settled the sitemap is not done: a run that is killed asks for it again,
        and offers are taken twice without harm."""
        listed = answer.listed
        while len(listed) > self.LISTED:
            some, listed = listed[: self.LISTED], listed[self.LISTED :]
            self.parts.frontier.offer(self._settler.listed(lease, msgspec.structs.replace(answer, listed=some)))
            await asyncio.sleep(0)
        return msgspec.structs.replace(answer, listed=listed)

    def _settle_answered(self) -> None:
        """Settle what has come; what is too much for once, soon. While each turn of the event loop brings more answers,
        and few of those that are out have come, they are waited for: a transaction costs much the same for one page as
        for eight."""
        if self._gathered < len(self._answered) < min(self._together, self._out() // self.PART):
            self._gathered = len(self._answered)
            asyncio.get_running_loop().call_soon(self._settle_answered)
            return
        self._gathered = 0
        some, self._answered = self._answered[: self._together], self._answered[self._together :]
        if self._answered:
            asyncio.get_running_loop().call_soon(self._settle_answered)
        try:
            self._settler.settle(some)
        except BaseException as problem:  # noqa: BLE001 - `_stopping` raises it
            self._failure = self._failure or problem
        self._wake.set()
