"""The daemon of a collection: the watcher, and around it signals, hubs, the crawl and feeds that join."""

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
from phasa.feeds.document import MODULE, read_by
from phasa.feeds.links import discover, send_links
from phasa.feeds.policy import Pace, SharedBudget
from phasa.feeds.post import Post
from phasa.feeds.rows import FeedRow
from phasa.feeds.store import FeedStore
from phasa.feeds.watch import Watcher
from phasa.feeds.websub import Subscriber
from phasa.logs import logged_to_file
from phasa.sandbox import Bounds
from phasa.sandbox.pool import Pool
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


async def keep_watch(directory: Path, duties: Duties, tell: Tell, warn: Warn) -> None:
    """Watch the feeds of a collection until SIGTERM, SIGINT or the end of the given time. Raises PhasaError.

    `tell` gets every new post: feed, title, link; `warn` how the watch goes and what goes wrong.
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
            Pool(limits.parsers, Bounds(limits.parse_seconds, limits.parse_megabytes), [MODULE])
        )
        store = stack.enter_context(FeedStore(collection.path / "feeds.db"))
        if duties.join:
            discover(collection, store, time.time())
        if not store.feeds():
            raise InputError(f"{directory}: no feeds yet; add one with: phasa feeds add {directory} URL")
        news = News(collection if duties.crawl else None, tell, warn)
        watcher = Watcher(
            store, fetcher, SharedBudget(duties.per_day, time.time(), Pace()), spacing=duties.spacing,
            language=collection.profile.code, found=news.found, failed=lambda feed, why: warn(f"{feed.url}: {why}"),
            read=read_by(pool, limits),
        )  # fmt: skip
        active = [feed for feed in store.feeds() if not feed.retired]
        warn(f"watching {len(active)} feeds with at most {duties.per_day:g} polls a day; Ctrl-C stops")
        chores: list[asyncio.Task[None]] = []
        if duties.join:
            chores.append(asyncio.create_task(_join(collection, watcher, warn)))
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

    def found(self, feed: FeedRow, posts: list[Post]) -> None:
        for post in posts:
            self._tell(feed.title or feed.url, post.title, post.link)
        if self._collection is None:
            return
        try:
            send_links(self._collection, (post.link for post in posts), feed.url)
        except PhasaError as problem:
            # The feed is more than the crawl: posts are kept, and their links with them.
            self._warn(f"{feed.url}: links not offered to the crawl ({problem})")


async def _join(collection: Collection, watcher: Watcher, warn: Warn) -> None:
    """Feeds that pages of the crawl announce join while we watch."""

    async def once() -> None:
        for url in discover(collection, watcher.store, time.time()):
            log.info("%s: announced by a page of the crawl, joins", url)
        watcher.join()

    await _repeat(once, JOIN_EVERY, watcher.stop, warn)


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
