"""bench/feeds_tune.py really changes the constants that it compares, wherever they live."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from bench.feeds_tune import SHARED_VARIANTS, VARIANTS, changed

from phasa.feeds import forecast, next_poll
from phasa.feeds.own import OwnBudget

EVERY = {**VARIANTS, **SHARED_VARIANTS}


def copies(name: str) -> list[object]:
    """What the modules of the policy hold under this name: it may be imported from one into another."""
    rooms = [module for room, module in sorted(sys.modules.items()) if room.startswith("phasa.feeds.")]
    return [vars(room)[name] for room in rooms if name in vars(room)]


@pytest.mark.parametrize("label", EVERY)
def test_a_variant_changes_all_its_constants_and_puts_them_back(label: str) -> None:
    values = {name: value for name, value in EVERY[label].items() if name != "shares"}
    before = {name: copies(name) for name in values}
    with changed(values):
        for name, value in values.items():
            assert copies(name)
            assert all(held is value for held in copies(name)), name
    for name, held in before.items():
        assert all(now is then for now, then in zip(copies(name), held, strict=True)), name


def test_the_shares_of_the_pulse_are_changed_and_put_back() -> None:
    shares = forecast.SHARES.copy()
    with changed({"shares": (0.1, 0.1, 0.1, 0.1, 0.1)}):
        assert forecast.SHARES.tolist() == [0.1] * 5
    assert np.array_equal(forecast.SHARES, shares)


def test_a_bucket_holds_what_the_variant_says() -> None:
    times = np.arange(400) * 20_000
    with changed({"HOLDS": 7.0}):
        policy = OwnBudget(4.0, forecast.Forecast.learn(times, int(times[-1]) + 1))
    assert policy.bucket.holds == 7.0


def test_a_constant_that_the_policy_does_not_have_is_an_error() -> None:
    night = next_poll.NIGHT
    with pytest.raises(LookupError, match="STEARING"), changed({"NIGHT": 0, "STEARING": 0.4}):
        pass
    assert night == next_poll.NIGHT


def test_constants_are_put_back_when_a_measurement_fails() -> None:
    night = next_poll.NIGHT
    with pytest.raises(ZeroDivisionError), changed({"NIGHT": 0}):
        raise ZeroDivisionError
    assert night == next_poll.NIGHT
