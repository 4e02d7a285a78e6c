"""The first month of new feeds: the daemon on a virtual clock, from an empty store.

    python bench/feeds_first_month.py [--feeds 300] [--per-day 1200] [--days 28] [--after 7] [--busy 2]

Feeds of a generated web (rates and hours of their own, documents of 20 entries), and some that post every minute.
Printed are polls of the first hour and of each week against the budget, posts lost, and the mean delay of each week
beside the steady state: the same feeds in the days after.
"""

from __future__ import annotations

import argparse
import asyncio
import resource
import tempfile
import time
from bisect import bisect_right
from email.utils import formatdate
from pathlib import Path

import numpy as np

from phasa.feeds.policies import Policies
from phasa.feeds.policy import Rules
from phasa.feeds.rhythm import DAY, HOUR, MONDAY
from phasa.feeds.store import FeedStore
from phasa.feeds.watch import Clock, Watcher
from phasa.lab.feed_posts import feeds_of, posts
from phasa.lab.world import World
from phasa.web.exchange import Exchange
from phasa.web.url import Url

START = MONDAY + 2900 * 7 * DAY
SHOWN = 20


class VirtualClock(Clock):
    """A clock that moves when somebody waits."""

    longest = float(DAY)

    def __init__(self, now: float) -> None:
        self.moment = now

    def now(self) -> float:
        return self.moment

    async def wait(self, seconds: float, stop: asyncio.Event) -> None:
        self.moment += max(seconds, 0.001)


class NewsServer:
    """Feeds that show their last 20 posts, with an ETag."""

    def __init__(self, clock: VirtualClock, moments: dict[str, list[int]]) -> None:
        self.clock, self.moments = clock, moments

    async def fetch(
        self, address: Url, etag: str | None = None, modified: str | None = None, *, validated: Url | None = None,
        inflated: bool = True,
    ) -> Exchange:  # fmt: skip
        times = self.moments[str(address)]
        past = bisect_right(times, self.clock.now())
        tag = (("ETag", f'"{past}"'),)
        if etag == f'"{past}"':
            return Exchange(url=address, final_url=address, status=304, outcome="not_modified", headers=tag)
        items = "".join(
            f"<item><guid>{k}</guid><pubDate>{formatdate(times[k], usegmt=True)}</pubDate></item>"
            for k in range(past - 1, max(0, past - SHOWN) - 1, -1)
        )
        body = f"<rss version='2.0'><channel><title>f</title>{items}</channel></rss>".encode()
        return Exchange(url=address, final_url=address, status=200, outcome="ok", headers=tag, body=body)


def timeline(feeds: int, busy: int, days: int) -> dict[str, list[int]]:
    """When each feed posts, from two months before the start on."""
    world = World.from_name("8:20000", "th")
    sites = feeds_of(world)
    # Each site serves as often as needed, at another time of its life.
    made = {}
    for number in range(feeds - busy):
        site, life = sites[number % len(sites)], number // len(sites)
        begin = START - 60 * DAY + life * 7 * DAY * 30
        listed = [post.at - life * 7 * DAY * 30 for post in posts(world, site, begin, begin + (60 + days) * DAY)]
        made[f"http://s{number}.example/"] = sorted(int(at) for at in listed)
    for number in range(busy):
        made[f"http://busy{number}.example/"] = list(range(START - DAY, START + days * DAY, 60))
    return made


async def first_month(feeds: int, per_day: float, days: int, busy: int) -> None:
    moments = timeline(feeds, busy, days)
    clock = VirtualClock(float(START))
    server = NewsServer(clock, moments)
    with tempfile.TemporaryDirectory() as folder, FeedStore(Path(folder) / "feeds.db") as store:
        for url in moments:
            store.add(url, clock.now())
        policy = Policies(Rules(per_day), clock.now(), store)
        watcher = Watcher(store, server, policy, clock=clock, at_once=1, spacing=0.0)
        begun = time.process_time()
        await watcher.run(until=START + float(days) * DAY)
        used = time.process_time() - begun
        polls = np.array([poll.at for poll in store.log()])
        rows = store.db.execute("SELECT published, first_seen, feed FROM post WHERE NOT catalogue").fetchall()
        found = np.array(rows)
        last = dict(store.db.execute("SELECT feed, max(at) FROM poll GROUP BY feed").fetchall())
        came = [
            bisect_right(times, last[number]) - bisect_right(times, START - 1)
            for number, times in enumerate(moments.values(), start=1)
        ]
    calm = np.array(["busy" not in url for url in moments])[found[:, 2].astype(int) - 1]
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{len(moments)} new feeds, {busy} of them posting every minute; budget {per_day:g} polls a day")
    print(f"polls in the first hour {int((polls < START + HOUR).sum())}, in the first day "
          f"{int((polls < START + DAY).sum())}")  # fmt: skip
    seen = np.bincount(found[:, 2].astype(int), minlength=len(moments) + 1)[1:]
    lost = {url: int(number - had) for url, number, had in zip(moments, came, seen, strict=True) if number > had}
    print(f"posts after the start {sum(came)}, lost {sum(lost.values())} {lost or ''}")
    for first in range(0, days, 7):
        begin, end = START + first * DAY, START + (first + 7) * DAY
        made = int(((polls >= begin) & (polls < end)).sum())
        in_week = (found[:, 0] >= begin) & (found[:, 0] < end)
        delay, quiet = ((found[chosen, 1] - found[chosen, 0]).mean() / HOUR for chosen in (in_week, in_week & calm))
        print(f"week {first // 7 + 1}: {made / 7 / per_day:.1%} of the budget, delay {delay:.3f} h "
              f"({quiet:.3f} h without the busy ones)", flush=True)  # fmt: skip
    print(f"CPU {used:.1f} s, {used / len(polls) * 1000:.2f} ms a poll, memory {memory:.0f} MB")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--feeds", type=int, default=300)
    parser.add_argument("--per-day", type=float, default=1200.0)
    parser.add_argument("--days", type=int, default=28)
    parser.add_argument("--after", type=int, default=7)
    parser.add_argument("--busy", type=int, default=2)
    asked = parser.parse_args()
    asyncio.run(first_month(asked.feeds, asked.per_day, asked.days + asked.after, asked.busy))


if __name__ == "__main__":
    main()
