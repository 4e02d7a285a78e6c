"""Marks of an axis: round, few, inside, and readable."""

from __future__ import annotations

import math
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from phasa.lab.chart import Chart, Series, draw, labels, rounded_up, step_of, ticks

spans = st.floats(1e-6, 1e9)


@pytest.mark.parametrize(
    ("start", "end", "shown"),
    [
        (0, 1, ["0", "0.2", "0.4", "0.6", "0.8", "1.0"]),
        (0, 0.3, ["0", "0.05", "0.10", "0.15", "0.20", "0.25", "0.30"]),
        (0, 16, ["0", "5", "10", "15"]),
        (0, 4500, ["0", "1,000", "2,000", "3,000", "4,000"]),
        (0, 5000, ["0", "1,000", "2,000", "3,000", "4,000", "5,000"]),
        (0, 100_000, ["0", "20k", "40k", "60k", "80k", "100k"]),
        (0, 12_000, ["0", "2k", "4k", "6k", "8k", "10k", "12k"]),
        (0.1, 0.9, ["0.2", "0.4", "0.6", "0.8"]),
    ],
)
def test_numbers_are_round_and_readable(start: float, end: float, shown: list[str]) -> None:
    assert labels(ticks(start, end, 6)) == shown


@given(spans, st.integers(2, 10))
def test_a_step_is_one_two_or_five_and_leaves_few_parts(span: float, most: int) -> None:
    step = step_of(span, most)
    leading = step / 10.0 ** math.floor(math.log10(step) + 1e-9)
    assert min(abs(leading - good) for good in (1, 2, 5)) < 1e-6
    assert span / step <= most + 1e-6
    assert span / step > most / 2.6


@given(spans)
def test_the_end_of_an_axis_holds_the_value_and_is_marked(value: float) -> None:
    end = rounded_up(value, 6)
    assert end >= value * (1 - 1e-8)
    assert ticks(0.0, end, 6)[-1] == pytest.approx(end)


@given(spans)
def test_two_marks_never_read_the_same(span: float) -> None:
    shown = labels(ticks(0.0, span, 6))
    assert len(set(shown)) == len(shown)


def test_an_axis_without_length_has_a_mark() -> None:
    assert labels(ticks(0.0, 0.0, 6)) == ["0"]


@pytest.mark.parametrize(("from_zero", "first"), [(True, "0"), (False, "0.5")])
def test_an_axis_begins_at_zero_or_at_the_smallest_value(from_zero: bool, first: str) -> None:
    drawn = draw(Chart("Pages", "Z", "pages", [Series("pages", [0.5, 1.0], [1, 2])], x_from_zero=from_zero))
    assert re.findall('text-anchor="middle">([0-9.]+)<', drawn)[0] == first
