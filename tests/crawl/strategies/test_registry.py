from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from phasa.crawl.learn.knowledge import KnowledgeBase, Row
from phasa.crawl.learn.word_bayes import WordBayes
from phasa.crawl.segments.dictionary import Dictionary
from phasa.crawl.segments.matcher import Matcher
from phasa.crawl.segments.nominal_bayes import NominalBayes
from phasa.crawl.segments.predictor import Predictor
from phasa.crawl.strategies import STRATEGIES, Circumstances, make_strategy
from phasa.crawl.strategies.lswc import Lswc
from phasa.crawl.strategy import Strategy
from phasa.crawl.target import Target
from phasa.errors import SettingsError

BASE = KnowledgeBase.of([Row(0.5, 1, 1, 0.69, True), Row(0, 0, 0, 0, False)])
AROUND = Circumstances(Target("th", frozenset({"th"})), knowledge=BASE)


@pytest.mark.parametrize("name", STRATEGIES)
def test_every_known_name_makes_a_strategy(name: str, tmp_path: Path) -> None:
    matcher = Matcher(Dictionary(["phuket"]), "exact")
    Predictor(matcher, NominalBayes(0.0, [{}] * 7), WordBayes(0.0, {})).save(tmp_path / "segment.predictor")
    assert isinstance(make_strategy(name, replace(AROUND, models=tmp_path)), Strategy)


def test_an_unknown_name_is_refused_and_the_nearest_offered() -> None:
    with pytest.raises(SettingsError, match="did you mean 'lswc'"):
        make_strategy("lswk", AROUND)


def test_naive_bayes_without_a_knowledge_base_says_how_to_make_one() -> None:
    with pytest.raises(SettingsError, match="phasa learn"):
        make_strategy("nb", Circumstances(Target("th")))


def test_options_change_one_strategy_and_show_in_its_name() -> None:
    made = make_strategy("lswc:distance=2:drop_foreign=true", AROUND)
    assert isinstance(made, Lswc)
    assert (made.distance, made.patience, made.drop_foreign) == (2, 3, True)
    assert made.name == "lswc:distance=2:drop_foreign=true"


@pytest.mark.parametrize(
    ("spec", "advice"),
    [
        ("lswc:distanse=2", "did you mean 'distance'"),
        ("lswc:distance=far", "distance"),
        ("bfs:x=1", "no options"),
        ("persian:policy=none", "policy"),
    ],
)
def test_a_bad_option_is_refused_with_advice(spec: str, advice: str) -> None:
    with pytest.raises(SettingsError, match=advice):
        make_strategy(spec, AROUND)
