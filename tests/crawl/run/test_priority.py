"""`phasa why` says what made a priority: the parts that the strategy names add up to what it gives."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.durability.small_web import SmallWeb, collection_for

from phasa.crawl.judge import Judgement
from phasa.crawl.run.explain import explain
from phasa.crawl.run.runs import run_collection, with_limits
from phasa.crawl.strategies.hybrid import Hybrid
from phasa.crawl.strategies.hybrid.candidates import Feature
from phasa.crawl.strategies.hybrid.reasons import _CLASSES
from phasa.crawl.strategy import JudgedPage, OutLinks, Seed
from phasa.crawl.target import Target
from phasa.strategy_settings import HybridSettings

TARGET = Target("th", frozenset({"th"}), frozenset({"TH"}), lambda text: float("ก" in text))


def test_every_feature_belongs_to_one_class() -> None:
    assert sorted(feature for group in _CLASSES.values() for feature in group) == list(Feature)


def test_the_reasons_add_up_to_the_priority() -> None:
    hybrid = Hybrid(TARGET, HybridSettings(grain=0.001))
    hybrid.start([Seed("http://s.com/")])
    links = OutLinks(["http://a.th/th/x", "http://b.com/"], ["ก", "b"])
    offers = hybrid.page(JudgedPage("http://s.com/", Judgement(True, 0.6), links))
    for url, priority in zip(links.urls, offers.priorities, strict=True):
        assert sum(reason.worth for reason in hybrid.explain(url)) == pytest.approx(priority, abs=0.02)
    told = {reason.what: reason.worth for reason in hybrid.explain("http://a.th/th/x")}
    assert told["the language that the address says it has"] == pytest.approx(3.0)
    assert told["the words of the link"] == pytest.approx(1.5)
    assert hybrid.explain("http://nobody.com/") == ()


@pytest.mark.parametrize("strategy", ["hybrid", "bfs"])
def test_why_names_what_counted(tmp_path: Path, strategy: str) -> None:
    small = SmallWeb(40, hosts=4)
    with small.serving():
        collection = collection_for(tmp_path / "c", small, strategy=strategy)
        with collection.locked():
            run_collection(with_limits(collection, pages=12))
    waiting = [url for url in small.urls() if explain(collection, url).state == "waiting"]
    told = explain(collection, waiting[0], thorough=True).made_of
    assert told[0].startswith(f"strategy {strategy}")
    assert "wanted (score " in told[0]
    if strategy == "hybrid":
        assert "log odds, a likelihood of" in told[1]
        assert any("the words of the link" in line for line in told), "the anchor is read from the archive"
        assert any("the pages that link to it" in line for line in told)
    assert "it is a seed" in explain(collection, small.url(0), thorough=True).made_of[0]
    assert not explain(collection, waiting[0]).made_of, "only for who asks"
