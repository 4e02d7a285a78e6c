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
from phasa.crawl.tables import unpack_tables
from phasa.crawl.target import Target
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


class Fading(BreadthFirst):
    """Two tables like those of hybrid: weights that fall and rise, counts that fade and never fall below nothing."""

    name = "fading"

    def __init__(self) -> None:
        super().__init__()
        self.weights, self.counts = np.zeros(50), np.zeros(2_000, dtype=np.float32)

    def sums(self) -> dict[str, NDArray[Any]]:
        return {"weights": self.weights, "seen_pages": self.counts}

    def learn(self, chance: np.random.Generator) -> None:
        self.weights[chance.integers(50)] += chance.normal()
        places = chance.integers(2_000, size=20)
        self.counts[places] = self.counts[places] * np.float32(0.9) + 1


def whole_tables(workers: list[Fading], turns: int, seed: int) -> list[dict[str, NDArray[Any]]]:
    """The same exchange with whole tables, plainly: what each worker knows at its end."""
    chance = np.random.default_rng(seed)
    foreign = [{name: np.zeros_like(table) for name, table in one.sums().items()} for one in workers]
    taken: list[list[dict[str, NDArray[Any]]]] = [
        [{name: np.zeros_like(table) for name, table in one.sums().items()} for one in workers] for _ in workers
    ]
    said = [{name: np.zeros_like(table) for name, table in one.sums().items()} for one in workers]
    for turn in range(turns):
        for number, one in enumerate(workers):
            if turn < turns - 1:
                one.learn(chance)
            tables = one.sums()
            said[number] = {name: table - foreign[number][name] for name, table in tables.items()}
            for other in range(len(workers)):
                if other != number:
                    for name, table in tables.items():
                        was = table.copy()
                        table += said[other][name] - taken[number][other][name]
                        if name.endswith("_pages"):
                            np.maximum(table, 0.0, out=table)
                        foreign[number][name] += table - was
                    taken[number][other] = said[other]
    return [one.sums() for one in workers]


@pytest.mark.parametrize("seed", range(5))
def test_what_changed_says_as_much_as_whole_tables(tmp_path: Path, seed: int) -> None:
    plain = whole_tables([Fading() for _ in range(3)], 12, seed)
    workers, chance = [Fading() for _ in range(3)], np.random.default_rng(seed)
    shared = [SharedLearning(one, LearnedFolder(tmp_path), number) for number, one in enumerate(workers)]
    for turn in range(12):
        for number, one in enumerate(workers):
            if turn < 11:
                one.learn(chance)
            shared[number].exchange()
    for one, tables in zip(workers, plain, strict=True):
        for name, table in one.sums().items():
            assert np.allclose(table, tables[name], rtol=1e-4, atol=1e-4), name


def test_a_message_is_as_large_as_what_was_learned(tmp_path: Path) -> None:
    workers = [Hybrid(Target("th", frozenset({"th"}))) for _ in range(2)]
    shared = [SharedLearning(one, LearnedFolder(tmp_path), number) for number, one in enumerate(workers)]
    workers[1].sums()["hosts_pages"][[5, 7]] = 1.0, 2.0
    for each in (*shared, *shared):
        each.exchange()
    sizes = [file.stat().st_size for file in tmp_path.iterdir()]
    assert max(sizes) < 10_000, "and not as large as the tables, which have millions of places"
    assert workers[0].sums()["hosts_pages"][[5, 6, 7]].tolist() == [1.0, 0.0, 2.0]


def test_tables_of_another_size_are_passed_over(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    small, large = Fading(), Fading()
    large.counts = np.zeros(4_000, dtype=np.float32)
    shared = [SharedLearning(one, LearnedFolder(tmp_path), number) for number, one in enumerate((small, large))]
    large.counts[3_000] = 1.0
    shared[1].exchange()
    assert shared[0].exchange() == 0
    assert "another size" in caplog.text


def test_counts_that_faded_twice_are_never_less_than_nothing(tmp_path: Path) -> None:
    workers = [Counter(), Counter()]
    shared = [SharedLearning(one, LearnedFolder(tmp_path), number) for number, one in enumerate(workers)]
    workers[0].pages[0] = 5.0
    for each in shared:
        each.exchange()
    workers[0].pages[0], workers[1].pages[0] = 2.0, 1.0  # both saw other pages there, and neither heard of it
    shared[1].exchange()
    shared[0].exchange()
    assert workers[0].pages[0] == 0.0


def test_who_only_listens_says_nothing(tmp_path: Path) -> None:
    chance, store = np.random.default_rng(3), LearnedFolder(tmp_path)
    workers = [Fading(), Fading()]
    shared = [SharedLearning(one, store, number) for number, one in enumerate(workers)]
    for _ in range(30):
        workers[0].counts *= np.float32(0.97)
        workers[0].counts += chance.random(2_000, dtype=np.float32) * 10.0 ** chance.integers(-4, 4, size=2_000)
        for each in shared:
            each.exchange()
    assert np.allclose(workers[0].counts, workers[1].counts, rtol=1e-4)
    said = unpack_tables(store.published("fading", 1) or b"")
    assert len(said["seen_pages.at"]) == 0, "errors of rounding are nobody's pages"
