"""Counts that are kept: always what a new count would say, and made again only where a feed was polled."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from phasa.feeds.counted import LAG, Counted
from phasa.feeds.post import Post
from phasa.feeds.rhythm import DAY, HOUR, MONDAY
from phasa.feeds.rows import PollRow
from phasa.feeds.store import FeedStore

NOW = MONDAY + 14600.0 * DAY


@pytest.fixture
def store(tmp_path: Path) -> Iterator[FeedStore]:
    with FeedStore(tmp_path / "feeds.db") as store:
        for name in "abc":
            store.add(f"http://{name}.example/feed", NOW)
        for feed in (1, 2, 3):
            poll(store, feed, NOW + feed)
        yield store


def poll(store: FeedStore, feed: int, at: float) -> None:
    post = Post(id=f"{feed} {at}", link="http://a.example/1", title="one", summary="", published=at - HOUR)
    store.record(PollRow(feed, at, 200, "ok", 1, 1, False, ""), [post])


def assert_true(store: FeedStore, counted: Counted, since: float) -> None:
    assert counted.of(store, since) == (store.poll_counts(since), store.post_counts(since))


def test_it_says_what_a_new_count_would_say_whatever_happens_to_the_feeds(store: FeedStore) -> None:
    counted = Counted()
    assert_true(store, counted, NOW)
    poll(store, 2, NOW + HOUR)
    assert_true(store, counted, NOW)
    store.add("http://d.example/feed", NOW + HOUR)
    assert_true(store, counted, NOW)
    store.retire("http://a.example/feed", "gone")
    assert_true(store, counted, NOW)
    assert counted.of(store, NOW + LAG) == counted.of(store, NOW)  # a window of weeks may begin an hour early
    assert_true(store, counted, NOW + LAG + 3)
    assert_true(store, counted, NOW)


def test_only_feeds_that_were_polled_are_counted_again(store: FeedStore) -> None:
    counted = Counted()
    counted.of(store, NOW)
    poll(store, 2, NOW + HOUR)
    asked: list[str] = []
    store.db.set_trace_callback(asked.append)
    counted.of(store, NOW)
    counts = [one for one in asked if "count(*)" in one]
    assert len(counts) == 3
    assert all(" IN (2)" in one for one in counts)
    asked.clear()
    counted.of(store, NOW)
    assert not any("count(*)" in one for one in asked)
