"""A plan: the moments of a day at which to poll a feed, per day cluster, and what delay to expect (spec §3.3, 5.8)."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping

import msgspec
import numpy as np

from phasa.errors import InputError
from phasa.feeds.circle import Optimum, optimum, total_delay
from phasa.feeds.rhythm import DAY, HOUR, MONDAY, WEEK, Cluster, Counts, DailyCounts, daily_counts
from phasa.feeds.rules import choose_m, exhaustive, paper_rule, retrieval_scheduling, uniform
from phasa.feeds.shape import learn_shape
from phasa.feeds.trace import Trace

METHODS = ("phasa", "dorpm", "exhaustive", "rs", "uniform", "ncsec", "icacc")
RS_DAYS = 14


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
) -> list[Plan]:  # fmt: skip
    """One plan per day cluster of the feed. `target_hours` chooses the polls; `days`: learn the last ones only.

    Raises InputError for an unknown method, or when neither a number of polls nor a target is given.
    """
    if method not in METHODS:
        raise InputError(f"unknown method '{method}'; choose from {', '.join(METHODS)}")
    if (per_day is None) == (target_hours is None):
        raise InputError("give either the polls per day or a target delay")
    counts = daily_counts(trace.times.tolist(), bins, zone)
    if days is not None and counts.days:
        counts = counts.between(counts.days[-1] - dt.timedelta(days=days - 1), counts.days[-1])
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
    if method == "exhaustive":
        return exhaustive(believed, m)
    if method == "rs":
        recent = days.between(days.days[0], days.days[0] + dt.timedelta(days=RS_DAYS - 1)) if days.days else days
        return retrieval_scheduling(recent.combined(), m)
    if method == "uniform":
        return Optimum(uniform(m, days.bins), 0.0)
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
    """Seconds of a day as a time of the day."""
    return f"{seconds // HOUR:02d}:{seconds % HOUR // 60:02d}"


def next_moment(points: Mapping[Cluster, tuple[int, ...]], now: float, bins: int, zone: dt.tzinfo = dt.UTC) -> float:
    """The first polling moment after `now` when each day follows the points of its own cluster (§5.13).

    The last point of a day is midnight and closes that day: Friday's 24 is Friday's, though the clock says Saturday.
    Raises InputError when no day of the week has a point.
    """
    local = dt.datetime.fromtimestamp(now, zone)
    today = dt.datetime(local.year, local.month, local.day, tzinfo=zone)
    for ahead in range(-1, 9):
        day = today + dt.timedelta(days=ahead)
        for cluster in (Cluster.ALL, Cluster.WEEKEND if day.weekday() >= 5 else Cluster.WEEKDAY):
            for point in points.get(cluster, ()):
                moment = (day + dt.timedelta(seconds=point * DAY // bins)).timestamp()
                if moment > now:
                    return moment
    raise InputError("a plan without points never polls; give at least one")
