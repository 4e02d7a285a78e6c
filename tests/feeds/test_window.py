"""How soon a feed must be polled so that its document loses nothing."""

from __future__ import annotations

from math import inf

import numpy as np

from phasa.feeds.bucket import Bucket
from phasa.feeds.forecast import Forecast
from phasa.feeds.policy import Pace, Reason, Terms
from phasa.feeds.rhythm import DAY, HOUR, MONDAY, WEEK
from phasa.feeds.shared import SharedBudget
from phasa.feeds.window import RISK, Window, safe_mean, sureness

NOW = MONDAY + 2900 * WEEK


def forecast_of(times: np.ndarray, now: int = NOW) -> Forecast:
    return Forecast.learn(np.sort(times).astype(np.int64), now)


def test_posts_may_come_as_on_another_day_of_the_last_week() -> None:
    # Eight posts an hour from 8 to 10 on one day; the others are quiet.
    busy = np.array([NOW - 3 * DAY + 8 * HOUR + k * 450 for k in range(16)])
    quiet = np.array([NOW - k * DAY // 2 for k in range(1, 14)])
    both = forecast_of(np.concatenate((busy, quiet)))
    latest = Window(20).latest(both, NOW + 2.0 * DAY, 0.5)
    assert latest <= NOW + 8 * HOUR + 10 * 450, "ten posts had come by then three days ago"
    assert latest > NOW + 8 * HOUR, "but nothing is posted by night"


def test_a_feed_that_shows_less_than_a_day_may_be_as_fast_as_it_ever_was() -> None:
    minutes = np.array([NOW - k * 60 for k in range(20)])
    assert Window(20).latest(forecast_of(minutes), NOW + 2.0 * DAY, 0.5) - NOW <= 10 * 60


def test_an_overflow_is_to_be_unlikely_and_not_only_unexpected() -> None:
    """Checked by drawing: rates known like those of so many posts, and the posts that come at them."""
    dice = np.random.default_rng(1)
    for entries, sure in ((5, 3), (20, 4), (20, 40), (100, 10)):
        mean = safe_mean(entries, sure)
        drawn = dice.poisson(mean * dice.gamma(sure, 1.0 / sure, 400_000))
        assert abs((drawn > entries).mean() - RISK) < RISK / 5
    assert safe_mean(5, 10) / 5 < safe_mean(20, 10) / 20 < safe_mean(100, 10) / 100, "few entries overflow sooner"
    assert safe_mean(500, 10) == 5 * safe_mean(100, 10)


def test_posts_in_bursts_and_little_known_make_a_forecast_less_sure() -> None:
    even = np.array([NOW - k * HOUR for k in range(1, 60)])
    bursts = np.concatenate([NOW - k * 12 * HOUR - np.arange(10) * 60 for k in range(1, 7)])
    assert sureness(forecast_of(bursts)) < sureness(forecast_of(even))
    week = np.array([NOW - k * HOUR for k in range(1, 200)])
    assert sureness(forecast_of(even)) < sureness(forecast_of(week)), "a week tells more than two days"


def test_a_document_is_not_filled_to_its_last_entry_even_when_that_is_allowed() -> None:
    chance = NOW - np.cumsum(np.random.default_rng(3).exponential(HOUR, 72)).astype(np.int64)
    forecast = forecast_of(chance)
    latest = Window(20).latest(forecast, NOW + 3.0 * DAY, 1.0)
    assert forecast.expect(int(latest))[0] <= safe_mean(20, sureness(forecast)) < 10


def test_a_feed_in_bursts_is_polled_before_an_even_one_of_the_same_rate() -> None:
    even = np.array([NOW - k * 2 * HOUR for k in range(1, 61)])
    bursts = np.concatenate([NOW - k * 20 * HOUR + np.arange(10) * 60 for k in range(1, 7)])
    soon, later = (Window(20).latest(forecast_of(t), NOW + 3.0 * DAY, 0.5) for t in (bursts, even))
    assert soon < later


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
    reason, at, urgent = decided(round(3.0 * (at - NOW) / HOUR))
    assert reason is Reason.WORTH
    assert at <= urgent < inf, "it may wait for a poll, but not for ever"
    reason, at, urgent = decided(2)
    assert reason is Reason.WINDOW
    assert urgent == at


def gap_of_the_first(unknown: int) -> float:
    """The usual gap of a feed of twelve posts a day while so many others have not been polled yet."""
    budget = SharedBudget(100.0, float(NOW), Pace())
    for feed in range(1 + unknown):
        budget.register(feed, Terms(entries=20))
    budget.pay(0, float(NOW))
    budget.join(0, np.arange(NOW - 20 * DAY, NOW, 2 * HOUR), float(NOW), float(NOW))
    return budget.decide(0, float(NOW)).gap


def test_the_first_feeds_leave_polls_to_those_that_nothing_is_known_of_yet() -> None:
    assert gap_of_the_first(50) > 20 * gap_of_the_first(0)


def test_a_feed_that_gave_no_answer_is_not_waited_for() -> None:
    budget = SharedBudget(100.0, float(NOW), Pace())
    for feed in (0, 1):
        budget.register(feed, Terms(entries=20))
    budget.join(0, np.arange(NOW - 20 * DAY, NOW, 2 * HOUR), float(NOW), float(NOW))
    waiting = budget.decide(0, float(NOW)).worth
    budget.pay(1, float(NOW))
    budget.register(1, Terms(entries=20))
    assert budget.decide(0, float(NOW)).worth < waiting


def test_polls_that_were_there_at_once_and_are_spent_do_not_count_as_coming() -> None:
    bucket = Bucket.in_advance(100.0, float(NOW), 0.5)
    assert bucket.income(float(NOW)) == 100.0
    assert bucket.income(float(NOW), promised=20) == 80.0  # to feeds that were never polled
    for _ in range(60):
        bucket.pay(float(NOW))
    assert bucket.income(float(NOW)) == 50.0
    assert bucket.income(NOW + DAY / 2) == 65.0  # 25 of the 60 have come since
    assert bucket.income(NOW + DAY) == 100.0
    assert Bucket.in_advance(100.0, float(NOW), 1.0).income(NOW, promised=200) == 25.0
    assert Bucket.for_rate(100.0, float(NOW)).income(NOW) == 100.0
