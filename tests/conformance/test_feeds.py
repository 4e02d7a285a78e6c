"""The checklist of specs/feed-retrieval-scheduling.md §11: the rows on learning, planning and experiments.

Rows on the daemon (1-6, 37, 42-46) are in test_feeds_watch.py.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from phasa.feeds.circle import optimum, total_delay
from phasa.feeds.dates import parse_date
from phasa.feeds.evaluate import evaluate
from phasa.feeds.plan import plan_feed
from phasa.feeds.replay import actual_delay
from phasa.feeds.rhythm import (
    DAY,
    HOUR,
    MONDAY,
    Cluster,
    DailyCounts,
    daily_counts,
    histogram,
    learning_window,
    poisson_adequacy,
    stamp,
)
from phasa.feeds.rules import (
    choose_m,
    choose_m_by_table,
    exhaustive,
    paper_rule,
    retrieval_scheduling,
    rs_residual,
    uniform,
)
from phasa.feeds.trace import Trace
from phasa.lab.chart import draw
from phasa.papers.feed_scheduling import published
from phasa.papers.feed_scheduling.cases import Case
from phasa.papers.feed_scheduling.experiments import SCENARIOS, learning_sweep, run, update_window
from phasa.papers.feed_scheduling.figures import charts, write_figures
from phasa.papers.feed_scheduling.trials import improvements, pooled_mean, run_trial, split_months
from phasa.papers.options import Options

APRIL = np.array(published.TABLE_4_4[-1])
EXAMPLE = np.array([3, 0, 5, 3, 2, 1])
FIG_4_7 = """Thu, 01 Apr 2010 11:59:18 GMT|Thu, 01 Apr 2010 15:09:49 GMT|Fri, 02 Apr 2010 08:04:15 GMT|
Fri, 02 Apr 2010 08:15:16 GMT|Fri, 02 Apr 2010 10:33:55 GMT|Fri, 02 Apr 2010 19:38:11 GMT|
Fri, 02 Apr 2010 23:02:26 GMT|Sat, 03 Apr 2010 09:35:45 GMT|Sat, 03 Apr 2010 12:06:02 GMT|
Sun, 04 Apr 2010 14:15:54 GMT""".replace("\n", "").split("|")

histograms = st.lists(st.integers(0, 9), min_size=6, max_size=24)


def unix(text: str) -> float:
    moment = parse_date(text)
    assert moment is not None
    return moment


def days_of(rows: tuple[tuple[int, ...], ...], first: dt.date) -> DailyCounts:
    return DailyCounts(tuple(first + dt.timedelta(days=k) for k in range(len(rows))), np.array(rows, dtype=np.float64))


def weekdays_of_april() -> DailyCounts:
    """The 22 days whose running sums are Table 4.4."""
    running = np.array(published.TABLE_4_4, dtype=np.float64)
    each = np.diff(running, axis=0, prepend=np.zeros((1, 24)))
    days = [day for k in range(30) if (day := dt.date(2010, 4, 1) + dt.timedelta(days=k)).weekday() < 5]
    return DailyCounts(tuple(days), each)


def actual_hours(posts: Iterable[float], points: Iterable[int], bins: int) -> float:
    """The delay function of the product, in hours, for posts at real hours of a period of `bins` hours."""
    times = MONDAY + np.array([round(post * HOUR) for post in posts], dtype=np.int64)
    return actual_delay(times, tuple(points), HOUR, bins * HOUR) / HOUR


def test_row_07_dates_with_zones_fall_into_their_bins() -> None:
    assert [stamp(unix(text)).bin for text in FIG_4_7] == [12, 16, 9, 9, 11, 20, 24, 10, 13, 15]
    assert unix("Thu, 17 Mar 2011 10:25:49 EDT") == unix("Thu, 17 Mar 2011 14:25:49 GMT")
    assert unix("Thu, 17 Mar 2011 10:25:49 +0700") == unix("Thu, 17 Mar 2011 03:25:49 GMT")


def test_row_08_a_zone_shift_moves_the_date_at_midnight() -> None:
    bangkok = dt.timezone(dt.timedelta(hours=7))
    assert stamp(unix("Fri, 02 Apr 2010 23:02:26 GMT"), bangkok) == (2010, 4, 3, 7)


@pytest.mark.parametrize(("clock", "bin"), [("09:56:00", 10), ("13:10:00", 14), ("10:00:00", 11)])
def test_row_09_minutes_round_up_and_hours_are_half_open(clock: str, bin: int) -> None:
    assert stamp(unix(f"Thu, 01 Apr 2010 {clock} GMT")).bin == bin


def test_row_10_day_month_and_hour_are_whole_numbers() -> None:
    at = stamp(unix("Thu, 01 Apr 2010 11:59:18 GMT"))
    assert (at.day, at.month, at.bin) == (1, 4, 12)


def test_row_11_counts_per_day_give_the_printed_sums() -> None:
    times = [
        dt.datetime(2010, 4, 5 + day, hour, 30, tzinfo=dt.UTC).timestamp()
        for day, row in enumerate(published.TABLE_4_2)
        for hour, count in enumerate(row)
        for _ in range(count)
    ]
    counts = daily_counts(times, first=dt.date(2010, 4, 5), last=dt.date(2010, 4, 18))
    assert counts.counts.tolist() == [list(row) for row in published.TABLE_4_2]
    assert tuple(counts.counts.sum(axis=1)) == published.TABLE_4_2_SUMS


def test_row_12_a_bad_day_changes_nothing() -> None:
    good = days_of(published.TABLE_4_2, dt.date(2010, 4, 5))
    outage = dt.date(2010, 4, 19)
    with_outage = DailyCounts((*good.days, outage), np.vstack((good.counts, np.full(24, 99.0))))
    assert with_outage.without({outage}).combined().tolist() == good.combined().tolist()


def test_row_13_days_cluster_as_the_author_decided() -> None:
    for feed, daily in published.TABLE_4_3.items():
        counts = days_of(tuple((count,) for count in daily), dt.date(2010, 4, 1))
        split = counts.clusters(0.45) == (Cluster.WEEKDAY, Cluster.WEEKEND)
        assert split == (feed in published.SPLIT_FEEDS), feed
    assert len(published.SPLIT_FEEDS) == 9


def test_row_14_points_are_kept_per_feed_and_cluster() -> None:
    def trace(feed: tuple[str, str]) -> Trace:
        first = dt.datetime(2010, 4, 1, 9, 30, tzinfo=dt.UTC).timestamp()
        times = [first + 86400 * day + 60 * k for day, n in enumerate(published.TABLE_4_3[feed]) for k in range(n)]
        return Trace(" ".join(feed), np.array(times, dtype=np.int64))

    assert [plan.cluster for plan in plan_feed(trace(("BBC", "Business")), 4)] == ["weekday", "weekend"]
    assert [plan.cluster for plan in plan_feed(trace(("CNN", "Top")), 4)] == ["all"]


def test_row_15_combining_22_weekdays_gives_the_last_row_of_table_4_4() -> None:
    combined = weekdays_of_april().combined()
    assert combined.tolist() == APRIL.tolist()
    assert combined.sum() == 700


def test_row_16_rounded_delay_wraps_over_night() -> None:
    assert total_delay(EXAMPLE, (1, 4)) == 10


def test_row_17_every_candidate_of_the_example_has_the_printed_delay() -> None:
    printed = [34, 14, 10, 14, 23, 23, 16, 18, 26, 17, 12, 14, 18, 16, 25]
    assert [total_delay(EXAMPLE, points) for points in combinations(range(1, 7), 2)] == printed
    assert exhaustive(EXAMPLE, 2) == ((1, 4), 10)


def test_row_18_actual_delay_wraps_over_night() -> None:
    posts = [0.3, 0.6, 1.4, 3.1, 3.6, 3.8, 4.5, 4.7, 5.6]
    assert actual_hours(posts, (2, 6), 6) == pytest.approx(14.4)
    assert total_delay([2, 1, 0, 3, 2, 1], (2, 6)) == 10
    # Over the night: the last three wait for 2 of the next day, 3.5 + 3.3 + 2.4 h.
    assert actual_hours(posts, (2, 4), 6) == pytest.approx(3.7 + 1.5 + 9.2)
    # A post exactly at a point belongs to the hour that begins then.
    assert actual_hours([2.0], (2, 4), 6) == 2.0


# Moments of a day, whole hours often among them.
moments_of_a_day = st.one_of(st.integers(0, 24 * HOUR - 1), st.integers(0, 23).map(lambda hour: hour * HOUR))


@given(st.lists(moments_of_a_day, min_size=1, max_size=60), st.sets(st.integers(1, 24), min_size=1))
def test_row_19_actual_is_rounded_plus_a_constant(moments: list[int], points: set[int]) -> None:
    times = np.array(moments, dtype=np.int64) + MONDAY
    counts = histogram(times, HOUR)
    constant = sum(HOUR - moment % HOUR for moment in moments)
    assert actual_delay(times, list(points), HOUR) == total_delay(counts, list(points)) * HOUR + constant


@settings(max_examples=30)
@given(st.lists(moments_of_a_day, min_size=1, max_size=30), st.integers(1, 2))
def test_row_20_both_objectives_have_the_same_optima(moments: list[int], m: int) -> None:
    times = np.array(moments, dtype=np.int64) + MONDAY
    tuples = list(combinations(range(1, 25), m))
    rounded = [total_delay(histogram(times, HOUR), points) for points in tuples]
    actual = [actual_delay(times, points, HOUR) for points in tuples]
    best = [k for k, value in enumerate(rounded) if value == min(rounded)]
    assert best == [k for k, value in enumerate(actual) if value == min(actual)]
    assert optimum(histogram(times, HOUR), m).points == tuples[best[0]]


def test_row_20_the_evaluation_delays_posts_by_the_same_function() -> None:
    """`hindsight` of `feeds evaluate` is Theorem 1 on the tested posts: bins of five minutes, the best tuple of all."""
    random = np.random.default_rng(20)
    times = np.sort(MONDAY + random.integers(0, 40, 300) * DAY + random.integers(8 * HOUR, 12 * HOUR, 300))
    (row,) = evaluate([Trace("f", times)], [1], ["hindsight"])
    tested = Trace("f", times).split(0.5)[1].times
    best = min(actual_delay(tested, (point,), 300) for point in range(1, 289))
    assert row.delay_hours * len(tested) * HOUR == pytest.approx(best)


@given(st.lists(st.lists(st.integers(0, 9), min_size=12, max_size=12), min_size=1, max_size=8), st.data())
def test_row_21_days_add_up(days: list[list[int]], data: st.DataObject) -> None:
    points = data.draw(st.sets(st.integers(1, 12), min_size=1))
    total = sum(total_delay(day, list(points)) for day in days)
    assert total == total_delay(np.sum(days, axis=0), list(points))


@pytest.mark.parametrize("m", range(1, 9))
def test_row_22_golden_vectors_of_table_4_4(m: int) -> None:
    points, total, _ = published.GOLDEN_4_4[m - 1]
    assert optimum(APRIL, m) == (points, total)
    if m <= 4:
        assert exhaustive(APRIL, m) == (points, total)


@pytest.mark.parametrize("m", range(1, 9))
@pytest.mark.parametrize("weeks", [None, *range(1, 9)])
@pytest.mark.parametrize("scenario", ["S1", "S3"])
def test_row_23_tie_break_gives_all_cells_of_tables_5_14_and_5_16(scenario: str, weeks: int | None, m: int) -> None:
    printed, totals, items = {
        "S1": (published.TABLE_5_14, published.S1_TOTALS, published.S1_ITEMS),
        "S3": (published.TABLE_5_16, published.S3_TOTALS, published.S3_ITEMS),
    }[scenario]
    row = 0 if weeks is None else min(weeks, 4)
    window = update_window(SCENARIOS[scenario], weeks)
    assert window.sum() == items[row]
    assert optimum(window, m) == (printed[row][m - 1], totals[row][m - 1])


@settings(max_examples=1000, deadline=None)
@given(st.lists(st.integers(0, 6), min_size=1, max_size=10), st.data())
def test_row_24_the_fast_optimum_is_the_exhaustive_one(counts: list[int], data: st.DataObject) -> None:
    m = data.draw(st.integers(1, len(counts)))
    assert optimum(counts, m) == exhaustive(counts, m)


def test_row_24_the_fast_optimum_is_the_exhaustive_one_on_whole_days() -> None:
    random = np.random.default_rng(24)
    for _ in range(20):
        counts = random.poisson(random.gamma(0.5, 4, 24))
        for m in (1, 2, 3):
            assert optimum(counts, m) == exhaustive(counts, m)


def test_row_25_edges_of_m() -> None:
    assert optimum(APRIL, 24) == (tuple(range(1, 25)), 0)
    assert optimum(published.MONTH_1, 1).points == (17,)


def test_row_26_empty_and_single_item_histograms_have_a_defined_answer() -> None:
    assert optimum(np.zeros(24), 3) == ((1, 2, 3), 0)
    single = np.zeros(24)
    single[11] = 1
    assert optimum(single, 1) == ((12,), 0)
    assert optimum(single, 2) == exhaustive(single, 2)
    assert choose_m(np.zeros(24), 1.0) == 1


def test_row_28_rs_learns_two_weeks_and_reports_its_residual() -> None:
    april = weekdays_of_april()
    two_weeks = april.between(dt.date(2010, 4, 1), dt.date(2010, 4, 14)).combined()
    assert retrieval_scheduling(two_weeks, 1).points == (8,)
    later = april.between(dt.date(2010, 4, 5), dt.date(2010, 4, 16)).combined()
    assert retrieval_scheduling(later, 1).points == (23,)
    for m in range(1, 9):
        assert len(retrieval_scheduling(two_weeks, m).points) == m
    nearest = min(combinations(range(1, 25), 2), key=lambda points: rs_residual(two_weeks, points))
    assert retrieval_scheduling(two_weeks, 2).points == nearest
    # By hand: τ = (1, 4) on the example: |3·3 - (3+2+1)| + |3·3 - (0+5+3)|.
    assert rs_residual(EXAMPLE, (1, 4)) == 3 + 1


def test_row_28_the_plan_of_rs_has_its_window_its_residual_and_its_falling_variant() -> None:
    april = weekdays_of_april().between(dt.date(2010, 4, 1), dt.date(2010, 4, 14)).combined()
    day = [hour for hour, count in enumerate(april) for _ in range(int(count))]
    old = [DAY * k + 3 * HOUR + n for k in range(30) for n in range(40)]
    new = [DAY * k + hour * HOUR + 60 for k in range(30, 44) for hour in day]
    trace = Trace("f", np.array(old + new, dtype=np.int64))
    (plan,) = plan_feed(trace, 1, method="rs")
    fortnight = np.bincount(day, minlength=24) * 14.0
    assert plan.points == retrieval_scheduling(fortnight, 1).points
    assert plan.rs_residual == pytest.approx(rs_residual(fortnight, plan.points), abs=1e-4)
    (falling,) = plan_feed(trace, 1, method="rs-falling")
    assert fortnight[falling.points[0] - 1] > fortnight[falling.points[0] % 24]
    assert falling.expected_delay_hours < plan.expected_delay_hours
    assert plan_feed(trace, 1, method="dorpm")[0].rs_residual is None


def test_row_29_rs_fails_where_hours_are_empty() -> None:
    counts = np.zeros(24)
    counts[[8, 9, 10]] = 5
    assert retrieval_scheduling(counts, 2).total >= 3 * optimum(counts, 2).total > 0


def test_row_30_even_spacing_on_a_flat_day_waits_half_a_gap() -> None:
    assert total_delay(np.ones(24), uniform(4)) / 24 == 2.5
    assert [total_delay(np.ones(24), uniform(m)) / 24 for m in (1, 2, 3, 6, 8)] == [11.5, 5.5, 3.5, 1.5, 1.0]


def case_of(learned: np.ndarray, tested: np.ndarray, publisher: str = "P") -> Case:
    """April teaches one day, May and June test another."""
    days = tuple(dt.date(2010, 4, 1) + dt.timedelta(days=k) for k in range(91))
    rows = [learned if day.month == 4 else tested for day in days]
    return Case(publisher, f"{publisher} feed", DailyCounts(days, np.array(rows, dtype=np.float64)))


def test_row_31_learned_on_the_first_month_tested_on_the_later_ones() -> None:
    morning, evening = np.zeros(24), np.zeros(24)
    morning[8], evening[20] = 3, 5
    learned, tested = split_months(case_of(morning, evening).counts)
    assert (len(learned.days), len(tested.days)) == (30, 61)
    trial = run_trial(case_of(morning, evening), 1, "dorpm")
    # The point is that of April, 09:00; posts of 21:00 wait twelve hours for it.
    assert (trial.delay, trial.items) == (61 * 5 * 12, 61 * 5)
    assert trial.delay / trial.items == 12
    assert run_trial(case_of(evening, evening), 1, "dorpm").delay == 0


def test_row_31_rs_learns_from_the_first_two_weeks_of_the_month() -> None:
    case = case_of(APRIL, APRIL)
    changed = case.counts.counts.copy()
    changed[14:30] = np.roll(APRIL, 7)
    other = Case("P", "P feed", DailyCounts(case.counts.days, changed))
    assert run_trial(case, 1, "rs") == run_trial(other, 1, "rs")
    assert run_trial(case, 1, "dorpm") != run_trial(other, 1, "dorpm")


def test_row_31_the_report_has_totals_items_and_means_per_feed_publisher_and_pooled() -> None:
    tables: dict[str, Any] = {
        table.title: table for section in run(Options(quick=True)).sections for table in section.tables
    }
    each = tables["E2 per feed (Tables 5.6-5.8)"]
    assert each.header[-3:] == ("D, hours", "N, items", "D/N")
    publishers = tables["E2 per publisher, hours per item (Tables 5.2-5.4)"]
    rows = [row for row in each.rows if row[0] == "BBC" and row[2] == 1 and row[3] == "dorpm"]
    assert len(rows) == 1
    pooled = sum(row[4] for row in rows) / sum(row[5] for row in rows)
    (bbc,) = [row for row in publishers.rows if row[:2] == ("BBC", 1)]
    assert bbc[3] == pytest.approx(pooled)
    headline = tables["E2: DORPM against Retrieval Scheduling, hours per item (Table 6.1)"]
    assert len(headline.rows) == 9
    everybody = [row for row in each.rows if row[2] == 1 and row[3] == "dorpm"]
    assert headline.rows[0][5] == pytest.approx(sum(r[4] for r in everybody) / sum(r[5] for r in everybody))
    # Row 33: the mean over m of the reductions above it, published 22 %.
    shown = [(1 - row[5] / row[2]) * 100 for row in headline.rows[:8]]
    assert headline.rows[8][-2:] == ("22 %", f"{sum(shown) / 8:.0f} %")


def test_row_32_pooling_is_weighted_by_items() -> None:
    totals = published.TABLE_5_2[0][2]
    pairs = list(zip(totals, published.TEST_ITEMS["BBC"], strict=True))
    assert sum(totals) == 112_675
    assert round(pooled_mean(pairs), 3) == 9.415


def test_row_33_improvement_report() -> None:
    rs = [row[0] for row in published.TABLE_6_1]
    ours = [row[1] for row in published.TABLE_6_1]
    reductions, mean = improvements(rs, ours)
    assert [round(reduction) for reduction in reductions] == [12, 21, 29, 16, 15, 20, 30, 35]
    assert round(mean) == published.TABLE_6_1_MEAN


def test_row_34_learning_period_sweep_finds_the_plateau() -> None:
    """Three sparse weeks at another hour, then the lasting habit: from the fourth week on the points are right."""
    days = tuple(dt.date(2010, 4, 1) + dt.timedelta(days=k) for k in range(84))
    rows = np.zeros((84, 24))
    rows[:21, 3], rows[21:, 15] = 2, 20
    sweep = learning_sweep(DailyCounts(days, rows), m=1)
    assert [weeks for weeks, _ in sweep.curve] == list(range(1, 9))
    assert [delay for _, delay in sweep.curve] == [12.0] * 3 + [0.0] * 5
    assert sweep.plateau == 4
    rows[21:28] = rows[0]
    assert learning_sweep(DailyCounts(days, rows), m=1).plateau == 5


def test_row_35_m_from_a_target_delay() -> None:
    assert [choose_m_by_table(target) for target in (3, 1, 10)] == [4, 8, 1]
    assert choose_m_by_table(0.9) is None
    own = choose_m(APRIL, 3.0)
    assert own is not None
    assert optimum(APRIL, own).total / 700 <= 3.0 < optimum(APRIL, own - 1).total / 700


@pytest.mark.parametrize("method", ["phasa", "dorpm", "rs", "uniform"])
def test_row_35_a_plan_for_a_target_keeps_what_it_prints(method: str) -> None:
    day = [hour for hour, count in enumerate(APRIL) for _ in range(int(count) // 4)]
    trace = Trace("f", np.array([DAY * k + h * HOUR + n for k in range(28) for n, h in enumerate(day)], dtype=np.int64))
    for plan in plan_feed(trace, None, method=method, target_hours=2.0):
        assert plan.expected_delay_hours <= 2.0
        fewer = plan_feed(trace, plan.per_day - 1, method=method)
        assert all(one.expected_delay_hours > 2.0 for one in fewer if one.cluster == plan.cluster)
    for target, polls in ((3.0, 4), (1.0, 8), (10.0, 1)):
        by_table = plan_feed(trace, None, method=method, target_hours=target, by_table=True)
        assert [plan.per_day for plan in by_table] == [polls]


def test_row_36_the_window_slides() -> None:
    assert learning_window(dt.date(2010, 5, 28)) == (dt.date(2010, 5, 1), dt.date(2010, 5, 28))
    weeks = [np.full(24, week) for week in range(1, 13)]
    for period in range(1, 9):
        assert update_window(weeks, period)[0] == sum(range(period + 1, period + 5))


def test_row_38_drift_scenarios_have_the_printed_sums() -> None:
    assert [int(week.sum()) for week in SCENARIOS["S1"]] == [189] * 4 + [206] * 8
    assert [int(week.sum()) for week in SCENARIOS["S2"]] == [189] * 4 + [73] * 8
    assert [int(week.sum()) for week in SCENARIOS["S3"]] == [189] * 4 + [206, 183, 185, 162] * 2


@pytest.mark.parametrize("m", range(1, 9))
@pytest.mark.parametrize("weeks", [None, *range(1, 9)])
def test_row_39_the_recomputed_table_of_s2(weeks: int | None, m: int) -> None:
    row = 0 if weeks is None else min(weeks, 4)
    window = update_window(SCENARIOS["S2"], weeks)
    assert window.sum() == published.S2_ITEMS[row]
    assert optimum(window, m) == (published.S2_POINTS[row][m - 1], published.S2_TOTALS[row][m - 1])


def test_row_40_mean_and_variance_of_each_hour() -> None:
    found = poisson_adequacy(weekdays_of_april())
    for hour, (mean, variance, error) in zip(found, published.E0, strict=True):
        assert (round(hour.mean, 3), round(hour.variance, 3)) == (mean, variance)
        assert round(hour.error_of_mean * 100, 1) == pytest.approx(error, abs=0.051)
    assert (round(found[10].mean, 3), round(found[10].variance, 3)) == (3.136, 5.209)


def test_row_41_the_rules_of_both_papers() -> None:
    days = days_of(((2, 0, 3, 1, 1, 0), (1, 0, 2, 2, 1, 1)), dt.date(2010, 4, 1))
    assert optimum(days.counts[0], 2).points == (1, 3)
    assert paper_rule(days, 2).points == (1, 4)
    assert paper_rule(days, 2, absolute=True).points == (1, 4)


@given(st.lists(st.lists(st.integers(0, 5), min_size=8, max_size=8), min_size=1, max_size=6), st.integers(1, 4))
def test_row_41_the_rules_of_both_papers_agree(days: list[list[int]], m: int) -> None:
    counts = days_of(tuple(tuple(day) for day in days), dt.date(2010, 4, 1))
    assert paper_rule(counts, m) == paper_rule(counts, m, absolute=True)


@pytest.mark.parametrize("bins", [6, 24, 48, 288])
def test_row_48_any_number_of_bins(bins: int) -> None:
    times = np.array([86400 * day + 3600 * hour for day in range(14) for hour in (2, 8, 9, 15)], dtype=np.int64)
    for plan in plan_feed(Trace("f", times), 2, bins=bins):
        assert plan.bins == bins
        assert len(plan.points) == 2


def test_row_47_figures_are_drawn_again(tmp_path: Path) -> None:
    """Hourly histograms, the learning curve, delay against m for both policies: the values, and that they are drawn."""
    april = case_of(APRIL, np.roll(APRIL, 1)).counts
    made = charts("a feed", april)
    weekday, weekend = made["histogram"].series
    assert weekday.y == april.of(Cluster.WEEKDAY).combined().tolist()
    assert weekend.y == april.of(Cluster.WEEKEND).combined().tolist()
    (learning,) = made["learning"].series
    assert learning.y == [delay for _, delay in learning_sweep(april, 4).curve]
    ours, theirs = made["delay"].series
    case = Case("", "a feed", april)
    for m in range(1, 9):
        for series, method in ((ours, "dorpm"), (theirs, "rs")):
            trial = run_trial(case, m, method)
            assert series.y[m - 1] == pytest.approx(trial.delay / trial.items)
    assert list(ours.y) != list(theirs.y)
    files = write_figures(tmp_path, "a feed", april)
    assert sorted(file.name for file in files) == ["feeds-delay.svg", "feeds-histogram.svg", "feeds-learning.svg"]
    for file, kind in ((file, file.stem.removeprefix("feeds-")) for file in files):
        assert file.read_text(encoding="utf-8") == draw(made[kind])
