"""Between feeds and the crawl: links of new posts first in the frontier, feeds of crawled pages registered."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from phasa.archive.capture import captures_of
from phasa.archive.warc import WarcWriter
from phasa.collection import Collection
from phasa.feeds.links import AHEAD, discover, send_links
from phasa.feeds.store import FeedStore
from phasa.frontier.protocol import Offer
from phasa.frontier.sqlite import SqliteFrontier
from phasa.web.exchange import Exchange
from phasa.web.url import Url


@pytest.fixture
def collection(tmp_path: Path) -> Collection:
    return Collection.create(tmp_path / "c", language="th")


def test_new_posts_are_leased_before_what_waits(collection: Collection) -> None:
    frontier = SqliteFrontier(collection.frontier_file)
    frontier.offer([Offer(Url("http://old.example/"), priority=5.0)])
    frontier.close()
    links = ["http://news.example/1", "http://news.example/1", "mailto:x", "http://news.example/2"]
    assert send_links(collection, links, "http://news.example/rss") == 2
    assert send_links(collection, links[:1], "http://news.example/rss") == 0
    frontier = SqliteFrontier(collection.frontier_file)
    (lease,) = frontier.lease(datetime.now(UTC).timestamp(), n=1)
    assert lease.url == "http://news.example/1"
    assert lease.priority >= AHEAD
    assert lease.source == "http://news.example/rss"
    frontier.close()


def test_a_running_crawl_gets_them_as_seeds(collection: Collection) -> None:
    with collection.locked():
        assert send_links(collection, ["http://news.example/3"], "http://news.example/rss") == 1
    assert "http://news.example/3" in collection.seeds()


def test_nothing_to_send_touches_nothing(collection: Collection) -> None:
    assert send_links(collection, ["", "javascript:x"], "f") == 0
    assert not collection.frontier_file.exists()


def test_feeds_named_by_crawled_pages_join_once(collection: Collection) -> None:
    html = b"<html><head><link rel='alternate' type='application/rss+xml' title='News' href='/rss'></head></html>"
    page = Exchange(
        url=Url("http://a.example/"), final_url=Url("http://a.example/"), status=200, outcome="ok", body=html,
        wire_body=html, headers=(("Content-Type", "text/html"),), started=1e9,
    )  # fmt: skip
    writer = WarcWriter(collection.archive_folder)
    for capture in captures_of(page):
        writer.write(capture)
    writer.close()
    with FeedStore(collection.path / "feeds.db") as store:
        assert discover(collection, store, 1.0) == ["http://a.example/rss"]
        assert store.feeds()[0].title == "News"
        assert discover(collection, store, 2.0) == []
        assert store.scanned()
