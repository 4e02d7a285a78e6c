"""What is believed of a rhythm, and when nothing is."""

from __future__ import annotations

import numpy as np
import pytest

from phasa.feeds.rhythm import DAY, HOUR, MONDAY, WEEK
from phasa.feeds.shape import BINS, learn_shape


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


def test_a_changed_rhythm_is_followed() -> None:
    old = MONDAY + np.arange(300) * DAY + 3 * HOUR
    new = MONDAY + np.arange(300, 420) * DAY + 15 * HOUR
    day = learn_shape(np.concatenate((old, new))).per_bin(HOUR, DAY)
    assert day[15] > 5 * day[3]
