"""`phasa feeds watch` itself on a virtual clock over traces, beside what `phasa feeds evaluate` says of the same posts.

    python bench/feeds_watch.py TRACE… [--per-day 1,4] [--policies phasa,dorpm,rs] [--feeds N] [--days N]

Each feed is split in the middle of its span, as `evaluate` does. The daemon starts there with the earlier posts in its
store, polls documents that show the last 50 posts and all that are new (`evaluate` loses none), and goes on until the
last post is found. Printed are both mean delays over all posts and their ratio; they should be equal within 2 %.
"""

from __future__ import annotations

import argparse
import asyncio
from bisect import bisect_right
from email.utils import formatdate
from pathlib import Path

import numpy as np

from phasa.feeds.clock import Clock
from phasa.feeds.evaluate import evaluate
from phasa.feeds.policies import Policies
from phasa.feeds.policy import UNPACED, Rules, Terms, parse_policy
from phasa.feeds.post import Post
from phasa.feeds.rhythm import DAY, HOUR
from phasa.feeds.rows import FeedUpdate, PollRow
from phasa.feeds.shape import WIDTH
from phasa.feeds.store import FeedStore
from phasa.feeds.trace import Times, Trace, parse_traces
from phasa.feeds.watch import Watcher
from phasa.web.exchange import Exchange
from phasa.web.url import Url

SHOWN = 50
# A feed of its own is polled at least once in seven even gaps.
OVERDUE = 30.0 * DAY
URL = "http://feed.example/"


class VirtualClock(Clock):
    """A clock that moves when somebody waits."""

    longest = 30.0 * DAY

    def __init__(self, now: float) -> None:
        self.moment = now

    def now(self) -> float:
        return self.moment

    async def wait(self, seconds: float, stop: asyncio.Event) -> None:
        self.moment += max(seconds, 0.001)


class PostServer:
    """A feed that shows its last posts, at least those since it was last read, with an ETag."""

    def __init__(self, clock: VirtualClock, times: Times) -> None:
        self.clock, self.times = clock, times.tolist()
        self.requests = 0
        self.read = bisect_right(self.times, clock.now())

    async def fetch(
        self, address: Url, etag: str | None = None, modified: str | None = None, *, validated: Url | None = None,
        inflated: bool = True,
    ) -> Exchange:  # fmt: skip
        self.requests += 1
        past = bisect_right(self.times, self.clock.now())
        tag = (("ETag", f'"{past}"'),)
        if etag == f'"{past}"':
            return Exchange(url=address, final_url=address, status=304, outcome="not_modified", headers=tag)
        items = "".join(
            f"<item><guid>{k}</guid><pubDate>{formatdate(self.times[k], usegmt=True)}</pubDate></item>"
            for k in range(max(0, min(past - SHOWN, self.read)), past)
        )
        self.read = past
        body = f"<rss version='2.0'><channel><title>f</title>{items}</channel></rss>".encode()
        return Exchange(url=address, final_url=address, status=200, outcome="ok", headers=tag, body=body)


async def watch(trace: Trace, m: int, policy: str) -> float:
    """Hours per post of the second half, as the daemon found them."""
    before, after = trace.split(0.5)
    first, last = int(trace.times[0]), int(trace.times[-1])
    start = first + round((last - first) * 0.5)
    clock = VirtualClock(float(start))
    server = PostServer(clock, trace.times)
    rules = Rules(float(m), per_feed=float(m), policy=parse_policy(policy), pace=UNPACED)
    with FeedStore(":memory:") as store:
        store.add(URL, float(first))
        known = [Post(str(k), "", "", "", float(at)) for k, at in enumerate(before.times.tolist())]
        running = Policies(rules, start - start % WIDTH, store)
        running.register(1, Terms())
        running.join(1, before.times, start - start % WIDTH, float(first))
        due = running.decide(1, start - start % WIDTH).at
        poll = PollRow(1, start - 1.0, 200, "pushed", len(known), 0, False, "")
        store.record(poll, known, FeedUpdate(due=due, title="f", body_hash="0"))
        daemon = Watcher(store, server, running, clock=clock, at_once=1, spacing=0.0)
        end = float(last)
        while len(store.posting_times(1)) < len(trace.times):
            end += DAY / m
            if end > last + OVERDUE:
                raise RuntimeError(
                    f"{trace.feed}: the watch has not found every post {OVERDUE / DAY:g} days after the last"
                )
            await daemon.run(until=end)
        seen = np.array(
            store.db.execute("SELECT first_seen - published FROM post WHERE published >= ?", (start,)).fetchall()
        )
    return float(seen.mean()) / HOUR if len(after.times) else 0.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("trace", nargs="+", type=Path)
    parser.add_argument("--per-day", default="1,4,24")
    parser.add_argument("--policies", default="phasa,dorpm,rs")
    parser.add_argument("--feeds", type=int, default=1000, help="feeds of each trace")
    parser.add_argument("--days", type=float, default=1e9, help="no more than these last days of each trace")
    asked = parser.parse_args()
    for path in asked.trace:
        traces = [
            Trace(one.feed, one.times[one.times > one.times[-1] - asked.days * DAY])
            for one in parse_traces(path.read_bytes(), path.name)[: asked.feeds]
        ]
        for policy in asked.policies.split(","):
            for m in map(int, asked.per_day.split(",")):
                said = {row.feed: row for row in evaluate(traces, [m], [policy])}
                pairs = [
                    (asyncio.run(watch(one, m, policy)), said[one.feed].delay_hours, said[one.feed].posts)
                    for one in traces
                    if one.feed in said
                ]
                posts = sum(weight for *_, weight in pairs)
                here, there = (sum(pair[k] * pair[2] for pair in pairs) / max(1, posts) for k in (0, 1))
                worst = max((abs(a / b - 1) for a, b, _ in pairs if b), default=0.0)
                print(
                    f"{path.parent.name}\t{policy}\tm {m}\t{len(pairs)} feeds\twatch {here:.4f} h"
                    f"\tevaluate {there:.4f} h\tratio {here / there if there else 1:.4f}\tfarthest feed {worst:.2%}",
                    flush=True,
                )


if __name__ == "__main__":
    main()
