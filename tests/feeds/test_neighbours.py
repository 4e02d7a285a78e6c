"""What new feeds tell about each other: hours and days from first documents, each of which shows twenty posts."""

from __future__ import annotations

import numpy as np

from phasa.feeds.forecast import Forecast, pulse_of
from phasa.feeds.neighbours import ENOUGH_DOCUMENTS, Neighbours
from phasa.feeds.rhythm import DAY, HOUR, MONDAY, WEEK
from phasa.feeds.shape import FLAT, PER_DAY, Shape, first_shape
from phasa.feeds.shared import SharedBudget

NOW = MONDAY + 2900 * WEEK  # a Monday, at midnight
SHOWN = 20


def document(per_day: float, seed: int, weekend: float = 0.3) -> np.ndarray:
    """The last posts of a feed that posts from 8 to 18 o'clock, and less on Saturdays and Sundays."""
    random = np.random.default_rng(seed)
    hours = np.arange(NOW - 60 * DAY, NOW, HOUR)
    hour, day = hours % DAY // HOUR, (hours - MONDAY) % WEEK // DAY
    rate = per_day / 10 * ((hour >= 8) & (hour < 18)) * np.where(day >= 5, weekend, 1.0)
    counts = random.poisson(rate)
    times = np.repeat(hours, counts) + random.integers(0, HOUR, counts.sum())
    return np.sort(times)[-SHOWN:]


def met(paces: list[float]) -> Neighbours:
    neighbours = Neighbours()
    for seed, per_day in enumerate(paces):
        neighbours.show(document(per_day, seed), NOW)
    return neighbours


def test_slow_feeds_tell_how_fast_the_quick_ones_will_be_on_monday() -> None:
    week = met([2.0] * 20 + [30.0] * 20).of("")
    assert week is not None
    days = week.reshape(7, PER_DAY).mean(axis=1)
    assert 0.2 < days[5:].mean() / days[:5].mean() < 0.5, "although quick ones showed nothing but a weekend"
    by_hour = week.reshape(7, 24, -1).mean(axis=(0, 2))
    assert by_hour[9:17].min() > 4 * by_hour[[0, 1, 2, 3, 21, 22, 23]].max()
    assert abs(week.mean() - 1.0) < 1e-9


def test_a_weekend_of_a_quick_feed_counts_as_what_it_is_of_a_week() -> None:
    quick, week = document(30.0, 99), met([2.0] * 20 + [30.0] * 20).of("")
    shape = first_shape(quick, week)
    told = Forecast.learn(quick, NOW, lambda _: shape).expect(NOW + DAY)[0]
    alone = Forecast.learn(quick, NOW, lambda _: FLAT).expect(NOW + DAY)[0]
    assert alone < 15, "as if Monday were a Sunday"
    assert 18 < told < 45, "it posts thirty times on a Monday"


def test_a_whole_week_needs_no_correction() -> None:
    slow = document(2.0, 5)
    shape = Shape(np.linspace(0.5, 1.5, len(FLAT.rates)), np.array([0.5, 0.5]))
    assert NOW - slow[0] > WEEK
    assert pulse_of(slow, NOW, shape=shape).rate == pulse_of(slow, NOW).rate


def test_a_few_documents_and_one_post_say_nothing() -> None:
    assert met([2.0] * (ENOUGH_DOCUMENTS - 1)).of("") is None
    neighbours = Neighbours()
    for _ in range(50):
        neighbours.show(np.array([NOW - 5]), NOW)
        neighbours.show(np.array([], dtype=np.int64), NOW)
    assert neighbours.of("") is None


def test_feeds_that_have_shown_enough_go_before_documents() -> None:
    neighbours = met([2.0] * 20)
    for _ in range(3):
        neighbours.add("kin", FLAT, 100)
    week = neighbours.of("kin")
    assert week is not None
    assert np.allclose(week, 1.0)


def test_feeds_on_one_budget_hear_of_each_other_from_their_first_documents() -> None:
    budget = SharedBudget(700.0, NOW)
    for number in range(20):
        budget.join(number, document(2.0, number), NOW, NOW)
    budget.join(99, document(30.0, 99), NOW, NOW)
    forecast = budget._forecasts[99]
    assert forecast.shape.belief > 0.2
    assert forecast.expect(NOW + DAY)[0] > 15, "more than on the Sunday that its document tells of"
