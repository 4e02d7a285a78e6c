"""A live crawl near the order of the lab: few requests before much is known, poor links wait while better ones come."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from phasa.crawl.chooser import Chooser, Promise
from phasa.frontier.protocol import ANY


def chooser_after(seen: list[tuple[float, bool]], tolerance: float = 0.01) -> Chooser:
    chooser = Chooser(tolerance)
    for priority, wanted in seen:
        chooser.saw(priority, wanted)
    return chooser


def mixed(good: float, poor: float, count: int = 1000) -> list[tuple[float, bool]]:
    """Links of priority 5 to 6 that keep their promise with one probability, of 1 to 2 with another."""
    dice = random.Random(1)
    high = [(5 + dice.random(), dice.random() < good) for _ in range(count // 2)]
    low = [(1 + dice.random(), dice.random() < poor) for _ in range(count // 2)]
    both = high + low
    dice.shuffle(both)
    return both


def test_what_promises_less_waits_while_better_links_can_come() -> None:
    chooser = chooser_after(mixed(0.95, 0.1))
    assert 2.0 <= chooser.free(best=5.9) <= 5.9
    assert chooser.free(best=1.5) <= 2.0  # nothing better can come: then it is the best there is


def test_where_all_links_promise_the_same_nothing_waits() -> None:
    assert chooser_after(mixed(0.0, 0.0)).free(best=5.9) == ANY
    assert chooser_after(mixed(1.0, 1.0)).free(best=5.9) == ANY
    assert chooser_after([(1.0, number % 5 > 1) for number in range(1000)]).free(best=1.0) == ANY


def test_a_crawl_that_knows_too_little_takes_the_best_and_few_at_a_time() -> None:
    chooser = chooser_after(mixed(0.9, 0.1)[: Promise.ENOUGH - 1])
    assert chooser.free(best=5.9) == ANY
    assert chooser.room() == 1


def test_the_requests_that_may_be_out_grow_with_what_is_known() -> None:
    rooms = [Chooser(0.01, known).room() for known in (0, 100, 1000, 10_000)]
    assert rooms == [1, 4, 32, 313]


def test_a_strategy_that_likes_all_links_the_same_has_nothing_to_learn() -> None:
    assert chooser_after([(0.0, number % 3 == 0) for number in range(64)]).room() == float("inf")


def test_with_a_tolerance_of_one_everything_passes() -> None:
    chooser = chooser_after(mixed(0.95, 0.1), tolerance=1.0)
    assert chooser.free(best=5.9) == ANY
    assert chooser.room() == float("inf")


def test_requests_save_up_for_poor_ones_and_their_regret_is_never_more_than_the_tolerance() -> None:
    chooser = chooser_after(mixed(0.95, 0.1), tolerance=0.02)
    regret, asked = 0.0, 0
    for turn in range(5000):
        least = chooser.affordable(best=5.9)
        priority = 1.5 if least <= 1.5 else 5.9
        regret += chooser.promise.of(5.9) - chooser.promise.of(priority)
        asked += 1
        chooser.asks(priority, 5.9, now=turn * 0.01)
    assert 0.5 * 0.02 <= regret / asked <= 0.02 + 1.0 / asked


def test_a_crawl_that_waits_for_few_good_links_goes_on_with_others_slowly() -> None:
    chooser = chooser_after(mixed(0.95, 0.1), tolerance=0.02)
    for turn in range(100):
        chooser.asks(5.9, 5.9, now=turn * 0.1)
    while chooser.affordable(best=5.9) < chooser.free(best=5.9):
        chooser.asks(1.5, 5.9, now=10.0)
    before = chooser.affordable(best=5.9)
    assert before == chooser.free(best=5.9)
    chooser.idles(600.0)
    assert chooser.affordable(best=5.9) <= 1.5


def test_what_poor_links_brought_is_remembered_while_good_ones_come() -> None:
    chooser = chooser_after(mixed(0.95, 0.1))
    chooser.free(best=5.9)
    for turn in range(3 * Promise.RECENT):
        chooser.saw(5.5 + turn % 10 / 20, wanted=turn % 20 > 0)
    assert chooser.promise.of(1.5) < 0.5
    assert chooser.free(best=5.9) > 2.0


@given(st.lists(st.tuples(st.floats(-5, 5), st.booleans()), min_size=16, max_size=400), st.floats(-6, 6))
def test_the_promise_grows_with_priority_and_the_best_is_always_worth_it(
    seen: list[tuple[float, bool]], best: float
) -> None:
    chooser = chooser_after(seen)
    shares = [chooser.promise.of(priority / 4) for priority in range(-24, 25)]
    assert shares == sorted(shares)
    assert all(0.0 <= share <= 1.0 for share in shares)
    assert chooser.free(best) <= best


@pytest.mark.parametrize("seconds", [0.01, 3.0])
def test_what_an_answer_usually_takes_is_learned(seconds: float) -> None:
    chooser = Chooser(0.01)
    for _ in range(200):
        chooser.took("a.example", seconds, came=True)
    assert chooser.usual == pytest.approx(seconds, rel=0.1)


def test_hosts_that_are_slow_or_fail_are_not_waited_for_and_teach_nothing() -> None:
    """Many tarpits beside one good host: what is usual stays what the good host does."""
    chooser = Chooser(0.01)
    for turn in range(400):
        chooser.took("good.example", 0.02, came=True)
        chooser.took(f"silent{turn}.example", 20.0, came=False)
        if turn % 3 == 0:
            chooser.took(f"slow{turn}.example", 30.0, came=True)
    assert chooser.usual < 0.04
    assert not chooser.is_slow("good.example")
    assert chooser.is_slow("silent7.example")
    assert chooser.is_slow("slow9.example")
    chooser.took("slow9.example", 0.02, came=True)
    assert not chooser.is_slow("slow9.example"), "one good answer and it is waited for again"
    for number in range(2 * Chooser.HOSTS):
        chooser.took(f"more{number}.example", 20.0, came=False)
    assert not chooser.is_slow("silent7.example"), "they are not remembered for ever"
