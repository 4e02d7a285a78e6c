"""Very many feeds in one process: a virtual day of 10,000 of them on one budget.

    python bench/feeds_many.py [--feeds 10000] [--per-day 100000] [--hours 24]

The watch itself with its store on disk; documents are made here and read as if they had come by HTTP. The clock is
virtual, but the CPU seconds that the process uses pass on it too: a process that is too slow polls late. Printed are
polls, CPU per poll (documents included), memory, and how late polls were: the time from the moment a feed was due, or a
poll could be paid if that was later, to its poll. Exit 1 when one was more than `--late` seconds late.
"""

from __future__ import annotations

import argparse
import asyncio
import resource
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench.feeds_first_month import START, NewsServer, VirtualClock

from phasa.feeds.policies import Policies
from phasa.feeds.policy import Rules
from phasa.feeds.rhythm import DAY, HOUR
from phasa.feeds.rows import FeedRow
from phasa.feeds.store import FeedStore
from phasa.feeds.watch import Watcher


class WorkingClock(VirtualClock):
    """Waiting moves it, and so does work."""

    longest = 30.0

    def __init__(self, now: float) -> None:
        super().__init__(now)
        self.begun = time.process_time()

    def now(self) -> float:
        return self.moment + time.process_time() - self.begun


class TimedWatcher(Watcher):
    """Notes how late each poll is."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.late: list[float] = []
        self.paid_from = 0.0

    async def _poll(self, feed: FeedRow) -> None:
        now = self.clock.now()
        self.late.append(now - max(feed.due, feed.not_before, self.paid_from))
        await super()._poll(feed)
        # When the bucket is empty, everybody waits for the next poll: that is the budget, not lateness.
        ready = self.policy.ready_at(feed.id, self.clock.now())
        if ready > self.clock.now():
            self.paid_from = ready


def moments(feeds: int, hours: float) -> dict[str, list[int]]:
    """Feeds of 0.1 to 100 posts a day, more of them by day than by night."""
    dice = np.random.default_rng(7)
    made = {}
    for number in range(feeds):
        rate = 0.1 * 1000.0 ** dice.random()
        span = min(60.0, 60.0 / rate) * DAY + hours * HOUR
        times = START + hours * HOUR - dice.random(dice.poisson(rate * span / DAY)) * span
        by_day = np.abs((times % DAY) / HOUR - dice.integers(8, 16)) < 8
        kept = times[by_day | (dice.random(len(times)) < 0.3)]
        made[f"http://f{number}.example/"] = sorted(kept.astype(int).tolist())
    return made


async def run(feeds: int, per_day: float, hours: float, allowed: float) -> bool:
    posts = moments(feeds, hours)
    with tempfile.TemporaryDirectory() as folder, FeedStore(Path(folder) / "feeds.db") as store:
        for url in posts:
            store.add(url, float(START))
        clock = WorkingClock(float(START))
        policy = Policies(Rules(per_day), clock.now(), store)
        watcher = TimedWatcher(store, NewsServer(clock, posts), policy, clock=clock, at_once=1, spacing=0.0)
        begun = time.process_time()
        await watcher.run(until=START + HOUR)
        first, first_polls = time.process_time() - begun, len(watcher.late)
        await watcher.run(until=START + hours * HOUR)
        used = time.process_time() - begun
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    late = np.array(watcher.late[first_polls:])
    polls = len(watcher.late)
    print(f"{feeds} feeds, {per_day:g} polls a day, {hours:g} hours: {polls} polls, {first_polls} of them in "
          f"the first hour ({first:.0f} CPU s); CPU {used:.0f} s, {used / polls * 1000:.2f} ms a poll, "
          f"{used / hours / 36:.1f} % of one core; memory {memory:.0f} MB")  # fmt: skip
    median, nearly_all = np.percentile(late, (50, 99))
    too_late = int((late > allowed).sum())
    print(f"after the first hour: polls late by {median:.3f} s in the median, {nearly_all:.2f} s at most in 99 %, "
          f"{late.max():.2f} s at most; {too_late} later than {allowed:g} s")  # fmt: skip
    return bool(late.max() <= allowed)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--feeds", type=int, default=10_000)
    parser.add_argument("--per-day", type=float, default=100_000.0)
    parser.add_argument("--hours", type=float, default=24.0)
    parser.add_argument("--late", type=float, default=60.0)
    asked = parser.parse_args()
    sys.exit(not asyncio.run(run(asked.feeds, asked.per_day, asked.hours, asked.late)))


if __name__ == "__main__":
    main()
