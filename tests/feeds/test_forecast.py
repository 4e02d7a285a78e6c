"""The posts to expect: a process that goes back to its usual rate, follows what is found, and doubts what is gone."""

from __future__ import annotations

import numpy as np
import pytest
from tests.feeds.test_policy import HOURLY, posts

from phasa.feeds.forecast import MOST_FADING, SHARES, Forecast, forecast_terms, pulse_of, rate_of_year, unsteadiness
from phasa.feeds.rhythm import DAY, HOUR, MONDAY
from phasa.feeds.shape import WIDTH, Shape, learn_shape


def test_the_process_does_not_explode_and_goes_back_to_its_long_run_rate() -> None:
    pulse = pulse_of(posts(HOURLY, 60), MONDAY + 60 * DAY)
    assert 0 < SHARES.sum() < 1
    decay, _, _ = forecast_terms(pulse.shares)
    assert (decay > 0).all()
    assert pulse.rate == pytest.approx(HOURLY.sum() / DAY, rel=0.1)
    assert pulse_of(np.array([5]), 10).rate == 1.0 / DAY


def test_the_rate_of_the_year_forgets_what_a_feed_once_was() -> None:
    end = MONDAY + 1200 * DAY
    steady, stopped = posts(HOURLY, 1200), posts(HOURLY, 300)
    rate = HOURLY.sum() / DAY
    assert rate_of_year(steady, end, 1.0) == pytest.approx(rate, rel=0.05)
    assert rate_of_year(steady[-5:], end, 1.0) == pytest.approx(6 / (end - steady[-5]), rel=0.01)
    assert rate_of_year(stopped, end, 1.0) < 0.2 * rate < pulse_of(stopped, end).rate
    assert rate_of_year(stopped[:1], end, 0.5) == 0.5


def test_a_feed_whose_weeks_differ_is_unsteady() -> None:
    steady = posts(HOURLY, 140)
    end = MONDAY + 140 * DAY
    assert unsteadiness(steady, end) < 0.1
    assert unsteadiness(steady[(steady - MONDAY) // (28 * DAY) % 2 == 0], end) > 0.3
    assert unsteadiness(steady[:1], end) == 0.0


def test_a_feed_that_nearly_stopped_is_doubted_until_it_is_back() -> None:
    forecast = Forecast.learn(posts(HOURLY, 200), MONDAY + 200 * DAY, alone=True)
    hours = np.ptp(forecast.shape.rates)
    for _ in range(400):
        forecast.observe(forecast.last + DAY, np.array([], dtype=np.int64))
    assert forecast.doubt > 0.5
    assert np.ptp(forecast.shape.rates) < 0.8 * hours
    back = posts(HOURLY, 120, first=600, seed=3)
    for day in range(120):
        now = MONDAY + (601 + day) * DAY
        forecast.observe(now, back[(back > forecast.last) & (back <= now)])
    assert np.ptp(forecast.shape.rates) > 0.8 * hours


def test_changed_hours_are_learned_again_before_four_weeks_are_over() -> None:
    """On a common budget: from morning to night, and after three weeks the night is what is expected."""
    night = np.roll(HOURLY, 12)
    later = posts(night, 21, first=56, seed=5)
    learned: list[int] = []

    def learner(times: np.ndarray) -> Shape:
        learned.append(len(times))
        return learn_shape(times)

    forecast = Forecast.learn(posts(HOURLY, 56), MONDAY + 56 * DAY, learner)
    for step in range(21 * 8):
        now = MONDAY + 56 * DAY + (step + 1) * 3 * HOUR
        forecast.observe(now, later[(later > forecast.last) & (later <= now)])
    assert len(learned) == 2
    day = forecast.shape.per_bin(HOUR, DAY)
    assert day[22] > day[12]


def test_late_posts_are_put_in_their_place() -> None:
    forecast = Forecast.learn(posts(HOURLY, 60), MONDAY + 60 * DAY)
    forecast.observe(MONDAY + 61 * DAY, np.array([MONDAY + 59 * DAY, MONDAY + 61 * DAY - 5]))
    assert (np.diff(forecast.known) >= 0).all()


def test_expected_posts_add_up_and_tables_of_decay_are_bounded() -> None:
    forecast = Forecast.learn(posts(HOURLY, 60), MONDAY + 60 * DAY)
    total, waiting = forecast.expect(forecast.last + DAY)
    assert sum(forecast.expected_posts(1, DAY // WIDTH)) == pytest.approx(total)
    assert sum(forecast.expected_posts(12, 24)) == pytest.approx(total, rel=0.02)
    assert 0 < waiting < total * DAY
    first = forecast.expected_posts(6, 40)
    for steps in range(8, 12 + 2 * MOST_FADING):
        forecast.expected_posts(6, steps)
    assert forecast.expected_posts(6, 40) == first
