"""specs/persian-crawling.md §10, the rows about the cycle, the priority and the policies."""

from __future__ import annotations

import random

import msgspec
import numpy as np
import pytest
from tests.crawl.tiny import TinyCrawl, TinyPage

from phasa.crawl.judge import Judgement
from phasa.crawl.strategies import Circumstances, make_strategy
from phasa.crawl.strategies.persian_weight import PersianWeight, Policy
from phasa.crawl.strategy import JudgedPage, OutLinks, Seed
from phasa.crawl.target import Target
from phasa.crawl.wire.cycle import (
    Fetched,
    Status,
    Store,
    WireSettings,
    count,
    gatherer,
    harvester,
    manager,
    run_cycle,
    seeded,
    seeder,
)
from phasa.crawl.wire.score import ScoreTerms, is_dynamic, score
from phasa.settings import write_settings
from phasa.strategy_settings import PersianSettings, ScoreWeights, StrategySettings
from phasa.web.url import authority


def language_web(seed: int = 1, sites: int = 60, pages: int = 20) -> dict[str, Fetched]:
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
            body = f"{site}/{page % 17}".encode()
            found[urls[site][page]] = Fetched(body, OutLinks(links), persian[site])
    return found


WEB = language_web()
SEEDS = [url for i, url in enumerate(WEB) if i % 100 == 0]


def crawl(weight: float, cycles: int, seed: int = 0, web: dict[str, Fetched] = WEB) -> Store:
    settings = WireSettings(weights=ScoreWeights(persian=weight), batch=25, seed=seed)
    store = seeded(SEEDS, settings)
    for _ in range(cycles):
        run_cycle(store, settings, web.get)
    return store


def gathered(store: Store) -> list[int]:
    """The documents that were parsed, in the order they were found."""
    return [document for document, status in enumerate(store.status) if status is Status.GATHERED]


def waiting(store: Store) -> set[str]:
    return {store.urls[document] for document in store.waiting}


def test_row_01_each_cycle_uses_the_links_of_the_one_before() -> None:
    settings = WireSettings(batch=25)
    store = seeded(SEEDS, settings)
    run_cycle(store, settings, WEB.get)
    found = waiting(store)
    assert found
    assert set(run_cycle(store, settings, WEB.get)) & found


def test_row_02_a_restart_between_any_two_programs_changes_nothing() -> None:
    """All that the programs know is in the store: written out and read back between any two, it goes on the same."""
    settings = WireSettings(batch=25)
    store = seeded(SEEDS, settings)
    for _ in range(3):
        for program in (
            lambda s: manager(s, settings),
            lambda s: harvester(s, WEB.get),
            gatherer,
            lambda s: seeder(s, settings),
            count,
        ):
            store = msgspec.msgpack.decode(msgspec.msgpack.encode(store), type=Store)
            program(store)
    assert store == crawl(500, 3)


def test_row_03_every_parsed_page_has_its_flag_before_its_links_are_scheduled() -> None:
    settings = WireSettings(batch=25)
    store = seeded(SEEDS, settings)
    manager(store, settings)
    harvester(store, WEB.get)
    gatherer(store)
    assert not store.waiting  # no link is scheduled yet
    assert gathered(store)
    assert all(store.persian[document] == WEB[store.urls[document]].persian for document in gathered(store))


def test_row_11_the_flag_is_in_the_document_records() -> None:
    dumped = msgspec.to_builtins(crawl(500, 2))
    flags = dict(zip(dumped["urls"], dumped["persian"], strict=True))
    parsed = [url for url, status in zip(dumped["urls"], dumped["status"], strict=True) if status == 3]
    assert parsed
    assert all(flags[url] == WEB[url].persian for url in parsed)


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
        "http://en.com/": Fetched(b"e", OutLinks(["http://x.com/"]), False),
        "http://fa.com/": Fetched(b"f", OutLinks(["http://y.com/"]), True),
    }
    settings = WireSettings(weights=ScoreWeights(persian=500), batch=2)
    for seed in range(20):
        chosen = msgspec.structs.replace(settings, seed=seed)
        store = seeded(list(pages), chosen)
        run_cycle(store, chosen, pages.get)
        assert run_cycle(store, chosen, pages.get) == ["http://y.com/", "http://x.com/"]


def test_row_16_weight_zero_is_the_unmodified_crawler() -> None:
    blind = {url: page._replace(persian=False) for url, page in WEB.items()}
    with_module, without = crawl(0, 5, seed=3), crawl(500, 5, seed=3, web=blind)
    assert gathered(with_module) == gathered(without)
    assert with_module.urls == without.urls


def test_row_17_other_pages_are_kept_and_fetched_when_there_is_room() -> None:
    store = crawl(500, 200)
    fetched = {store.urls[document] for document in gathered(store)}
    assert fetched == set(store.urls)
    assert any(not WEB[url].persian for url in fetched)
    assert not store.waiting


def test_row_18_the_default_weights() -> None:
    assert msgspec.structs.asdict(ScoreWeights(persian=0)) == {
        "pagerank": 0, "wlscore": 0, "hub": 0, "authority": 0, "siterank": 0, "queuesize": 0, "depth": 95, "static": 0,
        "random": 5, "persian": 0,
    }  # fmt: skip


def test_row_19_a_big_site_and_too_many_sites_stop_at_their_caps() -> None:
    assert (WireSettings().pages_per_site, WireSettings().sites) == (6000, 6000)
    links = [f"http://big.ir/{i}" for i in range(50)] + [f"http://n{i}.ir/" for i in range(50)]
    settings = WireSettings(pages_per_site=10, sites=5)
    store = seeded(["http://hub.ir/"], settings)
    run_cycle(store, settings, {"http://hub.ir/": Fetched(b"", OutLinks(links), True)}.get)
    assert store.pages_of_site[store.sites["big.ir"]] == 10
    assert len(store.sites) == 5


def test_row_20_only_the_listed_domains_are_accepted() -> None:
    links = [f"http://x.{tld}/" for tld in ("ir", "com", "org", "net", "gov", "jp", "de", "ar", "uk", "fr", "es")]
    store = seeded(["http://seed.fr/"], WireSettings())
    run_cycle(store, WireSettings(), {"http://seed.fr/": Fetched(b"", OutLinks(links), True)}.get)
    assert waiting(store) == set(links[:9])


def test_row_21_persian_pages_outside_ir_are_collected() -> None:
    store = crawl(500, 6)
    hosts = {authority(url) for url, persian in zip(store.urls, store.persian, strict=True) if persian}
    assert any(not host.endswith(".ir") for host in hosts)
    assert any(host.endswith(".ir") for host in hosts)


def test_row_24_counts_and_ratio_per_cycle() -> None:
    rows = crawl(500, 4).cycles
    assert [row.number for row in rows] == [1, 2, 3, 4]
    for row in rows:
        assert row.processed >= row.parsed >= row.persian > 0
        assert row.ratio == row.persian / row.parsed


def test_row_25_more_weight_finds_more_until_it_saturates() -> None:
    found = {weight: [crawl(weight, 6, seed).cycles[-1].persian for seed in range(3)] for weight in (0, 500, 1000)}
    assert sum(found[500]) > 1.3 * sum(found[0])
    assert found[500] == found[1000]


def test_row_26_static_and_dynamic_unique_and_duplicate_add_up() -> None:
    store = crawl(500, 8)
    row = store.cycles[-1]
    unique = sum(store.duplicate_of[document] is None for document in gathered(store))
    assert row.static + row.dynamic == row.parsed
    assert unique + row.duplicates == row.parsed
    assert row.duplicates
    assert is_dynamic("http://a.ir/x.asp")


def test_row_28_as_many_persian_pages_in_half_the_cycles() -> None:
    wanted = crawl(0, 16).cycles[7].persian
    cycles = next(row.number for row in crawl(500, 16).cycles if row.persian >= wanted)
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
