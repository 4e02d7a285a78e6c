"""Workers report to each other on one machine, in memory that they share, as in a fleet, on a server."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from phasa.crawl.run.learned_folder import LearnedFolder
from phasa.crawl.run.shared_order import SharedOrder
from phasa.frontier.common_order import KEPT, CommonOrder, Report
from phasa.frontier.postgres.fleet_rows import FleetRows
from phasa.frontier.protocol import ANY

Make = Callable[[int], CommonOrder]
MOST = 10.0


@pytest.fixture(params=["memory", "server"])
def make(request: pytest.FixtureRequest) -> Iterator[Make]:
    """Makes the order as a worker of four sees it."""
    with ExitStack() as stack:
        if request.param == "memory":
            shared = SharedOrder(multiprocessing.get_context("spawn"), 4)
            yield shared.of_worker
        else:
            address = request.getfixturevalue("postgres")
            yield lambda number: stack.enter_context(FleetRows(address)).common_order(number, 30.0)


def said(seen: list[tuple[float, bool]], **others: float) -> Report:
    values = {"asked": 0, "earned": 0.0, "out": 0, "best": ANY} | others
    return Report(seen, int(values["asked"]), values["earned"], int(values["out"]), values["best"])


def test_each_hears_once_what_came_to_the_others(make: Make) -> None:
    one, two, three = (make(number) for number in range(3))
    assert one.report(said([(1.5, True)], out=2, best=4.0), MOST).number == 0
    heard = two.report(said([(-2.25, False)], out=1, best=3.0), MOST)
    assert (list(heard.seen), heard.out, heard.best, heard.number) == ([(1.5, True)], 2, 4.0, 1)
    heard = three.report(said([]), MOST)
    assert sorted(heard.seen) == [(-2.25, False), (1.5, True)]
    assert (heard.out, heard.best, heard.number) == (3, 4.0, 2)
    assert list(three.report(said([]), MOST).seen) == []
    one.report(said([(7.0, False), (8.0, True)], best=1.0), MOST)
    heard = three.report(said([]), MOST)
    assert (list(heard.seen), heard.out, heard.best) == ([(7.0, False), (8.0, True)], 1, 3.0)


def test_requests_are_counted_from_when_a_worker_first_hears_of_another(make: Make) -> None:
    one, two = make(0), make(1)
    one.report(said([], asked=5), MOST)
    assert two.report(said([]), MOST).asked == 0
    one.report(said([], asked=3), MOST)
    one.report(said([], asked=1), MOST)
    assert two.report(said([]), MOST).asked == 4


def test_all_have_one_allowance_with_one_bound(make: Make) -> None:
    one, two = make(0), make(1)
    assert one.report(said([], earned=2.0), MOST).saved == 2.0
    assert two.report(said([], earned=-3.5), MOST).saved == -1.5
    assert one.report(said([], earned=100.0), MOST).saved == MOST
    assert two.report(said([], earned=-1.0), MOST).saved == MOST - 1.0


def test_who_has_ended_is_counted_no_more(make: Make) -> None:
    one, two = make(0), make(1)
    one.report(said([], out=3, best=9.0), MOST)
    assert two.report(said([]), MOST).number == 1
    one.leave()
    heard = two.report(said([]), MOST)
    assert (heard.out, heard.best, heard.number) == (0, ANY, 0)


def test_only_the_last_answers_are_kept_for_who_comes_late(make: Make) -> None:
    one, two = make(0), make(1)
    many = [(float(number), number % 3 == 0) for number in range(KEPT + 50)]
    for start in range(0, len(many), 100):
        one.report(said(many[start : start + 100]), MOST)
    assert list(two.report(said([]), MOST).seen) == many[-KEPT:]


def test_a_worker_of_a_fleet_that_begins_again_is_heard_from_its_beginning(postgres: str) -> None:
    with FleetRows(postgres) as here, FleetRows(postgres) as there:
        two = there.common_order(1, 30.0)
        here.common_order(0, 30.0).report(said([(1.0, True)] * 5, asked=5), MOST)
        assert len(two.report(said([]), MOST).seen) == 5
        here.common_order(0, 30.0).report(said([(2.0, True)], asked=2), MOST)
        heard = two.report(said([]), MOST)
        assert (list(heard.seen), heard.asked) == ([(2.0, True)], 2)


def test_a_worker_that_was_silent_for_long_is_not_counted_nor_an_old_allowance(postgres: str) -> None:
    with FleetRows(postgres) as here, FleetRows(postgres) as there:
        here.common_order(0, 30.0).report(said([], out=3, best=9.0, earned=5.0), MOST)
        heard = there.common_order(1, 0.0).report(said([], earned=0.5), MOST)
        assert (heard.out, heard.best, heard.saved) == (0, ANY, 0.5)


def test_what_workers_of_one_machine_learn_lies_in_files_for_one_run(tmp_path: Path) -> None:
    one, two = LearnedFolder(tmp_path / "workers"), LearnedFolder(tmp_path / "workers")
    assert two.learned("hybrid", 1, {}) == {}
    one.publish("hybrid", 0, b"first")
    assert two.learned("hybrid", 1, {}) == {0: (1, b"first")}
    assert two.learned("hybrid", 1, {0: 1}) == {}
    one.publish("hybrid", 0, b"second")
    one.publish("other-name", 0, b"not meant")
    assert two.learned("hybrid", 1, {0: 1}) == {0: (2, b"second")}
    assert one.published("hybrid", 0) == b"second"
    assert one.learned("hybrid", 0, {}) == {}
    one.clear()
    assert two.learned("hybrid", 1, {}) == {}
