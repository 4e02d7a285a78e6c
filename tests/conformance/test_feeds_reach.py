"""Rows of specs/feed-retrieval-scheduling.md §11 as a user reaches them: settings of the watch, options of commands."""

from __future__ import annotations

import datetime as dt
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from aiohttp import web
from tests.cli.test_crawl import phasa
from tests.durability.small_web import SmallWeb, collection_for
from tests.feeds.paper_server import document

from phasa.cli.subscriptions import open_store
from phasa.collection import Collection
from phasa.feed_settings import FeedSettings
from phasa.feeds.day_plans import DayPlans
from phasa.feeds.parse import read_feed
from phasa.feeds.plan import learn_points
from phasa.feeds.policy import Kind
from phasa.feeds.rhythm import DAY, HOUR, MONDAY
from phasa.feeds.rows import PollRow
from phasa.feeds.rules import retrieval_scheduling, rs_residual
from phasa.feeds.terms import rules_of
from phasa.papers.feed_scheduling.cases import cases_of
from phasa.papers.options import Options

# A Monday.
NOW = MONDAY + 14602 * DAY
URL = "http://a.example/feed"


@pytest.mark.parametrize(("identity", "posts"), [("title", 2), ("guid", 1)])
def test_rows_5_6_and_27_the_watch_follows_identity_and_policy_of_the_settings(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], identity: Any, posts: int
) -> None:
    """One item whose title changes at the second poll; the policy is one that says of itself that it learns."""
    polls = []

    def answer(host: str, path: str) -> web.Response:
        polls.append(path)
        title = "Nuclear crisis compounds misery" if len(polls) > 1 else "Nuclear crisis compounds survivors' misery"
        item = f"<item><title>{title}</title><guid>g</guid></item>"
        return web.Response(text=f"<rss><channel>{item}</channel></rss>", content_type="application/rss+xml")

    small = SmallWeb(1, 1, answer)
    with small.serving():
        settings = FeedSettings(policy="dorpm", identity=identity, bootstrap_hours=0.0003, per_feed=1000.0)
        collection = collection_for(tmp_path / "c", small, feeds=settings)
        assert phasa(capsys, "feeds", "add", collection.path, URL)[0] == 0
        words = ("--seconds", "6", "--spacing", "0", "--no-join", "--no-crawl")
        code, _, err = phasa(capsys, "feeds", "watch", collection.path, *words)
    assert code == 0, err
    assert len(polls) >= 2
    with open_store(collection.path, read_only=True) as store:
        assert len(store.latest()) == posts
        assert "while its hours are learned" in store.feed(1).why


def test_rows_2_27_28_36_and_37_windows_and_periods_are_settings() -> None:
    asked = FeedSettings(policy="rs", bootstrap_hours=3.0, learn_days=21, update_days=7, rs_days=10, per_feed=2.0)
    rules = rules_of(asked)
    assert rules.policy.kind is Kind.RS
    assert (rules.bootstrap, rules.learn_days, rules.update_days, rules.rs_days) == (3 * HOUR, 21, 7, 10)
    usual = rules_of(FeedSettings(policy="dorpm"))
    assert (usual.bootstrap, usual.learn_days, usual.update_days, usual.rs_days) == (2 * HOUR, 28, 28, 14)


def test_row_36_the_window_is_four_weeks_and_ends_with_yesterday() -> None:
    """What was posted on the day before it, and today, teaches nothing."""
    kept = [NOW + day * DAY + 9 * HOUR + 60 for day in range(28)]
    before, today = NOW - DAY + 3 * HOUR, NOW + 28 * DAY + 5 * HOUR
    times = np.array(sorted([*kept, *range(before, before + 500), *range(today, today + 500)]), dtype=np.int64)
    (plan,) = learn_points("dorpm", times, 1, NOW + 28 * DAY + 12.0 * HOUR, 28, dt.UTC, ())
    assert plan.points == (10,)


def trace_file(folder: Path, hours: dict[int, int], days: int = 28) -> Path:
    """A feed that posts so many times in these hours of each day."""
    times = [
        NOW + day * DAY + hour * HOUR + 60 * k for day in range(days) for hour, n in hours.items() for k in range(n)
    ]
    file = folder / "trace.tsv"
    file.write_text("".join(f"f\t{at}\n" for at in times), encoding="utf-8")
    return file


def planned(capsys: pytest.CaptureFixture[str], *words: str | Path) -> list[dict[str, Any]]:
    code, out, err = phasa(capsys, "feeds", "plan", *words, "--json")
    assert code == 0, err
    found: list[dict[str, Any]] = json.loads(out)
    return found


def test_rows_14_28_and_35_the_options_of_feeds_plan(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = trace_file(tmp_path, {8: 4, 9: 6, 15: 3, 20: 1})
    for target, polls in (("3", 4), ("1", 8), ("10", 1)):
        by_table = planned(capsys, file, "--target", target, "--table", "--method", "dorpm")
        assert [plan["per_day"] for plan in by_table] == [polls]
    (own,) = planned(capsys, file, "--target", "2", "--method", "dorpm")
    assert own["expected_delay_hours"] <= 2
    (rs,) = planned(capsys, file, "--per-day", "2", "--method", "rs")
    counts = np.zeros(24)
    counts[[8, 9, 15, 20]] = np.array([4, 6, 3, 1]) * 14  # its own two weeks of the four
    assert tuple(rs["points"]) == retrieval_scheduling(counts, 2).points
    assert rs["rs_residual"] == pytest.approx(rs_residual(counts, tuple(rs["points"])), abs=1e-3)
    weekdays = trace_file(tmp_path, {9: 1})
    kept = [row for row in weekdays.read_text().splitlines() if (int(row.split()[1]) - MONDAY) % (7 * DAY) < 5 * DAY]
    saturday = [f"f\t{NOW + (5 + 7 * week) * DAY + 12 * HOUR}" for week in range(2)]
    weekdays.write_text("\n".join(sorted([*kept, *saturday])) + "\n")
    apart = planned(capsys, weekdays, "--per-day", "1")
    together = planned(capsys, weekdays, "--per-day", "1", "--one-cluster")
    assert [plan["cluster"] for plan in apart] == ["weekday", "weekend"]
    assert [plan["cluster"] for plan in together] == ["all"]


def test_row_47_feeds_plan_draws_the_figures(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = trace_file(tmp_path, {8: 4, 9: 6}, days=91)
    planned(capsys, file, "--figures", tmp_path / "figures")
    drawn = sorted(path.name for path in (tmp_path / "figures").rglob("*.svg"))
    assert drawn == ["feeds-delay.svg", "feeds-histogram.svg", "feeds-learning.svg"]


def test_row_12_plan_evaluate_and_lab_leave_bad_days_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A feed of a collection that posts at 09:30, and on two bad days a hundred times after noon."""
    days = range(80)
    odd = (20, 60)
    posts = [(f"p{day}", NOW + day * DAY + 9.5 * HOUR) for day in days]
    posts += [(f"odd{day}-{k}", NOW + day * DAY + 12.1 * HOUR + k) for day in odd for k in range(100)]
    found = {}
    for name, bad in (("marked", odd), ("unmarked", ())):
        collection = Collection.create(tmp_path / name, language="th")
        with open_store(collection.path) as store:
            store.add(URL, NOW)
            store.record(PollRow(1, NOW + 80 * DAY, 200, "ok", 280, 0, False, ""), read_feed(document(posts)).posts)
            for day in bad:
                failed = PollRow(1, NOW + day * DAY, 500, "HTTP 500", 0, 0, False, "")
                date = dt.datetime.fromtimestamp(NOW + day * DAY, dt.UTC).date()
                store.record(failed, [], bad_day=(date, "HTTP 500"))
            DayPlans(store).keep(store.feed(1), NOW + 80 * DAY, 1.0)  # what the page of a feed under `phasa` shows
            shown = [list(one.points) for one in store.plans(1)]
        (plan,) = planned(capsys, collection.path, "--per-day", "1", "--method", "dorpm", "--days", "80")
        code, out, _ = phasa(
            capsys, "feeds", "evaluate", collection.path, "--per-day", "1", "--policies", "hindsight", "--json"
        )
        assert code == 0
        (row,) = json.loads(out)
        (case,) = cases_of(Options(data=collection.path)).cases
        assert shown == [plan["points"]]
        found[name] = plan["points"], row["learned"] + row["posts"], int(case.counts.counts.sum())
    assert found == {"marked": ([10], 78, 76), "unmarked": ([13], 280, 278)}
