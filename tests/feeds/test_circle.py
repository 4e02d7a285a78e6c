"""The optimum on the circle against enumeration, with and without spacing."""

from __future__ import annotations

from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from phasa.errors import InputError
from phasa.feeds.circle import optima, optimum, total_delay

small = st.lists(st.integers(0, 5), min_size=1, max_size=11)


def by_enumeration(counts: list[int], m: int, spacing: int) -> tuple[tuple[int, ...], float]:
    best: tuple[tuple[int, ...], float] | None = None
    for points in combinations(range(1, len(counts) + 1), m):
        gaps = [b - a for a, b in pairwise((*points, points[0] + len(counts)))]
        delay = total_delay(counts, points)
        if min(gaps) >= spacing and (best is None or delay < best[1]):
            best = (points, delay)
    assert best is not None
    return best


@settings(max_examples=300, deadline=None)
@given(small, st.data())
def test_spacing_is_kept_and_the_rest_is_optimal(counts: list[int], data: st.DataObject) -> None:
    m = data.draw(st.integers(1, len(counts)))
    spacing = data.draw(st.integers(1, len(counts) // m))
    assert optimum(counts, m, spacing) == by_enumeration(counts, m, spacing)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(0, 30), min_size=3, max_size=60))
def test_delay_is_convex_in_the_number_of_polls(counts: list[int]) -> None:
    totals = [found.total for found in optima(counts, range(1, len(counts) + 1))]
    drops = -np.diff(totals)
    assert (drops >= 0).all()
    assert (np.diff(drops) <= 0).all()


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(0, 9), min_size=4, max_size=40), st.integers(0, 39), st.data())
def test_turning_the_day_turns_the_plan(counts: list[int], turn: int, data: st.DataObject) -> None:
    m = data.draw(st.integers(1, len(counts)))
    assert optimum(np.roll(counts, turn), m).total == optimum(counts, m).total


@settings(max_examples=40, deadline=None)
@given(st.lists(st.floats(0, 3), min_size=20, max_size=80), st.data())
def test_fractions_reach_what_no_single_move_improves(rates: list[float], data: st.DataObject) -> None:
    m = data.draw(st.integers(1, len(rates) - 1))
    found = optimum(rates, m)
    assert found.total == pytest.approx(total_delay(rates, found.points), abs=1e-9)
    for k in range(m):
        for other in set(range(1, len(rates) + 1)) - set(found.points):
            moved = (*found.points[:k], other, *found.points[k + 1 :])
            assert total_delay(rates, moved) >= found.total - 1e-9


def test_minutes_of_a_day_with_many_polls() -> None:
    random = np.random.default_rng(1)
    counts = random.poisson(2 + 2 * np.sin(np.arange(1440) / 1440 * 2 * np.pi))
    found = optimum(counts, 48)
    assert len(found.points) == 48
    assert found.total == total_delay(counts, found.points)
    assert found.total < total_delay(counts, range(30, 1441, 30))


@pytest.mark.parametrize(("m", "spacing"), [(0, 1), (7, 1), (3, 3), (1, 0)])
def test_what_does_not_fit_is_refused(m: int, spacing: int) -> None:
    with pytest.raises(InputError, match="do not fit"):
        optimum([1] * 6, m, spacing)


@pytest.mark.parametrize("counts", [[], [-1, 2], [float("nan"), 1], [[1, 2]]])
def test_what_is_no_histogram_is_refused(counts: list[float]) -> None:
    with pytest.raises(InputError, match="histogram"):
        optimum(counts, 1)


@pytest.mark.parametrize("points", [[], [0], [7]])
def test_points_outside_the_day_are_refused(points: list[int]) -> None:
    with pytest.raises(InputError, match="from 1 to 6"):
        total_delay([1] * 6, points)
