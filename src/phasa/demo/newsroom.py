"""The feeds of a world, watched for six weeks on a fast clock by the daemon that runs day and night for users."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from phasa.feeds.clock import Clock
from phasa.feeds.policies import Policies
from phasa.feeds.policy import Rules
from phasa.feeds.report import Together, feed_lines, together
from phasa.feeds.rhythm import DAY, HOUR
from phasa.feeds.store import FeedStore
from phasa.feeds.watch import Watcher
from phasa.lab.feed_posts import feeds_of
from phasa.lab.serve import serving
from phasa.lab.world import World
from phasa.web.fetch import Fetcher

LEARN_DAYS, WATCH_DAYS = 28, 14


class FastClock(Clock):
    """A clock on which waiting takes no time; `passed` is called with each day."""

    def __init__(self, now: float, passed: Callable[[int], None]) -> None:
        self._start = self._now = now
        self._passed, self._day = passed, 0

    def now(self) -> float:
        return self._now

    async def wait(self, seconds: float, stop: asyncio.Event) -> None:
        self._now += max(seconds, 0.001)
        if (day := int((self._now - self._start) // DAY)) != self._day:
            self._day = day
            self._passed(day)
        await asyncio.sleep(0)


@dataclass(frozen=True)
class Watched:
    """What the fortnight after the learning month brought; delays in hours."""

    feeds: int
    posts: int
    polls: int
    delay: float
    evenly: float
    """The mean delay if the same polls had been shared evenly over all feeds and hours: half a gap."""
    lately: Together
    """The last 30 days, as the feeds pages show them: half of them were still learning."""


async def watch_feeds(
    world: World, store_file: Path, most: int, per_day: float, passed: Callable[[int], None]
) -> Watched:
    """Serve the world's feeds over HTTP and let the daemon poll them, `per_day` requests a day in all."""
    # The six weeks end now, so that the application shows them as the latest.
    start = time.time() - (LEARN_DAYS + WATCH_DAYS) * DAY
    clock = FastClock(start, passed)
    sites = feeds_of(world)[:most]
    async with (
        serving(world, now=clock.now) as (port, _),
        Fetcher(user_agent="phasa-demo", server=f"127.0.0.1:{port}") as fetcher,
    ):
        with FeedStore(store_file) as store:
            for site in sites:
                store.add(f"http://{world.styles[site].host}/feed.xml", clock.now())
            watcher = Watcher(
                store, fetcher, Policies(Rules(per_day), start, store), clock=clock, at_once=1, spacing=0.0
            )
            measured = start + LEARN_DAYS * DAY
            await watcher.run(until=measured)
            await watcher.run(until=measured + WATCH_DAYS * DAY)
            delays = [delay for feed in store.feeds() for delay in store.delays(feed.id, measured)]
            polls = store.polls_since(measured)
            lately = together(feed_lines(store, clock.now()))
    gap = WATCH_DAYS * 24 * len(sites) / max(1, polls)
    return Watched(len(sites), len(delays), polls, sum(delays) / max(1, len(delays)) / HOUR, gap / 2, lately)
