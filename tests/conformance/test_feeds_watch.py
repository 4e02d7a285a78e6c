"""The checklist of specs/feed-retrieval-scheduling.md §11: the rows on collecting and on the daemon."""

from __future__ import annotations

import datetime as dt
import sqlite3
from email.utils import formatdate
from pathlib import Path

import numpy as np
import pytest
from tests.feeds.paper_server import PaperServer, VirtualClock, document, watcher

from phasa.feeds.parse import read_feed
from phasa.feeds.plan import plan_points, week_points
from phasa.feeds.replay import replay_points
from phasa.feeds.rhythm import DAY, HOUR, MONDAY, WEEK
from phasa.feeds.rows import PollRow
from phasa.feeds.store import FeedStore

NOW = MONDAY + 14600.0 * DAY


@pytest.fixture
def store(tmp_path: Path) -> FeedStore:
    return FeedStore(tmp_path / "feeds.db")


async def run(store: FeedStore, server: PaperServer, clock: VirtualClock, days: float, per_day: float = 1000.0) -> None:
    await watcher(store, server, clock, per_day).run(until=clock.now() + days * DAY)


async def test_row_01_feeds_are_registered_by_publisher_and_category(store: FeedStore) -> None:
    server, clock = PaperServer(), VirtualClock(NOW)
    for publisher in ("BBC", "CNN", "REUTERS"):
        for category in ("Business", "Entertainment", "Top", "US", "World"):
            url = f"http://{publisher.lower()}.example/{category.lower()}"
            assert store.add(url, NOW, publisher, category)
            server.pages[url] = document([(url, NOW - 60)])
    assert not store.add("http://bbc.example/top", NOW)
    await run(store, server, clock, 0.1)
    assert len(store.feeds()) == 15
    assert {len(store.posting_times(feed.id)) for feed in store.feeds()} == {1}


async def test_row_02_a_new_feed_is_polled_every_two_hours(store: FeedStore) -> None:
    server, clock = PaperServer({"http://a.example/": document([("x", NOW - 5)])}), VirtualClock(NOW)
    store.add("http://a.example/", NOW)
    await run(store, server, clock, 3)
    assert len([poll for poll in store.log(1) if NOW <= poll.at < NOW + DAY]) == 12
    assert "two hours" in store.feed(1).why


def test_row_03_foreign_elements_and_windows_874_are_read() -> None:
    body = (
        '<?xml version="1.0" encoding="windows-874"?><rss version="2.0" xmlns:feedburner="http://f"'
        ' xmlns:a="http://www.w3.org/2005/Atom"><channel><a:link rel="self" href="x"/><feedburner:info uri="y"/>'
        "<item><title>ข่าว</title></item></channel></rss>"
    ).encode("cp874")
    assert read_feed(body).posts[0].title == "ข่าว"


def test_row_04_title_description_link_and_date_are_kept(store: FeedStore) -> None:
    store.add("http://a.example/", NOW)
    post = read_feed(document([("Nuclear crisis compounds misery", 1300371949.0)])).posts[0]
    store.record(PollRow(1, NOW, 200, "ok", 1, 0, False, ""), [post])
    (shown,) = store.latest()
    assert (shown.title, shown.link, shown.description, shown.published) == (
        "Nuclear crisis compounds misery", "http://a.example/Nuclear-crisis-compounds-misery", "about it", 1300371949.0,
    )  # fmt: skip


def test_row_05_the_same_document_twice_adds_nothing(store: FeedStore) -> None:
    store.add("http://a.example/", NOW)
    posts = read_feed(document([("a", 1.0), ("b", 2.0)])).posts
    assert len(store.record(PollRow(1, NOW, 200, "ok", 2, 0, False, ""), posts)) == 2
    assert store.record(PollRow(1, NOW, 200, "ok", 2, 0, False, ""), posts) == []


def test_row_06_a_retitled_item_is_new_by_title_and_known_by_guid(tmp_path: Path) -> None:
    one = read_feed(
        b"<rss><channel><item><title>Nuclear crisis compounds misery</title><guid>g</guid></item></channel></rss>"
    )
    two = read_feed(b"<rss><channel><item><title>Nuclear crisis</title><guid>g</guid></item></channel></rss>")
    for identity, rows in (("title", 2), ("guid", 1)):
        with FeedStore(tmp_path / f"{identity}.db", identity) as store:  # type: ignore[arg-type]
            store.add("http://a.example/", NOW)
            for document_ in (one, two):
                store.record(PollRow(1, NOW, 200, "ok", 1, 0, False, ""), document_.posts)
            assert len(store.latest()) == rows


def test_row_10_day_month_and_hour_are_persisted(store: FeedStore, tmp_path: Path) -> None:
    store.add("http://a.example/", NOW)
    at = dt.datetime(2010, 4, 1, 11, 59, 18, tzinfo=dt.UTC).timestamp()
    store.record(PollRow(1, NOW, 200, "ok", 1, 0, False, ""), read_feed(document([("a", at)])).posts)
    with sqlite3.connect(tmp_path / "feeds.db") as db:
        assert db.execute("SELECT day, month, hour FROM post").fetchall() == [(1, 4, 12)]


def test_row_37_relearning_makes_a_new_version_and_keeps_the_old(store: FeedStore) -> None:
    store.add("http://a.example/", NOW)
    for month in range(2):
        times = MONDAY + np.arange(28) * DAY + (9 + month) * HOUR
        plans = plan_points("a", times, 1, MONDAY + 28 * DAY, damaged=())
        assert store.keep_plans(1, NOW + month * 28 * DAY, plans) == month + 1
    assert [(plan.version, plan.points) for plan in store.plans(1)] == [(2, (11,)), (1, (10,))]


def test_row_42_midnight_closes_the_day_just_ended() -> None:
    points = week_points(weekday=(9, 24), weekend=(12,), bins=24)
    friday_night = MONDAY + 4 * DAY + 22 * HOUR
    assert 5 * 24 in points
    assert replay_points(np.array([friday_night]), points, HOUR, WEEK) == 2 * HOUR
    assert replay_points(np.array([friday_night + 2 * HOUR + 1]), points, HOUR, WEEK) == 12 * HOUR - 1


async def test_row_43_a_window_replaced_as_a_whole_raises_the_alarm(store: FeedStore) -> None:
    server, clock = PaperServer({"http://a.example/": document([("a", NOW - 9), ("b", NOW - 8)])}), VirtualClock(NOW)
    store.add("http://a.example/", NOW)
    await run(store, server, clock, 0.05)
    server.pages["http://a.example/"] = document([("c", NOW + 9), ("b", NOW - 8)])
    await run(store, server, clock, 0.1)
    assert not any(poll.missing for poll in store.log())
    server.pages["http://a.example/"] = document([("d", NOW + 7000), ("e", NOW + 7001)])
    await run(store, server, clock, 0.1)
    assert [poll.missing for poll in store.log() if poll.new == 2] == [False, True]


async def test_row_44_every_poll_is_logged(store: FeedStore) -> None:
    server, clock = PaperServer({"http://a.example/": document([("a", NOW - 9)])}), VirtualClock(NOW)
    store.add("http://a.example/", NOW)
    await run(store, server, clock, 0.5)
    assert len(store.log()) == len(server.requests) >= 5
    assert (store.log()[0].status, store.log()[0].seen, store.log()[0].new) == (200, 1, 1)


async def test_row_45_a_failed_poll_is_logged_retried_and_makes_the_day_suspect(store: FeedStore) -> None:
    server, clock = PaperServer({"http://a.example/": 500}), VirtualClock(NOW)
    store.add("http://a.example/", NOW)
    await run(store, server, clock, 1)
    assert [poll.status for poll in store.log()] == [500] * len(server.requests)
    assert len(server.requests) >= 3
    assert dt.datetime.fromtimestamp(NOW, dt.UTC).date() in store.bad_days(1)


async def test_row_46_a_reader_sees_the_latest_first(store: FeedStore) -> None:
    server = PaperServer({
        "http://a.example/": document([("old", NOW - 900), ("new", NOW - 10)]),
        "http://b.example/": document([("middle", NOW - 100)]),
    })  # fmt: skip
    for url in server.pages:
        store.add(url, NOW)
    await run(store, server, VirtualClock(NOW), 0.1)
    assert [shown.title for shown in store.latest()] == ["new", "middle", "old"]


def test_dates_of_paper_documents_are_real() -> None:
    assert formatdate(NOW, usegmt=True).endswith("GMT")
