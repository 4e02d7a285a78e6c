"""The daemon of a collection: the watcher with all that stands around it: signals, hubs, the crawl, new feeds."""

from __future__ import annotations

import asyncio
import logging
import signal
import time
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path

import msgspec

from phasa.collection import Collection
from phasa.errors import InputError, PhasaError
from phasa.feeds.callback import Callback, parse_listen, poster
from phasa.feeds.links import discover, send_links
from phasa.feeds.post import Post
from phasa.feeds.store import FeedRow, FeedStore
from phasa.feeds.watch import Watcher
from phasa.feeds.websub import Subscriber
from phasa.web.fetch import Fetcher, user_agent
from phasa.web.url import parse

RENEW_EVERY = 60.0
JOIN_EVERY = 600.0

log = logging.getLogger(__name__)
Tell = Callable[[str, str, str], None]
Warn = Callable[[str], None]


class Duties(msgspec.Struct, frozen=True):
    """What the daemon is to do; the options of `phasa feeds watch`."""

    per_day: float
    spacing: float = 5.0
    seconds: float | None = None
    crawl: bool = True
    join: bool = True
    callback: str = ""
    listen: str = "127.0.0.1:8090"


async def keep_watch(directory: Path, duties: Duties, tell: Tell, warn: Warn = log.warning) -> None:
    """Watch the feeds of a collection until SIGTERM, SIGINT or the end of the given time. Raises PhasaError.

    `tell` hears of every new post: feed, title, link; `warn` how the watch goes and what goes wrong.
    """
    collection = Collection.open(directory)
    settings = collection.settings
    if duties.callback and parse(duties.callback) is None:
        raise InputError(f"--callback {duties.callback}: give the http(s) address under which hubs can reach us")
    agent = user_agent(settings.contact)
    fetcher = Fetcher(settings.limits, agent, allow_private=settings.allow_private, server=settings.server)
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(fetcher)
        store = stack.enter_context(FeedStore(collection.path / "feeds.db"))
        if duties.join:
            discover(collection, store, time.time())
        if not store.feeds():
            raise InputError(f"{directory}: no feeds yet; add one with: phasa feeds add {directory} URL")
        news = News(collection if duties.crawl else None, tell)
        watcher = Watcher(
            store, fetcher, duties.per_day, spacing=duties.spacing, language=settings.language, found=news.found
        )
        watcher.failed = lambda feed, why: warn(f"{feed.url}: {why}")
        active = [feed for feed in store.feeds() if not feed.retired]
        warn(f"watching {len(active)} feeds with at most {duties.per_day:g} polls a day; Ctrl-C stops")
        chores: list[asyncio.Task[None]] = []
        if duties.join:
            chores.append(asyncio.create_task(_join(collection, watcher)))
        if duties.callback:
            subscriber = Subscriber(store, duties.callback, poster(fetcher, agent))
            ear = Callback(subscriber, time.time, watcher.delivered)
            await ear.start(*parse_listen(duties.listen))
            stack.push_async_callback(ear.stop)
            chores.append(asyncio.create_task(_renew(subscriber, watcher)))
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
    """Hears of new posts: tells the user, and offers their pages to the crawl unless there is no such wish."""

    def __init__(self, collection: Collection | None, tell: Tell) -> None:
        self._collection = collection
        self._tell = tell

    def found(self, feed: FeedRow, posts: list[Post]) -> None:
        for post in posts:
            self._tell(feed.title or feed.url, post.title, post.link)
        if self._collection is None:
            return
        try:
            send_links(self._collection, (post.link for post in posts), feed.url)
        except PhasaError as problem:
            # The feed is more than the crawl: posts are kept, and their links with them.
            log.warning("%s: links not offered to the crawl (%s)", feed.url, problem)


async def _join(collection: Collection, watcher: Watcher) -> None:
    """Feeds that pages of the crawl announce join while we watch."""

    async def once() -> None:
        discover(collection, watcher.store, time.time())
        watcher.join()

    await _repeat(once, JOIN_EVERY, watcher.stop)


async def _renew(subscriber: Subscriber, watcher: Watcher) -> None:
    async def once() -> None:
        await subscriber.renew(time.time())

    await _repeat(once, RENEW_EVERY, watcher.stop, begin=1.0)


async def _repeat(work: Callable[[], Awaitable[None]], every: float, stop: asyncio.Event, begin: float = 0.0) -> None:
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
            log.warning("%s", problem)
