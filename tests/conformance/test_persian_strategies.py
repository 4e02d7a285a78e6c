"""specs/persian-crawling.md §10, the rows about the cycle, the priority and the policies."""

from __future__ import annotations

import random

import msgspec
import numpy as np
import pytest
from tests.crawl.tiny import TinyCrawl, TinyPage
from tests.crawl.wire.tiny_cycles import TinyCycles, WirePage

from phasa.crawl.judge import Judgement
from phasa.crawl.strategies import Circumstances, make_strategy
from phasa.crawl.strategies.persian_weight import PersianWeight, Policy
from phasa.crawl.strategy import JudgedPage, OutLinks, Seed
from phasa.crawl.target import Target
from phasa.crawl.wire.manager import BAR, assign
from phasa.crawl.wire.score import ScoreTerms, is_dynamic, score
from phasa.settings import write_settings
from phasa.strategy_settings import CycleSettings, PersianSettings, ScoreWeights, StrategySettings
from phasa.web.url import authority


def language_web(seed: int = 1, sites: int = 60, pages: int = 20) -> dict[str, WirePage]:
    """A quarter of the sites Persian, half of those outside .ir; links keep to their language four times in five."""
    dice = random.Random(seed)
    persian = [site % 4 == 0 for site in range(sites)]
    names = [f"s{i}.{'ir' if persian[i] and i % 8 == 0 else 'com'}" for i in range(sites)]
    urls = [[f"http://{name}/{p}.{'php' if p % 3 == 0 else 'html'}" for p in range(pages)] for name in names]
    found = {}
    for site in range(sites):
        for page in range(pages):
            links = [dice.choice(urls[site]) for _ in range(3)]
            for _ in range(4):
                alike = (
                    [s for s in range(sites) if persian[s] == persian[site]] if dice.random() < 0.8 else range(sites)
                )
                links.append(dice.choice(urls[dice.choice(list(alike))]))
            text = f"{chr(97 + site % 26)}{'ab'[site // 26 % 2]}{'xy'[site // 52]} {chr(97 + page % 17)}"
            found[urls[site][page]] = WirePage(text, links, persian[site])
    return found


WEB = language_web()
SEEDS = [url for i, url in enumerate(WEB) if i % 100 == 0]


def crawl(weight: float, cycles: int, seed: int = 0, web: dict[str, WirePage] = WEB) -> TinyCycles:
    made = TinyCycles(web, SEEDS, CycleSettings(batch=25), ScoreWeights(persian=weight), seed)
    made.run(cycles)
    return made


def test_row_01_each_cycle_uses_the_links_of_the_one_before() -> None:
    made = crawl(500, 1)
    found = made.waiting()
    assert found
    assert not found & set(made.fetched)
    made.run(1)
    assert set(made.order[1]) <= found


def test_row_02_a_restart_between_any_two_programs_changes_nothing() -> None:
    """All that the parts know is in the frontier and the journal: with both written out and read back, and a strategy
    that remembers nothing, it goes on the same. Kills of a live crawl: tests/crawl/run/test_cycles.py."""
    whole, parted = crawl(500, 4), crawl(500, 0)
    for _ in range(4):
        parted.run(1)
        parted.journal = msgspec.json.decode(msgspec.json.encode(parted.journal), type=type(parted.journal))
        fresh = TinyCycles(WEB, [], CycleSettings(batch=25), ScoreWeights(persian=500)).strategy
        fresh._random = parted.strategy._random  # chance goes on where it was
        parted.strategy = fresh
    assert parted.order == whole.order
    assert parted.journal.cycles == whole.journal.cycles
    texts = [WEB[url].text for url in parted.fetched]  # copies of pages from before a restart are known as such
    assert parted.journal.cycles[-1].duplicates == len(texts) - len(set(texts)) > 0


def test_row_02_a_manager_killed_after_it_assigned_leaves_one_batch_not_two() -> None:
    """What it assigned, with other weights here, is what the next one finds in the frontier and completes."""
    killed = crawl(500, 1)
    before = killed.strategy.scoring._replace(weights=ScoreWeights(persian=0))
    assert assign(killed.frontier, before, killed.settings, 2, killed.clock.now()) == 25  # and nobody noted it
    chosen = {one.url for one in killed.frontier.queue() if one.priority > BAR}
    killed.run(1)
    assert set(killed.order[1]) == chosen
    assert killed.journal.cycles[-1].assigned == 25


def test_row_03_every_parsed_page_has_its_flag_before_its_links_are_scheduled() -> None:
    """The judge hears of a page while none of its links is known; they wait afterwards with its flag."""
    made = crawl(500, 1)
    assert len(made.heard) == len(made.fetched)
    from phasa.crawl.wire.document import document_of

    flags = {url: persian for url, persian, _ in made.heard}
    known = [len_before for _, _, len_before in made.heard]
    assert known[0] < known[-1]  # what waits grows only after pages were judged
    for one in made.frontier.queue():
        parents = [url for url in made.fetched if one.url in WEB[url].links]
        if parents:
            assert document_of(one.note, 0, 0).from_persian == any(flags[url] for url in parents)


def test_row_11_the_flag_is_in_the_document_records() -> None:
    made = crawl(500, 2)
    records = {one.url: one.visit.wanted for one in made.frontier.visited()}
    assert set(records) == set(made.fetched)
    assert all(records[url] is WEB[url].persian for url in records)


def test_row_13_the_priority_is_the_sum_of_ten_weighted_terms() -> None:
    weights = ScoreWeights(
        pagerank=2, wlscore=3, hub=5, authority=7, siterank=11, queuesize=13, depth=17, static=19, random=23, persian=29
    )
    by_hand = 2 * 0.1 + 3 * 0.2 + 5 * 0.3 + 7 * 0.4 + 11 * 0.5 + 13 * 0.6 + 17 * 0.7 + 19 * 0.8 + 23 * 0.9 + 29 * 1.0
    terms = ScoreTerms(*np.array([[0.1], [0.2], [0.3], [0.4], [0.5], [0.6], [0.7], [0.8], [0.9], [1.0]]))
    assert score(terms, weights).tolist() == pytest.approx([by_hand])


def test_row_14_the_weight_is_a_setting_that_changes_the_order() -> None:
    assert "persian = 500.0" in write_settings(StrategySettings())
    orders = []
    for weight in (0.0, 500.0):
        settings = msgspec.structs.replace(StrategySettings(), persian=PersianSettings(persian=weight, random=0.0))
        strategy = make_strategy("persian", Circumstances(Target("fa"), settings=settings))
        seed = strategy.start([Seed("http://a.ir/")])
        page = JudgedPage("http://a.ir/", Judgement(True, 1.0), OutLinks(["http://b.ir/"]), seed.note(0))
        orders.append(float(strategy.page(page).priorities[0] - seed.priorities[0]))
    assert orders[0] < 0 < orders[1]


def test_row_15_of_two_new_urls_of_equal_depth_that_of_a_persian_page_comes_first() -> None:
    pages = {
        "http://en.com/": WirePage("e", ["http://x.com/"], False),
        "http://fa.com/": WirePage("f", ["http://y.com/"], True),
    }
    for seed in range(20):
        made = TinyCycles(pages, list(pages), CycleSettings(batch=2), ScoreWeights(persian=500), seed)
        made.run(2)
        assert made.order[1] == ["http://y.com/", "http://x.com/"]


def test_row_16_weight_zero_is_the_unmodified_crawler() -> None:
    blind = {url: page._replace(persian=False) for url, page in WEB.items()}
    with_module, without = crawl(0, 5, seed=3), crawl(500, 5, seed=3, web=blind)
    assert with_module.order == without.order
    assert crawl(500, 5, seed=3).order != without.order


def test_row_17_other_pages_are_kept_and_fetched_when_there_is_room() -> None:
    made = crawl(500, 60)
    assert not made.waiting()
    assert any(not WEB[url].persian for url in made.fetched)
    reached = set(SEEDS)
    while more := {link for url in reached for link in WEB[url].links} - reached:
        reached |= more
    assert set(made.fetched) == reached


def test_row_18_the_default_weights() -> None:
    assert msgspec.structs.asdict(ScoreWeights(persian=0)) == {
        "pagerank": 0, "wlscore": 0, "hub": 0, "authority": 0, "siterank": 0, "queuesize": 0, "depth": 95, "static": 0,
        "random": 5, "persian": 0,
    }  # fmt: skip


def test_row_19_a_big_site_and_too_many_sites_stop_at_their_caps() -> None:
    assert (CycleSettings().pages_per_site, CycleSettings().sites) == (6000, 6000)
    links = [f"http://big.ir/{i}" for i in range(50)] + [f"http://n{i}.ir/" for i in range(50)]
    web = {"http://hub.ir/": WirePage("", links, True)} | {url: WirePage(url, [], True) for url in links}
    made = TinyCycles(web, ["http://hub.ir/"], CycleSettings(pages_per_site=10, sites=5))
    made.run(5)
    assert sum(authority(url) == "big.ir" for url in made.fetched) == 10
    assert len({authority(url) for url in made.fetched}) == 5


def test_row_20_only_the_listed_domains_are_accepted() -> None:
    links = [f"http://x.{tld}/" for tld in ("ir", "com", "org", "net", "gov", "jp", "de", "ar", "uk", "fr", "es")]
    made = TinyCycles({"http://seed.fr/": WirePage("", links, True)}, ["http://seed.fr/"], CycleSettings())
    made.run(1)
    assert made.waiting() == set(links[:9])


def test_row_21_persian_pages_outside_ir_are_collected() -> None:
    last = crawl(500, 6).journal.cycles[-1]
    assert last.by_tld["ir"] > 0
    assert last.by_tld["com"] > 0
    assert sum(last.by_tld.values()) == last.persian
    assert 0 < last.outside < 1


def test_row_24_counts_and_ratio_per_cycle() -> None:
    rows = crawl(500, 4).journal.cycles
    assert [row.number for row in rows] == [1, 2, 3, 4]
    for row in rows:
        assert row.processed >= row.parsed >= row.persian > 0
        assert row.ratio == row.persian / row.parsed


def test_row_25_more_weight_finds_more_until_it_saturates() -> None:
    weights = (0, 2, 8, 500, 1000)
    found = {each: sum(crawl(each, 6, seed).journal.cycles[-1].persian for seed in range(3)) for each in weights}
    assert found[500] > 1.3 * found[0]
    assert found[500] == found[1000]
    assert found[0] < found[8]
    assert found[2] < 0.8 * found[500]  # below saturation less is found: a sweep that is flat everywhere is none


def test_row_26_static_and_dynamic_unique_and_duplicate_add_up() -> None:
    made = crawl(500, 8)
    row = made.journal.cycles[-1]
    texts = [WEB[url].text for url in made.fetched]
    assert row.static + row.dynamic == row.parsed == len(texts)
    assert row.duplicates == len(texts) - len(set(texts)) > 0
    assert row.dynamic == sum(url.endswith(".php") for url in made.fetched) > 0
    assert is_dynamic("http://a.ir/x.asp")


def test_row_28_as_many_persian_pages_in_half_the_cycles() -> None:
    wanted = crawl(0, 16).journal.cycles[7].persian
    cycles = next(row.number for row in crawl(500, 16).journal.cycles if row.persian >= wanted)
    assert 8 / cycles >= 2


def test_row_29_discard_and_limited_depth_are_there_to_compare() -> None:
    web = {f"http://p{i}.ir/": TinyPage(float(i == 0), [f"http://p{i + 1}.ir/"]) for i in range(6)}
    lengths = [
        len(TinyCrawl(web, PersianWeight(policy=policy, distance=distance)).run(["http://p0.ir/"]))
        for policy, distance in ((Policy.DISCARD, 0), (Policy.LIMITED_DISTANCE, 0), (Policy.LIMITED_DISTANCE, 2))
    ]
    assert lengths[0] == 2  # the page behind the Persian one, and no further
    assert lengths[1] == 2
    assert lengths[2] == 3
