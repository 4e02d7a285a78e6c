"""The manners of the daemon over real HTTP: what the scripted server on loopback saw."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from itertools import pairwise
from pathlib import Path

import pytest
from tests.feeds.loopback import Loopback, news, status
from tests.feeds.paper_server import document

from phasa.feeds.policy import Decision
from phasa.feeds.shared import SharedBudget
from phasa.feeds.store import FeedStore
from phasa.feeds.watch import Watcher
from phasa.web.fetch import Fetcher
from phasa.web.limits import Limits


@pytest.fixture
async def server() -> AsyncIterator[Loopback]:
    async with Loopback() as made:
        yield made


class Quick(SharedBudget):
    """Days in the time of a test: a feed is polled every quarter of a second."""

    def decide(self, feed: int, now: float) -> Decision:
        return super().decide(feed, now)._replace(at=now + 0.25)


async def watch(store: FeedStore, server: Loopback, paths: list[str], seconds: float, spacing: float = 0.0) -> None:
    for path in paths:
        store.add(server.base + path, time.time())
    async with Fetcher(Limits(), "phasa-test", allow_private=True) as fetcher:
        await Watcher(store, fetcher, Quick(1e6, time.time()), spacing=spacing).run(time.time() + seconds)


@pytest.fixture
def store(tmp_path: Path) -> FeedStore:
    return FeedStore(tmp_path / "feeds.db")


async def test_validators_go_back_and_304_is_no_failure(server: Loopback, store: FeedStore) -> None:
    server.pages["/rss"] = news(3, time.time())
    await watch(store, server, ["/rss"], 2.0)
    first, *later = server.asked("/rss")
    assert "If-None-Match" not in first.headers
    assert len(later) >= 2
    assert all("If-None-Match" in request.headers for request in later)
    assert store.feed(1).failures == 0
    assert [poll.status for poll in store.log(1)][:2] == [200, 304]
    assert len(store.latest()) == 3


async def test_max_age_and_retry_after_are_waited_for(server: Loopback, store: FeedStore) -> None:
    server.pages["/cached"] = news(1, time.time())
    server.headers["/cached"] = {"Cache-Control": "max-age=600"}
    server.scripts["/busy"] = status(503, Retry_After="600")
    await watch(store, server, ["/cached", "/busy"], 2.0)
    assert len(server.asked("/cached")) == 1
    assert len(server.asked("/busy")) == 1
    assert store.feed(2).not_before > time.time() + 500


async def test_gone_is_retired_and_a_move_is_kept(server: Loopback, store: FeedStore) -> None:
    server.scripts["/gone"] = status(410)
    server.scripts["/old"] = status(301, Location="/new")
    server.pages["/new"] = news(2, time.time())
    await watch(store, server, ["/gone", "/old"], 2.0)
    assert len(server.asked("/gone")) == 1
    assert len(server.asked("/old")) == 1
    assert len(server.asked("/new")) >= 2
    assert store.feed(1).retired
    assert store.feed(2).url.endswith("/new")


async def test_one_server_is_asked_one_at_a_time_and_spaced(server: Loopback, store: FeedStore) -> None:
    paths = [f"/{k}" for k in range(4)]
    server.pages = dict.fromkeys(paths, news(1, time.time()))
    await watch(store, server, paths, 2.5, spacing=0.4)
    times = sorted(request.at for request in server.requests)
    assert server.most_at_once == 1
    assert len(times) >= 4
    # Half of it, as a request may be late on a busy machine; exact on the virtual clock (test_manners_http).
    assert all(later - sooner >= 0.2 for sooner, later in pairwise(times))


async def test_what_answers_nonsense_is_left_alone_for_an_hour(server: Loopback, store: FeedStore) -> None:
    server.pages["/page"] = b"<html><title>no feed</title></html>"
    server.scripts["/broken"] = status(500)

    await watch(store, server, ["/page", "/broken"], 1.5)
    assert len(server.asked("/page")) == len(server.asked("/broken")) == 1
    assert store.feed(1).failures == store.feed(2).failures == 1
    assert store.feed(1).not_before > time.time() + 1800


async def test_ttl_and_skipped_hours_of_the_document_are_kept(server: Loopback, store: FeedStore) -> None:
    hour = time.gmtime().tm_hour
    skipped = "".join(f"<hour>{(hour + k) % 24}</hour>" for k in range(2))
    server.pages["/skip"] = document([("a", time.time())], f"<skipHours>{skipped}</skipHours>")
    server.pages["/ttl"] = document([("a", time.time())], "<ttl>60</ttl>")
    await watch(store, server, ["/skip", "/ttl"], 1.5)
    assert len(server.asked("/skip")) == len(server.asked("/ttl")) == 1


async def test_private_addresses_are_refused_unless_allowed(server: Loopback, store: FeedStore) -> None:
    server.pages["/rss"] = news(1, time.time())
    store.add(server.base + "/rss", time.time())
    async with Fetcher(Limits(), "phasa-test") as fetcher:
        await Watcher(store, fetcher, SharedBudget(1e6, time.time())).run(time.time() + 0.5)
    assert server.requests == []
    assert store.log(1)[0].outcome == "blocked_address"
