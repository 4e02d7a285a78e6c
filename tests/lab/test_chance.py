"""Chance that depends only on seed, stream and index."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as some

from phasa.lab.chance import Dice, generator, key, unit, unit_at, word_at, words

numbers = some.integers(0, 2**63 - 1)


@given(numbers, some.lists(some.integers(0, 2**31), min_size=1, max_size=20))
def test_one_number_is_the_same_as_its_row_in_an_array(stream: int, indices: list[int]) -> None:
    rows = np.array(indices)
    assert words(stream, rows).tolist() == [word_at(stream, index) for index in indices]
    assert unit(stream, rows).tolist() == [unit_at(stream, index) for index in indices]


@given(numbers)
def test_units_lie_between_zero_and_one(stream: int) -> None:
    values = unit(stream, np.arange(1000))
    assert values.min() >= 0
    assert values.max() < 1
    assert abs(values.mean() - 0.5) < 0.06


def test_different_things_have_different_keys() -> None:
    keys = {key(1), key(2), key(1, "a"), key(1, "b"), key(1, 0), key(1, 1), key(1, "a", 1), key(1, "a", 2)}
    assert len(keys) == 8


def test_dice_with_the_same_name_fall_the_same() -> None:
    first, second = Dice(3, "page", 7), Dice(3, "page", 7)
    assert [first.unit() for _ in range(5)] == [second.unit() for _ in range(5)]
    assert {Dice(3, "page", number).below(10) for number in range(200)} == set(range(10))
    assert all(2 <= Dice(1, number).between(2, 4) <= 4 for number in range(50))


def test_generators_repeat() -> None:
    assert generator(5, "x").random(3).tolist() == generator(5, "x").random(3).tolist()
    assert generator(5, "x").random(3).tolist() != generator(5, "y").random(3).tolist()
