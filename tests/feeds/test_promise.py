"""Promises are made right by how earlier ones were kept."""

from __future__ import annotations

import pytest

from phasa.feeds.promise import Ledger
from phasa.feeds.rhythm import DAY


def test_without_a_past_the_forecast_stands() -> None:
    assert Ledger(0.0).correction() == 1.0


def test_a_forecast_that_is_a_tenth_too_long_is_shortened() -> None:
    ledger = Ledger(0.0)
    for day in range(100):
        ledger.add(day * DAY, 100.0, 100.0 * 1000, 100, 100 * 900.0)
    assert ledger.correction() == pytest.approx(0.9, abs=0.005)


def test_wrong_numbers_of_posts_do_not_change_the_mean_delay() -> None:
    ledger = Ledger(0.0)
    for day in range(100):
        ledger.add(day * DAY, 50.0, 50.0 * 1000, 100, 100 * 1000.0)
    assert ledger.correction() == pytest.approx(1.0)


def test_old_promises_are_forgotten() -> None:
    ledger = Ledger(0.0)
    ledger.add(0.0, 1000.0, 1000.0 * 1000, 1000, 1000 * 2000.0)
    ledger.add(400 * DAY, 1000.0, 1000.0 * 1000, 1000, 1000 * 1000.0)
    assert ledger.correction() == pytest.approx(1.0, abs=0.01)
