from __future__ import annotations

import numpy as np
import pytest
from tests.crawl.tiny import TinyCrawl, TinyPage

from phasa.crawl.judge import Judgement
from phasa.crawl.strategies.persian_weight import PersianWeight, Policy
from phasa.crawl.strategy import DROP, JudgedPage, OutLinks, Seed
from phasa.crawl.wire.score import ScoreTerms, depth_score, is_dynamic, score
from phasa.strategy_settings import ScoreWeights

NO_CHANCE = ScoreWeights(random=0, persian=500)


def judged(wanted: bool, links: list[str], note: bytes = b"") -> JudgedPage:
    return JudgedPage("http://p.ir/", Judgement(wanted, float(wanted)), OutLinks(links), note)


def test_the_sum_of_ten_terms() -> None:
    weights = ScoreWeights(
        pagerank=1, wlscore=2, hub=3, authority=4, siterank=5, queuesize=6, depth=7, static=8, random=9, persian=10
    )
    columns = np.array([[0.5, place / 10] for place in range(1, 11)])
    assert score(ScoreTerms(*columns), weights).tolist() == pytest.approx(
        [0.5 * 55, sum(i * i for i in range(1, 11)) / 10]
    )


@pytest.mark.parametrize(("depth", "value"), [(1, 1.0), (2, 0.75), (4, 0.25), (5, 0.0)])
def test_depth_falls_evenly(depth: int, value: float) -> None:
    assert depth_score(depth, 4) == value


def test_programs_are_known_by_their_addresses() -> None:
    assert is_dynamic("http://a/x.php")
    assert is_dynamic("http://a/x?y=1")
    assert not is_dynamic("http://a/x.html")


def test_links_of_persian_pages_come_first() -> None:
    order = PersianWeight(NO_CHANCE, max_depth=10)
    seed = order.start([Seed("http://p.ir/")]).note(0)
    persian = order.page(judged(True, ["http://a/"], seed)).priorities[0]
    other = order.page(judged(False, ["http://b/"], seed)).priorities[0]
    assert persian == pytest.approx(95 * 0.9 + 500)
    assert other == pytest.approx(95 * 0.9)


def test_static_pages_weigh_when_told_so() -> None:
    order = PersianWeight(ScoreWeights(random=0, static=10, depth=0, persian=0))
    assert order.page(judged(False, ["http://a/x.php", "http://a/x.html"])).priorities.tolist() == [0, 10]


def test_the_same_seed_of_chance_gives_the_same_order() -> None:
    links = [f"http://a/{i}" for i in range(20)]
    one, two = PersianWeight(seed=3).page(judged(True, links)), PersianWeight(seed=3).page(judged(True, links))
    assert one.priorities.tolist() == two.priorities.tolist()


@pytest.mark.parametrize(("policy", "pages"), [(Policy.WEIGHT, 7), (Policy.DISCARD, 2), (Policy.LIMITED_DISTANCE, 4)])
def test_the_three_policies(policy: Policy, pages: int) -> None:
    web = {f"http://p{i}/": TinyPage(float(kind == "T"), [f"http://p{i + 1}/"]) for i, kind in enumerate("T......")}
    assert len(TinyCrawl(web, PersianWeight(policy=policy, distance=3)).run(["http://p0/"])) == pages


def test_a_budget_of_nothing_stops_at_the_first_other_page() -> None:
    order = PersianWeight(policy=Policy.LIMITED_DISTANCE, distance=0)
    assert order.page(judged(False, ["http://a/"])).priorities[0] == DROP


def changing_web() -> dict[str, TinyPage]:
    """Sixty pages on ten hosts; one host is linked to by all, one has a long queue, one is a list of links."""
    web = {}
    for site in range(10):
        for page in range(6):
            links = [f"http://h{(site + page + step) % 10}.ir/{(page * 2 + step) % 6}" for step in range(3)]
            links += ["http://h7.ir/5"] + ([f"http://h3.ir/{i}" for i in range(6)] if page == 0 else [])
            web[f"http://h{site}.ir/{page}"] = TinyPage(float(site % 2), [(url, f"to {url}" * page) for url in links])
    return web


WEIGHTS = ScoreWeights.__struct_fields__


@pytest.mark.parametrize("name", WEIGHTS)
def test_every_one_of_the_ten_weights_changes_the_order_of_a_crawl(name: str) -> None:
    assert len(WEIGHTS) == 10
    none = dict.fromkeys(WEIGHTS, 0.0) | {"random": float(name != "random")}
    seeds = [f"http://h{i}.ir/{i % 3}{'.php' if i % 2 else ''}" for i in range(10)]
    web = changing_web() | {f"http://h{i}.ir/{i % 3}.php": TinyPage(1.0, ["http://h5.ir/4"]) for i in range(10)}
    orders = [
        TinyCrawl(web, PersianWeight(ScoreWeights(**(none | {name: weight})), every=5, seed=2)).run(seeds)
        for weight in (0.0, 1000.0)
    ]
    assert sorted(orders[0]) == sorted(orders[1])
    assert orders[0] != orders[1]


def test_a_waiting_link_that_many_pages_name_rises_when_the_ranks_are_computed() -> None:
    order = PersianWeight(ScoreWeights(depth=0, random=0, persian=0, pagerank=10), every=2)
    seeds = order.start([Seed("http://a.ir/"), Seed("http://b.ir/")])
    first = order.page(
        JudgedPage("http://a.ir/", Judgement(True, 1.0), OutLinks(["http://x.ir/", "http://y.ir/"]), seeds.note(0))
    )
    assert first.priorities.tolist() == [0.0, 0.0]
    assert order.changes() == ()
    order.page(JudgedPage("http://b.ir/", Judgement(True, 1.0), OutLinks(["http://y.ir/"]), seeds.note(1)))
    found = {change.url: change.priority for change in order.changes()}
    assert found["http://y.ir/"] > found["http://x.ir/"] > 0
    assert set(found) == {"http://x.ir/", "http://y.ir/"}  # what was fetched is not waiting
    again = PersianWeight(ScoreWeights(pagerank=10))
    again.load(order.save())
    assert len(again.links) == 3


def test_without_a_weight_on_them_nothing_is_remembered() -> None:
    order = PersianWeight()
    order.page(judged(True, ["http://a/"]))
    assert order.save() == b""
    assert not len(order.links)
