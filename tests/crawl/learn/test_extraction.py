from __future__ import annotations

import math

import pytest
from tests.crawl.tiny import TinyCrawl, TinyPage

from phasa.crawl.judge import Judgement
from phasa.crawl.learn.extraction import KnowledgeExtraction, extract_knowledge
from phasa.crawl.strategy import JudgedPage, Seed
from phasa.crawl.target import Target

AIM = Target("th", frozenset({"th"}), similarity=lambda text: float("ก" in text))
WEB = {
    "http://a.th/": TinyPage(0.6, [("http://b.com/", "ก"), ("http://c.com/", "news")]),
    "http://b.com/": TinyPage(0.0, ["http://d.com/"]),
    "http://c.com/": TinyPage(0.5, ["http://d.com/", "http://e.com/"]),
    "http://d.com/": TinyPage(0.9),
    "http://e.com/": TinyPage(0.0),
}


def test_a_row_pairs_what_was_known_before_with_the_class_seen_after() -> None:
    extraction = KnowledgeExtraction(AIM)
    TinyCrawl(WEB, extraction).run([Seed("http://a.th/", 0, 0, 1, 1)])
    a, b, c, d, e = extraction.rows
    assert a == (0, 0, 1, 1, True)
    assert b == pytest.approx((0.6, 1, 0, math.log(4), False))  # D of the seed is round(e − 1) = 2
    assert c == pytest.approx((0.6, 0, 0, math.log(4), True))
    assert d == (0, 0, 0, 0, True)  # found first on the English page
    assert e.parent == pytest.approx(0.5)


def test_pages_used_are_marked() -> None:
    extraction = KnowledgeExtraction(AIM)
    assert TinyCrawl(WEB, extraction).run(["http://a.th/"]) == extraction.trained


def test_the_crawl_ends_at_the_wanted_number_of_rows() -> None:
    extraction = KnowledgeExtraction(AIM, max_pages=3)
    TinyCrawl(WEB, extraction).run(["http://a.th/"])
    assert len(extraction.rows) == len(extraction.trained) == 3


def test_a_finished_crawl_gives_the_same_rows() -> None:
    extraction = KnowledgeExtraction(AIM)
    order = TinyCrawl(WEB, extraction).run(["http://a.th/"])
    pages = [JudgedPage(u, Judgement(WEB[u].similarity >= 0.1, WEB[u].similarity), WEB[u].out) for u in order]
    base, trained = extract_knowledge(pages, AIM)
    assert trained == order
    assert base.features.tolist() == [list(row[:4]) for row in extraction.rows]
