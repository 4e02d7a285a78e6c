"""The experiments of the thesis on feed polling, E0 to E4 (specification §7), printed table beside ours.

E0 and E4 are exactly reproducible from what the thesis prints. The raw data of E1 to E3 are gone; these run on posts
drawn from the printed histograms, or on a trace of real feeds that the user names.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from phasa.feeds.circle import optimum, total_delay
from phasa.feeds.rhythm import DailyCounts
from phasa.lab.experiments import feeds_published as published

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


def pooled_mean(pairs: Iterable[tuple[float, float]]) -> float:
    """ΣD / ΣN over feeds: every item weighs the same."""
    listed = list(pairs)
    return sum(delay for delay, _ in listed) / sum(items for _, items in listed)


def improvements(baseline: Sequence[float], ours: Sequence[float]) -> tuple[list[float], float]:
    """Reduction in per cent for each m, and the plain mean over m (Table 6.1)."""
    reductions = [100.0 * (before - after) / before for before, after in zip(baseline, ours, strict=True)]
    return reductions, sum(reductions) / len(reductions)


def split_months(counts: DailyCounts, first: dt.date) -> tuple[DailyCounts, DailyCounts]:
    """The learning month and the two test months after it (E2, E3)."""
    after = (first.replace(day=1) + dt.timedelta(days=31)).replace(day=1)
    return counts.between(first, after - dt.timedelta(days=1)), counts.between(after, counts.days[-1])


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
