"""Posts for readers: cursors, search with Thai words, marks, categories, one feed of everything."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from phasa.feeds.parse import read_feed
from phasa.feeds.post import Post
from phasa.feeds.rows import PollRow
from phasa.feeds.shelf import Shelf
from phasa.feeds.store import FeedStore
from phasa.feeds.syndicate import atom, json_feed

NOW = 1_700_000_000.0


@pytest.fixture
def store(tmp_path: Path) -> FeedStore:
    made = FeedStore(tmp_path / "feeds.db")
    made.add("http://a.example/rss", NOW - 100, "Manager", "News/Thai")
    made.add("http://b.example/rss", NOW - 100, "", "Sport")
    poll(made, 1, NOW, ("old", "past", NOW - 500), ("น้ำท่วมภาคใต้วันนี้", "ฝนตกหนัก", NOW - 20), ("later", "x", NOW - 10))
    poll(made, 2, NOW + 1, ("Football & rain", "<p>Score 3:2</p>", NOW))
    return made


def poll(store: FeedStore, feed: int, at: float, *posts: tuple[str, str, float]) -> None:
    found = [Post(title, f"http://a.example/{n}", title, text, when) for n, (title, text, when) in enumerate(posts)]
    store.record(PollRow(feed, at, 200, "ok", len(found), 0, False, ""), found)


def titles(posts: list) -> list[str]:  # type: ignore[type-arg]
    return [post.title for post in posts]


def test_a_cursor_gives_everything_once_in_the_order_of_finding(store: FeedStore) -> None:
    shelf, cursor, seen = Shelf(store), 0, []
    while posts := shelf.since(cursor, count=1):
        seen += titles(posts)
        cursor = posts[-1].number
    assert seen == ["น้ำท่วมภาคใต้วันนี้", "later", "Football & rain"]
    poll(store, 1, NOW + 50, ("newest", "", NOW + 49))
    assert titles(shelf.since(cursor)) == ["newest"]
    assert titles(shelf.since(0, past=True))[0] == "old"


def test_thai_is_found_by_its_words_and_not_by_parts_of_them(store: FeedStore) -> None:
    shelf = Shelf(store)
    assert shelf.index() == 4
    assert shelf.index() == 0
    assert titles(shelf.latest(words="น้ำท่วม")) == ["น้ำท่วมภาคใต้วันนี้"]
    assert titles(shelf.latest(words="ฝน ภาคใต้")) == ["น้ำท่วมภาคใต้วันนี้"]
    assert shelf.latest(words="วมภาค") == []
    assert titles(shelf.latest(words="foot")) == ["Football & rain"]
    assert titles(shelf.latest(words="score football")) == ["Football & rain"]
    assert shelf.latest(words='"; DROP TABLE post') == []
    assert shelf.latest(words="!!") == []


def test_marks_and_categories_filter(store: FeedStore) -> None:
    shelf = Shelf(store)
    number = shelf.latest()[0].number
    assert shelf.mark(number, NOW, star=True)
    assert shelf.mark(number, NOW, read=True)
    assert not shelf.mark(999, NOW, star=True)
    assert titles(shelf.latest(starred=True)) == ["Football & rain"]
    assert "Football & rain" not in titles(shelf.latest(unread=True))
    assert shelf.mark(number, NOW, star=False)
    assert shelf.latest(starred=True) == []
    assert titles(shelf.latest(category="Sport")) == ["Football & rain"]
    assert len(shelf.latest(category="News")) == 3
    assert shelf.latest(category="New_") == []
    assert shelf.categories() == ["News", "News/Thai", "Sport"]


def test_everything_new_is_a_feed_that_our_own_reader_reads(store: FeedStore) -> None:
    posts = Shelf(store).latest()
    for body in (atom(posts, "All & new", "http://me.example/").encode(), json_feed(posts, "All & new", "http://m/")):
        found = read_feed(body)
        assert found.kind
        assert found.title == "All & new"
        assert [post.title for post in found.posts] == titles(posts)
        assert [post.link for post in found.posts] == [post.link for post in posts]
        assert [post.when() for post in found.posts] == [post.at for post in posts]


def test_a_file_of_an_earlier_version_gets_numbers(tmp_path: Path, store: FeedStore) -> None:
    for column in ("number", "catalogue", "read", "star"):
        store.db.execute("DROP INDEX IF EXISTS post_number")
        store.db.execute("DROP INDEX IF EXISTS post_star")
        store.db.execute("DROP INDEX IF EXISTS post_posted")
        store.db.execute(f"ALTER TABLE post DROP COLUMN {column}")
    store.close()
    with FeedStore(tmp_path / "feeds.db", read_only=True) as again:
        assert sorted(post.number for post in again.latest()) == [1, 2, 3, 4]
        assert [post.title for post in again.latest() if post.past] == ["old"]
        assert msgspec.json.encode(again.latest()[0])
