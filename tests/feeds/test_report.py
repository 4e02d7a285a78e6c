"""What is to be seen of feeds: their numbers, rhythms, the dial; and the page, self-contained and escaped."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from pathlib import Path

import msgspec
import numpy as np
import pytest
from tests.feeds.paper_server import PaperServer, VirtualClock, document, watcher

from phasa.errors import InputError
from phasa.feeds.circle import optimum
from phasa.feeds.post import Post
from phasa.feeds.report import (
    FeedReport,
    days_of,
    dial,
    feed_lines,
    one_more_saves,
    report_feed,
    rhythm_of,
    week_of,
    write_report,
)
from phasa.feeds.rhythm import DAY, HOUR, MONDAY
from phasa.feeds.rows import FeedUpdate, PollRow, ShownPost
from phasa.feeds.store import FeedStore

NOW = MONDAY + 14600.0 * DAY


async def test_the_page_tells_delay_and_why_and_loads_nothing(tmp_path: Path) -> None:
    with FeedStore(tmp_path / "feeds.db") as store:
        store.add("http://a.example/<b>", NOW)
        clock = VirtualClock(NOW)
        old = [("one", NOW - 50), *((f"old {day}", NOW - day * DAY) for day in range(1, 20))]
        server = PaperServer({"http://a.example/<b>": document(old)})
        await watcher(store, server, clock, 100.0).run(until=NOW + 3 * HOUR)
        new = ("&lt;script&gt;alert(1)&lt;/script&gt;", NOW + 2.9 * HOUR)
        server.pages["http://a.example/<b>"] = document([new, *old])
        await watcher(store, server, clock, 100.0).run(until=NOW + DAY)
        reports = [report_feed(store, line, clock.now()) for line in feed_lines(store, clock.now())]
        page = write_report(reports, store.latest(), clock.now())
    assert reports[0].achieved_delay is not None
    assert 0 < reports[0].achieved_delay <= 2.1
    assert reports[0].least_delay == 0
    assert len(reports[0].hours) == 24
    assert "worth a poll" in page
    assert "<script" not in page
    assert "&lt;b&gt;" in page
    assert "src=" not in page
    assert "@import" not in page


def test_a_feed_without_history_has_a_row(tmp_path: Path) -> None:
    with FeedStore(tmp_path / "feeds.db") as store:
        store.add("http://a.example/", NOW)
        (report,) = [report_feed(store, line, NOW) for line in feed_lines(store, NOW)]
    assert report.achieved_delay is None
    assert "no posts yet" in write_report([report], [], NOW)


def a_feed(**changes: object) -> FeedReport:
    plain: dict[str, object] = {
        "url": "http://a.example/" + "long" * 60, "title": "ข่าว <b>วันนี้</b>" * 9, "posts": 100, "posts_per_day": 3.0,
        "id": 1, "publisher": "", "category": "", "last_poll": None, "hub": "",
        "polls_per_day": 4.0, "hours": (1 / 24,) * 24, "belief": 1.0, "points": (6, 24), "expected_delay": 1.0,
        "achieved_delay": 2.0, "least_delay": 0.5, "one_more_saves": 0.1, "next_poll": NOW, "why": "because",
        "failures": 0, "missing": 0, "retired": "", "paused": 0.0, "policy": "", "early": False,
    }  # fmt: skip
    return msgspec.convert({**plain, **changes}, FeedReport)


def test_the_page_begins_with_what_matters() -> None:
    page = write_report(
        [a_feed(), a_feed(failures=2, achieved_delay=5.0), a_feed(retired="410 Gone", missing=1)], [], NOW
    )
    assert "2 feeds under watch, 6.0 posts a day, 8.0 polls a day" in page
    assert "3.50 hours after it was posted, 1 failing, 1 retired" in page
    assert page.index("2 failures in a row") < page.index("410 Gone")
    assert "never" in page
    assert "new once: posts may have been missed" in page
    assert "<b>" not in page


def test_posts_from_the_future_and_with_markup_are_shown_as_they_were_seen() -> None:
    page = write_report([], [ShownPost("f", "<i>new</i>", "javascript:alert(1)", "", NOW + 9 * DAY, NOW)], NOW)
    assert "<bdi>new</bdi>" in page
    assert "javascript" not in page
    assert f"<time>{page.partition('Made ')[2][:16]}</time>" in page


def test_a_feed_added_a_minute_ago_is_not_polled_a_thousand_times_a_day(tmp_path: Path) -> None:
    with FeedStore(tmp_path / "feeds.db") as store:
        store.add("http://a.example/rss", NOW - 60)
        (feed,) = store.feeds()
        store.record(PollRow(feed.id, NOW - 30, 200, "ok", 0, 0, False, ""))
        assert feed_lines(store, NOW)[0].polls_per_day == 1


START = float(MONDAY + 2900 * 7 * DAY)
THEN = START + 35 * DAY


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
def store(path: Path) -> Iterator[FeedStore]:
    with FeedStore(path, read_only=True) as opened:
        yield opened


def test_the_list_tells_rates_and_the_delay_that_was_achieved(store: FeedStore) -> None:
    morning, always, silent = feed_lines(store, THEN)
    assert morning.achieved_delay == pytest.approx(1.0)
    assert always.achieved_delay == pytest.approx(0.5)
    assert always.posts_per_day == pytest.approx(24, rel=0.02)
    assert always.polls_per_day == pytest.approx(24, rel=0.02)
    assert (morning.posts, always.posts, silent.posts) == (25, 35 * 24, 0)
    assert silent.achieved_delay is None
    assert silent.last_poll is None
    assert morning.last_poll == START + 32 * DAY + 10 * HOUR


def test_a_rhythm_has_the_hour_of_the_posts_in_the_readers_zone(store: FeedStore) -> None:
    (weekday, weekend) = rhythm_of(store, 1, per_day=1)
    assert (weekday.cluster, weekend.cluster) == ("weekday", "weekend")
    assert weekday.counts[9] == 25 == weekday.posts
    assert weekday.points == (10,)
    assert sum(weekday.believed) == pytest.approx(1)
    bangkok = rhythm_of(store, 1, per_day=1, zone=dt.timezone(dt.timedelta(hours=7)))[0]
    assert bangkok.counts[16] == 25
    assert rhythm_of(store, 3) == []


def test_the_dial_falls_with_the_budget_and_is_below_an_even_split(store: FeedStore) -> None:
    points = dial(store, THEN)
    delays = [point.expected_delay for point in points]
    assert delays == sorted(delays, reverse=True)
    assert all(point.expected_delay <= point.even_delay * 1.05 for point in points)
    assert [point.polls_per_day for point in dial(store, THEN, [9, 3])] == [3, 9]
    with pytest.raises(InputError, match="raise the budget"):
        dial(store, THEN, [0.1])


def test_the_week_and_the_day_of_a_feed_are_its_posts_by_hour(store: FeedStore) -> None:
    week = week_of(store, 1)
    assert [row[9] for row in week] == [5, 5, 5, 5, 5, 0, 0]
    assert sum(map(sum, week)) == 25
    east = week_of(store, 1, dt.timezone(dt.timedelta(hours=7)))
    assert [row[16] for row in east] == [5, 5, 5, 5, 5, 0, 0]
    assert sum(map(sum, week_of(store, 3))) == 0
    days = days_of(store, THEN)
    assert days[1] == tuple(25 if hour == 9 else 0 for hour in range(24))
    assert days[2] == (35,) * 24
    assert 3 not in days


@pytest.mark.parametrize("polls", [1, 2, 5, 12, 23])
def test_one_more_poll_saves_a_steady_feed_what_one_more_point_of_its_day_saves(polls: int) -> None:
    posts_per_day = 7.0
    # What the last bit of a poll saves, in seconds of waiting of all posts.
    worth = posts_per_day * DAY / (2 * polls**2)
    fine = np.ones(1440)
    saved = (optimum(fine, polls).total - optimum(fine, polls + 1).total) / fine.sum() / 60
    assert one_more_saves(worth, posts_per_day) == pytest.approx(saved, rel=0.02)


def test_of_a_feed_that_hardly_posts_one_more_poll_saves_no_more_than_it_waits_now() -> None:
    polls, posts_per_day = 0.2, 0.05
    saved = one_more_saves(posts_per_day * DAY / (2 * polls**2), posts_per_day)
    assert saved is not None
    assert saved < 12 / polls
    assert one_more_saves(None, 3.0) is None
    assert one_more_saves(5000.0, 0.0) is None


def test_posts_from_before_a_feed_was_watched_are_not_counted_as_its_rate(tmp_path: Path) -> None:
    with FeedStore(tmp_path / "feeds.db") as store:
        store.add("http://a.example/rss", NOW - DAY)
        old = [_post(f"p{day}", NOW - day * DAY) for day in range(2, 20)]
        store.record(PollRow(1, NOW - DAY, 200, "ok", 18, 0, False, ""), old, FeedUpdate(gain=5000.0))
        (line,) = feed_lines(store, NOW)
    assert (line.posts, line.posts_per_day, line.one_more_saves) == (18, 0.0, None)
