"""Last-Modified as the time of a change: what it brings, and servers that lie."""

from __future__ import annotations

from email.utils import formatdate

import numpy as np
import pytest

from phasa.crawl.told_times import JUST_NOW, LIES, Found, ToldTimes, found_change
from phasa.schedule.usual import drawn

DAY = 86_400.0
NOW = 1_790_000_000.0


def date(at: float) -> str:
    return formatdate(at, usegmt=True)


def test_a_date_since_the_last_visit_is_heard() -> None:
    assert ToldTimes().heard("a", date(NOW - 3600), NOW - DAY, NOW, changed=True) == NOW - 3600


@pytest.mark.parametrize(
    "told", [None, "", "yesterday", date(NOW - 2 * DAY), date(NOW + 5), date(NOW), date(NOW - JUST_NOW + 1), "0" * 9999]
)
def test_other_dates_are_not(told: str | None) -> None:
    assert ToldTimes().heard("a", told, NOW - DAY, NOW, changed=True) is None


def test_who_dates_what_did_not_change_is_not_heard_any_more() -> None:
    told = ToldTimes()
    for _ in range(LIES):
        assert told.heard("a", date(NOW - 3600), NOW - DAY, NOW, changed=True) is not None
        assert told.heard("a", date(NOW - 3600), NOW - DAY, NOW, changed=False) is None
    assert told.heard("a", date(NOW - 3600), NOW - DAY, NOW, changed=True) is None
    assert told.heard("b", date(NOW - 3600), NOW - DAY, NOW, changed=True) is not None


@pytest.mark.parametrize("a_day", [3.0, 6.0])
def test_the_rate_of_a_page_that_changes_more_often_than_it_is_visited_is_known(a_day: float) -> None:
    def learned(dates: bool) -> float:
        rng, errors = np.random.default_rng(7), []
        for _ in range(200):
            changes = seconds = 0.0
            for _ in range(30):
                moments = rng.uniform(0.0, DAY, rng.poisson(a_day))
                last = float(moments.max()) if dates and len(moments) else None
                rate = drawn(1 / DAY, changes, seconds)
                found = found_change(rate, 0.0, DAY, last) if len(moments) else Found(0.0, DAY)
                changes, seconds = changes + found.changes, seconds + found.seconds
            errors.append(abs(np.log(drawn(1 / DAY, changes, seconds) * DAY / a_day)))
        return float(np.median(errors))

    assert learned(dates=True) < 0.25
    assert learned(dates=True) < 0.7 * learned(dates=False)


def test_a_change_in_a_short_time_is_one() -> None:
    assert found_change(1e-9, 0.0, 1.0, None) == pytest.approx((1.0, 1.0))
    assert found_change(1e-9, 0.0, 1.0, 0.75) == pytest.approx((1.0, 0.25))
