"""The experiments of the thesis on feed polling, E0 to E4 (specification §7), printed table beside ours.

E0 and E4 are exactly reproducible from what the thesis prints. The raw data of E1 to E3 are gone; these run on feeds
drawn from its tables, or on traces that the user names (`cases`).
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from phasa.feeds.circle import optimum, total_delay
from phasa.feeds.rhythm import Cluster, DailyCounts, poisson_adequacy
from phasa.feeds.rules import TABLE_5_10, choose_m, choose_m_by_table
from phasa.lab.result import Cell, Result, Section, table_section
from phasa.papers.feed_scheduling import published
from phasa.papers.feed_scheduling.cases import Cases, cases_of
from phasa.papers.feed_scheduling.trials import Trial, improvements, mean_of, run_trial
from phasa.papers.options import Options

POLLS = tuple(range(1, 9))
Week = NDArray[np.int64]


def _weeks(first: Sequence[int], later: Sequence[Sequence[int]]) -> list[Week]:
    month = [np.array(first)] * 4
    return month + [np.array(week) for week in later] * (8 // len(later))


# Items per hour in each of twelve weeks: one month alike, then a small, a large, and a frequent change (§6.5).
SCENARIOS: dict[str, list[Week]] = {
    "S1": _weeks(published.MONTH_1, [published.S1_LATER]),
    "S2": _weeks(published.MONTH_1, [published.S2_LATER]),
    "S3": _weeks(published.MONTH_1, published.S3_LATER),
}


def update_window(weeks: Sequence[Week], period: int | None) -> Week:
    """The four weeks learned at the first update after `period` weeks: weeks p+1..p+4; the first month without one."""
    first = period or 0
    window: Week = np.sum(weeks[first : first + 4], axis=0)
    return window


class Sweep(NamedTuple):
    """Mean delay on the remaining days after learning 1, 2, … weeks, and the weeks after which it stops falling."""

    curve: list[tuple[int, float]]
    plateau: int


def learning_sweep(counts: DailyCounts, m: int, most: int = 8, tolerance: float = 0.01) -> Sweep:
    """E1 (§5.11): learn the first L weeks, test on what follows the longest period: the same days for all."""
    tested = counts.between(counts.days[0] + dt.timedelta(weeks=most), counts.days[-1]).combined()
    curve = []
    for weeks in range(1, most + 1):
        learned = counts.between(counts.days[0], counts.days[0] + dt.timedelta(days=7 * weeks - 1)).combined()
        curve.append((weeks, total_delay(tested, optimum(learned, m).points) / max(1.0, tested.sum())))
    best = min(delay for _, delay in curve)
    plateau = next(weeks for weeks, delay in curve if delay <= best * (1 + tolerance))
    return Sweep(curve, plateau)


def run(options: Options) -> Result:
    """Every experiment: E0 and E4 from what the thesis prints, E1 to E3 on traces or on feeds drawn anew."""
    chosen = cases_of(options)
    if options.quick:
        # Every fifth feed: one of each publisher of the thesis.
        chosen = Cases(chosen.source, chosen.cases[::5])
    trials = [
        run_trial(case, m, method) for m in POLLS for method in ("rs", "rs-falling", "dorpm") for case in chosen.cases
    ]
    sections = [
        _adequacy(), _own_adequacy(chosen), _learning(chosen), *_against_rs(chosen, trials), _by_polls(chosen, trials),
        _wanted(chosen), *(_updates(name) for name in SCENARIOS),
    ]  # fmt: skip
    return Result("feeds", "E0–E4 of specs/feed-retrieval-scheduling.md", "", sections)


def _adequacy() -> Section:
    running = np.array(published.TABLE_4_4, dtype=np.float64)
    each = DailyCounts((dt.date(2010, 4, 1),) * len(running), np.diff(running, axis=0, prepend=np.zeros((1, 24))))
    rows: list[tuple[Cell, ...]] = []
    for hour, (ours, printed) in enumerate(zip(poisson_adequacy(each), published.E0, strict=True), start=1):
        rows.append((hour, printed[0], ours.mean, printed[1], ours.variance, printed[2], 100 * ours.error_of_mean))
    columns = ("hour", "μ published", "μ", "σ² published", "σ²", "error % published", "error %")
    return table_section("E0: is a Poisson model adequate? BBC Business, 22 weekdays", columns, rows)


def _own_adequacy(chosen: Cases) -> Section:
    """E0 on the feeds of this run: over the hours of a day, how far mean and variance differ."""
    rows: list[tuple[Cell, ...]] = []
    for case in chosen.cases:
        weekdays = case.counts.of(Cluster.WEEKDAY)
        hours = [hour for hour in poisson_adequacy(weekdays) if hour.mean > 0]
        errors = [100 * hour.error_of_mean for hour in hours]
        above = sum(hour.variance > hour.mean for hour in hours)
        rows.append((case.publisher, case.feed, len(weekdays.days), float(np.median(errors)), max(errors), above))
    columns = ("publisher", "feed", "weekdays", "error %, median hour", "error %, worst hour", "hours with σ² > μ")
    return table_section(f"E0 on {chosen.source}", columns, rows)


def _learning(chosen: Cases) -> Section:
    rows: list[tuple[Cell, ...]] = []
    for case in chosen.cases:
        sweep = learning_sweep(case.counts, m=4)
        rows.append((case.feed, sweep.plateau, *(delay for _, delay in sweep.curve)))
    columns = ("feed", "plateau", *(f"{weeks} wk" for weeks in range(1, 9)))
    note = (
        f"The thesis found a plateau at 4 weeks; its curve is lost. Here: {chosen.source}, mean rounded delay in hours."
    )
    return table_section("E1: how long to learn (m = 4)", columns, rows, note)


def _against_rs(chosen: Cases, trials: list[Trial]) -> list[Section]:
    """E2: one month learned (RS two weeks), the later ones tested; headline, publishers, every feed."""

    def mean(m: int, method: str, publisher: str = "") -> float:
        return mean_of(t for t in trials if (t.m, t.method) == (m, method) and publisher in ("", t.publisher))

    rs, ours = [mean(m, "rs") for m in POLLS], [mean(m, "dorpm") for m in POLLS]
    falling = [mean(m, "rs-falling") for m in POLLS]
    reductions, headline = improvements(rs, ours)
    rows: list[tuple[Cell, ...]] = [
        (m, was_rs, rs[m - 1], falling[m - 1], was_dorpm, ours[m - 1], f"{was} %", f"{reductions[m - 1]:.0f} %")
        for m, (was_rs, was_dorpm, was) in enumerate(published.TABLE_6_1, start=1)
    ]
    rows.append(("mean over m", "", "", "", "", "", f"{published.TABLE_6_1_MEAN} %", f"{headline:.0f} %"))
    columns = (
        "m", "RS published", "RS here", "RS, falling rate only", "DORPM published", "DORPM here", "reduction published",
        "reduction here",
    )  # fmt: skip
    note = f"Published: 15 feeds of 2010, whose data are gone. Here: {chosen.source}; the first month learned (RS: its"
    note += " first two weeks), all later days tested."
    publishers = dict.fromkeys(case.publisher for case in chosen.cases)
    pooled: list[tuple[Cell, ...]] = [
        (name, m, mean(m, "rs", name), mean(m, "dorpm", name)) for name in publishers for m in POLLS
    ]
    each: list[tuple[Cell, ...]] = [
        (t.publisher, t.feed, t.m, t.method, t.delay, int(t.items), t.delay / max(1.0, t.items))
        for t in trials
        if t.method != "rs-falling"
    ]
    return [
        table_section("E2: DORPM against Retrieval Scheduling, hours per item (Table 6.1)", columns, rows, note),
        table_section("E2 per publisher, hours per item (Tables 5.2-5.4)", ("publisher", "m", "RS", "DORPM"), pooled),
        table_section(
            "E2 per feed (Tables 5.6-5.8)",
            ("publisher", "feed", "m", "method", "D, hours", "N, items", "D/N"),
            each,
        ),
    ]


def _by_polls(chosen: Cases, trials: list[Trial]) -> Section:
    """E3: mean delay of DORPM against m."""
    rows: list[tuple[Cell, ...]] = []
    for m in POLLS:
        means = {t.feed: t.delay / max(1.0, t.items) for t in trials if (t.m, t.method) == (m, "dorpm")}
        rows.append((m, *means.values()))
    names = tuple(case.feed for case in chosen.cases)
    return table_section("E3: mean delay by number of polls, hours per item (Tables 5.6-5.9)", ("m", *names), rows)


def _wanted(chosen: Cases) -> Section:
    """The polls that a wanted delay needs: by the table of the thesis, and asked of each feed itself (§5.10)."""
    rows: list[tuple[Cell, ...]] = []
    for target in TABLE_5_10:
        own = [choose_m(case.counts.combined(), target) for case in chosen.cases]
        rows.append((target, choose_m_by_table(target) or "none", *(m or "none" for m in own)))
    note = "The table holds for the worst of 15 feeds of 2010, so most feeds need fewer polls than it says."
    names = tuple(case.feed for case in chosen.cases)
    return table_section(
        "E3: polls a day for a wanted delay in hours (Table 5.10)", ("delay", "table", *names), rows, note
    )


def _updates(name: str) -> Section:
    """E4: the points after each update period, printed beside ours."""
    printed, table = {
        "S1": (published.TABLE_5_14, "5.14"),
        "S2": (published.TABLE_5_15, "5.15"),
        "S3": (published.TABLE_5_16, "5.16"),
    }[name]
    rows: list[tuple[Cell, ...]] = []
    for weeks in (None, *range(1, 9)):
        window = update_window(SCENARIOS[name], weeks)
        for m in range(1, 9):
            found = optimum(window, m)
            theirs = printed[0 if weeks is None else min(weeks, 4)][m - 1]
            same = "same" if theirs == found.points else f"theirs {total_delay(window, theirs) - found.total:+.0f} h"
            rows.append((weeks or "none", m, _spaced(theirs), _spaced(found.points), int(found.total), same))
    columns = ("update, weeks", "m", "published", "here", "total delay", "")
    notes = ["Table 5.15 is not optimal for its own printed input in 13 cells (specification §9.2, row 17)."]
    return table_section(
        f"E4, {name} (Table {table}): points by update period", columns, rows, *(notes if name == "S2" else [])
    )


def _spaced(points: Sequence[int]) -> str:
    return " ".join(map(str, points))
