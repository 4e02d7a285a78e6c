"""What the web application and the report ask of feeds.db."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from pathlib import Path

import pytest

from phasa.errors import CollectionError, InputError
from phasa.feeds.post import Post
from phasa.feeds.reading import Reading
from phasa.feeds.rhythm import DAY, HOUR, MONDAY
from phasa.feeds.store import FeedStore, PollRow

START = float(MONDAY + 2900 * 7 * DAY)
NOW = START + 35 * DAY


def _post(name: str, at: float) -> Post:
    return Post(id=name, link=f"http://a.example/{name}", title=name, summary="", published=at)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A feed that posts on working days at 9 and is polled at 10, one that posts all the time, one that is silent."""
    file = tmp_path / "feeds.db"
    with FeedStore(file) as store:
        for name in ("morning", "always", "silent"):
            store.add(f"http://a.example/{name}", START, publisher="A", title=name)
        for day in range(35):
            at = START + day * DAY
            if day % 7 < 5:
                store.record(PollRow(1, at + 10 * HOUR, 200, "ok", 1, 0, False, ""), [_post(f"m{day}", at + 9 * HOUR)])
            for hour in range(24):
                store.record(
                    PollRow(2, at + hour * HOUR + 1800, 200, "ok", 1, 0, False, ""),
                    [_post(f"a{day}-{hour}", at + hour * HOUR)],
                )
    return file


@pytest.fixture
def reading(path: Path) -> Iterator[Reading]:
    with Reading(path) as opened:
        yield opened


def test_the_list_tells_rates_and_the_delay_that_was_achieved(reading: Reading) -> None:
    morning, always, silent = reading.feeds(NOW)
    assert morning.achieved_delay == pytest.approx(1.0)
    assert always.achieved_delay == pytest.approx(0.5)
    assert always.posts_per_day == pytest.approx(24, rel=0.02)
    assert always.polls_per_day == pytest.approx(24, rel=0.02)
    assert (morning.posts, always.posts, silent.posts) == (25, 35 * 24, 0)
    assert silent.achieved_delay is None
    assert silent.last_poll is None
    assert morning.last_poll == START + 32 * DAY + 10 * HOUR


def test_next_polls_come_soonest_first_without_the_retired(path: Path) -> None:
    with FeedStore(path) as store:
        store.schedule(1, NOW + 50, "later")
        store.schedule(2, NOW + 10, "sooner")
        store.record(PollRow(3, NOW, 410, "ok", 0, 0, False, ""), changes={"retired": "410 Gone"})
    with Reading(path) as reading:
        assert [line.id for line in reading.next_polls(NOW)] == [2, 1]
        assert [line.id for line in reading.next_polls(NOW, 1)] == [2]


def test_a_rhythm_has_the_hour_of_the_posts_in_the_readers_zone(reading: Reading) -> None:
    (weekday, weekend) = reading.rhythm(1, per_day=1)
    assert (weekday.cluster, weekend.cluster) == ("weekday", "weekend")
    assert weekday.counts[9] == 25 == weekday.posts
    assert weekday.points == (10,)
    assert sum(weekday.believed) == pytest.approx(1)
    bangkok = reading.rhythm(1, per_day=1, zone=dt.timezone(dt.timedelta(hours=7)))[0]
    assert bangkok.counts[16] == 25
    assert reading.rhythm(3) == []


def test_the_dial_falls_with_the_budget_and_is_below_an_even_split(reading: Reading) -> None:
    dial = reading.dial(NOW)
    delays = [point.expected_delay for point in dial]
    assert delays == sorted(delays, reverse=True)
    assert all(point.expected_delay <= point.even_delay * 1.05 for point in dial)
    assert [point.polls_per_day for point in reading.dial(NOW, [9, 3])] == [3, 9]
    with pytest.raises(InputError, match="raise the budget"):
        reading.dial(NOW, [0.1])


def test_latest_items_of_all_feeds_and_of_one(reading: Reading) -> None:
    assert [shown.title for shown in reading.latest(2)] == ["a34-23", "a34-22"]
    assert [shown.title for shown in reading.latest(2, feed=1)] == ["m32", "m31"]


def test_the_log_of_polls_newest_first(reading: Reading) -> None:
    polls = reading.polls(1, 3)
    assert len(polls) == 3
    assert polls[0].at > polls[1].at > polls[2].at


def test_plan_versions_newest_first_with_their_reason(path: Path) -> None:
    with FeedStore(path) as store:
        store.keep_plans(1, NOW, [("all", 1, (10,), 1.0)], why="first")
        store.keep_plans(1, NOW + 1, [("all", 1, (12,), 1.5)], why="its rhythm changed")
    with Reading(path) as reading:
        assert [(plan.version, plan.points, plan.why) for plan in reading.plans(1)] == [
            (2, (12,), "its rhythm changed"),
            (1, (10,), "first"),
        ]


def test_a_collection_without_feeds_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(CollectionError, match="phasa feeds add"):
        Reading(tmp_path / "feeds.db")
    assert not (tmp_path / "feeds.db").exists()
    (tmp_path / "feeds.db").write_text("no database at all, but long enough to look like a file of one" * 9)
    with pytest.raises(CollectionError, match="not a database"):
        Reading(tmp_path / "feeds.db")


def test_a_database_of_an_older_version_gets_what_it_lacks(path: Path) -> None:
    import sqlite3

    old = sqlite3.connect(path)
    old.execute("ALTER TABLE plan DROP COLUMN why")
    old.commit()
    old.close()
    with FeedStore(path) as store:
        assert store.keep_plans(1, NOW, [("all", 1, (10,), 1.0)], why="new") == 1


def test_the_week_and_the_day_of_a_feed_are_its_posts_by_hour(reading: Reading) -> None:
    week = reading.week(1)
    assert [row[9] for row in week] == [5, 5, 5, 5, 5, 0, 0]
    assert sum(map(sum, week)) == 25
    east = reading.week(1, dt.timezone(dt.timedelta(hours=7)))
    assert [row[16] for row in east] == [5, 5, 5, 5, 5, 0, 0]
    assert sum(map(sum, reading.week(3))) == 0
    days = reading.days(NOW)
    assert days[1] == tuple(25 if hour == 9 else 0 for hour in range(24))
    assert days[2] == (35,) * 24
    assert 3 not in days
