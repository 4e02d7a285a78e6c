"""Bounded regret: whatever a feed does that does not watch the polls, it waits hardly longer than under even polls."""

from __future__ import annotations

from collections.abc import Callable
from math import inf

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from phasa.feeds import guard
from phasa.feeds.evaluate import evaluate
from phasa.feeds.forecast import Forecast
from phasa.feeds.guard import ALLOWED, FADES, POSTS, SWEEP, Guard
from phasa.feeds.own import OwnBudget
from phasa.feeds.policy import UNPACED, Pace, Reason
from phasa.feeds.replay import even_delay, replay
from phasa.feeds.rhythm import DAY, HOUR, MONDAY
from phasa.feeds.trace import Times, Trace

HALF = 120
START = MONDAY + 52 * 7 * DAY
# What a post may cost in the long run, by even polls: the bound of the module's docstring.
BOUND = 1.0 + ALLOWED + POSTS * (1.0 - FADES)
Hour = Callable[[int, np.random.Generator], float]

# Feeds that posted at nine for four months and then make fools of who learns: their hour goes on by the golden section
# as soon as it is learned, or by 41 hours a day, or an hour a day, or is any.
FOOLING: dict[str, Hour] = {
    "changed every other day": lambda day, _: (9.0 + 24.0 * 0.618 * (day // 2)) % 24.0,
    "changed when learned": lambda day, _: (9.0 + 24.0 * 0.618 * (day // 5)) % 24.0,
    "41 hours later": lambda day, _: (9.0 + 1.7 * day) % 24.0,
    "an hour later": lambda day, _: (9.0 + day) % 24.0,
    "any": lambda _, random: float(random.uniform(0.0, 24.0)),
}


def posts(hour: Hour, days: range, seed: int) -> Times:
    """Three posts within twenty minutes, once a day."""
    random = np.random.default_rng(seed)
    found = [START + day * DAY + hour(day, random) * HOUR + random.uniform(0, 1200, 3) for day in days]
    return np.sort(np.concatenate(found)).astype(np.int64)


def ratio(later: Times, per_day: int) -> float:
    """Delay as a share of that under even polls, of a feed that posted at nine for four months."""
    before = posts(lambda *_: 9.0, range(HALF), 1)
    start = START + HALF * DAY
    policy = OwnBudget(per_day, Forecast.learn(before, start, alone=True))
    return replay(policy, [later], [policy.decide(0, start).at])[0].delay / even_delay(DAY / per_day) / len(later)


CASES = [
    ("changed every other day", 2),
    ("changed every other day", 24),
    ("changed when learned", 8),
    ("changed when learned", 1),
    ("changed every other day", 8),
    ("an hour later", 2),
    ("any", 24),
]


@pytest.mark.parametrize(("name", "per_day"), CASES)
def test_a_feed_that_fools_its_forecast_waits_hardly_longer_than_under_even_polls(name: str, per_day: int) -> None:
    assert ratio(posts(FOOLING[name], range(HALF, 3 * HALF), 2), per_day) <= 1.10


def test_without_the_guard_such_feeds_wait_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard, "POSTS", inf)
    for name, per_day in (CASES[0], CASES[2], CASES[5]):
        assert ratio(posts(FOOLING[name], range(HALF, 3 * HALF), 2), per_day) > 1.15


@settings(max_examples=8, deadline=None, derandomize=True)
@given(st.lists(st.floats(0.0, 24.0), min_size=2, max_size=40), st.integers(1, 12), st.sampled_from([1, 2, 4, 8]))
def test_whatever_hours_a_feed_takes_up_and_for_how_long(hours: list[float], days: int, per_day: int) -> None:
    later = posts(lambda day, _: hours[day // days % len(hours)], range(HALF, 3 * HALF), 3)
    # Even polls have luck, too: an hour that is kept for days is met at nearly the same phase each time.
    assert ratio(later, per_day) <= BOUND + POSTS / len(later) + 0.1


@pytest.mark.parametrize("per_day", [1, 4, 24])
def test_bursts_between_decoys_wait_no_longer(per_day: int) -> None:
    """One post that looks like the start of a busy time, then nothing; the busy time comes a day later."""
    random = np.random.default_rng(4)
    start = START + HALF * DAY
    bursts = [start + 2 * DAY * k + np.append(DAY + random.integers(0, DAY, 20), 0) for k in range(60)]
    assert ratio(np.sort(np.concatenate(bursts)).astype(np.int64), per_day) <= 1.0


def test_a_feed_that_keeps_its_habit_never_meets_the_guard() -> None:
    before, later = posts(lambda *_: 9.0, range(HALF), 1), posts(lambda *_: 9.0, range(HALF, 2 * HALF), 2)
    policy = OwnBudget(4, Forecast.learn(before, START + HALF * DAY, alone=True))
    replay(policy, [later], [policy.decide(0, START + HALF * DAY).at])
    assert not policy.guard.on
    assert policy.guard.waited < 0.5 * policy.guard.even


@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(st.integers(1, 6), st.floats(0.0, 7.0)), min_size=1, max_size=400), st.floats(300, DAY))
def test_the_bound_holds_for_any_waits_while_even_polls_cost_what_they_do(
    polls: list[tuple[int, float]], gap: float
) -> None:
    """Each poll finds some posts that waited so many gaps, or half a gap while the guard is on."""
    judged, total, number = Guard(gap), 0.0, 0
    for found, gaps in polls:
        waits = np.full(found, gap / 2.0 if judged.on else gaps * gap)
        judged.see(waits)
        total, number = total + float(waits.sum()), number + found
    once = 6 * 7.0 * gap
    assert total <= (number * BOUND + POSTS) * gap / 2.0 + once * (1.0 + (1.0 - FADES) * number) + 1e-6


def test_the_guard_is_on_beyond_the_allowance_and_off_when_recovered() -> None:
    judged = Guard(200.0)
    judged.see(np.full(10, 200.0))
    assert not judged.on  # ten posts of excess are allowed, and a little
    judged.see(np.full(2, 200.0))
    assert judged.on
    judged.see(np.full(1, 0.0))
    assert judged.on
    judged.see(np.full(1, 0.0))
    assert not judged.on
    before = (judged.waited, judged.even)
    judged.see(np.array([]))
    assert (judged.waited, judged.even) == before


def test_old_posts_fade() -> None:
    good, fresh = Guard(200.0), Guard(200.0)
    good.see(np.zeros(5000))
    for judged in (good, fresh):
        judged.see(np.full(600, 200.0))
        assert judged.on


def test_even_polls_neither_save_nor_overspend_and_their_phase_moves() -> None:
    judged, saved, gaps = Guard(100.0), 0.0, []
    for _ in range(1000):
        gaps.append(judged.even_gap(saved))
        saved += gaps[-1] / 100.0 - 1.0
    assert set(gaps) == {100.0 * (1 + SWEEP), 100.0 * (1 - SWEEP)}
    assert np.mean(gaps) == pytest.approx(100.0, rel=0.01)
    phases = np.bincount((np.cumsum(gaps) % 100.0 // 10.0).astype(int), minlength=10)
    assert phases.min() > 60


def guarded(pace: Pace = UNPACED, per_day: float = 4.0) -> OwnBudget:
    forecast = Forecast.learn(posts(lambda *_: 9.0, range(HALF), 1), START + HALF * DAY, alone=True)
    policy = OwnBudget(per_day, forecast, pace)
    now = float(forecast.last + 30 * DAY)
    policy.observe(0, now, np.full(40, int(now) - DAY, dtype=np.int64))
    return policy


def test_decisions_say_that_polls_are_even_and_keep_the_pace() -> None:
    policy = guarded()
    now = START + (HALF + 30.0) * DAY
    decision = policy.decide(0, now)
    assert (decision.reason, decision.at) == (Reason.EVEN, now + DAY / 4 * (1 - SWEEP))
    assert decision == policy.decide(0, now)
    assert guarded(Pace(900.0, 0.0), 1000.0).decide(0, now).at >= now + 900.0


def test_posts_dated_before_the_last_poll_are_no_fault_of_the_polls() -> None:
    forecast = Forecast.learn(posts(lambda *_: 9.0, range(HALF), 1), START + HALF * DAY, alone=True)
    policy = OwnBudget(4.0, forecast)
    policy.observe(0, forecast.last + 3600.0, np.full(40, forecast.last - DAY, dtype=np.int64))
    assert (policy.guard.waited, policy.guard.on) == (0.0, False)


def test_the_evaluation_is_guarded_too() -> None:
    before, after = (
        posts(lambda *_: 9.0, range(HALF), 1),
        posts(FOOLING["changed every other day"], range(HALF, 2 * HALF), 2),
    )
    rows = list(evaluate([Trace("f", np.concatenate((before, after)))], [2], ["phasa", "uniform"]))
    assert rows[0].delay_hours <= 1.10 * rows[1].delay_hours
