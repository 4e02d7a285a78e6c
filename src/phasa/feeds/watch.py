"""Polls every feed when its turn comes, within the budget and with good manners, and remembers it all.

The policy says when a feed is due (`policy`). Whatever it wants, no request is made before the feed's `not_before`, in
a skipped hour, while its server rests, or without a paid poll. The clock and the fetcher are given, so the same code
runs on a virtual clock.
"""

from __future__ import annotations

import asyncio
import datetime as dt
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import inf
from typing import Protocol

import msgspec
import numpy as np

from phasa.errors import ParserCrashedError
from phasa.feed_settings import FeedSettings
from phasa.feeds.clock import Clock
from phasa.feeds.day_plans import DayPlans
from phasa.feeds.document import Read, announcement, read_here
from phasa.feeds.due import Due
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
from phasa.feeds.policy import FeedsPolicy, Reason
from phasa.feeds.post import Feed, Post
from phasa.feeds.rhythm import DAY, HOUR
from phasa.feeds.rows import FeedRow, FeedUpdate, Hold, Lease, PollRow, ShownPost
from phasa.feeds.shard import EVERY, Shard
from phasa.feeds.store import FeedStore
from phasa.feeds.terms import terms_of
from phasa.feeds.websub import SAFETY_GAP
from phasa.web.exchange import Exchange
from phasa.web.html import FeedLink
from phasa.web.http import failure_in_words
from phasa.web.url import Url

log = logging.getLogger(__name__)

# When a feed is due whose poll was written down and whose next one was not: a kill came between.
UNPLANNED = 2.0 * HOUR
# Feeds that are taken from the page of a site whose address was given for a feed.
MOST_ANNOUNCED = 3


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
    found: Callable[[FeedRow, list[ShownPost]], None] = lambda feed, posts: None
    failed: Callable[[FeedRow, str], None] = lambda feed, why: None
    at_once: int = 8
    read: Read = read_here
    settings: FeedSettings = field(default_factory=FeedSettings)
    shard: Shard = EVERY

    def __post_init__(self) -> None:
        self.stop = asyncio.Event()
        self._pauses = HostPauses()
        # Feeds by the moment they are due, those in it or being polled with their terms, and the servers being asked.
        self._queue = Due()
        # From when on feeds are urgent, and until when: where their documents would soon lose posts.
        self._urgent: dict[int, tuple[float, float]] = {}
        self._joined: dict[int, tuple[object, ...]] = {}
        self._busy: dict[asyncio.Task[None], str] = {}
        self._plans = DayPlans(self.store)
        now = self.clock.now()
        polled = self.store.poll_counts(now - DAY)
        for feed in self._ours():
            if feed.id in polled:
                self.policy.made(feed.id, polled[feed.id].polls)
            # What a server ordered holds for all its feeds, also after a restart.
            if feed.hold is Hold.RETRY_AFTER and feed.not_before > now:
                self._pauses.rest(feed.url, feed.not_before)
        log.info("budget: %s", self.policy.summary())

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

    def _ours(self) -> list[FeedRow]:
        return [feed for feed in self.store.feeds() if self.shard.has(feed.url)]

    def join(self) -> None:
        """Take in the feeds that were registered or changed since the last look."""
        for number, held in self.store.terms().items():
            if self._joined.get(number) == held or not self.shard.has(str(held[0])):
                continue
            feed = self.store.feed(number)
            self.policy.register(number, terms_of(feed, self.settings))
            if number not in self._joined:
                self._queue.push(feed.due, number)
                if feed.activity is not None:
                    self.policy.recall(number, feed.activity)
            self._joined[number] = held

    def _reap(self) -> None:
        for task in [task for task in self._busy if task.done()]:
            del self._busy[task]
            task.result()

    async def _start_due(self, now: float) -> float | None:
        """Start the poll that is due; None when one was started, else the seconds until something may be."""
        if not self._queue:
            return 60.0
        due, number = self._queue.first(now)
        if due > now:
            return due - now
        feed = self.store.feed(number)
        if feed.retired or feed.paused:
            self._queue.pop(number)
            self._leave(number)
            return None
        if feed.due > due:
            # What a hub delivered meanwhile moved the next poll.
            self._queue.postpone(number, feed.due)
            return None
        if len(self._busy) >= self.at_once:
            return 1.0
        ready = self.policy.ready_at(number, now)
        if ready > now:
            if self.policy.common:
                return ready - now
            self._queue.postpone(number, ready)
            return None
        allowed = out_of_skipped(max(now, feed.not_before, self._pauses.free_at(feed.url)), feed.hints)
        if allowed > now or server_of(feed.url) in self._busy.values():
            self._queue.postpone(number, allowed if allowed > now else now + 1.0)
            return None
        self._queue.pop(number)
        self.policy.pay(number, now)
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
        if polled.retired or polled.paused:
            self._leave(feed.id)
        else:
            self._queue.push(polled.due, feed.id, *self._urgent.get(feed.id, ()))

    def _leave(self, number: int) -> None:
        self._joined.pop(number, None)
        self._urgent.pop(number, None)
        self._plans.forget(number)
        self.policy.leave(number)

    async def take(self, feed: FeedRow, answer: Exchange) -> None:
        """Write down what a poll brought and when the next one is."""
        now = self.clock.now()
        log.debug("%s: status %d, %s, %d bytes", feed.url, answer.status, answer.outcome, len(answer.body))
        if answer.redirects:
            # Redirects lead to servers that rest as well.
            for url in (*(hop.url for hop in answer.redirects[1:]), answer.final_url):
                self._pauses.rest(str(url), now + self.spacing)
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
            if read.announced and not pushed and not feed.entries:
                self._instead(feed, answer, read.announced, now)
            elif not pushed:
                # Its validator is worth keeping all the same: while it holds, there is still no feed.
                not_one = msgspec.structs.replace(_validators(answer), body_hash=digest, not_feed=True)
                trouble = f"no feed in the answer{announcement(read.announced)}"
                self._failed(feed, msgspec.structs.replace(answer, detail=trouble), now, update=not_one)
            return
        title = feed.title or document.title
        update = FeedUpdate(
            body_hash=digest, not_feed=False, hints=document.hints, title=title, due=now + UNPLANNED,
            entries=len(document.posts),
        )  # fmt: skip
        if not pushed:
            hub, itself = linked_in_header(answer.header("link"))
            valid = _validators(answer)
            update = msgspec.structs.replace(
                update, etag=valid.etag, modified=valid.modified, validated=valid.validated,
                hub=hub or document.hub, topic=itself or document.itself,
            )  # fmt: skip
        new = self._keep(feed, document, answer, now, update, pushed)
        seen = len(document.posts)
        self._observed(feed, now, new)
        self.policy.window(feed.id, now, seen, self.store.log(feed.id, newest=1)[0].missing)
        feed = msgspec.structs.replace(feed, hints=document.hints, title=title)
        ordered = Wait() if pushed else ordered_wait(answer, now)
        wait = max(ordered, hinted_wait(document.hints, now), key=lambda wait: wait.seconds)
        self.store.update(feed.id, self._scheduled(feed, now, wait, FeedUpdate()))
        if new and (news := self.store.news(feed.id, now)):
            self.found(feed, news)

    def _instead(self, feed: FeedRow, answer: Exchange, announced: Sequence[FeedLink], now: float) -> None:
        """The address of a site was given: watch the feeds that its page announces."""
        named = [str(link.url) for link in announced if "comment" not in str(link.url).lower()][:MOST_ANNOUNCED]
        links = {str(link.url): link.title for link in announced}
        for url in named or list(links)[:1]:
            self.store.add(url, now, feed.publisher, feed.category, links[url])
        trouble = f"no feed in the answer{announcement(announced)}"
        poll = PollRow(feed.id, now, answer.status, answer.outcome, 0, 0, False, trouble[:200])
        self.store.record(poll, update=FeedUpdate(retired="a page; the feeds that it names are watched", why=trouble))
        self._tell_failure(feed, f"{trouble}; watched instead")
        self.join()

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
            self.policy.join(feed.id, self.store.posting_times(feed.id), now, feed.since or feed.added)
            return
        times = sorted(int(min(post.when() or now, now)) for post in new)
        self.policy.observe(feed.id, now, np.array(times, dtype=np.int64))

    def _scheduled(self, feed: FeedRow, now: float, wait: Wait, update: FeedUpdate) -> FeedUpdate:
        """The update with the next poll of a feed that gave an answer: when, why, and what delay to expect."""
        decision = self.policy.decide(feed.id, now)
        self._urgent.pop(feed.id, None)
        if decision.urgent_from < inf:
            # A part of the document is new by then; as long again, and it may be all of it.
            self._urgent[feed.id] = decision.urgent_from, 2.0 * decision.urgent_from - now
        wanted, why = decision.at, str(decision.reason)
        lease = self.store.subscription(feed.id)
        if lease is not None and lease.state is Lease.ACTIVE and lease.expires > now:
            wanted, why = now + SAFETY_GAP, "its hub tells us of new posts; asked once a day to be safe"
        due = out_of_skipped(max(wanted, now + wait.seconds), feed.hints)
        if due > wanted:
            why = f"{why}, but not before: {wait.why or 'skipHours or skipDays'}"
        why += f" (expects {decision.activity * DAY:.2f} posts a day now, usual gap {decision.gap / HOUR:.1f} h)"
        if decision.reason in (Reason.WORTH, Reason.WINDOW):
            self._plans.keep(feed, now, DAY / decision.gap)
        return msgspec.structs.replace(
            update, failures=0, not_before=now + wait.seconds, hold=wait.hold, due=due, why=why, gain=decision.worth,
            activity=decision.activity, expected_delay=self.policy.expected_delay(feed.id, due, decision.gap),
        )  # fmt: skip


def _validators(answer: Exchange) -> FeedUpdate:
    """What to ask with next time, and whom: validators hold for the address that gave them."""
    return FeedUpdate(etag=answer.etag, modified=answer.modified, validated=str(answer.final_url))
