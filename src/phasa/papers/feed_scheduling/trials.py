"""Learn on the first month, test on the later ones: DORPM and RS as in E2 and E3 of the thesis (§7.4, 7.5).

Points come from the functions that the daemon learns its plans with (`phasa.feeds.plan`).
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from phasa.feeds.circle import total_delay
from phasa.feeds.plan import RS_DAYS, place_points
from phasa.feeds.rhythm import DailyCounts
from phasa.papers.feed_scheduling.cases import Case

LEARN_MONTHS = 1


class Trial(NamedTuple):
    """One method on one feed: D, total rounded delay of the test months in hours, and N, their items."""

    publisher: str
    feed: str
    m: int
    method: str
    delay: float
    items: float


def split_months(counts: DailyCounts, months: int = LEARN_MONTHS) -> tuple[DailyCounts, DailyCounts]:
    """The days of the first months, and all days after them. A month ends on the day before its date a month on."""
    first = counts.days[0]
    year, month = divmod(first.year * 12 + first.month - 1 + months, 12)
    after = dt.date(year, month + 1, min(first.day, 28))
    return counts.between(first, after - dt.timedelta(days=1)), counts.between(after, counts.days[-1])


def run_trial(case: Case, m: int, method: str) -> Trial:
    """Points learned from the first month only (RS: from its first two weeks), per day cluster; totals added."""
    learned, tested = split_months(case.counts)
    window = learned.between(learned.days[0], learned.days[0] + dt.timedelta(days=RS_DAYS - 1))
    taught = window if method.startswith("rs") else learned
    delay = items = 0.0
    for cluster in learned.clusters():
        days, test = taught.of(cluster), tested.of(cluster).combined()
        points = place_points(method, days, days.combined(), m).points
        delay += total_delay(test, points)
        items += float(test.sum())
    return Trial(case.publisher, case.feed, m, method, delay, items)


def pooled_mean(pairs: Iterable[tuple[float, float]]) -> float:
    """ΣD / ΣN over feeds: every item weighs the same."""
    listed = list(pairs)
    return sum(delay for delay, _ in listed) / max(1.0, sum(items for _, items in listed))


def mean_of(trials: Iterable[Trial]) -> float:
    """Hours per item over all these trials."""
    return pooled_mean((trial.delay, trial.items) for trial in trials)


def improvements(baseline: Sequence[float], ours: Sequence[float]) -> tuple[list[float], float]:
    """Reduction in per cent for each m, and the plain mean over m (Table 6.1)."""
    reductions = [100.0 * (before - after) / before for before, after in zip(baseline, ours, strict=True)]
    return reductions, sum(reductions) / len(reductions)
