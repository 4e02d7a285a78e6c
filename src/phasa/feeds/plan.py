"""A plan: the moments of a day at which to poll a feed, per day cluster, and what delay to expect (spec §3.3, 5.8)."""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection

import msgspec
import numpy as np

from phasa.errors import InputError
from phasa.feeds.circle import Optimum, optimum, total_delay
from phasa.feeds.rhythm import (
    DAY,
    HOUR,
    LEARN_DAYS,
    MONDAY,
    WEEK,
    Cluster,
    Counts,
    DailyCounts,
    daily_counts,
    learning_window,
)
from phasa.feeds.rows import PlanPoints
from phasa.feeds.rules import choose_m, choose_m_by_table, paper_rule, place_polls, rs_residual
from phasa.feeds.shape import learn_shape
from phasa.feeds.trace import Times, Trace

METHODS = ("phasa", "dorpm", "exhaustive", "rs", "rs-falling", "uniform", "ncsec", "icacc")
RS_DAYS = 14
# Days before the last that each published method learns from (spec §10); the others learn from all there are.
WINDOWS = {"dorpm": LEARN_DAYS, "exhaustive": LEARN_DAYS, "rs": RS_DAYS, "rs-falling": RS_DAYS}
# The plan that a feed's page shows under `phasa` is made from the posts of the last twelve weeks.
PLAN_DAYS = 3 * LEARN_DAYS
# Points of a day are whole hours; more polls than hours need finer bins.
HOURS, FINE_BINS = 24, 288


class Plan(msgspec.Struct, frozen=True):
    """Poll a feed at these points of each day of the cluster. Points are bins 1..bins; the last is midnight."""

    feed: str
    cluster: str
    per_day: int
    method: str
    bins: int
    points: tuple[int, ...]
    times: tuple[str, ...]
    posts: int
    expected_delay_hours: float
    rounded_delay_hours: float
    next_poll_saves_hours: float
    learned_from: str
    learned_to: str
    rs_residual: float | None = None
    """How far the points of RS are from its condition, in posts (spec §2.3)."""


def plan_feed(
    trace: Trace, per_day: int | None, *, method: str = "phasa", bins: int = 24, zone: dt.tzinfo = dt.UTC,
    target_hours: float | None = None, spacing: int = 1, split_days: bool = True, days: int | None = None,
    damaged: Collection[dt.date] = (), by_table: bool = False,
) -> list[Plan]:  # fmt: skip
    """One plan per day cluster of the feed. `target_hours` chooses the polls, by what the feed itself shows or by the
    table of the thesis.

    `days`: learn from the last ones only; by default as many as the method's author took (`WINDOWS`). `damaged`: days
    whose posts may be incomplete; they teach nothing.

    Raises InputError for an unknown method, or when neither a number of polls nor a target is given.
    """
    if method not in METHODS:
        raise InputError(f"unknown method '{method}'; choose from {', '.join(METHODS)}")
    if (per_day is None) == (target_hours is None):
        raise InputError("give either the polls per day or a target delay")
    trace = _without(trace, damaged, zone)
    counts = daily_counts(trace.times.tolist(), bins, zone).without(damaged)
    window = days if days is not None else WINDOWS.get(method)
    if window is not None and counts.days:
        counts = counts.between(*learning_window(counts.days[-1], window))
    result = []
    for cluster in counts.clusters() if split_days else (Cluster.ALL,):
        chosen = counts.of(cluster)
        learned = chosen.combined()
        believed = believed_hours(trace, bins, zone, cluster) * learned.sum() if method == "phasa" else learned
        m = (
            per_day
            if per_day is not None
            else _fewest(trace.feed, method, chosen, believed, target_hours or 0.0, by_table)
        )
        points = place_points(method, chosen, believed, m, spacing)
        result.append(_plan(trace.feed, cluster, method, m, points, chosen, believed))
    return result


def _fewest(feed: str, method: str, days: DailyCounts, believed: Counts, target_hours: float, by_table: bool) -> int:
    """The fewest polls whose expected delay, as the plan will print it, is at most the target; or those of the table
    that the thesis made of its feeds (spec §5.10)."""
    # Posts spread over their bin wait half of it longer than the rounded delay says.
    target, posts = target_hours * days.bins / 24 - 0.5, max(1.0, float(believed.sum()))
    if by_table:
        m = choose_m_by_table(target_hours)
    elif method in ("phasa", "dorpm"):
        m = choose_m(believed, target)
    else:
        each = ((m, place_points(method, days, believed, m).points) for m in range(1, days.bins + 1))
        m = next((m for m, points in each if total_delay(believed, points) / posts <= target), None)
    if m is None:
        hint = "the table ends at 1 h" if by_table else "use more bins"
        raise InputError(f"{feed}: no number of polls reaches {target_hours:g} h; {hint}")
    return m


def _without(trace: Trace, damaged: Collection[dt.date], zone: dt.tzinfo) -> Trace:
    kept = [at for at in trace.times.tolist() if dt.datetime.fromtimestamp(at, zone).date() not in damaged]
    return Trace(trace.feed, np.array(kept, dtype=np.int64)) if damaged else trace


def believed_hours(trace: Trace, bins: int, zone: dt.tzinfo, cluster: Cluster) -> Counts:
    """The share of a day's posts in each bin, as `shape` believes it after smoothing; bins in the given zone."""
    shape = learn_shape(trace.times)
    moments = MONDAY + np.arange(len(shape.rates)) * (WEEK // len(shape.rates))
    last = int(trace.times[-1]) if len(trace.times) else 0
    offset = dt.datetime.fromtimestamp(last, zone).utcoffset() or dt.timedelta()
    local = (moments - MONDAY + round(offset.total_seconds())) % WEEK
    weekend = local >= 5 * DAY
    kept = np.ones(len(local), dtype=bool) if cluster is Cluster.ALL else weekend == (cluster is Cluster.WEEKEND)
    share = np.bincount(local[kept] % DAY * bins // DAY, weights=shape.rates[kept], minlength=bins)
    return np.asarray(share / share.sum(), dtype=np.float64)


def place_points(method: str, days: DailyCounts, believed: Counts, m: int, spacing: int = 1) -> Optimum:
    """m points for days of one cluster by a method; `believed`: the histogram that it is to serve."""
    if method in ("exhaustive", "uniform", "rs", "rs-falling"):
        return place_polls(method, believed, m)
    if method in ("ncsec", "icacc"):
        return paper_rule(days, m, absolute=method == "ncsec")
    return optimum(believed, m, spacing)


def _plan(
    feed: str, cluster: Cluster, method: str, m: int, chosen: Optimum, days: DailyCounts,
    believed: Counts,
) -> Plan:  # fmt: skip
    posts = float(believed.sum())
    hours = 24.0 / days.bins
    rounded = total_delay(believed, chosen.points) / posts * hours if posts else 0.0
    better = optimum(believed, m + 1).total / posts * hours if posts and m < days.bins else rounded
    return Plan(
        feed=feed, cluster=cluster.value, per_day=m, method=method, bins=days.bins, points=chosen.points,
        times=tuple(clock(point * DAY // days.bins) for point in chosen.points),
        posts=int(days.combined().sum()),
        # Posts spread over their bin wait half of it longer than the rounded delay says.
        expected_delay_hours=round(rounded + hours / 2, 4), rounded_delay_hours=round(rounded, 4),
        next_poll_saves_hours=round(max(0.0, rounded - better), 4),
        learned_from=str(days.days[0]) if days.days else "", learned_to=str(days.days[-1]) if days.days else "",
        rs_residual=round(rs_residual(believed, chosen.points), 4) if method.startswith("rs") else None,
    )  # fmt: skip


def clock(seconds: int) -> str:
    """Seconds of a day as a time of day."""
    return f"{seconds // HOUR:02d}:{seconds % HOUR // 60:02d}"


def learn_points(
    method: str, times: Times, per_day: int, now: float, days: int, zone: dt.tzinfo, damaged: Collection[dt.date]
) -> list[PlanPoints]:
    """What a published method learns at `now` from the `days` before today (§5.12), per day cluster.

    Days without a post count, damaged ones do not; nothing when no post is left.
    """
    first, last = learning_window(dt.datetime.fromtimestamp(now, zone).date() - dt.timedelta(days=1), days)
    bins = HOURS if per_day <= HOURS else FINE_BINS
    counts = daily_counts(times.tolist(), bins, zone, first, last).without(damaged)
    if counts.counts.sum() == 0:
        return []
    learned = []
    for cluster in counts.clusters():
        chosen = counts.of(cluster)
        points = place_points(method, chosen, chosen.combined(), per_day)
        plan = _plan("", cluster, method, per_day, points, chosen, chosen.combined())
        learned.append(PlanPoints(plan.cluster, plan.points, plan.expected_delay_hours, method, bins))
    return learned


def plan_points(name: str, times: Times, per_day: float, now: float, damaged: Collection[dt.date]) -> list[PlanPoints]:
    """The day of a feed under `phasa` that gets about so many polls, from the last twelve weeks; none without posts."""
    recent = times[times >= now - PLAN_DAYS * DAY]
    if len(recent) == 0:
        return []
    m = int(np.clip(round(per_day), 1, 24))
    days = {dt.datetime.fromtimestamp(at, dt.UTC).date() for at in recent.tolist()}
    # A feed that fails every day has no better days to learn from.
    plans = plan_feed(Trace(name, recent), m, damaged=damaged if days.difference(damaged) else ())
    return [PlanPoints(plan.cluster, plan.points, plan.expected_delay_hours, "phasa") for plan in plans]
