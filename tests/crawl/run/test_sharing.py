"""What workers learn is added up: each page counts once, for everybody."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from phasa.crawl.run.learned_folder import LearnedFolder
from phasa.crawl.run.sharing import SharedLearning
from phasa.crawl.strategies.breadth_first import BreadthFirst
from phasa.crawl.strategies.hybrid.strategy import Hybrid
from phasa.crawl.strategy import Additive
from phasa.frontier.postgres.fleet_rows import FleetRows


class Counter(BreadthFirst):
    """Counts pages."""

    name = "counter"

    def __init__(self) -> None:
        super().__init__()
        self.pages = np.zeros(4)

    def sums(self) -> dict[str, NDArray[Any]]:
        return {"seen_pages": self.pages}


def test_workers_learn_as_one_and_one_that_begins_again_takes_all(postgres: str) -> None:
    with FleetRows(postgres) as rows:
        workers = [Counter() for _ in range(3)]
        shared = [SharedLearning(one, rows, number) for number, one in enumerate(workers)]
        for turn in range(3):
            for number, one in enumerate(workers):
                one.pages[number] += turn + 1
                shared[number].exchange()
        for each in shared:
            each.exchange()
        assert [one.pages.tolist() for one in workers] == [[6.0, 6.0, 6.0, 0.0]] * 3
        again = Counter()
        SharedLearning(again, rows, 2).exchange()
        shared[0].exchange()
        assert again.pages.tolist() == workers[0].pages.tolist() == [6.0, 6.0, 6.0, 0.0]


def test_a_strategy_that_learns_nothing_shares_nothing(postgres: str) -> None:
    with FleetRows(postgres) as rows:
        assert SharedLearning(BreadthFirst(), rows, 0).exchange() == 0


def test_what_cannot_be_read_is_passed_over(postgres: str, caplog: pytest.LogCaptureFixture) -> None:
    with FleetRows(postgres) as rows:
        rows.publish("counter", 1, b"not a table")
        one = Counter()
        assert SharedLearning(one, rows, 0).exchange() == 0
        assert "cannot be read" in caplog.text


def test_the_default_strategy_shares_what_it_learns() -> None:
    assert issubclass(Hybrid, Additive)


def test_workers_exchange_often_while_pages_teach_much(tmp_path: Path) -> None:
    sharing = SharedLearning(Counter(), LearnedFolder(tmp_path), 0, every=60.0)
    due = [answers for second, answers in enumerate(range(0, 400, 4)) if sharing.is_due(float(second) / 4, answers)]
    assert due == [16, 20, 28, 36, 48, 60, 76, 96, 120, 152, 192, 240, 300, 376]
    assert not sharing.is_due(30.0, 400)
    assert sharing.is_due(90.0, 400), "the time has come"


def test_many_workers_exchange_less_often(tmp_path: Path) -> None:
    workers = [Counter() for _ in range(21)]
    shared = [SharedLearning(one, LearnedFolder(tmp_path), number) for number, one in enumerate(workers)]
    for each in shared:
        each.exchange()
    shared[0].exchange()
    due = [second for second in range(60) if shared[0].is_due(float(second), 2**second)]
    assert due == [6, 12, 18, 24, 30, 36, 42, 48, 54], "each reads what twenty others have written"


def test_a_strategy_that_learns_nothing_has_nothing_to_exchange(tmp_path: Path) -> None:
    assert not SharedLearning(BreadthFirst(), LearnedFolder(tmp_path), 0).is_due(100.0, 10_000)
