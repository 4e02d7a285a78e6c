"""The published policies as they run: points of the day per day cluster, learned, stored, followed, learned again.

A feed is polled at even gaps while its first window is collected (spec §3.3), then at the points of its stored plan on
every day of their cluster (§5.13); DORPM learns a new version from the last four weeks every four weeks and keeps the
old ones (§5.12), RS learns once from two (§5.14). Days on which polls failed teach nothing.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from phasa.feeds.plan import learn_points
from phasa.feeds.policy import Decision, Kind, Reason, Rules, Terms
from phasa.feeds.rhythm import DAY, HOUR, WEEK, Cluster
from phasa.feeds.rows import PlanPoints, PlanVersion
from phasa.feeds.trace import Times

FIRST_PLAN, RENEWED = "first plan", "four weeks have passed"


class PlanBook(Protocol):
    """Where plans are kept, newest first; `store.FeedStore` is one."""

    def plans(self, number: int) -> list[PlanVersion]: ...

    def keep_plans(self, number: int, made: float, plans: Sequence[PlanPoints], why: str = "") -> int: ...

    def bad_days(self, number: int) -> set[dt.date]: ...


@dataclass
class PlanMemory:
    """Plans of a replay: kept as long as it runs. `bad`: days that teach nothing, of every feed."""

    versions: dict[int, list[PlanVersion]] = field(default_factory=dict)
    bad: Collection[dt.date] = ()

    def plans(self, number: int) -> list[PlanVersion]:
        return self.versions.get(number, [])

    def keep_plans(self, number: int, made: float, plans: Sequence[PlanPoints], why: str = "") -> int:
        version = 1 + max((plan.version for plan in self.plans(number)), default=0)
        kept = [PlanVersion(version, p.cluster, made, p.points, p.expected_delay, why, p.rule, p.bins) for p in plans]
        self.versions[number] = [*kept, *self.plans(number)]
        return version

    def bad_days(self, number: int) -> set[dt.date]:
        return set(self.bad)


class Timetable:
    """One feed under DORPM or RS with `per_day` points on each day."""

    def __init__(
        self, feed: int, kind: Kind, per_day: int, rules: Rules, terms: Terms, book: PlanBook, times: Times,
        watched_since: float,
    ) -> None:  # fmt: skip
        self.per_day = per_day
        self._feed, self._kind, self._rules, self._terms, self._book = feed, kind, rules, terms, book
        self._days = rules.rs_days if kind is Kind.RS else rules.learn_days
        self._known: list[int] = times.tolist()
        self._watched_since = watched_since
        self._plan = _newest(book.plans(feed), kind, per_day)
        self._alarmed = 0.0

    def alarm(self, now: float) -> None:
        """Posts may have been lost: poll at the gaps of the first weeks again, for a week."""
        self._alarmed = now

    def observe(self, now: float, posts: Times) -> None:
        self._known += posts.tolist()

    def decide(self, now: float) -> Decision:
        """The next point of the plan; while there is no plan, an even gap later."""
        if self._is_due(now):
            self._learn(now)
        window = self._rules.learn_days * DAY
        recent = sum(at > now - window for at in self._known)
        activity = recent / window
        gap = DAY / self.per_day
        worth = 0.5 * gap * gap * activity
        if not self._plan:
            gap = self._terms.bootstrap or self._rules.bootstrap
            return Decision(now + gap, worth, gap, activity, Reason.LEARNING)
        at = next_moment(self._plan, now, self._terms.zone)
        dense = now + (self._terms.bootstrap or self._rules.bootstrap)
        if now - self._alarmed < WEEK and dense < at:
            return Decision(dense, worth, gap, activity, Reason.WINDOW)
        return Decision(at, worth, gap, activity, Reason.POINT)

    def expected_delay(self, until: float, gap: float) -> float:
        """What the plan promises on the day of the poll, in seconds."""
        cluster = _cluster_of(self._plan, dt.datetime.fromtimestamp(until - 1, self._terms.zone).date())
        return cluster.expected_delay * HOUR if cluster else gap / 2.0

    def _is_due(self, now: float) -> bool:
        if self._plan:
            return self._kind is Kind.DORPM and now - self._plan[0].made >= self._rules.update_days * DAY
        return now - self._watched_since >= self._days * DAY

    def _learn(self, now: float) -> None:
        """A new version from the window that ends with yesterday. A window without posts teaches nothing."""
        self._known = [at for at in self._known if at > now - (self._days + 1) * DAY]
        times = np.array(sorted(self._known), dtype=np.int64)
        bad = self._book.bad_days(self._feed)
        points = learn_points(self._kind, times, self.per_day, now, self._days, self._terms.zone, bad)
        if points:
            self._book.keep_plans(self._feed, now, points, RENEWED if self._plan else FIRST_PLAN)
            self._plan = _newest(self._book.plans(self._feed), self._kind, self.per_day)
        elif self._plan:
            self._plan = [_still(plan, now) for plan in self._plan]


def _still(plan: PlanVersion, now: float) -> PlanVersion:
    """The plan, asked again in four weeks."""
    return PlanVersion(
        plan.version, plan.cluster, now, plan.points, plan.expected_delay, plan.why, plan.rule, plan.bins
    )


def _newest(plans: Sequence[PlanVersion], kind: Kind, per_day: int) -> list[PlanVersion]:
    """The newest version, one plan per cluster, if it was made by this policy for as many polls."""
    newest = [plan for plan in plans if plan.version == plans[0].version]
    fits = all(plan.rule == kind and len(plan.points) == per_day for plan in newest)
    return newest if fits else []


def _cluster_of(plans: Sequence[PlanVersion], day: dt.date) -> PlanVersion | None:
    return next((plan for plan in plans if Cluster(plan.cluster).holds(day)), None)


def next_moment(plans: Sequence[PlanVersion], now: float, zone: dt.tzinfo) -> float:
    """The first point after `now` (§5.13). A day's points are those of its cluster; its last bin ends at midnight,
    which belongs to the day just ended, though the calendar shows the next."""
    today = dt.datetime.fromtimestamp(now, zone).date()
    for ahead in range(-1, 9):
        day = today + dt.timedelta(days=ahead)
        plan = _cluster_of(plans, day)
        for point in plan.points if plan else ():
            minutes = point * 1440 // plan.bins if plan else 0
            wall = dt.datetime.combine(day, dt.time(), zone) + dt.timedelta(minutes=minutes)
            if (at := wall.timestamp()) > now:
                return at
    return now + DAY


@dataclass
class EvenGaps:
    """One feed polled at even gaps from the moment it joined."""

    per_day: float
    since: float
    known: list[int] = field(default_factory=list)

    def observe(self, now: float, posts: Times) -> None:
        self.known = [at for at in self.known if at > now - 28 * DAY] + posts.tolist()

    def decide(self, now: float) -> Decision:
        gap = DAY / self.per_day
        activity = len(self.known) / (28.0 * DAY)
        at = self.since + gap * (1 + (now - self.since) // gap)
        return Decision(at, 0.5 * gap * gap * activity, gap, activity, Reason.EVEN)

    def expected_delay(self, until: float, gap: float) -> float:
        return gap / 2.0
