"""Rates from visits that only say whether a page had changed."""

from __future__ import annotations

import numpy as np
import pytest

from phasa.schedule.rates import Prior, believed, cho, learn_prior, likeliest, naive

DAY = 86_400.0


def visits(rates: np.ndarray, count: int, seed: int = 1) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    owners = np.repeat(np.arange(len(rates)), count)
    gaps = rng.gamma(2.0, 5 * DAY, len(owners))
    return gaps, rng.random(len(owners)) < -np.expm1(-rates[owners] * gaps), owners


def test_the_likeliest_rate_of_even_gaps_is_known_in_closed_form() -> None:
    gaps, changed = np.full(10, DAY), np.arange(10) < 4
    rate = likeliest(gaps, changed, np.zeros(10, np.int64), 1)[0]
    assert rate * DAY == pytest.approx(-np.log(0.6), rel=1e-6)


def test_the_likeliest_rate_comes_near_the_truth_where_the_naive_one_is_too_low() -> None:
    true = np.full(50, 1 / (3 * DAY))
    seen = visits(true, 400)
    assert likeliest(*seen, 50).mean() == pytest.approx(true[0], rel=0.05)
    assert naive(*seen, 50).mean() < 0.5 * true[0]


def test_chos_estimator_has_a_rate_for_pages_that_always_changed() -> None:
    gaps, changed, owners = np.full(3, DAY), np.ones(3, bool), np.zeros(3, np.int64)
    assert cho(gaps, changed, owners, 1)[0] * DAY == pytest.approx(-np.log(0.5 / 3.5))


def test_a_prior_is_learned_from_the_pages_that_it_is_a_prior_of() -> None:
    true = np.random.default_rng(2).gamma(0.7, 1 / 0.7, 20_000) / (20 * DAY)
    gaps, changed, _ = visits(true, 3)
    assert learn_prior(gaps, changed).rate == pytest.approx(1 / (20 * DAY), rel=0.25)


@pytest.mark.parametrize("count", [1, 3, 10, 30])
def test_with_a_prior_rates_are_nearer_the_truth_than_without(count: int) -> None:
    true = np.random.default_rng(3).gamma(0.7, 1 / 0.7, 5_000) / (20 * DAY)
    seen = visits(true, count, seed=4)
    ours = believed(*seen, 5_000, learn_prior(seen[0], seen[1]))
    for other in (naive(*seen, 5_000), cho(*seen, 5_000)):
        assert np.abs(ours - true).mean() < np.abs(other - true).mean()


def test_a_page_without_visits_has_the_rate_of_the_prior() -> None:
    none = np.zeros(0)
    rates = believed(none, none.astype(bool), none.astype(np.int64), 2, Prior(2.0, 10 * DAY))
    assert rates * DAY == pytest.approx([0.2, 0.2], rel=0.02)
