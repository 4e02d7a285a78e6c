"""feeds.db: only what is given is written, files of earlier versions stay readable, reading needs no right to write."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from tests.feeds.paper_server import PaperServer, VirtualClock, document, watcher

from phasa.errors import CollectionError
from phasa.feeds.post import Hints, Post
from phasa.feeds.rhythm import DAY, HOUR, MONDAY
from phasa.feeds.rows import FeedUpdate, Hold, Lease, PlanPoints, PollRow, Subscription
from phasa.feeds.shelf import Shelf
from phasa.feeds.store import FeedStore

NOW = MONDAY + 14600.0 * DAY
URL = "http://a.example/feed"


def _post(name: str, at: float) -> Post:
    return Post(id=name, link=f"http://a.example/{name}", title=name, summary="", published=at)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    with FeedStore(tmp_path / "feeds.db") as store:
        store.add(URL, NOW, title="a")
        store.add("http://b.example/feed", NOW)
    return tmp_path / "feeds.db"


def as_of_earlier(path: Path, *statements: str) -> None:
    """Make the file what an earlier version would have left."""
    with closing(sqlite3.connect(path)) as db:
        for column in ("hold", "not_feed", "activity"):
            db.execute(f"ALTER TABLE feed DROP COLUMN {column}")
        for statement in statements:
            db.execute(statement)
        db.commit()


def test_only_given_values_are_written(path: Path) -> None:
    with FeedStore(path) as store:
        store.update(1, FeedUpdate(etag='"x"', hints=Hints(seconds=60.0), hold=Hold.CACHE, not_feed=True))
        store.retire(URL, "removed by you")
        store.update(1, FeedUpdate(etag=None, due=NOW + 5))
        store.update(1, FeedUpdate())
        feed = store.feed(1)
    assert (feed.etag, feed.due, feed.title, feed.retired) == (None, NOW + 5, "a", "removed by you")
    assert (feed.hints.seconds, feed.hold, feed.not_feed) == (60.0, Hold.CACHE, True)


def test_an_order_kept_in_a_sentence_becomes_a_value(path: Path) -> None:
    as_of_earlier(
        path,
        "UPDATE feed SET why = '429 Too Many Requests, failure 2: Retry-After 11.1 h' WHERE id = 1",
        "UPDATE feed SET why = 'no connection, failure 1: back-off 56 min' WHERE id = 2",
    )
    with FeedStore(path) as store:
        assert [feed.hold for feed in store.feeds()] == [Hold.RETRY_AFTER, Hold.NOBODY]
    with FeedStore(path) as again:
        assert again.feed(1).hold is Hold.RETRY_AFTER


async def test_an_order_of_an_earlier_version_still_holds_for_the_whole_server(path: Path) -> None:
    as_of_earlier(
        path,
        f"UPDATE feed SET not_before = {NOW + 40_000}, due = {NOW + 40_060},"
        " why = '429, failure 1: Retry-After 11.1 h' WHERE id = 1",
    )
    other = "http://www.a.example/other"
    with FeedStore(path) as store:
        store.retire("http://b.example/feed", "not now")
        store.add(other, NOW)
        server = PaperServer({URL: document([("a", NOW)]), other: document([("b", NOW)])})
        await watcher(store, server, VirtualClock(NOW), 1000.0).run(until=NOW + 20 * HOUR)
    assert min(request.at for request in server.requests) >= NOW + 40_000


async def test_a_document_of_an_earlier_version_that_was_not_a_feed_is_known_as_such(path: Path) -> None:
    as_of_earlier(path, "UPDATE feed SET body_hash = 'no feed ' || 'ab12', etag = '\"x\"' WHERE id = 1")
    with FeedStore(path) as store:
        feed = store.feed(1)
        assert (feed.body_hash, feed.not_feed) == ("ab12", True)
        assert not store.feed(2).not_feed


def test_a_file_of_an_earlier_version_is_read_as_it_is(path: Path) -> None:
    as_of_earlier(path)
    with FeedStore(path, read_only=True) as store:
        feed = store.feed(1)
        assert (feed.url, feed.hold, feed.activity) == (URL, Hold.NOBODY, None)
    with closing(sqlite3.connect(path)) as db:
        assert "hold" not in {row[1] for row in db.execute("PRAGMA table_info(feed)")}


def test_plans_of_files_that_had_no_reason_for_them_get_one(path: Path) -> None:
    with closing(sqlite3.connect(path)) as old:
        old.execute("ALTER TABLE plan DROP COLUMN why")
        old.commit()
    with FeedStore(path) as store:
        assert store.keep_plans(1, NOW, [PlanPoints("all", (10,), 1.0)], why="new") == 1


def test_reading_writes_nothing(path: Path) -> None:
    with FeedStore(path, read_only=True) as store, pytest.raises(sqlite3.OperationalError, match="readonly"):
        store.update(1, FeedUpdate(due=0.0))


def test_a_collection_without_feeds_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(CollectionError, match="phasa feeds add"):
        FeedStore(tmp_path / "feeds.db", read_only=True)
    assert not (tmp_path / "feeds.db").exists()
    (tmp_path / "feeds.db").write_text("no database at all, but long enough to look like a file of one" * 9)
    for read_only in (True, False):
        with pytest.raises(CollectionError, match="not a database"):
            FeedStore(tmp_path / "feeds.db", read_only=read_only)
    with closing(sqlite3.connect(tmp_path / "other.db")) as db:
        db.execute("CREATE TABLE other (x)")
    with pytest.raises(CollectionError, match="not a database of feeds"):
        FeedStore(tmp_path / "other.db", read_only=True)


def test_latest_items_of_all_feeds_and_of_one(path: Path) -> None:
    with FeedStore(path) as store:
        assert store.latest(3) == []
        for feed, name in ((1, "m"), (2, "a")):
            for day in range(9):
                found = [_post(f"{name}{day}", NOW + day * DAY + feed)]
                store.record(PollRow(feed, NOW + day * DAY + HOUR, 200, "ok", 1, 0, False, ""), found)
    with FeedStore(path, read_only=True) as store:
        assert [shown.title for shown in store.latest(3)] == ["a8", "m8", "a7"]
        assert [shown.title for shown in store.latest(2, feed=1)] == ["m8", "m7"]
        newest = store.log(1, newest=3)
        assert [poll.at for poll in newest] == [NOW + day * DAY + HOUR for day in (8, 7, 6)]
        assert store.log(1)[-3:] == newest[::-1]


def test_plan_versions_newest_first_with_their_reason(path: Path) -> None:
    with FeedStore(path) as store:
        store.keep_plans(1, NOW, [PlanPoints("all", (10,), 1.0)], why="first")
        store.keep_plans(1, NOW + 1, [PlanPoints("all", (12,), 1.5)], why="its rhythm changed")
        assert [(plan.version, plan.points, plan.why) for plan in store.plans(1)] == [
            (2, (12,), "its rhythm changed"),
            (1, (10,), "first"),
        ]
        assert store.last_plan(1) == NOW + 1
        assert store.last_plan(2) is None


def test_counts_of_polls_and_posts_are_those_since_a_moment(path: Path) -> None:
    with FeedStore(path) as store:
        for day in range(4):
            found = [_post(f"p{day}{k}", NOW + day * DAY) for k in range(2)]
            store.record(PollRow(1, NOW + day * DAY + HOUR, 200, "ok", 2, 0, False, ""), found)
        polls, posts = store.poll_counts(NOW + 2 * DAY), store.post_counts(NOW + 2 * DAY)
        assert polls[1] == (2, NOW + 3 * DAY + HOUR, 2)
        assert polls[2] == (0, None, 0)
        assert posts == {1: (8, 4, HOUR)}
        assert store.poll_counts(0.0, only=[2]).keys() == {2}
        assert store.post_counts(0.0, only=[2]) == {}
        assert store.polls_per_day(1) == pytest.approx(4 / 3)


def test_the_state_of_a_subscription_is_a_value(path: Path) -> None:
    with FeedStore(path) as store:
        store.subscribe(Subscription(1, "http://hub/", URL, "t", "s", Lease.ASKED, NOW, 0.0, ""))
        known = store.subscription_of("t")
        assert known is not None
        assert known.state is Lease.ASKED
        store.subscribe(known.with_state(Lease.ACTIVE, NOW + DAY, "lease of 1.0 days"))
        again = store.subscription(1)
        assert again is not None
        assert again.state is Lease.ACTIVE


def test_a_reader_gets_what_a_later_version_added_and_changes_no_file(path: Path) -> None:
    with FeedStore(path) as store:
        store.pause(URL, NOW)
    later = ("DROP INDEX post_number", "DROP INDEX post_posted", "ALTER TABLE post DROP COLUMN number")
    as_of_earlier(path, *later, "PRAGMA journal_mode = DELETE")
    before = path.read_bytes()
    with FeedStore(path, read_only=True) as store:
        assert [feed.hold for feed in store.feeds()] == [Hold.NOBODY, Hold.NOBODY]
        assert Shelf(store).last() == 0
    assert path.read_bytes() == before
    assert sorted(file.name for file in path.parent.iterdir()) == ["feeds.db"]
    with FeedStore(path) as store:
        assert Shelf(store).last() == 0
    assert path.read_bytes() != before, "who writes brings it up to date"
