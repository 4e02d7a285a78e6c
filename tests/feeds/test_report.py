"""The report: self-contained, escaped, with the numbers that were promised."""

from __future__ import annotations

from pathlib import Path

import msgspec
from tests.feeds.paper_server import PaperServer, VirtualClock, document, watcher

from phasa.feeds.report import FeedReport, report_feed, write_report
from phasa.feeds.rhythm import DAY, HOUR, MONDAY
from phasa.feeds.store import FeedStore, PollRow, Shown

NOW = MONDAY + 14600.0 * DAY


async def test_the_page_tells_delay_and_why_and_loads_nothing(tmp_path: Path) -> None:
    with FeedStore(tmp_path / "feeds.db") as store:
        store.add("http://a.example/<b>", NOW)
        clock = VirtualClock(NOW)
        server = PaperServer({"http://a.example/<b>": document([("one", NOW - 50)])})
        await watcher(store, server, clock, 100.0).run(until=NOW + 3 * HOUR)
        server.pages["http://a.example/<b>"] = document([("&lt;script&gt;alert(1)&lt;/script&gt;", NOW + 3 * HOUR)])
        await watcher(store, server, clock, 100.0).run(until=NOW + DAY)
        reports = [report_feed(store, feed, clock.now()) for feed in store.feeds()]
        page = write_report(reports, store.latest(), clock.now())
    assert reports[0].achieved_delay is not None
    assert 0 < reports[0].achieved_delay <= 2.1
    assert reports[0].least_delay == 0
    assert len(reports[0].hours) == 24
    assert "two hours" in page
    assert "<script" not in page
    assert "&lt;b&gt;" in page
    assert "src=" not in page
    assert "@import" not in page


def test_a_feed_without_history_has_a_row(tmp_path: Path) -> None:
    with FeedStore(tmp_path / "feeds.db") as store:
        store.add("http://a.example/", NOW)
        (report,) = [report_feed(store, feed, NOW) for feed in store.feeds()]
    assert report.achieved_delay is None
    assert "no posts yet" in write_report([report], [], NOW)


def told(**changes: object) -> FeedReport:
    plain: dict[str, object] = {
        "url": "http://a.example/" + "long" * 60, "title": "ข่าว <b>วันนี้</b>" * 9, "posts": 100, "per_day": 3.0,
        "polls_per_day": 4.0, "hours": (1 / 24,) * 24, "belief": 1.0, "points": (6, 24), "expected_delay": 1.0,
        "achieved_delay": 2.0, "least_delay": 0.5, "one_more_saves": 0.1, "next_poll": NOW, "why": "because",
        "failures": 0, "missing": 0, "retired": "",
    }  # fmt: skip
    return msgspec.convert({**plain, **changes}, FeedReport)


def test_the_page_begins_with_what_matters() -> None:
    page = write_report([told(), told(failures=2, achieved_delay=5.0), told(retired="410 Gone", missing=1)], [], NOW)
    assert "2 feeds under watch, 6.0 posts a day, 8.0 polls a day" in page
    assert "3.50 hours after it was posted, 1 failing, 1 retired" in page
    assert page.index("2 failures in a row") < page.index("410 Gone")
    assert "never" in page
    assert "new once: posts may have been missed" in page
    assert "<b>" not in page


def test_posts_from_the_future_and_with_markup_are_shown_as_they_were_seen() -> None:
    page = write_report([], [Shown("f", "<i>new</i>", "javascript:alert(1)", "", NOW + 9 * DAY, NOW)], NOW)
    assert "<bdi>new</bdi>" in page
    assert "javascript" not in page
    assert f"<time>{page.partition('Made ')[2][:16]}</time>" in page


def test_a_feed_added_a_minute_ago_is_not_polled_a_thousand_times_a_day(tmp_path: Path) -> None:
    with FeedStore(tmp_path / "feeds.db") as store:
        store.add("http://a.example/rss", NOW - 60)
        (feed,) = store.feeds()
        store.record(PollRow(feed.id, NOW - 30, 200, "ok", 0, 0, False, ""))
        assert report_feed(store, feed, NOW).polls_per_day == 1
