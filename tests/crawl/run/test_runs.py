"""Runs of a collection: one process or several, what they leave behind, and what they say of themselves."""

from __future__ import annotations

import logging
from pathlib import Path

import msgspec
import pytest
from tests.crawl.run.test_live_status import worker, write
from tests.durability.small_web import SmallWeb, collection_for

from phasa.archive_settings import ArchiveSettings
from phasa.crawl.meter import Metrics
from phasa.crawl.run.live_status import read_live_status
from phasa.crawl.run.runs import run_collection
from phasa.crawl.run.status import read_status
from phasa.crawl.run.upkeep import StrategyState
from phasa.crawl.strategies.breadth_first import BreadthFirst
from phasa.errors import InputError

LOGGERS = ("phasa", "phasa.crawl", "phasa.crawl.run.runs")


class Learner(BreadthFirst):
    """A strategy that has something to keep."""

    name = "learner: of tests"

    def __init__(self) -> None:
        super().__init__()
        self.learned = b""

    def save(self) -> bytes:
        return self.learned

    def load(self, state: bytes) -> None:
        if state == b"of another version":
            raise InputError("not mine")
        self.learned = state


@pytest.mark.parametrize("workers", [1, 2])
def test_however_many_workers_the_numbers_are_those_of_the_collection(tmp_path: Path, workers: int) -> None:
    small = SmallWeb(30, hosts=6)
    shown: list[Metrics] = []
    with small.serving():
        collection = collection_for(tmp_path / "c", small, archive=ArchiveSettings(keep=False))
        collection.reports_folder.mkdir()
        write(collection, *(worker(5.0) for _ in range(5)))  # of an earlier run, with more workers
        with collection.locked():
            run = run_collection(collection, shown.append, workers=workers)
    assert (run.metrics.done, run.metrics.waiting, run.metrics.leased) == (30, 0, 0)
    assert run.outcome.fetches == run.metrics.fetches == sum(run.metrics.outcomes.values())
    assert run.metrics.harvest == read_status(collection).harvest == pytest.approx(20 / 30)
    assert shown
    assert all(metrics.done <= 30 for metrics in shown)
    written = msgspec.json.decode((collection.reports_folder / "metrics.json").read_bytes(), type=Metrics)
    assert written == run.metrics
    live = read_live_status(collection)
    assert live is not None
    assert (live.workers, bool(live.ended)) == (workers, True)
    assert len(list(collection.reports_folder.glob("live-*.json"))) == workers
    assert "30 URLs done in all" in run.summary()


def test_a_run_leaves_a_trail_and_no_handler(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    before = [list(logging.getLogger(name).handlers) for name in LOGGERS]
    small = SmallWeb(6, hosts=2)
    with small.serving(), caplog.at_level(logging.INFO, logger="phasa"):
        collection = collection_for(tmp_path / "c", small, archive=ArchiveSettings(keep=False))
        for _ in range(2):
            with collection.locked():
                run_collection(collection)
    trail = [record.getMessage() for record in caplog.records if record.name == "phasa.crawl.run.runs"]
    assert [words in text for words, text in zip(("begins", "6 URLs", "resumes", "0 fetches"), trail, strict=True)] == [
        True
    ] * 4
    assert [list(logging.getLogger(name).handlers) for name in LOGGERS] == before, "the file's handler is gone again"
    assert "6 URLs" in (collection.path / "phasa.log").read_text(encoding="utf-8")


def test_what_a_strategy_learned_is_kept_between_runs(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    first, again = Learner(), Learner()
    StrategyState(tmp_path / "models", first, 3).save()
    assert not (tmp_path / "models").exists()  # nothing was learned, nothing is kept
    first.learned = b"much"
    StrategyState(tmp_path / "models", first, 3).save()
    StrategyState(tmp_path / "models", again, 3).load()
    assert again.learned == b"much"
    assert [path.name for path in (tmp_path / "models").iterdir()] == ["learner--of-tests-03.state"]
    (tmp_path / "models" / "learner--of-tests-03.state").write_bytes(b"of another version")
    StrategyState(tmp_path / "models", again, 3).load()  # a crawl goes on, only less wisely
    assert "not mine" in caplog.text
