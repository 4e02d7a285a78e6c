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
from phasa.errors import SettingsError
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


@pytest.mark.parametrize(("key", "value"), [("judge", "odd"), ("strategy", "./mine.py:Even")])
def test_a_part_that_is_not_there_is_said(tmp_path: Path, key: str, value: str) -> None:
    collection = _crawlable(tmp_path / "c", SmallWeb(5, hosts=2), **{key: value})
    with pytest.raises(SettingsError, match=r"odd|Even"):
        (judge_of if key == "judge" else strategy_of)(collection, load_profile("th"))
