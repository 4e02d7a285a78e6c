"""The report: self-contained, escaped, with the numbers that were promised."""

from __future__ import annotations

from pathlib import Path

from tests.feeds.paper_server import PaperServer, VirtualClock, document, watcher

from phasa.feeds.report import report_feed, write_report
from phasa.feeds.rhythm import DAY, HOUR, MONDAY
from phasa.feeds.store import FeedStore

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
    assert "<svg" in write_report([report], [], NOW)
