"""The first month of new feeds: the daemon on a virtual clock, from an empty store.

    python bench/feeds_first_month.py [--feeds 300] [--per-day 1200] [--days 28] [--busy 2] [--at-start .5]

Feeds of a generated web (rates and hours of their own, documents of 20 entries), and some that post every minute.
Printed are polls of the first hour, of any other, and of each week against the budget, posts lost, and the mean delay
of each week beside the steady state: the same feeds in the days after. A post that was not found by the end counts as
if it had been found then. Exit 1 when a post was lost or a poll was made beyond the budget.
"""

from __future__ import annotations

import argparse
import asyncio
import resource
import sys
import tempfile
import time
from bisect import bisect_right
from email.utils import formatdate
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from phasa.feeds.clock import Clock
from phasa.feeds.policies import Policies
from phasa.feeds.policy import Rules
from phasa.feeds.rhythm import DAY, HOUR, MONDAY
from phasa.feeds.store import FeedStore
from phasa.feeds.watch import Watcher
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


async def first_month(feeds: int, per_day: float, days: int, busy: int, at_start: float) -> bool:
    moments = timeline(feeds, busy, days)
    clock = VirtualClock(float(START))
    server = NewsServer(clock, moments)
    end = START + days * DAY
    with tempfile.TemporaryDirectory() as folder, FeedStore(Path(folder) / "feeds.db") as store:
        for url in moments:
            store.add(url, clock.now())
        policy = Policies(Rules(per_day, at_start=at_start), clock.now(), store)
        watcher = Watcher(store, server, policy, clock=clock, at_once=1, spacing=0.0)
        begun = time.process_time()
        await watcher.run(until=float(end))
        used = time.process_time() - begun
        polls = np.array([poll.at for poll in store.log()])
        found = np.array(store.db.execute("SELECT published, first_seen, feed FROM post").fetchall())
        last = dict(store.db.execute("SELECT feed, max(at) FROM poll GROUP BY feed").fetchall())
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{len(moments)} new feeds, {busy} of them posting every minute; budget {per_day:g} polls a day")
    over = most_above(polls, per_day, at_start)
    hours = np.bincount(((polls - START) // HOUR).astype(int), minlength=24)
    print(f"polls in the first hour {hours[0]}, in any other at most {hours[1:].max()}, in the first day "
          f"{int((polls < START + DAY).sum())}; at no moment more than {over:.1f} above those allowed")  # fmt: skip
    lost: dict[str, int] = {}
    delays: list[tuple[float, float, bool]] = []
    for number, (url, times) in enumerate(moments.items(), start=1):
        seen = {int(published): first for published, first, feed in found if int(feed) == number}
        for at in times:
            if START <= at < end:
                if at not in seen and at <= last[number]:
                    lost[url] = lost.get(url, 0) + 1
                # What has not been found yet waits at least until the end.
                delays.append((at, seen.get(at, end) - at, "busy" in url))
    print(f"posts after the start {len(delays)}, lost {sum(lost.values())} {lost or ''}")
    waited = np.array(delays)
    for first in range(0, days, 7):
        begin, until = START + first * DAY, min(end, START + (first + 7) * DAY)
        made = int(((polls >= begin) & (polls < until)).sum())
        in_week = (waited[:, 0] >= begin) & (waited[:, 0] < until)
        delay, quiet = (waited[chosen, 1].mean() / HOUR for chosen in (in_week, in_week & (waited[:, 2] == 0)))
        used_up = made / ((until - begin) / DAY) / per_day
        print(f"week {first // 7 + 1}: {used_up:.1%} of the budget, delay {delay:.3f} h "
              f"({quiet:.3f} h without the busy ones)", flush=True)  # fmt: skip
    print(f"CPU {used:.1f} s, {used / len(polls) * 1000:.2f} ms a poll, memory {memory:.0f} MB")
    return not lost and over <= 1.0


def most_above(polls: NDArray[np.float64], per_day: float, at_start: float) -> float:
    """How many polls were made at some moment beyond those allowed until then: `at_start` days' polls at once, the
    rest of the first day's in its course, later a day's polls a day."""
    at = np.sort(polls - START) / DAY
    allowed = per_day * np.where(at < 1.0, at_start + (1.0 - at_start) * at, at)
    return float((np.arange(1, len(at) + 1) - allowed).max())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--feeds", type=int, default=300)
    parser.add_argument("--per-day", type=float, default=1200.0)
    parser.add_argument("--days", type=int, default=28)
    parser.add_argument("--after", type=int, default=7)
    parser.add_argument("--busy", type=int, default=2)
    parser.add_argument(
        "--at-start", type=float, default=0.5, help="share of the first day's polls that is there at once"
    )
    asked = parser.parse_args()
    days = asked.days + asked.after
    sys.exit(not asyncio.run(first_month(asked.feeds, asked.per_day, days, asked.busy, asked.at_start)))


if __name__ == "__main__":
    main()
