"""A live crawl near the order of the lab: few requests before much is known, poor links wait while better ones come."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from phasa.crawl.chooser import Chooser, Promise
from phasa.frontier.common_order import NO_WORDS, Hearing, Others, Report, Row
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


class Wall:
    """A common order in memory, as several choosers of one test see it."""

    def __init__(self) -> None:
        self.rows: dict[int, Row] = {}
        self.saved = 0.0

    def place(self, worker: int) -> Place:
        return Place(self, worker)


class Place:
    rest = 1 / 32

    def __init__(self, wall: Wall, worker: int) -> None:
        self._wall, self._worker, self._hearing = wall, worker, Hearing()
        wall.rows[worker] = Row("", *NO_WORDS)

    def report(self, mine: Report, most: float) -> Others:
        wall = self._wall
        wall.saved = min(most, wall.saved + mine.earned)
        wall.rows[self._worker] = wall.rows[self._worker].after(mine)
        others = {number: row for number, row in wall.rows.items() if number != self._worker}
        return self._hearing.hear(others, wall.saved)

    def leave(self) -> None:
        del self._wall.rows[self._worker]


def crew(count: int, tolerance: float = 0.01) -> list[Chooser]:
    wall = Wall()
    return [Chooser(tolerance, common=wall.place(number)) for number in range(count)]


def test_poorer_links_than_were_ever_tried_go_out_one_at_a_time() -> None:
    good = [(5 + turn % 10 / 10, True) for turn in range(1000)]
    chooser = chooser_after(good)
    assert chooser.room() == 32
    assert chooser.known_enough(out=0) == ANY, "one may always go out"
    assert chooser.known_enough(out=4) >= 5.0, "not four more of those that nothing is known of"
    assert chooser.known_enough(out=31) <= 5.9, "links as good as those that came use all connections"


def test_poor_links_that_were_tried_often_go_out_many_at_a_time() -> None:
    chooser = chooser_after(mixed(0.9, 0.8))
    assert chooser.known_enough(out=10) <= 2.0
    assert chooser_after(mixed(0.9, 0.8), tolerance=1.0).known_enough(out=1000) == ANY


def test_poorer_links_go_out_few_at_a_time_from_all_workers_together() -> None:
    workers = crew(4)
    for turn in range(1000):
        workers[0].saw(5 + turn % 10 / 10, True)
    for now in (0.0, 1.0):
        for worker in workers:
            worker.tell(out=2, best=1.0, now=now)
    for worker in workers:
        assert worker.known_enough(out=0) >= 5.0, "six of others are out, and these may send some at the same time"


def test_workers_learn_what_links_promise_from_all_that_came() -> None:
    one, two = crew(2)
    for priority, wanted in mixed(0.95, 0.1, 500):
        one.saw(priority, wanted)
    one.tell(out=0, best=5.9, now=0.0)
    assert two.promise.of(5.9) == 0.0
    two.tell(out=0, best=1.5, now=0.0)
    assert two.promise.of(5.9) > 0.85
    assert two.answers == one.answers == 500
    two.tell(out=0, best=1.5, now=1.0)
    assert two.answers == 500, "nothing counts twice"


def test_a_worker_with_poor_links_waits_while_another_has_good_ones() -> None:
    one, two = crew(2)
    for priority, wanted in mixed(0.95, 0.1):
        one.saw(priority, wanted)
    one.tell(out=0, best=5.9, now=0.0)
    two.tell(out=0, best=1.5, now=0.0)
    assert two.free(best=1.5) > 2.0
    assert two.leaves_it_to_others(best=1.5)
    assert not one.leaves_it_to_others(best=5.9)
    one.tell(out=0, best=ANY, now=1.0)  # its good links are used up
    two.tell(out=0, best=1.5, now=1.0)
    assert two.free(best=1.5) <= 1.5
    assert not two.leaves_it_to_others(best=1.5)


def test_the_requests_of_all_workers_together_are_those_of_one() -> None:
    workers = crew(4)
    for priority, wanted in mixed(0.95, 0.1, 320):
        workers[0].saw(priority, wanted)
    for turn in (0.0, 1.0):
        for number, worker in enumerate(workers):
            worker.tell(out=0, best=5.0 + number / 10, now=turn)
    assert sum(worker.room() for worker in workers) == pytest.approx(1 + 320 // Chooser.SHARE, abs=3)
    workers[0].tell(out=9, best=5.0, now=2.0)
    workers[3].tell(out=0, best=5.3, now=2.0)
    assert workers[3].room() == 1, "two are free: none for three of four, and what is left for the best link"
    workers[2].tell(out=0, best=5.2, now=2.0)
    assert workers[2].room() == 0


def test_what_one_worker_earns_another_spends() -> None:
    one, two = crew(2, tolerance=0.02)
    for priority, wanted in mixed(0.95, 0.1):
        one.saw(priority, wanted)
    for turn in range(100):
        one.asks(5.9, 5.9, now=turn * 0.1)
    one.tell(out=0, best=5.9, now=10.0)
    two.tell(out=0, best=1.5, now=10.0)
    assert two.affordable(best=1.5) <= 1.5
    while two.affordable(best=1.5) <= 1.5:
        two.asks(1.5, 1.5, now=10.0)
    two.tell(out=0, best=1.5, now=11.0)
    one.tell(out=0, best=5.9, now=11.0)
    assert one.affordable(best=5.9) == one.free(best=5.9), "it is spent for both"


def test_waiting_earns_the_same_for_several_workers_as_for_one() -> None:
    alone = chooser_after(mixed(0.95, 0.1), tolerance=0.02)
    workers = crew(2, tolerance=0.02)
    for priority, wanted in mixed(0.95, 0.1):
        workers[0].saw(priority, wanted)
    for turn in range(100):
        alone.asks(5.9, 5.9, now=turn * 0.1)
        workers[turn % 2].asks(5.9, 5.9, now=turn * 0.1)
        for worker in workers:
            worker.tell(out=0, best=5.9, now=turn * 0.1)
    for worker in workers:
        worker.idles(50.0)
    alone.idles(50.0)
    assert workers[0].pace == pytest.approx(alone.pace, rel=0.05)
    for now in (30.0, 31.0):
        for worker in workers:
            worker.tell(out=0, best=5.9, now=now)
    bought, poor = [], 0
    for one in (alone, workers[0]):
        poor = 0
        while one.affordable(best=5.9) <= 1.5:
            one.asks(1.5, 5.9, now=30.0)
            poor += 1
        bought.append(poor)
    assert bought[0] > 8
    assert bought[1] == pytest.approx(bought[0], abs=2)


def test_who_has_others_to_hear_of_looks_around_as_often_as_answers_come() -> None:
    assert Chooser(0.01).glance(0.25) == 0.25
    one = crew(2)[0]
    for _ in range(200):
        one.took("a.example", 0.2, came=True)
    assert one.glance(0.25) == pytest.approx(0.1, rel=0.1)
    for _ in range(200):
        one.took("a.example", 3.0, came=True)
    assert one.glance(0.25) == 0.25


def test_many_workers_report_less_often() -> None:
    workers = crew(65)
    for worker in workers:
        worker.tell(out=0, best=1.0, now=0.0)
    workers[0].tell(out=0, best=1.0, now=0.5)
    workers[0].saw(1.0, True)
    workers[0].tell(out=0, best=1.0, now=1.0)
    workers[1].tell(out=0, best=1.0, now=3.0)
    assert workers[1].answers == 0, "65 workers report every other second"
    workers[0].tell(out=0, best=1.0, now=3.0)
    workers[1].tell(out=0, best=1.0, now=6.0)
    assert workers[1].answers == 1
