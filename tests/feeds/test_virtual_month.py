"""500 feeds of a lab world on a virtual clock, a month to learn and a month to keep promises, within the budget."""

from __future__ import annotations

from bisect import bisect_right
from pathlib import Path

import pytest
from tests.feeds.paper_server import VirtualClock, document

from phasa.feeds.policy import Pace, SharedBudget
from phasa.feeds.rhythm import DAY, MONDAY
from phasa.feeds.store import FeedStore
from phasa.feeds.watch import Watcher
from phasa.lab.feed_posts import feeds_of, posts
from phasa.lab.world import World
from phasa.web.exchange import Exchange
from phasa.web.url import Url

START = MONDAY + 2900 * 7 * DAY
FEEDS, PER_DAY, DAYS = 500, 1500.0, 28


@pytest.mark.soak
async def test_500_feeds_for_28_days(tmp_path: Path) -> None:
    world = World.from_name("8:20000", "th")
    sites = feeds_of(world)[:FEEDS]
    timeline = {
        f"http://{site}.example/": [
            (post.guid, float(post.at)) for post in posts(world, site, START - 60 * DAY, START + 2 * DAYS * DAY)
        ]
        for site in sites
    }
    moments = {url: [at for _, at in listed] for url, listed in timeline.items()}
    clock = VirtualClock(float(START))

    class Server:
        requests = 0

        async def fetch(
            self,
            address: Url,
            etag: str | None = None,
            modified: str | None = None,
            *,
            validated: Url | None = None,
            inflated: bool = True,
        ) -> Exchange:
            self.requests += 1
            past = bisect_right(moments[str(address)], clock.now())
            tag = (("ETag", f'"{past}"'),)
            if etag == f'"{past}"':
                return Exchange(url=address, final_url=address, status=304, outcome="ok", headers=tag)
            body = document(timeline[str(address)][max(0, past - 40) : past][::-1])
            return Exchange(url=address, final_url=address, status=200, outcome="ok", headers=tag, body=body)

    server = Server()
    with FeedStore(tmp_path / "feeds.db") as store:
        for url in timeline:
            store.add(url, float(START - 40 * DAY))
        policy = SharedBudget(PER_DAY, clock.now(), Pace())
        watcher = Watcher(store, server, policy, clock=clock, at_once=1, spacing=0.0)
        # The first month is learned (the documents show the last 40 items only), the second is measured.
        measured = float(START + DAYS * DAY)
        await watcher.run(until=measured)
        before = policy.calibration.promised
        await watcher.run(until=measured + DAYS * DAY)
        delays = [delay for feed in store.feeds() for delay in store.delays(feed.id, measured)]
    achieved = sum(delays) / len(delays)
    after = policy.calibration.promised
    promised = (after.waiting - before.waiting) / (after.posts - before.posts)
    assert server.requests <= PER_DAY * (2 * DAYS + 1) + 1
    print(f"promised {promised / 3600:.3f} h, achieved {achieved / 3600:.3f} h, ratio {achieved / promised:.4f}")
    assert promised * 0.97 <= achieved <= 1.03 * promised
