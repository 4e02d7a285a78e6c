"""Feeds that deceive a forecast: after four months of posts at nine they do something else. What they may cost, beside
even polls."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from phasa.feeds.evaluate import evaluate
from phasa.feeds.rhythm import DAY, HOUR
from phasa.feeds.trace import Times, Trace

START = 1_700_006_400 - 1_700_006_400 % DAY
HALF = 120
Hours = Callable[[int], list[float]]


def posts(hours: Hours, days: range, seed: int) -> Times:
    """Three posts within twenty minutes at each of these hours."""
    rng = np.random.default_rng(seed)
    found = [START + day * DAY + hour * HOUR + rng.uniform(0, 1200, 3) for day in days for hour in hours(day)]
    return np.sort(np.concatenate(found)).astype(np.int64)


def ratio(later: Hours, per_day: int, seed: int = 1) -> float:
    """Delay by that of even polls, of a feed that posted at nine every day and then does as `later` says."""
    before, after = posts(lambda day: [9.0], range(HALF), seed), posts(later, range(HALF, 2 * HALF), seed + 1)
    rows = evaluate([Trace("f", np.concatenate((before, after)))], [per_day], ["phasa", "uniform"], 0.5)
    delays = {row.policy: row.delay_hours for row in rows}
    return delays["phasa"] / delays["uniform"]


@pytest.mark.parametrize("per_day", [1, 4, 24])
def test_posts_at_random_hours_wait_hardly_longer_than_under_even_polls(per_day: int) -> None:
    def at_random(seed: int) -> Hours:
        rng = np.random.default_rng(seed)
        return lambda day: [float(rng.uniform(0, 24))]

    assert np.mean([ratio(at_random(seed), per_day, seed) for seed in range(6)]) < 1.15


@pytest.mark.parametrize("per_day", [2, 8])
def test_a_feed_that_posts_at_another_hour_from_now_on_is_learned_anew(per_day: int) -> None:
    assert ratio(lambda day: [21.0], per_day) < 0.5


@pytest.mark.parametrize("per_day", [2, 8])
def test_a_feed_that_changes_its_hour_every_week_is_no_worse_than_even(per_day: int) -> None:
    assert ratio(lambda day: [9.0 if day // 7 % 2 else 21.0], per_day) < 0.7
