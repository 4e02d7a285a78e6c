"""The crawl in cycles: what each program does, and that the columns find what the plain store finds."""

from __future__ import annotations

import random

import msgspec
import pytest
from tests.crawl.wire import plain_cycle as plain

from phasa.crawl.strategy import OutLinks
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
from phasa.strategy_settings import ScoreWeights


def gathered(store: Store) -> list[int]:
    """The documents that were parsed, in the order they were found."""
    return [document for document, status in enumerate(store.status) if status is Status.GATHERED]


def web(**pages: tuple[bool, list[str]]) -> dict[str, Fetched]:
    """'ir_a=(True, […])' is the page http://a.ir/ in Persian."""
    found = {}
    for name, (persian, links) in pages.items():
        tld, _, host = name.partition("_")
        found[f"http://{host}.{tld}/"] = Fetched(name.encode(), OutLinks(links, ["x"] * len(links)), persian)
    return found


SMALL = web(
    ir_a=(True, ["http://b.ir/", "http://c.com/"]),
    com_e=(False, ["http://d.com/", "http://f.fr/"]),
    ir_b=(True, []),
    com_c=(False, []),
    com_d=(False, []),
)
SETTINGS = WireSettings(weights=ScoreWeights(random=0, persian=500), batch=2)
SEEDS = ["http://a.ir/", "http://e.com/"]


def test_a_cycle_uses_the_links_of_the_one_before() -> None:
    store = seeded(SEEDS, SETTINGS)
    assert run_cycle(store, SETTINGS, SMALL.get) == ["http://a.ir/", "http://e.com/"]
    assert run_cycle(store, SETTINGS, SMALL.get) == ["http://b.ir/", "http://c.com/"]
    assert run_cycle(store, SETTINGS, SMALL.get) == ["http://d.com/"]
    assert run_cycle(store, SETTINGS, SMALL.get) == []


def test_the_programs_share_only_the_store() -> None:
    store = seeded(SEEDS, SETTINGS)
    steps = [
        lambda s: manager(s, SETTINGS),
        lambda s: harvester(s, SMALL.get),
        gatherer,
        lambda s: seeder(s, SETTINGS),
        count,
    ]
    for number in range(15):
        store = msgspec.msgpack.decode(msgspec.msgpack.encode(store), type=Store)
        steps[number % 5](store)
    assert {store.urls[document] for document in gathered(store)} == set(SMALL)


def test_a_second_parent_in_the_language_is_remembered() -> None:
    store = seeded(SEEDS, SETTINGS)
    document = store.add("http://x.com/", 2, from_persian=False)
    store.add("http://x.com/", 2, from_persian=True)
    store.add("http://x.com/", 2, from_persian=False)
    assert store.from_persian[document]


def test_duplicates_are_found_by_content() -> None:
    pages = {f"http://{name}.ir/": Fetched(b"same", OutLinks(()), True) for name in ("a", "b")}
    store = seeded(list(pages), SETTINGS)
    run_cycle(store, SETTINGS, pages.get)
    assert store.duplicate_of == [None, 0]
    assert store.cycles[-1].duplicates == 1


def test_what_does_not_come_is_ignored_and_not_counted_as_parsed() -> None:
    store = seeded(SEEDS, SETTINGS)
    run_cycle(store, SETTINGS, {"http://a.ir/": SMALL["http://a.ir/"]}.get)
    assert store.status[:2] == [Status.GATHERED, Status.IGNORED]
    figures = store.cycles[0]
    assert (figures.number, figures.processed, figures.parsed, figures.persian) == (1, 2, 1, 1)
    assert figures.ratio == 1.0


def test_one_site_does_not_fill_a_batch() -> None:
    settings = WireSettings(batch=10, per_site=3)
    store = seeded([f"http://a.ir/{i}" for i in range(20)], settings)
    manager(store, settings)
    assert len(store.assigned) == 3
    assert len(store.waiting) == 17


def random_web(seed: int) -> dict[str, Fetched]:
    """Twelve sites of eight pages; every third site Persian, some content twice, some links dead."""
    dice = random.Random(seed)
    urls = [f"http://s{site}.{'ir' if site % 3 == 0 else 'com'}/{page}" for site in range(12) for page in range(8)]
    found = {}
    for number, url in enumerate(urls):
        links = [dice.choice([*urls, "http://gone.com/x", "http://no.fr/"]) for _ in range(dice.randrange(9))]
        anchors = ["a" * dice.randrange(60) for _ in links]
        found[url] = Fetched(str(number % 80).encode(), OutLinks(links, anchors), (number // 8) % 3 == 0)
    return found


TERMS = ["pagerank", "wlscore", "hub", "authority", "siterank", "queuesize", "static", "depth", "persian"]


@pytest.mark.parametrize("policy", ["weight", "discard", "limited-distance"])
@pytest.mark.parametrize("term", [*TERMS, "all"])
def test_every_batch_is_that_of_the_plain_form(term: str, policy: str) -> None:
    """Each term alone, and all together; chance is left out, since the two draw it differently."""
    names = TERMS if term == "all" else [term]
    weights = ScoreWeights(**{"depth": 0.0, "persian": 0.0, "random": 0.0, **{name: 7.0 + len(name) for name in names}})
    settings = WireSettings(weights=weights, batch=7, per_site=3, pages_per_site=6, sites=11, policy=policy)  # type: ignore[arg-type]
    for seed in range(3):
        pages = random_web(seed)
        seeds = list(pages)[::17]
        store, oracle = seeded(seeds, settings), plain.PlainStore()
        plain.seed_store(oracle, seeds, settings)
        for _ in range(12):
            expected = plain.run_cycle(oracle, settings, pages.get)
            assert run_cycle(store, settings, pages.get) == expected
        rows = [tuple(msgspec.structs.astuple(row)) for row in store.cycles]
        assert rows == oracle.cycles()


def test_a_weight_on_links_changes_the_order() -> None:
    orders = []
    for weights in (ScoreWeights(random=0, persian=0), ScoreWeights(random=0, persian=0, depth=0, pagerank=100)):
        settings = WireSettings(weights=weights, batch=5)
        pages = random_web(1)
        store = seeded(list(pages)[:3], settings)
        orders.append([run_cycle(store, settings, pages.get) for _ in range(6)])
    assert orders[0] != orders[1]
