"""The daemon: polls every feed when its turn comes, within the budget and with good manners, and remembers it all.

Each feed has a `Poller`; all share one bucket of polls. A new feed is polled every two hours while it is learned (spec
§3.3). Whatever the plan wants, no request is made before the feed's `not_before`, in a skipped hour, while its host
rests, or without a paid poll. The clock and the fetcher are given, so the same code runs on a virtual clock.
"""

from __future__ import annotations

import asyncio
import datetime as dt
import hashlib
import heapq
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from math import sqrt
from typing import Protocol

import msgspec
import numpy as np

from phasa.feeds.manners import (
    hinted,
    orders_of,
    out_of_skipped,
    pause_after,
    permanent_address,
    spoken,
    trouble_of,
)
from phasa.feeds.parse import read_feed
from phasa.feeds.poller import Bucket, Poller
from phasa.feeds.post import Feed, Post
from phasa.feeds.promise import Ledger
from phasa.feeds.relearn import Learned, plan_versions
from phasa.feeds.rhythm import DAY, HOUR
from phasa.feeds.shape import WIDTH
from phasa.feeds.store import FeedRow, FeedStore, PollRow
from phasa.feeds.websub import SAFETY_GAP, linked
from phasa.web.exchange import Exchange
from phasa.web.html import read_page
from phasa.web.url import Url, host, registered_domain

BOOTSTRAP = 2 * HOUR
LEARNING = 28 * DAY
ENOUGH_POSTS = 24
LONGEST_GAP = 7 * DAY
# However large the budget, a feed is not asked more often than this.
LEAST_GAP = 900.0
# In the reason of a feed whose server ordered a pause.
RETRY_AFTER = "Retry-After"
# Before the digest of an answer that was no feed.
NO_FEED = "no feed "


class Fetches(Protocol):
    """What the daemon needs of `phasa.web.fetch.Fetcher`."""

    async def fetch(
        self, address: Url, etag: str | None = None, modified: str | None = None, *, validated: Url | None = None
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
    """All feeds of a store under one budget. `found` hears of new posts, oldest first, `failed` of what goes wrong."""

    store: FeedStore
    fetcher: Fetches
    per_day: float
    clock: Clock = field(default_factory=Clock)
    spacing: float = 5.0
    language: str | None = None
    found: Callable[[FeedRow, list[Post]], None] = lambda feed, posts: None
    failed: Callable[[FeedRow, str], None] = lambda feed, why: None
    at_once: int = 8

    def __post_init__(self) -> None:
        self.stop = asyncio.Event()
        now = self.clock.now()
        self.bucket = Bucket.for_rate(self.per_day, now)
        # What the last day used before a restart is used: killing the daemon earns no polls.
        self.bucket.level = max(0.0, self.bucket.level - self.store.polls_since(now - DAY))
        self.pollers: dict[int, Poller] = {}
        self.roots: dict[int, float] = {}
        self.all_roots = 0.0
        # What the plans promised for the time that has passed: expected posts, and their expected waiting in seconds.
        self.promised_posts = self.promised_waiting = 0.0
        self.ledger = Ledger(now)
        self.hosts: dict[str, float] = {}
        self.queue: list[tuple[float, int]] = []
        self.busy: dict[asyncio.Task[None], str] = {}
        self.joined: set[int] = set()
        self.learned: dict[int, Learned] = {}
        for feed in self.store.feeds():
            # What a server ordered holds for all its feeds, also after a restart.
            if feed.not_before > now and RETRY_AFTER in feed.why:
                self._rest(feed.url, feed.not_before)

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
            if self.busy:
                await asyncio.wait(self.busy, timeout=min(wait, 1.0), return_when=asyncio.FIRST_COMPLETED)
                self._reap()
            else:
                await self.clock.wait(wait, self.stop)
        if self.busy:
            await asyncio.wait(self.busy)
            self._reap()

    def join(self) -> None:
        """Take in the feeds that were registered since the last look."""
        for feed in self.store.feeds():
            if feed.id not in self.joined and not feed.retired:
                self.joined.add(feed.id)
                heapq.heappush(self.queue, (feed.due, feed.id))

    def _reap(self) -> None:
        for task in [task for task in self.busy if task.done()]:
            del self.busy[task]
            task.result()

    async def _start_due(self, now: float) -> float | None:
        """Start the poll that is due; None when one was started, else the seconds until something may be."""
        if not self.queue:
            return 60.0
        due, number = self.queue[0]
        if due > now:
            return due - now
        feed = self.store.feed(number)
        if feed.retired:
            heapq.heappop(self.queue)
            self.joined.discard(number)
            return None
        if feed.due > due:
            # What a hub delivered meanwhile moved the next poll.
            heapq.heapreplace(self.queue, (feed.due, number))
            return None
        if len(self.busy) >= self.at_once:
            return 1.0
        ready = self.bucket.ready_at(max(now, self.bucket.since))
        if ready > now:
            return ready - now
        heapq.heappop(self.queue)
        earliest = out_of_skipped(max(feed.not_before, self.hosts.get(_rests_as(feed.url), 0.0)), feed.hints)
        if out_of_skipped(now, feed.hints) > now or earliest > now:
            heapq.heappush(self.queue, (max(earliest, out_of_skipped(now, feed.hints)), number))
            return None
        if _rests_as(feed.url) in self.busy.values():
            heapq.heappush(self.queue, (now + 1.0, number))
            return None
        self.bucket.pay(now)
        self._rest(feed.url, now + self.spacing)
        if self.at_once == 1:
            await self._poll(feed)
        else:
            self.busy[asyncio.create_task(self._poll(feed))] = _rests_as(feed.url)
        return None

    async def _poll(self, feed: FeedRow) -> None:
        whose = Url(feed.validated) if feed.validated else None
        answer = await self.fetcher.fetch(Url(feed.url), feed.etag, feed.modified, validated=whose)
        self.take(feed, answer)
        due = self.store.feed(feed.id)
        if due.retired:
            self.joined.discard(feed.id)
        else:
            heapq.heappush(self.queue, (due.due, feed.id))

    def take(self, feed: FeedRow, answer: Exchange) -> None:
        """Write down what a poll brought and when the next one is."""
        now = self.clock.now()
        order = orders_of(answer, now)
        for hop in answer.hops[1:]:
            # Redirects lead to servers that rest as well.
            self._rest(str(hop.url), now + self.spacing)
        if answer.status == 410:
            poll = PollRow(feed.id, now, 410, answer.outcome, 0, 0, False, "gone: retired")
            self.store.record(poll, changes={"retired": "410 Gone", "why": "the server says it is gone for good"})
            self.failed(feed, "410 Gone: retired, it will not be asked again")
        elif answer.status == 304 and (not feed.body_hash or feed.body_hash.startswith(NO_FEED)):
            self._failed(feed, msgspec.structs.replace(answer, detail="still no feed in the answer"), now, 0.0)
        elif answer.status == 304 and answer.outcome in ("ok", "not_modified"):
            self._unchanged(feed, answer, now, order.seconds, order.why)
        elif answer.ok or (answer.outcome == "too_large" and 200 <= answer.status < 300):
            # What came of a document that is too long is read as far as it goes.
            self._read(feed, answer, now, order.seconds, order.why)
        else:
            self._failed(feed, answer, now, order.seconds)

    def delivered(self, number: int, body: bytes, content_type: str) -> None:
        """Take a document that the feed's hub sent: as good as a poll, and costs none."""
        feed = self.store.feed(number)
        url = Url(feed.url)
        headers = (("Content-Type", content_type),) if content_type else ()
        answer = Exchange(url=url, final_url=url, status=200, outcome="ok", headers=headers, body=body)
        if not feed.retired and read_feed(body, content_type, feed.url, self.language).kind:
            self._read(feed, answer, self.clock.now(), 0.0, "", pushed=True)

    def _rest(self, url: str, until: float) -> None:
        self.hosts[_rests_as(url)] = max(until, self.hosts.get(_rests_as(url), 0.0))

    def _failed(
        self, feed: FeedRow, answer: Exchange, now: float, ordered: float, known: dict[str, object] | None = None
    ) -> None:
        failures = feed.failures + 1
        said = trouble_of(answer)
        pause = ordered or pause_after(failures, feed.url)
        if ordered:
            # The order concerns the server, not only this feed.
            self._rest(feed.url, now + ordered)
            self._rest(str(answer.final_url), now + ordered)
        why = f"{said}, failure {failures}: {RETRY_AFTER if ordered else 'back-off'} {spoken(pause)}"
        poll = PollRow(feed.id, now, answer.status, answer.outcome, 0, 0, False, answer.detail[:200])
        # Others of the same server go first when the pause is over, so that one bad feed does not starve them.
        due = now + pause + 60.0
        changes: dict[str, object] = {"failures": failures, "not_before": now + pause, "due": due, "why": why}
        changes |= known or {}
        self.store.record(poll, changes=changes, bad_day=(dt.datetime.fromtimestamp(now, dt.UTC).date(), said))
        self.failed(feed, why)

    def _unchanged(self, feed: FeedRow, answer: Exchange, now: float, ordered: float, why: str, seen: int = 0) -> None:
        poll = PollRow(feed.id, now, answer.status, answer.outcome, seen, 0, False, "unchanged")
        hint = hinted(feed.hints, now)
        not_before = now + max(ordered, hint.seconds)
        changes: dict[str, object] = {"failures": 0, "not_before": not_before}
        changes |= _validators(answer)
        if changes["validated"] == (feed.validated or feed.url):
            # A 304 need not repeat what stays the same.
            changes |= {"etag": answer.etag or feed.etag, "modified": answer.modified or feed.modified}
        self._observed(feed, now, [])
        coming = self._next(feed, now, not_before, why if ordered >= hint.seconds else hint.why)
        self.store.record(poll, changes=changes | coming, moved_to=permanent_address(answer))

    def _read(
        self, feed: FeedRow, answer: Exchange, now: float, ordered: float, why: str, pushed: bool = False
    ) -> None:
        digest = hashlib.sha256(answer.body).hexdigest()
        if digest == feed.body_hash and not pushed:
            # The server ignored our condition; the document is the same all the same.
            self._unchanged(feed, answer, now, ordered, why)
            return
        document = read_feed(answer.body, answer.header("content-type"), str(answer.final_url), self.language)
        if not document.kind:
            # Its validator is worth keeping all the same: while it holds, there is still no feed.
            known = {**_validators(answer), "body_hash": NO_FEED + digest}
            said = f"no feed in the answer{_announced(answer)}"
            self._failed(feed, msgspec.structs.replace(answer, detail=said), now, 0.0, known)
            return
        hint = hinted(document.hints, now)
        not_before = now + max(ordered, hint.seconds)
        changes: dict[str, object] = {
            "failures": 0, "not_before": not_before, "body_hash": digest,
            "hints": msgspec.msgpack.encode(document.hints), "title": feed.title or document.title,
        }  # fmt: skip
        if not pushed:
            hub, itself = linked(answer.header("link"))
            changes |= {**_validators(answer), "hub": hub or document.hub, "topic": itself or document.itself}
        moved = permanent_address(answer)
        new = self._keep(feed, document, answer, now, changes, moved, pushed)
        self._observed(feed, now, new)
        fresh = msgspec.structs.replace(feed, hints=document.hints, title=feed.title or document.title)
        coming = self._next(fresh, now, not_before, why if ordered >= hint.seconds else hint.why)
        self.store.schedule(feed.id, float(str(coming["due"])), str(coming["why"]))
        if new:
            self.found(fresh, sorted(new, key=lambda post: post.when() or now))

    def _keep(
        self, feed: FeedRow, document: Feed, answer: Exchange, now: float, changes: dict[str, object],
        moved: str | None, pushed: bool,
    ) -> list[Post]:  # fmt: skip
        note = "; ".join(document.faults)[:200] + (f"; moved to {moved}" if moved else "")
        outcome = "pushed" if pushed else answer.outcome
        poll = PollRow(feed.id, now, answer.status, outcome, len(document.posts), 0, False, note)
        return self.store.record(poll, document.posts, {**changes, "due": now + BOOTSTRAP}, moved_to=moved)

    def _observed(self, feed: FeedRow, now: float, new: Iterable[Post]) -> None:
        """Tell the feed's poller, or make one when it is first needed."""
        poller = self.pollers.get(feed.id)
        at = int(now) - int(now) % WIDTH
        if poller is None:
            self.pollers[feed.id] = Poller.learn(self.store.posting_times(feed.id), int(now))
        elif at > poller.last:
            posts, waiting = poller.expect(at)
            self.promised_posts += posts
            self.promised_waiting += waiting * self.ledger.correction()
            times = sorted(int(min(post.when() or now, now)) for post in new)
            fresh = [t for t in times if t > poller.last]
            self.ledger.add(now, posts, waiting, len(fresh), sum(now - t for t in fresh))
            poller.observe(at, np.array([t for t in times if t > poller.last - 14 * DAY], dtype=np.int64))

    def _next(self, feed: FeedRow, now: float, not_before: float, ordered: str) -> dict[str, object]:
        """When and why the next poll is, and what delay to expect."""
        poller = self.pollers[feed.id]
        activity = max(poller.activity(), 1e-7)
        self.bucket.fill(max(now, self.bucket.since))
        self.all_roots += sqrt(activity) - self.roots.get(feed.id, 0.0)
        self.roots[feed.id] = sqrt(activity)
        # What a poll is worth when steady feeds use the budget exactly (square-root rule), steered by the bucket.
        price = 0.5 * (self.all_roots * DAY / self.per_day) ** 2 * self.bucket.dearness()
        gap = min(max(sqrt(2.0 * price / activity), 2.0 * WIDTH), float(LONGEST_GAP))
        wanted, why = float(min(poller.next_poll(price, gap), now + LONGEST_GAP)), "when its posts are worth a poll"
        learned = now - feed.added >= LEARNING or (
            len(poller.known) >= ENOUGH_POSTS and now - float(poller.known[0]) >= LEARNING
        )
        if not learned:
            wanted, why = now + BOOTSTRAP, "every two hours while its rhythm is learned"
        lease = self.store.subscription(feed.id)
        if lease is not None and lease.state == "active" and lease.expires > now:
            wanted, why = now + SAFETY_GAP, "its hub tells us of new posts; asked once a day to be safe"
        wanted = max(wanted, now + LEAST_GAP)
        due = out_of_skipped(max(wanted, not_before), feed.hints)
        if due > wanted:
            why = f"{why}, but not before: {ordered or 'skipHours or skipDays'}"
        self._version(feed, now, DAY / gap)
        why += f" (expects {activity * DAY:.2f} posts a day now, usual gap {gap / HOUR:.1f} h)"
        return {"due": due, "why": why, "expected_delay": self._promise(poller, due, gap), "gain": price}

    def _promise(self, poller: Poller, due: float, gap: float) -> float:
        """Seconds that a post is expected to wait when the next poll is at `due`."""
        posts, waiting = poller.expect(int(due))
        return (waiting / posts if posts > 0 else gap / 2.0) * self.ledger.correction()

    def _version(self, feed: FeedRow, now: float, per_day: float) -> None:
        """Keep a plan for the feed, and make it anew every four weeks or when its rhythm has changed."""
        poller = self.pollers[feed.id]
        known = self.learned.get(feed.id)
        if known is None:
            made = self.store.last_plan(feed.id)
            known = self.learned[feed.id] = Learned.at(now if made is None else made, poller.known)
            why = "first plan" if made is None else ""
        else:
            why = known.outdated(now, poller.known)
        if not why:
            return
        if why.startswith("its rhythm"):
            poller.relearn(int(now))
        self.learned[feed.id] = Learned.at(now, poller.known)
        if plans := plan_versions(feed.url, poller.known, per_day, now):
            self.store.keep_plans(feed.id, now, plans, why)


def _announced(answer: Exchange) -> str:
    """What to say of a page that was taken for a feed: the feeds that it names."""
    if b"alternate" not in answer.body[:200_000]:
        return ""
    feeds = read_page(answer.body[:200_000], answer.final_url).feeds[:3]
    return f"; it is a page that announces {', '.join(str(link.url) for link in feeds)}" if feeds else ""


def _validators(answer: Exchange) -> dict[str, object]:
    """What to ask with next time, and whom: validators hold for the address that gave them."""
    return {"etag": answer.etag, "modified": answer.modified, "validated": str(answer.final_url)}


def _rests_as(url: str) -> str:
    """The name under which requests to one server are spaced."""
    return registered_domain(Url(url)) or host(Url(url))
