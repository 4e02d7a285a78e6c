"""A plan: the moments of a day at which to poll a feed, per day cluster, and what delay to expect (spec §3.3, 5.8)."""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Sequence

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
from phasa.feeds.rules import choose_m, paper_rule, place_polls
from phasa.feeds.shape import learn_shape
from phasa.feeds.trace import Times, Trace

METHODS = ("phasa", "dorpm", "exhaustive", "rs", "uniform", "ncsec", "icacc")
RS_DAYS = 14
# A plan is made from the posts of the last twelve weeks.
PLAN_DAYS = 3 * LEARN_DAYS


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


def plan_feed(
    trace: Trace, per_day: int | None, *, method: str = "phasa", bins: int = 24, zone: dt.tzinfo = dt.UTC,
    target_hours: float | None = None, spacing: int = 1, split_days: bool = True, days: int | None = None,
    damaged: Collection[dt.date] = (),
) -> list[Plan]:  # fmt: skip
    """One plan per day cluster of the feed. `target_hours` chooses the polls; `days`: learn the last ones only.

    `damaged`: days whose posts may be incomplete; they teach nothing.

    Raises InputError for an unknown method, or when neither a number of polls nor a target is given.
    """
    if method not in METHODS:
        raise InputError(f"unknown method '{method}'; choose from {', '.join(METHODS)}")
    if (per_day is None) == (target_hours is None):
        raise InputError("give either the polls per day or a target delay")
    trace = _without(trace, damaged, zone)
    counts = daily_counts(trace.times.tolist(), bins, zone).without(damaged)
    if days is not None and counts.days:
        counts = counts.between(*learning_window(counts.days[-1], days))
    result = []
    for cluster in counts.clusters() if split_days else (Cluster.ALL,):
        chosen = counts.of(cluster)
        learned = chosen.combined()
        believed = believed_hours(trace, bins, zone, cluster) * learned.sum() if method == "phasa" else learned
        m = per_day if per_day is not None else choose_m(believed, (target_hours or 0.0) * bins / 24)
        if m is None:
            raise InputError(f"{trace.feed}: no number of polls reaches {target_hours} h; use more bins")
        points = _points(method, chosen, believed, m, spacing)
        result.append(_plan(trace.feed, cluster, method, m, points, chosen, believed))
    return result


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


def _points(method: str, days: DailyCounts, believed: Counts, m: int, spacing: int) -> Optimum:
    if method == "rs":
        recent = days.between(days.days[0], days.days[0] + dt.timedelta(days=RS_DAYS - 1)) if days.days else days
        return place_polls("rs", recent.combined(), m)
    if method in ("exhaustive", "uniform"):
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
    )  # fmt: skip


def clock(seconds: int) -> str:
    """Seconds of a day as a time of day."""
    return f"{seconds // HOUR:02d}:{seconds % HOUR // 60:02d}"


def week_points(weekday: Sequence[int], weekend: Sequence[int], bins: int) -> list[int]:
    """The points of a week from Monday on, when each day follows the points of its own cluster (§5.13).

    The last point of a day is midnight and closes that day: Friday's 24 is Friday's, though the clock says Saturday.
    """
    days = [weekday] * 5 + [weekend] * 2
    return [day * bins + point for day, points in enumerate(days) for point in points]


def plan_points(name: str, times: Times, per_day: float, now: float, damaged: Collection[dt.date]) -> list[PlanPoints]:
    """The plan of a feed that gets about so many polls a day, from the last twelve weeks; none without posts."""
    recent = times[times >= now - PLAN_DAYS * DAY]
    if len(recent) == 0:
        return []
    m = int(np.clip(round(per_day), 1, 24))
    days = {dt.datetime.fromtimestamp(at, dt.UTC).date() for at in recent.tolist()}
    # A feed that fails every day has no better days to learn from.
    plans = plan_feed(Trace(name, recent), m, damaged=damaged if days.difference(damaged) else ())
    return [PlanPoints(plan.cluster, plan.points, plan.expected_delay_hours) for plan in plans]
