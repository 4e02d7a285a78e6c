"""Parts of the user's own in a crawl: a judge in the settings, a strategy that fails."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.durability.small_web import SmallWeb, collection_for
from typer.testing import CliRunner

from phasa.cli.crawl import app
from phasa.collection import Collection
from phasa.crawl.run.assembly import judge_of, strategy_of
from phasa.crawl.run.runs import run_collection
from phasa.crawl.run.status import read_status
from phasa.errors import BrokenPartError, SettingsError
from phasa.language.profile import load_profile
from phasa.settings import write_settings

MINE = """
from phasa.crawl.strategies.breadth_first import BreadthFirst

class Odd:
    def __init__(self, profile, by_language):
        self.by_language = by_language

    def judge(self, answer):
        found = self.by_language.judge(answer)
        return found._replace(wanted=found.wanted and "3" in answer.page.url, evidence="odd")

class Failing(BreadthFirst):
    name = "failing"

    def page(self, page):
        return {}["no such key"]

class Late(BreadthFirst):
    name = "late"
    pages = 0

    def page(self, page):
        Late.pages += 1
        return super().page(page) if Late.pages <= 6 else {}["no such key"]

class NoStart(BreadthFirst):
    def start(self, seeds):
        return seeds.no_such_thing

class NoSave(BreadthFirst):
    def save(self):
        return 1 / 0
"""


def _crawlable(folder: Path, small: SmallWeb, **settings: object) -> Collection:
    collection = collection_for(folder, small).with_settings(**settings)
    collection.settings_file.write_text(write_settings(collection.settings), encoding="utf-8")
    (folder / "mine.py").write_text(MINE, encoding="utf-8")
    return collection


def test_a_judge_of_ones_own_decides_what_is_wanted(tmp_path: Path) -> None:
    small = SmallWeb(20, hosts=4)
    with small.serving():
        collection = _crawlable(tmp_path / "c", small, judge="./mine.py:Odd")
        with collection.locked():
            run = run_collection(collection)
    assert run.metrics.pages == 20
    assert 0 < run.metrics.wanted <= sum("3" in url for url in small.urls())


def test_a_strategy_that_fails_is_told_with_its_place_and_by_the_exit_code(tmp_path: Path) -> None:
    small = SmallWeb(5, hosts=2)
    with small.serving():
        collection = _crawlable(tmp_path / "c", small, strategy="./mine.py:Failing")
        done = CliRunner().invoke(app, [str(collection.path), "--quiet"])
    assert done.exit_code == 1
    assert "strategy failing: KeyError: 'no such key' (mine.py, line 16)" in done.stderr
    assert done.stderr.count("no such key") == 1, "once, however many pages"


@pytest.mark.parametrize("workers", [1, 2])
def test_a_crawl_that_its_strategy_ended_goes_on_with_a_better_one(tmp_path: Path, workers: int) -> None:
    small = SmallWeb(40, hosts=4)
    with small.serving():
        collection = _crawlable(tmp_path / "c", small, strategy="./mine.py:Late")
        words = [str(collection.path), "--quiet", "--workers", str(workers)]
        done = CliRunner().invoke(app, words)
        assert done.exit_code == 1
        assert "strategy late: KeyError: 'no such key' (mine.py, line 24)" in done.stderr
        assert "Ended: strategy late: KeyError" in done.stdout
        status = read_status(collection)
        assert status.ended.startswith("strategy late: KeyError: 'no such key' (mine.py, line 24); mend it")
        assert 6 <= status.pages < 40
        assert status.waiting > 0
        again = CliRunner().invoke(app, [*words, "--strategy", "bfs"])
    assert again.exit_code == 0
    assert "40 pages" in again.stdout


@pytest.mark.parametrize(("name", "line"), [("NoStart", 28), ("NoSave", 32)])
def test_a_strategy_that_cannot_start_or_save_is_told_with_its_place(tmp_path: Path, name: str, line: int) -> None:
    small = SmallWeb(5, hosts=2)
    with small.serving():
        collection = _crawlable(tmp_path / "c", small, strategy=f"./mine.py:{name}")
        with collection.locked(), pytest.raises(BrokenPartError, match=rf"strategy bfs: .* \(mine.py, line {line}\)"):
            run_collection(collection)


@pytest.mark.parametrize(("key", "value"), [("judge", "odd"), ("strategy", "./mine.py:Even")])
def test_a_part_that_is_not_there_is_said(tmp_path: Path, key: str, value: str) -> None:
    collection = _crawlable(tmp_path / "c", SmallWeb(5, hosts=2), **{key: value})
    with pytest.raises(SettingsError, match=r"odd|Even"):
        (judge_of if key == "judge" else strategy_of)(collection, load_profile("th"))
