"""When a feed posts: counts per bin of a day or a week, day clusters, learning windows (spec §5.3, 5.4, 5.6, 5.12)."""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from enum import Enum, StrEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from phasa.errors import InputError

HOUR, DAY, WEEK = 3600, 86400, 7 * 86400
# The first Monday after the epoch: weeks are counted from it.
MONDAY = 4 * DAY
# Weekend volume below this share of the weekday volume makes two clusters (spec §5.4, any value in (0.34, 0.56)).
SPLIT_BELOW = 0.45
LEARN_DAYS = 28
# What was learned is checked once a day, against the last fortnight.
CHECK_EVERY, RECENT = DAY, 14 * DAY
# The chance of a false alarm per check: about one in three years. With fewer posts the test says nothing.
SURE, FEWEST = 0.001, 30

Counts = NDArray[np.float64]


class Cluster(Enum):
    """Days that share one schedule."""

    ALL = "all"
    WEEKDAY = "weekday"
    WEEKEND = "weekend"

    def holds(self, day: dt.date) -> bool:
        return self is Cluster.ALL or (self is Cluster.WEEKEND) == (day.weekday() >= 5)


class HourStamp(NamedTuple):
    """A posting time as the thesis stores it (Fig. 4.8), with the year kept."""

    year: int
    month: int
    day: int
    bin: int

    @property
    def date(self) -> dt.date:
        return dt.date(self.year, self.month, self.day)


def stamp(moment: float, zone: dt.tzinfo = dt.UTC, bins: int = 24) -> HourStamp:
    """Date and bin 1..bins of a Unix time in a zone. Minutes round up; hours are half-open, so 10:00:00 is bin 11."""
    local = dt.datetime.fromtimestamp(moment, zone)
    seconds = local.hour * HOUR + local.minute * 60 + local.second
    return HourStamp(local.year, local.month, local.day, seconds * bins // DAY + 1)


@dataclass(frozen=True)
class DailyCounts:
    """η_i(ℓ): posts per day ℓ and bin i. Row ℓ belongs to days[ℓ]."""

    days: tuple[dt.date, ...]
    counts: Counts

    @property
    def bins(self) -> int:
        return int(self.counts.shape[1])

    def without(self, bad: Collection[dt.date]) -> DailyCounts:
        """The same without days known to be damaged: an outage loses posts, so they neither teach nor test."""
        return self._where([day not in bad for day in self.days])

    def of(self, cluster: Cluster) -> DailyCounts:
        return self._where([cluster.holds(day) for day in self.days])

    def between(self, first: dt.date, last: dt.date) -> DailyCounts:
        """The days from first to last, both included."""
        return self._where([first <= day <= last for day in self.days])

    def combined(self) -> Counts:
        """Data_Combination (Fig. 4.14): η_i = Σ_ℓ η_i(ℓ). Theorem 2 makes these B numbers enough."""
        total: Counts = self.counts.sum(axis=0)
        return total

    def clusters(self, split_below: float = SPLIT_BELOW) -> tuple[Cluster, ...]:
        """Weekday and weekend apart when weekends carry clearly less, else all days together."""
        daily = self.counts.sum(axis=1)
        weekend = np.array([day.weekday() >= 5 for day in self.days], dtype=bool)
        if not weekend.any() or weekend.all() or daily[~weekend].mean() == 0:
            return (Cluster.ALL,)
        ratio = daily[weekend].mean() / daily[~weekend].mean()
        return (Cluster.WEEKDAY, Cluster.WEEKEND) if ratio < split_below else (Cluster.ALL,)

    def _where(self, keep: Sequence[bool]) -> DailyCounts:
        mask = np.array(keep, dtype=bool)
        return DailyCounts(tuple(day for day, kept in zip(self.days, keep, strict=True) if kept), self.counts[mask])


def daily_counts(
    times: Iterable[float], bins: int = 24, zone: dt.tzinfo = dt.UTC,
    first: dt.date | None = None, last: dt.date | None = None,
) -> DailyCounts:  # fmt: skip
    """η_i(ℓ) of posting times, for every day from first to last (by default of the posts), quiet ones too."""
    if bins < 1 or DAY % bins:
        raise InputError(f"{bins} bins do not divide a day into whole seconds; use 6, 24, 48, 96, 288 or 1440")
    stamps = [stamp(moment, zone, bins) for moment in times]
    if not stamps and (first is None or last is None):
        return DailyCounts((), np.zeros((0, bins)))
    start = first or min(s.date for s in stamps)
    end = last or max(s.date for s in stamps)
    counts = np.zeros(((end - start).days + 1, bins))
    for s in stamps:
        row = (s.date - start).days
        if 0 <= row < len(counts):
            counts[row, s.bin - 1] += 1
    return DailyCounts(tuple(start + dt.timedelta(days=k) for k in range(len(counts))), counts)


def histogram(
    times: NDArray[np.int64], width: int, period: int = DAY, weights: NDArray[np.float64] | None = None
) -> Counts:
    """Posts per bin of `width` seconds of a period that starts on a Monday at 00:00 UTC; the fast form for traces."""
    if period % width:
        raise InputError(f"bins of {width} s do not divide a period of {period} s")
    place = ((times - MONDAY) % period) // width
    counts: Counts = np.bincount(place, weights=weights, minlength=period // width).astype(np.float64)
    return counts


def learning_window(end: dt.date, days: int = LEARN_DAYS) -> tuple[dt.date, dt.date]:
    """First and last day of the sliding window that ends with `end`, included."""
    return end - dt.timedelta(days=days - 1), end


class Adequacy(NamedTuple):
    """Mean and variance of one bin's daily counts; under a Poisson model they are equal (spec §2.1)."""

    mean: float
    variance: float

    @property
    def error_of_mean(self) -> float:
        """|μ - σ²| / μ."""
        return abs(self.mean - self.variance) / self.mean if self.mean else 0.0


def poisson_adequacy(counts: DailyCounts) -> list[Adequacy]:
    """Mean and population variance per bin over the days (experiment E0)."""
    means, variances = counts.counts.mean(axis=0), counts.counts.var(axis=0)
    return [Adequacy(float(mean), float(variance)) for mean, variance in zip(means, variances, strict=True)]


def drift(old: Counts, new: Counts) -> float:
    """How unlike two histograms of one feed are: the p-value of a χ² test that both have the same shape and rate ratio.

    Bins are pooled from left to right until the expected count is at least five. A small value says that the rhythm
    changed; 1.0 when there is too little to tell.
    """
    a, b = old.sum(), new.sum()
    if a == 0 or b == 0:
        return 1.0
    groups: list[tuple[float, float]] = []
    one = two = 0.0
    for x, y in zip(old, new, strict=True):
        one, two = one + float(x), two + float(y)
        if (one + two) * min(a, b) / (a + b) >= 5:
            groups.append((one, two))
            one = two = 0.0
    if len(groups) < 2:
        return 1.0
    groups[-1] = (groups[-1][0] + one, groups[-1][1] + two)
    table = np.array(groups)
    expected = table.sum(axis=1, keepdims=True) * np.array([[a, b]]) / (a + b)
    return _chi_square_tail(float(((table - expected) ** 2 / expected).sum()), len(groups) - 1)


class Outdated(StrEnum):
    """Why what was learned of a feed's hours holds no longer."""

    AGE = "four weeks have passed"
    DRIFT = "its rhythm changed"


@dataclass
class LearnedHours:
    """The posts per hour of the day that something was learned from, when that was, and when it was last checked.

    It holds for four weeks (spec §5.12), or until the hours of the last fortnight differ from it by more than chance
    explains (`drift`). That is checked once a day.
    """

    made: float
    hours: Counts
    checked: float

    @classmethod
    def at(cls, now: float, times: NDArray[np.int64]) -> LearnedHours:
        return cls(now, histogram(times[(times >= now - LEARN_DAYS * DAY) & (times <= now)], HOUR), now)

    def outdated(self, now: float, times: NDArray[np.int64]) -> Outdated | None:
        """Why it is time to learn again from the feed's posts; None while it is not, or was checked today."""
        if now - self.checked < CHECK_EVERY:
            return None
        self.checked = now
        if now - self.made >= LEARN_DAYS * DAY:
            return Outdated.AGE
        recent = times[times >= now - RECENT]
        if now - self.made < RECENT or len(recent) < FEWEST or self.hours.sum() < FEWEST:
            return None
        return Outdated.DRIFT if drift(self.hours, histogram(recent, HOUR)) < SURE else None


def _chi_square_tail(value: float, freedom: int) -> float:
    """P(χ² > value) by Wilson and Hilferty's cube root, good to two digits, enough to decide on relearning."""
    from math import erfc, sqrt

    spread = 2.0 / (9.0 * freedom)
    score = ((value / freedom) ** (1.0 / 3.0) - (1.0 - spread)) / sqrt(spread)
    return 0.5 * erfc(score / sqrt(2.0))
