from __future__ import annotations

import numpy as np
from tests.crawl.tiny import TinyCrawl, TinyPage

from phasa.crawl.judge import Judgement
from phasa.crawl.learn.features import read_note
from phasa.crawl.learn.knowledge import KnowledgeBase, Row, write_arff
from phasa.crawl.strategies.naive_bayes import NaiveBayesStrategy
from phasa.crawl.strategy import JudgedPage, OutLinks, Seed
from phasa.crawl.target import Target

AIM = Target("th", frozenset({"th"}), similarity=lambda text: float("ก" in text))
RNG = np.random.default_rng(0)
BASE = KnowledgeBase.of(
    [
        Row(
            RNG.uniform(0.3, 0.7),
            float(RNG.random() < 0.6),
            float(RNG.random() < 0.3),
            np.log1p(RNG.integers(0, 4)),
            True,
        )
        for _ in range(70)
    ]
    + [
        Row(
            RNG.uniform(0, 0.4),
            float(RNG.random() < 0.1),
            float(RNG.random() < 0.1),
            np.log1p(RNG.integers(0, 2)),
            False,
        )
        for _ in range(30)
    ]
)


def test_a_thai_parent_and_a_thai_anchor_raise_the_score() -> None:
    order = NaiveBayesStrategy(AIM, BASE)
    thai = order.page(JudgedPage("http://a/", Judgement(True, 0.5), OutLinks(["http://b/", "http://c/"], ["ก", "x"])))
    other = order.page(JudgedPage("http://d/", Judgement(False, 0.02), OutLinks(["http://e/"], ["x"])))
    assert thai.priorities[0] > thai.priorities[1] > other.priorities[0]
    assert all(0 <= p <= 1 for p in [*thai.priorities, *other.priorities])


def test_every_page_fetched_is_the_best_that_waits() -> None:
    web = {
        "http://s.com/": TinyPage(0.02, ["http://a.com/", "http://b.th/"]),
        "http://a.com/": TinyPage(0.0, ["http://c.com/"]),
        "http://b.th/": TinyPage(0.6, [("http://d.com/", "ก")]),
        "http://c.com/": TinyPage(0.0),
        "http://d.com/": TinyPage(0.5),
    }
    crawl = TinyCrawl(web, NaiveBayesStrategy(AIM, BASE))
    assert crawl.run(["http://s.com/"])[:3] == ["http://s.com/", "http://b.th/", "http://d.com/"]


def test_the_knowledge_base_does_not_change() -> None:
    before = write_arff(BASE)
    web = {"http://s.com/": TinyPage(0.5, ["http://a.com/"]), "http://a.com/": TinyPage(0.0)}
    TinyCrawl(web, NaiveBayesStrategy(AIM, BASE)).run(["http://s.com/"])
    assert write_arff(BASE) == before


def test_the_path_travels_with_the_url() -> None:
    order = NaiveBayesStrategy(AIM, BASE)
    note = order.start([Seed("http://a/")]).note(0)
    for step in range(3):
        note = order.page(
            JudgedPage(f"http://{step}/", Judgement(True, 0.5), OutLinks([f"http://{step + 1}/"]), note)
        ).note(0)
    assert read_note(note).path == 3
