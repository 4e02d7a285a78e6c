"""How soon a feed must be polled so that its document loses nothing."""

from __future__ import annotations

from math import inf

import numpy as np

from phasa.feeds.forecast import Forecast
from phasa.feeds.policy import Pace, Reason, Terms
from phasa.feeds.rhythm import DAY, HOUR, MONDAY, WEEK
from phasa.feeds.shared import SharedBudget
from phasa.feeds.window import Window

NOW = MONDAY + 2900 * WEEK
# Twenty posts of two days: ten of them within two hours, the others hours apart.
BURST = np.array([NOW - DAY - k * 720 for k in range(10)] + [NOW - k * 7200 - 600 for k in range(10)])


def forecast_of(times: np.ndarray, now: int = NOW) -> Forecast:
    return Forecast.learn(np.sort(times).astype(np.int64), now)


def test_a_young_feed_may_be_as_fast_as_it_ever_was() -> None:
    young = Window(12).latest(forecast_of(BURST), NOW + 2.0 * DAY, 0.5)
    assert young - NOW <= 9 * 720, "nine more posts than one took 9 × 12 minutes once"


def test_a_feed_that_is_known_for_long_is_judged_by_its_mean() -> None:
    old = np.concatenate((BURST, [NOW - 20 * DAY]))
    assert Window(12).latest(forecast_of(old), NOW + 2.0 * DAY, 0.5) - NOW > 3 * HOUR


def test_a_slow_feed_is_not_hurried() -> None:
    slow = np.array([NOW - k * DAY // 2 for k in range(1, 11)])
    assert Window(20).latest(forecast_of(slow), NOW + 2.0 * DAY, 0.5) == NOW + 2.0 * DAY


def decided(entries: int) -> tuple[Reason, float, float]:
    budget = SharedBudget(4.0, float(NOW), Pace())
    budget.register(1, Terms(entries=entries))
    times = np.array([NOW - 20 * DAY + k * 3600 for k in range(480)], dtype=np.int64)
    budget.join(1, times, float(NOW), float(NOW))
    decision = budget.decide(1, float(NOW))
    return decision.reason, decision.at, decision.urgent_from


def test_a_feed_that_would_overflow_by_waiting_says_from_when_it_is_urgent() -> None:
    reason, at, urgent = decided(1000)
    assert (reason, urgent) == (Reason.WORTH, inf), "its document has room for weeks"
    reason, at, urgent = decided(round(1.6 * (at - NOW) / HOUR))
    assert reason is Reason.WORTH
    assert at <= urgent < inf, "it may wait for a poll, but not for ever"
    reason, at, urgent = decided(2)
    assert reason is Reason.WINDOW
    assert urgent == at
