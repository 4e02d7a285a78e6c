"""The policy: within its budget, near the optimum where that is known, quick to follow a burst, honest promises."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from phasa.feeds.bucket import HOLDS, Bucket
from phasa.feeds.circle import optimum
from phasa.feeds.evaluate import replay_shared
from phasa.feeds.forecast import Forecast, unsteadiness
from phasa.feeds.next_poll import best_poll
from phasa.feeds.own import OwnBudget
from phasa.feeds.policy import UNPACED, Pace, Reason, Rules
from phasa.feeds.promise import Calibration
from phasa.feeds.replay import Replayed, even_delay, replay
from phasa.feeds.rhythm import DAY, HOUR, MONDAY
from phasa.feeds.shape import WIDTH
from phasa.feeds.shared import SharedBudget

HOURLY = np.where((np.arange(24) >= 8) & (np.arange(24) < 18), 1.0, 0.05)


def posts(hourly: np.ndarray, days: int, first: int = 0, seed: int = 1) -> np.ndarray:
    random = np.random.default_rng(seed)
    counts = random.poisson(np.tile(hourly, days))
    starts = MONDAY + first * DAY + np.repeat(np.arange(24 * days) * HOUR, counts)
    return np.sort(starts + random.integers(0, HOUR, len(starts)))


def replay_alone(forecast: Forecast, later: np.ndarray, per_day: float) -> Replayed:
    """One feed with polls of its own, until its last post is found."""
    policy = OwnBudget(per_day, forecast)
    return replay(policy, [later], [policy.decide(0, forecast.last).at])[0]


@settings(max_examples=50, deadline=None)
@given(st.floats(0.2, 50), st.lists(st.floats(0, 3 * DAY), min_size=1, max_size=60))
def test_a_bucket_never_gives_more_than_the_allowance_and_a_start(per_day: float, waits: list[float]) -> None:
    bucket, now, start = Bucket.for_rate(per_day, 0.0, holds=HOLDS), 0.0, max(1.0, per_day)
    for number, wait in enumerate(waits, start=1):
        now = bucket.ready_at(now + wait)
        bucket.pay(now)
        assert number <= start + per_day * now / DAY + 1e-6


def test_polls_get_dearer_as_the_bucket_empties() -> None:
    bucket = Bucket.for_rate(10.0, 0.0)
    assert bucket.price_factor() == 1.0
    bucket.pay(0.0)
    assert bucket.price_factor() > 1.0
    bucket.fill(30.0 * DAY)
    assert bucket.price_factor() < 0.5
    assert bucket.full_at(30.0 * DAY) == 30.0 * DAY


def test_a_bucket_nearly_full_prices_polls_by_what_the_feed_does_now() -> None:
    learned = posts(HOURLY, 60)
    quiet = Forecast.learn(learned[learned < MONDAY + 20 * DAY], MONDAY + 100 * DAY)
    policy = OwnBudget(4.0, quiet)
    assert policy.bucket.fullness() == 0.0
    assert policy.priced_activity() == pytest.approx(quiet.usual_activity() * policy.bucket.price_factor())
    policy.bucket.fill(quiet.last + 100.0 * DAY)
    assert policy.bucket.fullness() == 1.0
    assert policy.priced_activity() == pytest.approx(quiet.activity())
    assert quiet.activity() < quiet.usual_activity() * policy.bucket.price_factor()


def test_a_feed_that_nearly_stopped_saves_no_polls() -> None:
    forecast = Forecast.learn(posts(HOURLY, 200), MONDAY + 200 * DAY, alone=True)
    policy = OwnBudget(4.0, forecast)
    for _ in range(400):
        policy.observe(0, forecast.last + DAY, np.array([], dtype=np.int64))
    assert policy.priced_activity() < 0.3 * forecast.usual_activity() * policy.bucket.price_factor()


@pytest.mark.parametrize("per_day", [1, 4, 24])
def test_a_steady_day_is_polled_nearly_as_well_as_if_its_rates_were_known(per_day: int) -> None:
    learned, later = posts(HOURLY, 90), posts(HOURLY, 60, first=90, seed=2)
    found = replay_alone(Forecast.learn(learned, MONDAY + 90 * DAY, alone=True), later, per_day)
    best = optimum(np.repeat(HOURLY, 12), per_day)
    known = (best.total / np.repeat(HOURLY, 12).sum() + 0.5) * 300 * len(later)
    assert found.delay <= 1.12 * known
    assert found.delay < 0.9 * even_delay(DAY / per_day) * len(later)
    assert len(found.polls) <= per_day * 61 + max(1, per_day)


def test_posts_at_random_cost_no_more_than_even_polling() -> None:
    flat = np.full(24, 0.2)
    found = replay_alone(Forecast.learn(posts(flat, 60), MONDAY + 60 * DAY), posts(flat, 60, 60, 2), 4)
    assert found.delay <= 1.06 * even_delay(DAY / 4) * len(posts(flat, 60, 60, 2))


def test_a_rate_jump_neither_starves_nor_overruns() -> None:
    later = posts(HOURLY * 10, 30, first=60, seed=3)
    found = replay_alone(Forecast.learn(posts(HOURLY, 60), MONDAY + 60 * DAY, alone=True), later, 8)
    assert len(found.polls) <= 8 * 31 + 8
    assert found.delay <= 1.1 * even_delay(DAY / 8) * len(later)


def test_a_feed_that_nearly_stops_is_still_polled() -> None:
    # Half a year: the four weeks of polls that may be saved up are no starving.
    later = MONDAY + 60 * DAY + np.arange(1, 40) * 5 * DAY + 12 * HOUR
    found = replay_alone(Forecast.learn(posts(HOURLY, 60), MONDAY + 60 * DAY, alone=True), later, 4)
    assert len(found.polls) >= 0.8 * 4 * (later[-1] - MONDAY - 60 * DAY) / DAY
    assert found.delay <= 1.1 * even_delay(DAY / 4) * len(later)


def test_a_feed_that_nearly_stops_is_found_in_its_quiet_hours_too() -> None:
    later = MONDAY + 60 * DAY + np.arange(1, 20) * 5 * DAY + 7777
    found = replay_alone(Forecast.learn(posts(HOURLY, 60), MONDAY + 60 * DAY, alone=True), later, 4)
    assert found.delay <= 1.1 * even_delay(DAY / 4) * len(later)


@pytest.mark.parametrize("per_day", [1, 4, 24])
def test_a_feed_that_nearly_stops_and_posts_at_any_hour_waits_hardly_longer_than_with_even_polls(per_day: int) -> None:
    waited = []
    for seed in range(6):
        random = np.random.default_rng(seed)
        later = MONDAY + 60 * DAY + np.sort(random.integers(0, 150 * DAY, 30))
        found = replay_alone(Forecast.learn(posts(HOURLY, 60), MONDAY + 60 * DAY, alone=True), later, per_day)
        waited.append(found.delay / (even_delay(DAY / per_day) * len(later)))
    assert np.mean(waited) <= 1.2


def test_bursts_are_found_and_used() -> None:
    random = np.random.default_rng(7)
    starts = np.sort(random.integers(0, 400 * DAY, 300))
    times = np.sort(np.concatenate([start + random.integers(0, 2 * HOUR, 12) for start in starts])) + MONDAY
    cut = MONDAY + 200 * DAY
    before, after = times[times < cut], times[times >= cut]
    found = replay_alone(Forecast.learn(before, cut), after, 24)
    assert found.delay < 0.8 * even_delay(DAY / 24) * len(after)


def test_a_feed_whose_weeks_differ_is_unsteady_and_saves_more() -> None:
    steady = posts(HOURLY, 140)
    holidays = steady[(steady - MONDAY) // (28 * DAY) % 2 == 0]
    end = MONDAY + 140 * DAY
    assert unsteadiness(steady, end) < 0.1
    assert unsteadiness(holidays, end) > 0.3
    assert unsteadiness(steady[:1], end) == 0.0
    calm, keen = Bucket.for_rate(10, 0.0), Bucket.for_rate(10, 0.0, unsteady=1.0)
    for bucket in (calm, keen):
        bucket.since = 60.0 * DAY
    # At the same level, who wants a reserve finds a poll dearer.
    assert keen.price_factor() > calm.price_factor()


def test_a_plan_waits_for_the_moment_from_which_a_poll_can_be_paid() -> None:
    forecast = Forecast.learn(posts(HOURLY, 60), MONDAY + 60 * DAY)
    price = 0.5 * forecast.usual_activity() * (6 * HOUR) ** 2
    ready = best_poll(forecast, price, 6 * HOUR) + HOUR
    assert best_poll(forecast, price, 6 * HOUR, ready) >= ready


def test_steady_feeds_share_a_budget_about_as_the_square_root_rule_says() -> None:
    rates = [1.0, 16.0]
    start = MONDAY + 40 * DAY
    before = [posts(np.full(24, r / 24), 40, seed=k) for k, r in enumerate(rates)]
    later = [posts(np.full(24, r / 24), 100, first=40, seed=9 + k) for k, r in enumerate(rates)]
    found = replay_shared(before, later, start, start + 100 * DAY, Rules(10.0, pace=UNPACED))
    assert sum(len(feed.polls) for feed in found) <= 10 * 100 + 10 + 2
    assert 2.5 < len(found[1].polls) / len(found[0].polls) < 6.0
    total = sum(feed.delay for feed in found)
    ideal = sum(np.sqrt(rates)) ** 2 / (2 * 10) * DAY * 100
    assert total < 1.12 * ideal


def test_nothing_of_the_future_is_used() -> None:
    """Two futures that agree until day 20 get the same polls until then."""
    learned = posts(HOURLY, 60)
    one, two = posts(HOURLY, 40, 60, 2), posts(HOURLY * 3, 40, 60, 4)
    border = MONDAY + 80 * DAY
    mixed = np.concatenate((one[one < border], two[two >= border]))
    seen = [
        [at for at in replay_alone(Forecast.learn(learned, MONDAY + 60 * DAY), future, 4).polls if at < border]
        for future in (one, mixed)
    ]
    assert seen[0] == seen[1]
    assert all(moment % WIDTH == 0 for moment in seen[0])


def shared(per_day: float, *rates: float, now: float = MONDAY + 40.0 * DAY) -> SharedBudget:
    policy = SharedBudget(per_day, now)
    for number, rate in enumerate(rates):
        policy.join(number, posts(np.full(24, rate / 24), 40, seed=number), now, now - 40 * DAY)
    return policy


def test_a_feed_that_is_recalled_counts_in_the_price_and_one_that_leaves_does_not() -> None:
    now = MONDAY + 40.0 * DAY
    alone = shared(10.0, 4.0).decide(0, now)
    policy = shared(10.0, 4.0)
    policy.recall(7, alone.activity)
    assert policy.decide(0, now).worth == pytest.approx(4 * alone.worth)
    policy.leave(7)
    assert 7 not in policy
    assert policy.decide(0, now).worth == pytest.approx(alone.worth)


def test_no_feed_is_polled_again_within_the_least_gap() -> None:
    now = MONDAY + 40.0 * DAY
    paced, plain = SharedBudget(1000.0, now, Pace()), SharedBudget(1000.0, now)
    for policy in (paced, plain):
        policy.join(0, np.array([now - HOUR], dtype=np.int64), now, now)
    assert paced.decide(0, now).at == now + 900
    assert plain.decide(0, now).at < now + 900


def test_a_busy_feed_is_polled_before_its_document_can_lose_a_post() -> None:
    now = MONDAY + 40.0 * DAY
    policy = SharedBudget(24.0, now, Pace())
    for number in range(5):
        policy.join(number, np.arange(now - 20 * 600, now, 600, dtype=np.int64), now, now)
    wanted = policy.decide(0, now)
    policy.window(0, now, 20, lost=False)
    soon = policy.decide(0, now)
    assert (wanted.reason, soon.reason) == (Reason.WORTH, Reason.WINDOW)
    assert soon.at - now <= 11 * 600 < wanted.at - now
    policy.window(0, now, 20, lost=True)
    assert policy.decide(0, now).at - now <= 6 * 600
    policy.window(0, now + 8 * DAY, 20, lost=False)
    assert policy.decide(0, now).at == soon.at


def test_posts_found_within_one_step_of_the_clock_are_not_lost() -> None:
    now = MONDAY + 40.0 * DAY
    policy = shared(10.0, 4.0)
    before = policy.decide(0, now).activity
    policy.observe(0, now + 60, np.array([int(now) + 30], dtype=np.int64))
    assert policy.decide(0, now + 60).activity > before


def test_without_a_past_the_forecast_stands() -> None:
    assert Calibration(0.0).factor() == 1.0


def test_a_forecast_that_is_a_tenth_too_long_is_shortened() -> None:
    calibration = Calibration(0.0)
    for day in range(100):
        calibration.add(day * DAY, 100.0, 100.0 * 1000, 100, 100 * 900.0)
    assert calibration.factor() == pytest.approx(0.9, abs=0.005)
    # What was promised is the corrected forecast, which comes near to what was kept.
    assert calibration.promised.waiting / calibration.promised.posts == pytest.approx(900, rel=0.02)


def test_wrong_numbers_of_posts_do_not_change_the_mean_delay() -> None:
    calibration = Calibration(0.0)
    for day in range(100):
        calibration.add(day * DAY, 50.0, 50.0 * 1000, 100, 100 * 1000.0)
    assert calibration.factor() == pytest.approx(1.0)


def test_old_promises_are_forgotten() -> None:
    calibration = Calibration(0.0)
    calibration.add(0.0, 1000.0, 1000.0 * 1000, 1000, 1000 * 2000.0)
    calibration.add(400 * DAY, 1000.0, 1000.0 * 1000, 1000, 1000 * 1000.0)
    assert calibration.factor() == pytest.approx(1.0, abs=0.01)
