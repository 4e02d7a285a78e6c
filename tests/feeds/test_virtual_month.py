"""A month of 500 feeds of a lab world on a virtual clock: what was promised is what came, within the budget."""

from __future__ import annotations

from email.utils import formatdate
from pathlib import Path

import pytest
from tests.feeds.paper_server import VirtualClock, document

from phasa.feeds.rhythm import DAY, MONDAY
from phasa.feeds.store import FeedStore
from phasa.feeds.watch import Watcher
from phasa.lab.posting import feeds_of, posts
from phasa.lab.world import World
from phasa.web.exchange import Exchange
from phasa.web.url import Url

START = MONDAY + 2900 * 7 * DAY
FEEDS, PER_DAY, DAYS = 500, 2000.0, 28


@pytest.mark.soak
async def test_500_feeds_for_28_days(tmp_path: Path) -> None:
    world = World.from_name("8:20000", "th")
    sites = feeds_of(world)[:FEEDS]
    timeline = {
        f"http://{site}.example/": [
            (post.guid, float(post.at)) for post in posts(world, site, START - 60 * DAY, START + DAYS * DAY)
        ]
        for site in sites
    }
    clock = VirtualClock(float(START))

    class Server:
        requests = 0

        async def fetch(self, address: Url, etag: str | None = None, modified: str | None = None) -> Exchange:
            self.requests += 1
            past = [post for post in timeline[str(address)] if post[1] <= clock.now()]
            body = document(past[-60:][::-1])
            headers = (("Date", formatdate(clock.now(), usegmt=True)),)
            return Exchange(url=address, final_url=address, status=200, outcome="ok", headers=headers, body=body)

    server = Server()
    with FeedStore(tmp_path / "feeds.db") as store:
        for url in timeline:
            store.add(url, float(START - 40 * DAY))
        watcher = Watcher(store, server, PER_DAY, clock=clock, at_once=1, spacing=0.0)
        await watcher.run(until=START + DAYS * DAY)
        delays = [delay for feed in store.feeds() for delay in store.delays(feed.id, float(START))]
    achieved = sum(delays) / len(delays)
    promised = watcher.promised_waiting / watcher.promised_posts
    assert server.requests <= PER_DAY * (DAYS + 1) + 1
    assert achieved == pytest.approx(promised, rel=0.03)
