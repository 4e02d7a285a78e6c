"""What a visit is worth, and how a budget is shared."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from phasa.errors import InputError
from phasa.schedule.value import AIMS, Aim, Floats, aim_of, rest, share_budget, up_to_date, worth

RATES = st.lists(st.floats(1e-8, 1e-3), min_size=1, max_size=30).map(np.array)


def gain(rates: Floats, visits: Floats, aim: Aim) -> float:
    """What even visits reach, by the formulas of research/fresh.md; more is better."""
    with np.errstate(divide="ignore", invalid="ignore"):
        if aim == "delay":
            return -float(np.sum(rates / (2 * visits)))
        seen = visits * -np.expm1(-rates / visits)
        return float(np.nansum(seen / rates if aim == "fresh" else seen))


@pytest.mark.parametrize("aim", AIMS)
@given(rates=RATES)
def test_the_budget_is_spent_to_the_last(aim: Aim, rates: Floats) -> None:
    budget = float(rates.sum()) / 3
    shared = share_budget(rates, budget, aim).visits
    assert shared.sum() <= budget * 1.0001
    if aim == "delay" or np.ptp(rates) < 1e-12:
        assert shared.sum() == pytest.approx(budget, rel=1e-3)


@pytest.mark.parametrize("aim", AIMS)
def test_no_small_shift_of_visits_from_page_to_page_is_better(aim: Aim) -> None:
    rates = np.array([1e-6, 3e-6, 1e-5, 4e-5])
    shared = share_budget(rates, 2e-5, aim).visits
    best = gain(rates, shared, aim)
    for giver in range(4):
        for taker in range(4):
            moved = shared.copy()
            step = min(1e-7, moved[giver])
            moved[giver] -= step
            moved[taker] += step
            assert gain(rates, moved, aim) <= best + 1e-9 * abs(best)


def test_a_page_that_changes_too_fast_is_not_worth_a_visit_for_freshness() -> None:
    shared = share_budget(np.array([1e-6, 1e-6, 10.0]), 1e-6, "fresh").visits
    assert shared[2] == 0
    assert shared[0] > 0


@pytest.mark.parametrize("aim", AIMS)
@given(rates=RATES, price=st.floats(1e-3, 0.5))
def test_after_its_rest_a_page_is_worth_the_price(aim: Aim, rates: Floats, price: float) -> None:
    gaps = rest(price, rates, aim)
    finite = np.isfinite(gaps)
    value = worth((rates * gaps)[finite], rates[finite], aim)
    assert value == pytest.approx(np.full(finite.sum(), price), rel=1e-3)


@pytest.mark.parametrize("aim", AIMS)
def test_a_visit_is_worth_more_the_more_may_have_changed(aim: Aim) -> None:
    values = worth(np.array([0.0, 1e-6, 1e-3, 0.1, 1.0, 10.0]), np.full(6, 1e-5), aim)
    assert values[0] == 0
    assert (np.diff(values) > 0).all()


def test_up_to_date_is_the_share_of_a_gap_before_the_first_change() -> None:
    assert up_to_date(np.array([1.0]), np.array([1.0]))[0] == pytest.approx(1 - np.exp(-1))
    assert up_to_date(np.array([0.0]), np.array([5.0]))[0] == 1


def test_an_aim_that_nobody_knows_is_refused() -> None:
    assert aim_of("delay") == "delay"
    with pytest.raises(InputError, match="fresh, delay or versions"):
        aim_of("quick")


@pytest.mark.parametrize("aim", AIMS)
def test_no_small_shift_is_better_where_pages_weigh_differently(aim: Aim) -> None:
    rates, weights = np.array([1e-6, 3e-6, 1e-5, 4e-5]), np.array([5.0, 0.2, 1.0, 3.0])

    def counted(visits: Floats) -> float:
        return float(
            sum(weights[n] * gain(rates[n : n + 1], visits[n : n + 1], aim) for n in range(4) if visits[n] > 0)
        )

    shared = share_budget(rates, 2e-5, aim, weights).visits
    best = counted(shared)
    for giver in range(4):
        for taker in range(4):
            moved = shared.copy()
            step = min(1e-7, moved[giver])
            moved[giver] -= step
            moved[taker] += step
            assert counted(moved) <= best + 1e-9 * abs(best)
