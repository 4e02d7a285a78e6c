"""Feeds in parts: each feed is polled by exactly one of several daemons."""

from __future__ import annotations

import asyncio
import signal
import time
from pathlib import Path

import pytest
from tests.feeds.loopback import Loopback, news
from tests.feeds.test_daemon import register, start, until

from phasa.collection import Collection
from phasa.errors import InputError
from phasa.feeds.shard import EVERY, Shard, parse_shard
from phasa.feeds.store import FeedStore

URLS = [f"http://{name}.site{number}.example/rss" for number in range(60) for name in ("www", "news")]


@pytest.mark.parametrize("of", [1, 2, 3, 7])
def test_each_feed_is_in_one_part_and_a_site_in_the_same(of: int) -> None:
    parts = [{url for url in URLS if Shard(number, of).has(url)} for number in range(1, of + 1)]
    assert sum(map(len, parts)) == len(URLS)
    assert set().union(*parts) == set(URLS)
    assert min(map(len, parts)) > len(URLS) / of / 3
    for part in parts:
        assert {url.replace("www.", "news.") for url in part} == {url.replace("//www.", "//news.") for url in part}
        assert all(url.replace("//news.", "//www.") in part for url in part)


def test_parts_are_parsed() -> None:
    assert parse_shard("") == EVERY
    assert parse_shard("2/3") == Shard(2, 3)
    for wrong in ("3/2", "0/2", "1", "a/b", "-1/2", "1/99999"):
        with pytest.raises(InputError, match=f"--shard {wrong}"):
            parse_shard(wrong)


async def test_two_daemons_poll_all_feeds_once(tmp_path: Path) -> None:
    feeds = [f"http://www.site{number}.example/rss" for number in range(8)]
    async with Loopback({"/rss": news(3, time.time() + 600)}) as server:
        daemons = []
        for number in (1, 2):
            name = server.base.removeprefix("http://")
            collection = Collection.create(tmp_path / f"c{number}", language="th", server=name)
            register(collection.path, *feeds)
            daemons.append(await start(collection.path, "--no-crawl", "--per-day", "1000", "--shard", f"{number}/2"))
        await until(lambda: len(server.requests) >= len(feeds))
        await asyncio.sleep(0.5)
        said = []
        for daemon in daemons:
            daemon.send_signal(signal.SIGTERM)
            _, errors = await asyncio.wait_for(daemon.communicate(), 20)
            assert daemon.returncode == 0, errors.decode()
            said.append(errors.decode())
    polled: list[str] = []
    for number in (1, 2):
        with FeedStore(tmp_path / f"c{number}" / "feeds.db") as store:
            known = {feed.id: feed.url for feed in store.feeds()}
            mine = [known[poll.feed] for poll in store.log()]
            budget = f"at most {1000 * len(mine) / 8:g} polls a day"
            assert f"watching {len(mine)} feeds (part {number}/2) with {budget}" in said[number - 1]
            assert mine
            polled += mine
    assert sorted(polled) == sorted(feeds)
