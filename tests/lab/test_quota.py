"""Shares as whole numbers that add up."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some

from phasa.lab.quota import shared_out, spread_within


@given(some.integers(0, 5000), some.lists(some.floats(0, 100), min_size=1, max_size=30))
def test_parts_add_up_and_are_within_one_of_their_share(total: int, weights: list[float]) -> None:
    column = np.array(weights)
    parts = shared_out(total, column)
    assert parts.sum() == total
    if column.sum() > 0:
        assert (np.abs(parts - total * column / column.sum()) < 1 + 1e-6).all()


def test_everyone_gets_the_least() -> None:
    assert shared_out(10, np.array([100.0, 0.0, 0.0]), least=2).tolist() == [6, 2, 2]
    with pytest.raises(ValueError, match="cannot be shared"):
        shared_out(1, np.ones(3), least=1)


@given(some.data())
def test_spread_parts_add_up_and_fit(data: some.DataObject) -> None:
    capacity = np.array(data.draw(some.lists(some.integers(0, 50), min_size=1, max_size=20)))
    wanted = np.array(data.draw(some.lists(some.floats(0, 1), min_size=len(capacity), max_size=len(capacity))))
    total = data.draw(some.integers(0, int(capacity.sum())))
    parts = spread_within(total, wanted, capacity)
    assert parts.sum() == total
    assert (parts >= 0).all()
    assert (parts <= capacity).all()


def test_more_than_fits_is_refused() -> None:
    with pytest.raises(ValueError, match="do not fit"):
        spread_within(3, np.array([0.5]), np.array([2]))
