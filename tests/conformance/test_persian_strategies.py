"""specs/persian-crawling.md §10, the rows about the cycle, the priority and the policies."""

from __future__ import annotations

import random
from pathlib import Path

import msgspec
import pytest
from tests.crawl.tiny import TinyCrawl, TinyPage

from phasa.crawl.judge import Judgement
from phasa.crawl.strategies import Circumstances, make_strategy
from phasa.crawl.strategies.persian_weight import PersianWeight, Policy
from phasa.crawl.strategy import JudgedPage, OutLinks, Seed
from phasa.crawl.target import Target
from phasa.crawl.wire.cycle import Fetched, WireSettings, gatherer, harvester, manager, run_cycle, seed_store, seeder
from phasa.crawl.wire.score import Terms, is_dynamic, score
from phasa.crawl.wire.store import MetadataStore, Status
from phasa.settings import write_settings
from phasa.strategy_settings import PersianSettings, ScoreWeights, StrategySettings


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
            found[urls[site][page]] = Fetched(body, [(url, "") for url in links], persian[site])
    return found


WEB = language_web()
SEEDS = [url for i, url in enumerate(WEB) if i % 100 == 0]


def crawl(weight: float, cycles: int, seed: int = 0, web: dict[str, Fetched] = WEB) -> MetadataStore:
    settings = WireSettings(weights=ScoreWeights(persian=weight), batch=25, seed=seed)
    store = MetadataStore()
    seed_store(store, SEEDS, settings)
    for _ in range(cycles):
        run_cycle(store, settings, web.get)
    return store


def test_row_01_each_cycle_uses_the_links_of_the_one_before() -> None:
    settings = WireSettings(batch=25)
    store = MetadataStore()
    seed_store(store, SEEDS, settings)
    run_cycle(store, settings, WEB.get)
    found = {doc.url for doc in store.docs(Status.NEW)}
    assert found
    assert set(run_cycle(store, settings, WEB.get)) & found


def test_row_02_a_restart_between_any_two_programs_changes_nothing(tmp_path: Path) -> None:
    settings = WireSettings(batch=25)
    undisturbed = crawl(500, 3)
    path = tmp_path / "wire.db"
    store = MetadataStore(path)
    seed_store(store, SEEDS, settings)
    for _ in range(3):
        for program in ("manager", "harvester", "gatherer", "seeder", "record"):
            store.close()
            store = MetadataStore(path)
            if program == "manager":
                manager(store, settings)
            elif program == "harvester":
                harvester(store, WEB.get)
            elif program == "gatherer":
                gatherer(store)
            elif program == "seeder":
                seeder(store, settings)
            else:
                store.db.execute("insert into cycle (number) values ((select count(*) + 1 from cycle))")
    assert [doc[:6] for doc in store.docs()] == [doc[:6] for doc in undisturbed.docs()]


def test_row_03_every_parsed_page_has_its_flag_before_its_links_are_scheduled() -> None:
    settings = WireSettings(batch=25)
    store = MetadataStore()
    seed_store(store, SEEDS, settings)
    manager(store, settings)
    harvester(store, WEB.get)
    gatherer(store)
    assert not store.docs(Status.NEW)  # no link is scheduled yet
    assert all(doc.persian == WEB[doc.url].persian for doc in store.docs(Status.GATHERED))


def test_row_11_the_flag_is_in_the_document_records() -> None:
    store = crawl(500, 2)
    dumped = store.db.execute("select url, persian from doc where status = 3").fetchall()
    assert dumped
    assert all(bool(flag) == WEB[url].persian for url, flag in dumped)


def test_row_13_the_priority_is_the_sum_of_ten_weighted_terms() -> None:
    weights = ScoreWeights(
        pagerank=2, wlscore=3, hub=5, authority=7, siterank=11, queuesize=13, depth=17, static=19, random=23, persian=29
    )
    by_hand = 2 * 0.1 + 3 * 0.2 + 5 * 0.3 + 7 * 0.4 + 11 * 0.5 + 13 * 0.6 + 17 * 0.7 + 19 * 0.8 + 23 * 0.9 + 29 * 1.0
    assert score(Terms(0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0), weights) == pytest.approx(by_hand)


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
        "http://en.com/": Fetched(b"e", [("http://x.com/", "")], False),
        "http://fa.com/": Fetched(b"f", [("http://y.com/", "")], True),
    }
    settings = WireSettings(weights=ScoreWeights(persian=500), batch=2)
    for seed in range(20):
        store = MetadataStore()
        chosen = msgspec.structs.replace(settings, seed=seed)
        seed_store(store, list(pages), chosen)
        run_cycle(store, chosen, pages.get)
        assert manager(store, chosen) == ["http://y.com/", "http://x.com/"]


def test_row_16_weight_zero_is_the_unmodified_crawler() -> None:
    blind = {url: page._replace(persian=False) for url, page in WEB.items()}
    with_module, without = crawl(0, 5, seed=3), crawl(500, 5, seed=3, web=blind)
    order = "select url from doc where status = 3 order by id"
    assert with_module.db.execute(order).fetchall() == without.db.execute(order).fetchall()


def test_row_17_other_pages_are_kept_and_fetched_when_there_is_room() -> None:
    store = crawl(500, 200)
    assert {doc.url for doc in store.docs(Status.GATHERED)} >= {url for url in WEB if not WEB[url].persian} & {
        doc.url for doc in store.docs()
    }
    assert not store.docs(Status.NEW)


def test_row_18_the_default_weights() -> None:
    assert msgspec.structs.asdict(ScoreWeights(persian=0)) == {
        "pagerank": 0, "wlscore": 0, "hub": 0, "authority": 0, "siterank": 0, "queuesize": 0, "depth": 95, "static": 0,
        "random": 5, "persian": 0,
    }  # fmt: skip


def test_row_19_a_big_site_and_too_many_sites_stop_at_their_caps() -> None:
    assert (WireSettings().pages_per_site, WireSettings().sites) == (6000, 6000)
    hub = Fetched(
        b"", [(f"http://big.ir/{i}", "") for i in range(50)] + [(f"http://n{i}.ir/", "") for i in range(50)], True
    )
    settings = WireSettings(pages_per_site=10, sites=5)
    store = MetadataStore()
    seed_store(store, ["http://hub.ir/"], settings)
    run_cycle(store, settings, {"http://hub.ir/": hub}.get)
    assert store.pages_of("big.ir") == 10
    assert store.sites() == 5


def test_row_20_only_the_listed_domains_are_accepted() -> None:
    links = [(f"http://x.{tld}/", "") for tld in ("ir", "com", "org", "net", "gov", "jp", "de", "ar", "uk", "fr", "es")]
    store = MetadataStore()
    seed_store(store, ["http://seed.fr/"], WireSettings())
    run_cycle(store, WireSettings(), {"http://seed.fr/": Fetched(b"", links, True)}.get)
    assert {doc.site for doc in store.docs(Status.NEW)} == {url[7:-1] for url, _ in links[:9]}


def test_row_21_persian_pages_outside_ir_are_collected() -> None:
    persian = [doc for doc in crawl(500, 6).docs(Status.GATHERED) if doc.persian]
    assert any(not doc.site.endswith(".ir") for doc in persian)
    assert any(doc.site.endswith(".ir") for doc in persian)


def test_row_24_counts_and_ratio_per_cycle() -> None:
    rows = crawl(500, 4).cycles()
    assert [row[0] for row in rows] == [1, 2, 3, 4]
    for _, assigned, parsed, persian, *_ in rows:
        assert assigned >= parsed >= persian > 0


def test_row_25_more_weight_finds_more_until_it_saturates() -> None:
    found = {weight: [crawl(weight, 6, seed).cycles()[-1][3] for seed in range(3)] for weight in (0, 500, 1000)}
    assert sum(found[500]) > 1.3 * sum(found[0])
    assert found[500] == found[1000]


def test_row_26_static_and_dynamic_unique_and_duplicate_add_up() -> None:
    store = crawl(500, 8)
    _, _, parsed, _, duplicates, static, dynamic = store.cycles()[-1]
    unique = sum(doc.duplicate_of is None for doc in store.docs(Status.GATHERED))
    assert static + dynamic == parsed
    assert unique + duplicates == parsed
    assert duplicates
    assert is_dynamic("http://a.ir/x.asp")


def test_row_28_as_many_persian_pages_in_half_the_cycles() -> None:
    plain = crawl(0, 16)
    wanted = plain.cycles()[7][3]
    focused = crawl(500, 16)
    cycles = next(row[0] for row in focused.cycles() if row[3] >= wanted)
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
