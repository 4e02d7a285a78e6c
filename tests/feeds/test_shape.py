"""What is believed of a rhythm, when nothing is; and a learned shape is kept while the feed keeps its hours."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from phasa.feeds.rhythm import DAY, HOUR, MONDAY, WEEK
from phasa.feeds.shape import BEFOREHAND, BINS, FLAT, WIDTH, Habit, Shape, learn_shape


def poisson_days(hourly: np.ndarray, days: int, seed: int = 1) -> np.ndarray:
    random = np.random.default_rng(seed)
    counts = random.poisson(np.tile(hourly, days))
    starts = MONDAY + np.repeat(np.arange(24 * days) * HOUR, counts)
    return np.sort(starts + random.integers(0, HOUR, len(starts)))


def test_too_few_posts_are_believed_to_be_flat() -> None:
    shape = learn_shape(np.arange(20) * DAY)
    assert shape.belief == 0
    assert set(shape.rates) == {1.0}


def test_posts_at_random_are_believed_to_be_nearly_flat() -> None:
    shape = learn_shape(poisson_days(np.full(24, 0.1), 200))
    assert len(shape.rates) == BINS
    assert shape.rates.mean() == pytest.approx(1.0)
    assert shape.per_bin(HOUR, DAY).std() < 0.25


def test_a_working_day_is_seen() -> None:
    hourly = np.where((np.arange(24) >= 8) & (np.arange(24) < 18), 0.4, 0.0)
    day = learn_shape(poisson_days(hourly, 60)).per_bin(HOUR, DAY)
    assert day[9:17].min() > 1.5
    assert day[[0, 1, 2, 3, 22, 23]].max() < 0.3


def test_weekends_are_seen() -> None:
    times = poisson_days(np.full(24, 0.3), 140)
    times = times[(times - MONDAY) % WEEK < 5 * DAY]
    week = learn_shape(times).per_bin(DAY)
    assert week[:5].min() > 1.1
    assert week[5:].max() < 0.3


def by_weekday(hours: list[int], weeks: int) -> np.ndarray:
    """One post a day within three hours from the hour of its weekday on; what is learned, weekdays by hours."""
    random = np.random.default_rng(3)
    days = np.arange(7 * weeks)
    times = MONDAY + days * DAY + np.array(hours)[days % 7] * HOUR + random.integers(0, 3 * HOUR, len(days))
    return learn_shape(np.sort(times)).per_bin(HOUR).reshape(7, 24)


def test_weekends_have_hours_of_their_own() -> None:
    week = by_weekday([9, 9, 9, 9, 9, 20, 20], 40)
    assert week[:5, 10].min() > 5 * week[:5, 21].max()
    assert week[5:, 21].min() > 2 * week[5:, 10].max()
    assert week.mean() == pytest.approx(1.0)


def test_a_weekday_has_hours_of_its_own() -> None:
    week = by_weekday([9, 9, 16, 9, 9, 9, 9], 80)
    others = [0, 1, 3, 4, 5, 6]
    assert week[2, 17] > week[2, 10]
    assert week[others, 10].min() > 5 * week[others, 17].max()


def test_hours_of_single_weekdays_lean_on_the_day_while_posts_are_few() -> None:
    hourly = np.where((np.arange(24) >= 8) & (np.arange(24) < 18), 0.1, 0.0)
    week = learn_shape(poisson_days(hourly, 60)).per_bin(HOUR).reshape(7, 24)
    assert week[:, 9:17].min() > 0.5


def test_a_changed_rhythm_is_followed() -> None:
    old = MONDAY + np.arange(300) * DAY + 3 * HOUR
    new = MONDAY + np.arange(300, 420) * DAY + 15 * HOUR
    day = learn_shape(np.concatenate((old, new))).per_bin(HOUR, DAY)
    assert day[15] > 5 * day[3]


MORNING = np.tile(np.where((np.arange(288) >= 96) & (np.arange(288) < 144), 4.6, 0.28), 7)
LEARNED = Shape(MORNING / MORNING.mean(), np.array([0.1, 0.9]))


def at(*hours: float) -> np.ndarray:
    return np.array([MONDAY + day * DAY + int(hour * HOUR) for day, hour in enumerate(hours)], dtype=np.int64)


def test_before_any_post_the_learned_shape_is_believed() -> None:
    habit = Habit(LEARNED, 1.0 / DAY)
    assert np.allclose(habit.believed().rates, BEFOREHAND[0] * LEARNED.rates + BEFOREHAND[1:].sum())


def test_posts_at_the_learned_hours_strengthen_it() -> None:
    habit = Habit(LEARNED, 1.0 / DAY)
    for post in at(9, 10, 9.5, 11, 8.5):
        habit.see(np.array([post]))
    assert habit.beliefs[0] > BEFOREHAND[0]


def test_three_posts_at_a_dead_hour_are_enough_to_expect_a_fourth_there() -> None:
    habit = Habit(LEARNED, 1.0 / DAY)
    for post in at(2.0, 2.0, 2.0):
        believed = habit.see(np.array([post]))
    assert believed.rates[24] > 2.0 * LEARNED.rates[24]
    assert habit.beliefs[0] < 0.5


def test_a_burst_is_evidence_once() -> None:
    one, many = Habit(LEARNED, 1.0 / DAY), Habit(LEARNED, 1.0 / DAY)
    one.see(at(2.0))
    many.see(np.repeat(at(2.0), 500))
    assert many.beliefs[0] > 0.0
    assert many.beliefs[0] < one.beliefs[0]


def test_a_feed_may_return_to_its_old_hours() -> None:
    habit = Habit(LEARNED, 1.0 / DAY)
    for post in at(*([2.0] * 12)):
        habit.see(np.array([post]))
    lost = habit.beliefs[0]
    for post in at(*np.linspace(8.1, 11.9, 14)):
        habit.see(np.array([post]))
    assert habit.beliefs[0] > 5 * lost


def test_in_doubt_the_learned_hours_count_little_and_a_few_new_ones_much() -> None:
    habit = Habit(LEARNED, 1.0 / DAY, doubting=True)
    sure = habit.believed().rates
    habit.doubt = 1.0
    doubted = habit.believed().rates
    assert np.ptp(doubted) < 0.8 * np.ptp(sure)
    for post in at(21.0, 23.0):
        doubted = habit.see(np.array([post])).rates
    assert doubted[22 * 12] > doubted[9 * 12]
    assert Habit(LEARNED, 1.0 / DAY, True, habit).doubt == 1.0


def test_a_busy_feed_is_not_judged_by_one_afternoon() -> None:
    habit = Habit(FLAT, 100.0 / DAY)
    afternoon = MONDAY + 14 * HOUR + np.arange(20) * 300
    rates = habit.see(afternoon).rates
    assert rates.max() < 2.0


@settings(max_examples=60, deadline=None)
@given(st.lists(st.lists(st.integers(0, 10**8), min_size=1, max_size=20), min_size=1, max_size=12))
def test_what_is_believed_is_a_shape_whatever_is_posted(found: list[list[int]]) -> None:
    habit = Habit(LEARNED, 1.0 / DAY)
    for posts in found:
        believed = habit.see(np.sort(np.array(posts, dtype=np.int64)) + MONDAY)
        assert believed.rates.shape == (BINS,)
        assert np.isfinite(believed.rates).all()
        assert believed.rates.min() > 0.0
        assert abs(believed.rates.mean() - 1.0) < 1e-9
        assert abs(habit.beliefs.sum() - 1.0) < 1e-9
    assert WIDTH * BINS == 7 * DAY
