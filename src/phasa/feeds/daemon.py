"""The daemon of a collection: the watcher, and around it signals, hubs, the crawl and feeds that join."""

from __future__ import annotations

import asyncio
import logging
import signal
import time
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path

import aiohttp
import msgspec

from phasa.collection import Collection
from phasa.errors import InputError, PhasaError
from phasa.feed_settings import FeedSettings
from phasa.feeds.callback import Callback, parse_listen, poster
from phasa.feeds.document import MODULES, read_by
from phasa.feeds.links import discover, send_links
from phasa.feeds.outbox import Outbox
from phasa.feeds.policies import LEAST_POLLS, Policies
from phasa.feeds.policy import Rules
from phasa.feeds.rows import FeedRow, ShownPost
from phasa.feeds.shard import EVERY, Shard
from phasa.feeds.shelf import Shelf
from phasa.feeds.store import FeedStore
from phasa.feeds.terms import rules_of
from phasa.feeds.watch import Watcher
from phasa.feeds.webhook import Send, hand_over, sender
from phasa.feeds.websub import Subscriber
from phasa.fresh_settings import FreshSettings
from phasa.logs import logged_to_file
from phasa.sandbox import Bounds
from phasa.sandbox.pool import Pool
from phasa.schedule.common_budget import CommonBudget
from phasa.web.fetch import Fetcher, user_agent
from phasa.web.url import parse

RENEW_EVERY = 60.0
JOIN_EVERY = SHARE_EVERY = 600.0
INDEX_EVERY, HAND_OVER_EVERY = 5.0, 0.5

log = logging.getLogger(__name__)
Tell = Callable[[ShownPost], None]
Warn = Callable[[str], None]


class Duties(msgspec.Struct, frozen=True):
    """What the daemon is to do; the options of `phasa feeds watch`."""

    per_day: float | None = None
    per_feed: float | None = None
    spacing: float = 5.0
    seconds: float | None = None
    crawl: bool = True
    join: bool = True
    callback: str = ""
    listen: str = "127.0.0.1:8090"
    shard: Shard = EVERY


async def keep_watch(directory: Path, duties: Duties, tell: Tell, warn: Warn) -> None:
    """Watch the feeds of a collection until SIGTERM, SIGINT or the end of the given time. Raises PhasaError.

    `tell` gets every new post; `warn` how the watch goes and what goes wrong.
    """
    collection = Collection.open(directory)
    settings, limits = collection.settings, collection.settings.limits
    if duties.callback and parse(duties.callback) is None:
        raise InputError(f"--callback {duties.callback}: give the http(s) address under which hubs can reach us")
    agent = user_agent(settings.contact)
    fetcher = Fetcher(
        limits,
        agent,
        allow_private=settings.allow_private,
        server=settings.server,
        ca_file=collection.ca_file,
    )
    async with AsyncExitStack() as stack:
        stack.enter_context(logged_to_file(collection.path))
        await stack.enter_async_context(fetcher)
        pool = await stack.enter_async_context(
            Pool(limits.parsers, Bounds(limits.parse_seconds, limits.parse_megabytes), MODULES)
        )
        store = stack.enter_context(FeedStore(collection.path / "feeds.db", settings.feeds.identity))
        if duties.join:
            discover(collection, store, time.time())
        if not store.feeds():
            raise InputError(f"{directory}: no feeds yet; add one with: phasa feeds add {directory} URL")
        every = [feed for feed in store.feeds() if not feed.retired and not feed.paused]
        active = [feed for feed in every if duties.shard.has(feed.url)]
        rules = rules_of(settings.feeds, duties.per_day, duties.per_feed)
        if duties.shard.of > 1:
            # As many polls as feeds: the other parts have the others.
            share = max(len(active), 1) / max(len(every), 1)
            rules = msgspec.structs.replace(rules, per_day=rules.per_day * share)
        common = common_budget(collection, duties, rules)
        if common is not None:
            stack.callback(common.leave)
            first = common.share(lambda prices: 0 * prices, time.time())
            rules = msgspec.structs.replace(rules, per_day=max(first, LEAST_POLLS))
        news = News(collection if duties.crawl else None, tell, warn)
        policies = Policies(rules, time.time(), store)
        watcher = Watcher(
            store, fetcher, policies, spacing=duties.spacing, settings=settings.feeds,
            language=collection.profile.code, found=news.found, failed=lambda feed, why: warn(f"{feed.url}: {why}"),
            read=read_by(pool, limits), shard=duties.shard,
        )  # fmt: skip
        budget = f"{rules.per_day:g} polls a day" if rules.per_feed is None else f"{rules.per_feed:g} polls a day each"
        if common is not None:
            budget = f"{settings.fresh.requests_per_day:g} requests a day, shared with the revisits of pages"
        part = f" (part {duties.shard})" if duties.shard.of > 1 else ""
        warn(f"watching {len(active)} feeds{part} with at most {budget}, policy {rules.policy}; Ctrl-C stops")
        chores: list[asyncio.Task[None]] = []
        if common is not None:
            chores.append(asyncio.create_task(_share(common, watcher, policies, settings.fresh, warn)))
        if duties.join:
            chores.append(asyncio.create_task(_join(collection, watcher, warn)))
        chores.append(asyncio.create_task(_index(store, watcher, warn)))
        session = await stack.enter_async_context(aiohttp.ClientSession())
        chores.append(asyncio.create_task(_hand_over(store, watcher, sender(session, agent), settings.feeds, warn)))
        if duties.callback:
            subscriber = Subscriber(store, duties.callback, poster(fetcher, agent))
            ear = Callback(subscriber, time.time, watcher.delivered)
            await ear.start(*parse_listen(duties.listen))
            stack.push_async_callback(ear.stop)
            chores.append(asyncio.create_task(_renew(subscriber, watcher, warn)))
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, watcher.stop.set)
        try:
            await watcher.run(None if duties.seconds is None else time.time() + duties.seconds)
        finally:
            for chore in chores:
                chore.cancel()
            await asyncio.gather(*chores, return_exceptions=True)


class News:
    """Takes new posts: tells the user of them, and offers their pages to the crawl of a collection if one is given."""

    def __init__(self, collection: Collection | None, tell: Tell, warn: Warn) -> None:
        self._collection = collection
        self._tell = tell
        self._warn = warn

    def found(self, feed: FeedRow, posts: list[ShownPost]) -> None:
        for post in posts:
            # What was there before the feed was watched goes to the crawl, but is no news.
            if not post.past:
                self._tell(post)
        if self._collection is None:
            return
        try:
            send_links(self._collection, (post.link for post in posts), feed.url)
        except PhasaError as problem:
            # The feed is more than the crawl: posts are kept, and their links with them.
            self._warn(f"{feed.url}: links not offered to the crawl ({problem})")


def common_budget(collection: Collection, duties: Duties, rules: Rules) -> CommonBudget | None:
    """The budget that these feeds share with the revisits of pages; None when the settings say that they have their
    own. Raises InputError."""
    fresh = collection.settings.fresh
    if not fresh.with_feeds:
        return None
    if not fresh.requests_per_day:
        raise InputError("[fresh] with_feeds: say in requests_per_day how many requests feeds and pages share")
    if duties.shard.of > 1:
        raise InputError("[fresh] with_feeds: feeds that are watched in parts share no budget with pages")
    if duties.per_day is not None or rules.per_feed is not None:
        raise InputError("[fresh] with_feeds: feeds have no budget of their own; leave out --per-day, per_feed")
    return CommonBudget(collection.budget_file, "feeds", fresh.requests_per_day)


async def _share(common: CommonBudget, watcher: Watcher, policies: Policies, fresh: FreshSettings, warn: Warn) -> None:
    """What polls are worth is weighed against revisits again and again."""

    async def once() -> None:
        per_day = policies.share_with_pages(common, time.time(), fresh.post_weight)
        log.info("%.1f of %g requests a day are for feeds", per_day, fresh.requests_per_day)

    await _repeat(once, SHARE_EVERY, watcher.stop, warn, begin=2.0)


async def _join(collection: Collection, watcher: Watcher, warn: Warn) -> None:
    """Feeds that pages of the crawl announce join while we watch."""

    async def once() -> None:
        for url in discover(collection, watcher.store, time.time()):
            log.info("%s: announced by a page of the crawl, joins", url)
        watcher.join()

    await _repeat(once, JOIN_EVERY, watcher.stop, warn)


async def _index(store: FeedStore, watcher: Watcher, warn: Warn) -> None:
    """What was found becomes searchable."""
    shelf = Shelf(store)

    async def once() -> None:
        shelf.index()

    await _repeat(once, INDEX_EVERY, watcher.stop, warn, begin=1.0)


async def _hand_over(store: FeedStore, watcher: Watcher, send: Send, settings: FeedSettings, warn: Warn) -> None:
    """New posts go to the webhooks; what was not taken before a restart goes out now."""
    outbox = Outbox(store)

    async def once() -> None:
        await hand_over(outbox, send, time.time, settings.webhook_hours)

    await _repeat(once, HAND_OVER_EVERY, watcher.stop, warn, begin=0.1)


async def _renew(subscriber: Subscriber, watcher: Watcher, warn: Warn) -> None:
    async def once() -> None:
        await subscriber.renew(time.time())

    await _repeat(once, RENEW_EVERY, watcher.stop, warn, begin=1.0)


async def _repeat(
    work: Callable[[], Awaitable[None]], every: float, stop: asyncio.Event, warn: Warn, begin: float = 0.0
) -> None:
    """Do it again and again until the stop; what goes wrong once is noted and tried again next time."""
    wait = begin or every
    while not stop.is_set():
        try:
            await asyncio.wait_for(stop.wait(), timeout=wait)
            return
        except TimeoutError:
            wait = every
        try:
            await work()
        except (PhasaError, OSError) as problem:
            warn(str(problem))
