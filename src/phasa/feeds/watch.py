"""Polls every feed when its turn comes, within the budget and with good manners, and remembers it all.

The policy says when a feed is due (`policy`). Whatever it wants, no request is made before the feed's `not_before`, in
a skipped hour, while its server rests, or without a paid poll. The clock and the fetcher are given, so the same code
runs on a virtual clock.
"""

from __future__ import annotations

import asyncio
import datetime as dt
import heapq
import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import msgspec
import numpy as np

from phasa.errors import ParserCrashedError
from phasa.feeds.document import Read, read_here
from phasa.feeds.manners import (
    HostPauses,
    Wait,
    hinted_wait,
    ordered_wait,
    out_of_skipped,
    pause_after,
    permanent_address,
    server_of,
    spoken,
)
from phasa.feeds.parse import linked_in_header
from phasa.feeds.plan import plan_points
from phasa.feeds.policy import FeedsPolicy, Reason
from phasa.feeds.post import Feed, Post
from phasa.feeds.rhythm import CHECK_EVERY, DAY, HOUR, LearnedHours
from phasa.feeds.rows import FeedRow, FeedUpdate, Hold, Lease, PollRow
from phasa.feeds.store import FeedStore
from phasa.feeds.websub import SAFETY_GAP
from phasa.web.exchange import Exchange
from phasa.web.html import FeedLink
from phasa.web.http import failure_in_words
from phasa.web.url import Url

log = logging.getLogger(__name__)

# When a feed is due whose poll was written down and whose next one was not: a kill came between.
UNPLANNED = 2.0 * HOUR
_WHY = {
    Reason.WORTH: "when its posts are worth a poll",
    Reason.LEARNING: "every two hours while its rhythm is learned",
}


class Fetches(Protocol):
    """What the daemon needs of `phasa.web.fetch.Fetcher`."""

    async def fetch(
        self,
        address: Url,
        etag: str | None = None,
        modified: str | None = None,
        *,
        validated: Url | None = None,
        inflated: bool = True,
    ) -> Exchange: ...


class Clock:
    """Time as it passes."""

    # Feeds may join meanwhile, so nobody sleeps longer than this.
    longest = 30.0

    def now(self) -> float:
        return time.time()

    async def wait(self, seconds: float, stop: asyncio.Event) -> None:
        """Wait so long, or until the stop is asked for."""
        try:
            await asyncio.wait_for(stop.wait(), timeout=seconds)
        except TimeoutError:
            return


@dataclass
class Watcher:
    """All feeds of a store under one policy. `found` gets new posts, oldest first, `failed` what goes wrong; `read`
    reads what servers send: in the sandbox, unless they are our own."""

    store: FeedStore
    fetcher: Fetches
    policy: FeedsPolicy
    clock: Clock = field(default_factory=Clock)
    spacing: float = 5.0
    language: str | None = None
    found: Callable[[FeedRow, list[Post]], None] = lambda feed, posts: None
    failed: Callable[[FeedRow, str], None] = lambda feed, why: None
    at_once: int = 8
    read: Read = read_here

    def __post_init__(self) -> None:
        self.stop = asyncio.Event()
        self._pauses = HostPauses()
        # Feeds by the moment they are due, those in it or being polled, and the servers being asked.
        self._queue: list[tuple[float, int]] = []
        self._joined: set[int] = set()
        self._busy: dict[asyncio.Task[None], str] = {}
        self._plans: dict[int, LearnedHours] = {}
        now = self.clock.now()
        self.policy.bucket.deduct(self.store.polls_since(now - DAY))
        for feed in self.store.feeds():
            # What a server ordered holds for all its feeds, also after a restart.
            if feed.hold is Hold.RETRY_AFTER and feed.not_before > now:
                self._pauses.rest(feed.url, feed.not_before)
        bucket = self.policy.bucket
        log.info("budget: %g polls a day, %.1f of them to spend now", bucket.per_day, bucket.level)

    async def run(self, until: float | None = None) -> None:
        """Poll until asked to stop (`stop.set()`), or until the given moment."""
        self.join()
        looked = self.clock.now()
        while not self.stop.is_set():
            now = self.clock.now()
            if now - looked >= self.clock.longest:
                self.join()
                looked = now
            if until is not None and now >= until:
                break
            wait = await self._start_due(now)
            if wait is None:
                continue
            wait = min(wait, self.clock.longest)
            if until is not None:
                wait = min(wait, until - now)
            if self._busy:
                await asyncio.wait(self._busy, timeout=min(wait, 1.0), return_when=asyncio.FIRST_COMPLETED)
                self._reap()
            else:
                await self.clock.wait(wait, self.stop)
        if self._busy:
            await asyncio.wait(self._busy)
            self._reap()

    def join(self) -> None:
        """Take in the feeds that were registered since the last look."""
        for feed in self.store.feeds():
            if feed.id not in self._joined and not feed.retired:
                self._joined.add(feed.id)
                heapq.heappush(self._queue, (feed.due, feed.id))
                if feed.activity is not None:
                    self.policy.recall(feed.id, feed.activity)

    def _reap(self) -> None:
        for task in [task for task in self._busy if task.done()]:
            del self._busy[task]
            task.result()

    async def _start_due(self, now: float) -> float | None:
        """Start the poll that is due; None when one was started, else the seconds until something may be."""
        if not self._queue:
            return 60.0
        due, number = self._queue[0]
        if due > now:
            return due - now
        feed = self.store.feed(number)
        if feed.retired:
            heapq.heappop(self._queue)
            self._leave(number)
            return None
        if feed.due > due:
            # What a hub delivered meanwhile moved the next poll.
            heapq.heapreplace(self._queue, (feed.due, number))
            return None
        if len(self._busy) >= self.at_once:
            return 1.0
        ready = self.policy.bucket.ready_at(now)
        if ready > now:
            return ready - now
        heapq.heappop(self._queue)
        allowed = out_of_skipped(max(now, feed.not_before, self._pauses.free_at(feed.url)), feed.hints)
        if allowed > now:
            heapq.heappush(self._queue, (allowed, number))
            return None
        if server_of(feed.url) in self._busy.values():
            heapq.heappush(self._queue, (now + 1.0, number))
            return None
        self.policy.bucket.pay(now)
        self._pauses.rest(feed.url, now + self.spacing)
        if self.at_once == 1:
            await self._poll(feed)
        else:
            self._busy[asyncio.create_task(self._poll(feed))] = server_of(feed.url)
        return None

    async def _poll(self, feed: FeedRow) -> None:
        whose = Url(feed.validated) if feed.validated else None
        answer = await self.fetcher.fetch(Url(feed.url), feed.etag, feed.modified, validated=whose, inflated=False)
        await self.take(feed, answer)
        polled = self.store.feed(feed.id)
        if polled.retired:
            self._leave(feed.id)
        else:
            heapq.heappush(self._queue, (polled.due, feed.id))

    def _leave(self, number: int) -> None:
        self._joined.discard(number)
        self._plans.pop(number, None)
        self.policy.leave(number)

    async def take(self, feed: FeedRow, answer: Exchange) -> None:
        """Write down what a poll brought and when the next one is."""
        now = self.clock.now()
        log.debug("%s: status %d, %s, %d bytes", feed.url, answer.status, answer.outcome, len(answer.body))
        for hop in answer.hops[1:]:
            # Redirects lead to servers that rest as well.
            self._pauses.rest(str(hop.url), now + self.spacing)
        if answer.status == 410:
            poll = PollRow(feed.id, now, 410, answer.outcome, 0, 0, False, "gone: retired")
            update = FeedUpdate(retired="410 Gone", why="the server says it is gone for good")
            self.store.record(poll, update=update)
            self._tell_failure(feed, "410 Gone: retired, it will not be asked again")
        elif answer.status == 304 and (feed.not_feed or not feed.body_hash):
            self._failed(feed, msgspec.structs.replace(answer, detail="still no feed in the answer"), now)
        elif answer.status == 304 and answer.outcome in ("ok", "not_modified"):
            self._unchanged(feed, answer, now)
        elif answer.ok or (answer.outcome == "too_large" and 200 <= answer.status < 300):
            # What came of a document that is too long is read as far as it goes.
            await self._read(feed, answer, now)
        else:
            self._failed(feed, answer, now, ordered_wait(answer, now))

    async def delivered(self, number: int, body: bytes, content_type: str) -> None:
        """Take a document that the feed's hub sent: as good as a poll, and costs none."""
        feed = self.store.feed(number)
        url = Url(feed.url)
        headers = (("Content-Type", content_type),) if content_type else ()
        answer = Exchange(url=url, final_url=url, status=200, outcome="ok", headers=headers, body=body)
        if not feed.retired:
            await self._read(feed, answer, self.clock.now(), pushed=True)

    def _failed(
        self, feed: FeedRow, answer: Exchange, now: float, ordered: Wait | None = None, update: FeedUpdate | None = None
    ) -> None:
        failures = feed.failures + 1
        trouble = failure_in_words(answer)
        if ordered is not None and ordered.seconds:
            pause, hold, whose = ordered.seconds, ordered.hold, "Retry-After"
            # The order concerns the server, not only this feed.
            self._pauses.rest(feed.url, now + pause)
            self._pauses.rest(str(answer.final_url), now + pause)
        else:
            pause, hold, whose = pause_after(failures, feed.url), Hold.FAILURE, "back-off"
        why = f"{trouble}, failure {failures}: {whose} {spoken(pause)}"
        poll = PollRow(feed.id, now, answer.status, answer.outcome, 0, 0, False, answer.detail[:200])
        # Others of the same server go first when the pause is over, so that one bad feed does not starve them.
        due = now + pause + 60.0
        update = msgspec.structs.replace(
            update or FeedUpdate(), failures=failures, not_before=now + pause, hold=hold, due=due, why=why
        )
        self.store.record(poll, update=update, bad_day=(dt.datetime.fromtimestamp(now, dt.UTC).date(), trouble))
        self._tell_failure(feed, why)

    def _tell_failure(self, feed: FeedRow, why: str) -> None:
        log.warning("%s: %s", feed.url, why)
        self.failed(feed, why)

    def _unchanged(self, feed: FeedRow, answer: Exchange, now: float) -> None:
        poll = PollRow(feed.id, now, answer.status, answer.outcome, 0, 0, False, "unchanged")
        update = _validators(answer)
        if update.validated == (feed.validated or feed.url):
            # A 304 need not repeat what stays the same.
            update = msgspec.structs.replace(
                update, etag=answer.etag or feed.etag, modified=answer.modified or feed.modified
            )
        self._observed(feed, now, [])
        wait = max(ordered_wait(answer, now), hinted_wait(feed.hints, now), key=lambda wait: wait.seconds)
        self.store.record(poll, update=self._scheduled(feed, now, wait, update), moved_to=permanent_address(answer))

    async def _read(self, feed: FeedRow, answer: Exchange, now: float, pushed: bool = False) -> None:
        known = "" if feed.not_feed or pushed else feed.body_hash or ""
        try:
            read = await self.read(answer, self.language, known)
        except ParserCrashedError as crash:
            if not pushed:
                # While its validator holds, the document is not read again.
                never = msgspec.structs.replace(_validators(answer), not_feed=True)
                self._failed(feed, msgspec.structs.replace(answer, detail=str(crash)), now, update=never)
            return
        if read.problem not in ("", "too_large"):
            trouble = f"cannot be unpacked: {read.problem}"
            broken = msgspec.structs.replace(answer, outcome=read.problem, detail=trouble)
            self._failed(feed, broken, now, ordered_wait(answer, now))
            return
        if read.problem:
            answer = msgspec.structs.replace(answer, outcome=read.problem, truncated="length")
        if read.unchanged:
            # The server ignored our condition; the document is the same all the same.
            self._unchanged(feed, answer, now)
            return
        digest, document = read.digest, read.feed
        if not document.kind:
            if not pushed:
                # Its validator is worth keeping all the same: while it holds, there is still no feed.
                not_one = msgspec.structs.replace(_validators(answer), body_hash=digest, not_feed=True)
                trouble = f"no feed in the answer{_named(read.announced)}"
                self._failed(feed, msgspec.structs.replace(answer, detail=trouble), now, update=not_one)
            return
        title = feed.title or document.title
        update = FeedUpdate(body_hash=digest, not_feed=False, hints=document.hints, title=title, due=now + UNPLANNED)
        if not pushed:
            hub, itself = linked_in_header(answer.header("link"))
            valid = _validators(answer)
            update = msgspec.structs.replace(
                update, etag=valid.etag, modified=valid.modified, validated=valid.validated,
                hub=hub or document.hub, topic=itself or document.itself,
            )  # fmt: skip
        new = self._keep(feed, document, answer, now, update, pushed)
        self._observed(feed, now, new)
        feed = msgspec.structs.replace(feed, hints=document.hints, title=title)
        ordered = Wait() if pushed else ordered_wait(answer, now)
        wait = max(ordered, hinted_wait(document.hints, now), key=lambda wait: wait.seconds)
        self.store.update(feed.id, self._scheduled(feed, now, wait, FeedUpdate()))
        if new:
            self.found(feed, sorted(new, key=lambda post: post.when() or now))

    def _keep(
        self, feed: FeedRow, document: Feed, answer: Exchange, now: float, update: FeedUpdate, pushed: bool
    ) -> list[Post]:
        moved = permanent_address(answer)
        note = "; ".join(document.faults)[:200] + (f"; moved to {moved}" if moved else "")
        outcome = "pushed" if pushed else answer.outcome
        poll = PollRow(feed.id, now, answer.status, outcome, len(document.posts), 0, False, note)
        return self.store.record(poll, document.posts, update, moved_to=moved)

    def _observed(self, feed: FeedRow, now: float, new: list[Post]) -> None:
        """Tell the policy; when it sees the feed for the first time, all that is known of it."""
        if feed.id not in self.policy:
            self.policy.join(feed.id, self.store.posting_times(feed.id), now, feed.added)
            return
        times = sorted(int(min(post.when() or now, now)) for post in new)
        self.policy.observe(feed.id, now, np.array(times, dtype=np.int64))

    def _scheduled(self, feed: FeedRow, now: float, wait: Wait, update: FeedUpdate) -> FeedUpdate:
        """The update with the next poll of a feed that gave an answer: when, why, and what delay to expect."""
        decision = self.policy.decide(feed.id, now)
        wanted, why = decision.at, _WHY[decision.reason]
        lease = self.store.subscription(feed.id)
        if lease is not None and lease.state is Lease.ACTIVE and lease.expires > now:
            wanted, why = now + SAFETY_GAP, "its hub tells us of new posts; asked once a day to be safe"
        due = out_of_skipped(max(wanted, now + wait.seconds), feed.hints)
        if due > wanted:
            why = f"{why}, but not before: {wait.why or 'skipHours or skipDays'}"
        why += f" (expects {decision.activity * DAY:.2f} posts a day now, usual gap {decision.gap / HOUR:.1f} h)"
        self._plan(feed, now, DAY / decision.gap)
        return msgspec.structs.replace(
            update, failures=0, not_before=now + wait.seconds, hold=wait.hold, due=due, why=why, gain=decision.worth,
            activity=decision.activity, expected_delay=self.policy.expected_delay(feed.id, due, decision.gap),
        )  # fmt: skip

    def _plan(self, feed: FeedRow, now: float, per_day: float) -> None:
        """Keep a plan of the feed's day for its page and report, and make it again when it is outdated."""
        learned = self._plans.get(feed.id)
        if learned is not None and now - learned.checked < CHECK_EVERY:
            return
        times = self.store.posting_times(feed.id)
        if learned is None and (made := self.store.last_plan(feed.id)) is not None:
            self._plans[feed.id] = LearnedHours.at(made, times)
            return
        why = "first plan" if learned is None else learned.outdated(now, times)
        if why is None:
            return
        self._plans[feed.id] = LearnedHours.at(now, times)
        if plans := plan_points(feed.url, times, per_day, now, self.store.bad_days(feed.id)):
            version = self.store.keep_plans(feed.id, now, plans, why)
            log.info("%s: plan %d: %s", feed.url, version, why)


def _named(announced: Sequence[FeedLink]) -> str:
    """What to say of a page that was taken for a feed: the feeds that it names."""
    names = ", ".join(str(link.url) for link in announced[:3])
    return f"; it is a page that announces {names}" if names else ""


def _validators(answer: Exchange) -> FeedUpdate:
    """What to ask with next time, and whom: validators hold for the address that gave them."""
    return FeedUpdate(etag=answer.etag, modified=answer.modified, validated=str(answer.final_url))
