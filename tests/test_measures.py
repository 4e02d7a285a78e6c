"""The F-measure, from ratios and from counts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from phasa.measures import f_measure, f_of_counts


@given(st.integers(0, 50), st.integers(0, 50), st.integers(0, 50))
def test_counts_and_ratios_give_the_same(correct: int, wrong: int, missed: int) -> None:
    produced, expected = correct + wrong, correct + missed
    precision = correct / produced if produced else 0.0
    recall = correct / expected if expected else 0.0
    assert f_of_counts(correct, produced, expected) == pytest.approx(f_measure(precision, recall))


def test_it_lies_nearer_to_the_smaller_and_nothing_at_all_is_zero() -> None:
    assert f_measure(1.0, 0.5) == pytest.approx(2 / 3)
    assert f_measure(0.0, 1.0) == 0.0
    assert f_measure(0.0, 0.0) == 0.0
    assert f_of_counts(0, 0, 0) == 0.0
