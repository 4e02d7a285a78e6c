"""A poor link waits while good ones come."""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from phasa.crawl.loop import Chooser


def choice_after(choosy: float, seen: list[tuple[float, bool]]) -> Chooser:
    choice = Chooser(choosy)
    for priority, wanted in seen:
        choice.saw(priority, wanted)
    choice.weigh()
    return choice


def mixed(good: float, poor: float) -> list[tuple[float, bool]]:
    """Links of priority 5 to 6 that keep their promise with one probability, of 1 to 2 with another."""
    dice = random.Random(1)
    high = [(5 + dice.random(), dice.random() < good) for _ in range(Chooser.RECENT // 2)]
    low = [(1 + dice.random(), dice.random() < poor) for _ in range(Chooser.RECENT // 2)]
    both = high + low
    dice.shuffle(both)
    return both


def test_what_brings_much_less_is_put_off_while_better_links_come() -> None:
    choice = choice_after(0.5, mixed(0.9, 0.1))
    assert 1.9 < choice.least <= 5.1
    assert choice.takes(5.5, now=100.0, patience=2.0)
    assert not choice.takes(1.5, now=101.0, patience=2.0)


def test_when_nothing_better_came_for_a_while_the_poor_ones_are_fetched() -> None:
    choice = choice_after(0.5, mixed(0.9, 0.1))
    choice.takes(5.5, now=100.0, patience=2.0)
    assert choice.takes(1.5, now=102.1, patience=2.0)


def test_where_all_links_promise_the_same_nothing_is_put_off() -> None:
    assert choice_after(0.5, mixed(0.6, 0.6)).least == float("-inf")
    assert choice_after(0.5, mixed(0.0, 0.0)).least == float("-inf")


def test_equal_priorities_are_never_put_off() -> None:
    assert choice_after(0.5, [(1.0, number % 5 > 1) for number in range(Chooser.RECENT)]).takes(
        1.0, now=0.0, patience=9.0
    )


def test_a_crawl_that_is_not_choosy_and_one_that_knows_too_little_take_everything() -> None:
    assert choice_after(0.0, mixed(0.9, 0.1)).least == float("-inf")
    assert choice_after(0.5, mixed(0.9, 0.1)[: Chooser.ENOUGH - 1]).least == float("-inf")


@given(st.lists(st.tuples(st.floats(-5, 5), st.booleans()), max_size=400), st.floats(0, 1))
def test_the_upper_half_is_never_put_off(seen: list[tuple[float, bool]], choosy: float) -> None:
    choice = choice_after(choosy, seen)
    assert all(
        choice.takes(priority, 0.0, 1.0) for priority, _ in sorted(seen)[(len(seen) + 1) // 2 + len(seen) // 10 :]
    )
