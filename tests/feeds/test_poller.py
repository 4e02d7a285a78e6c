"""The causal policy: within its budget, near the optimum where that is known, quick to follow a burst."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from phasa.feeds.circle import optimum
from phasa.feeds.poller import HOLDS, Bucket, Poller, remembering
from phasa.feeds.pulse import SHARES, pulse_of, rate_of_year, unsteadiness
from phasa.feeds.replay import even_delay, replay_poller, replay_shared
from phasa.feeds.rhythm import DAY, HOUR, MONDAY
from phasa.feeds.shape import WIDTH, learn_shape

HOURLY = np.where((np.arange(24) >= 8) & (np.arange(24) < 18), 1.0, 0.05)


def posts(hourly: np.ndarray, days: int, first: int = 0, seed: int = 1) -> np.ndarray:
    random = np.random.default_rng(seed)
    counts = random.poisson(np.tile(hourly, days))
    starts = MONDAY + first * DAY + np.repeat(np.arange(24 * days) * HOUR, counts)
    return np.sort(starts + random.integers(0, HOUR, len(starts)))


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
    assert bucket.dearness() == 1.0
    bucket.pay(0.0)
    assert bucket.dearness() > 1.0
    bucket.fill(30.0 * DAY)
    assert bucket.dearness() < 0.5
    assert bucket.full_at(30.0 * DAY) == 30.0 * DAY


def test_a_bucket_nearly_full_prices_polls_by_what_the_feed_does_now() -> None:
    poller = Poller.learn(posts(HOURLY, 60), MONDAY + 60 * DAY)
    poller.averages = [0.0, 0.0, 0.0, 0.0, poller.pulse.rate]
    bucket = Bucket(4.0, float(poller.last), 4.0, HOLDS, reserve=7.0)
    assert bucket.fullness() == 0.0
    assert poller.worth(bucket) == pytest.approx(poller.level())
    bucket.begun, bucket.level = bucket.since - 100.0 * DAY, HOLDS * 4.0
    assert bucket.fullness() == 1.0
    assert poller.worth(bucket) == pytest.approx(poller.activity())
    assert poller.activity() < poller.level() * bucket.dearness()


def test_a_feed_that_nearly_stopped_is_doubted_and_saves_no_polls() -> None:
    poller = Poller.learn(posts(HOURLY, 200), MONDAY + 200 * DAY, alone=True)
    bucket = Bucket.for_rate(4.0, poller.last, holds=HOLDS)
    hours = np.ptp(poller.shape.rates)
    for _ in range(400):
        poller.observe(poller.last + DAY, np.array([], dtype=np.int64))
    assert poller.worth(bucket) < 0.3 * poller.level() * bucket.dearness()
    assert np.ptp(poller.shape.rates) < 0.8 * hours
    back = posts(HOURLY, 120, first=600, seed=3)
    for day in range(120):
        now = MONDAY + (601 + day) * DAY
        poller.observe(now, back[(back > poller.last) & (back <= now)])
    assert np.ptp(poller.shape.rates) > 0.8 * hours


@pytest.mark.parametrize("per_day", [1, 4, 24])
def test_a_steady_day_is_polled_nearly_as_well_as_if_its_rates_were_known(per_day: int) -> None:
    learned, later = posts(HOURLY, 90), posts(HOURLY, 60, first=90, seed=2)
    found = replay_poller(Poller.learn(learned, MONDAY + 90 * DAY, alone=True), later, per_day)
    best = optimum(np.repeat(HOURLY, 12), per_day)
    known = (best.total / np.repeat(HOURLY, 12).sum() + 0.5) * 300 * len(later)
    assert found.delay <= 1.12 * known
    assert found.delay < 0.9 * even_delay(DAY / per_day) * len(later)
    assert found.polls <= per_day * 61 + max(1, per_day)


def test_posts_at_random_cost_no_more_than_even_polling() -> None:
    flat = np.full(24, 0.2)
    found = replay_poller(Poller.learn(posts(flat, 60), MONDAY + 60 * DAY), posts(flat, 60, 60, 2), 4)
    assert found.delay <= 1.06 * even_delay(DAY / 4) * len(posts(flat, 60, 60, 2))


def test_a_rate_jump_neither_starves_nor_overruns() -> None:
    later = posts(HOURLY * 10, 30, first=60, seed=3)
    found = replay_poller(Poller.learn(posts(HOURLY, 60), MONDAY + 60 * DAY, alone=True), later, 8)
    assert found.polls <= 8 * 31 + 8
    assert found.delay <= 1.1 * even_delay(DAY / 8) * len(later)


def test_a_feed_that_nearly_stops_is_still_polled() -> None:
    # Half a year: the four weeks of polls that may be saved up are no starving.
    later = MONDAY + 60 * DAY + np.arange(1, 40) * 5 * DAY + 12 * HOUR
    found = replay_poller(Poller.learn(posts(HOURLY, 60), MONDAY + 60 * DAY, alone=True), later, 4)
    assert found.polls >= 0.8 * 4 * (later[-1] - MONDAY - 60 * DAY) / DAY
    assert found.delay <= 1.1 * even_delay(DAY / 4) * len(later)


def test_a_feed_that_nearly_stops_is_found_in_its_quiet_hours_too() -> None:
    later = MONDAY + 60 * DAY + np.arange(1, 20) * 5 * DAY + 7777
    found = replay_poller(Poller.learn(posts(HOURLY, 60), MONDAY + 60 * DAY, alone=True), later, 4)
    assert found.delay <= 1.1 * even_delay(DAY / 4) * len(later)


@pytest.mark.parametrize("per_day", [1, 4, 24])
def test_a_feed_that_nearly_stops_and_posts_at_any_hour_waits_hardly_longer_than_with_even_polls(per_day: int) -> None:
    waited = []
    for seed in range(6):
        random = np.random.default_rng(seed)
        later = MONDAY + 60 * DAY + np.sort(random.integers(0, 150 * DAY, 30))
        found = replay_poller(Poller.learn(posts(HOURLY, 60), MONDAY + 60 * DAY, alone=True), later, per_day)
        waited.append(found.delay / (even_delay(DAY / per_day) * len(later)))
    assert np.mean(waited) <= 1.2


def test_bursts_are_found_and_used() -> None:
    random = np.random.default_rng(7)
    starts = np.sort(random.integers(0, 400 * DAY, 300))
    times = np.sort(np.concatenate([start + random.integers(0, 2 * HOUR, 12) for start in starts])) + MONDAY
    cut = MONDAY + 200 * DAY
    before, after = times[times < cut], times[times >= cut]
    found = replay_poller(Poller.learn(before, cut), after, 24)
    assert found.delay < 0.8 * even_delay(DAY / 24) * len(after)


def test_the_process_does_not_explode_and_goes_back_to_its_long_run_rate() -> None:
    pulse = pulse_of(posts(HOURLY, 60), MONDAY + 60 * DAY)
    assert 0 < SHARES.sum() < 1
    decay, _, _ = pulse.forecast_terms()
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
    assert keen.dearness() > calm.dearness()


def test_a_plan_waits_for_the_moment_from_which_a_poll_can_be_paid() -> None:
    poller = Poller.learn(posts(HOURLY, 60), MONDAY + 60 * DAY)
    price = 0.5 * poller.level() * (6 * HOUR) ** 2
    ready = poller.next_poll(price, 6 * HOUR) + HOUR
    assert poller.next_poll(price, 6 * HOUR, ready) >= ready


def test_a_remembering_learner_learns_the_same_posts_once() -> None:
    asked: list[int] = []

    def learner(times: np.ndarray):  # type: ignore[no-untyped-def]
        asked.append(len(times))
        return learn_shape(times)

    learn = remembering(learner)
    times = posts(HOURLY, 30)
    assert learn(times) is learn(times.copy())
    learn(times[:-1])
    assert asked == [len(times), len(times) - 1]


def test_steady_feeds_share_a_budget_about_as_the_square_root_rule_says() -> None:
    rates = [1.0, 16.0]
    start = MONDAY + 40 * DAY
    pollers = [Poller.learn(posts(np.full(24, r / 24), 40, seed=k), start) for k, r in enumerate(rates)]
    later = [posts(np.full(24, r / 24), 100, first=40, seed=9 + k) for k, r in enumerate(rates)]
    found = replay_shared(pollers, later, 10.0, start + 100 * DAY)
    assert sum(feed.polls for feed in found) <= 10 * 100 + 10 + 2
    assert 2.5 < found[1].polls / found[0].polls < 6.0
    total = sum(feed.delay for feed in found)
    ideal = sum(np.sqrt(rates)) ** 2 / (2 * 10) * DAY * 100
    assert total < 1.12 * ideal


def test_nothing_of_the_future_is_used() -> None:
    """Two futures that agree until day 20 get the same polls until then."""
    learned = posts(HOURLY, 60)
    one, two = posts(HOURLY, 40, 60, 2), posts(HOURLY * 3, 40, 60, 4)
    border = MONDAY + 80 * DAY
    mixed = np.concatenate((one[one < border], two[two >= border]))
    seen: list[list[int]] = []
    for future in (one, mixed):
        poller = Poller.learn(learned, MONDAY + 60 * DAY)
        moments: list[int] = []
        original = poller.observe

        def observe(now: int, found: np.ndarray, keep=moments, then=original) -> None:  # type: ignore[no-untyped-def]
            keep.append(now)
            then(now, found)

        poller.observe = observe  # type: ignore[method-assign, assignment]
        replay_poller(poller, future, 4)
        seen.append([moment for moment in moments if moment < border])
    assert seen[0] == seen[1]
    assert all(moment % WIDTH == 0 for moment in seen[0])
