from __future__ import annotations

from pathlib import Path

import pytest

from phasa.crawl.wire.cycle import Fetched, WireSettings, gatherer, harvester, manager, run_cycle, seed_store, seeder
from phasa.crawl.wire.store import MetadataStore, Status
from phasa.strategy_settings import ScoreWeights


def web(**pages: tuple[bool, list[str]]) -> dict[str, Fetched]:
    """'ir_a=(True, […])' is the page http://a.ir/ in Persian."""
    found = {}
    for name, (persian, links) in pages.items():
        tld, _, host = name.partition("_")
        found[f"http://{host}.{tld}/"] = Fetched(name.encode(), [(url, "x") for url in links], persian)
    return found


SMALL = web(
    ir_a=(True, ["http://b.ir/", "http://c.com/"]),
    com_e=(False, ["http://d.com/", "http://f.fr/"]),
    ir_b=(True, []),
    com_c=(False, []),
    com_d=(False, []),
)
SETTINGS = WireSettings(weights=ScoreWeights(random=0, persian=500), batch=2)


def started(settings: WireSettings = SETTINGS, path: Path | None = None) -> MetadataStore:
    store = MetadataStore(path)
    seed_store(store, ["http://a.ir/", "http://e.com/"], settings)
    return store


def test_a_cycle_uses_the_links_of_the_one_before() -> None:
    store = started()
    assert run_cycle(store, SETTINGS, SMALL.get) == ["http://a.ir/", "http://e.com/"]
    assert run_cycle(store, SETTINGS, SMALL.get) == ["http://b.ir/", "http://c.com/"]
    assert run_cycle(store, SETTINGS, SMALL.get) == ["http://d.com/"]
    assert run_cycle(store, SETTINGS, SMALL.get) == []


def test_the_programs_share_only_the_store(tmp_path: Path) -> None:
    path = tmp_path / "wire.db"
    started(path=path).close()
    steps = [
        lambda s: manager(s, SETTINGS),
        lambda s: harvester(s, SMALL.get),
        lambda s: gatherer(s),
        lambda s: seeder(s, SETTINGS),
    ]
    for number in range(12):
        store = MetadataStore(path)
        steps[number % 4](store)  # type: ignore[no-untyped-call]
        store.close()
    store = MetadataStore(path)
    assert {doc.url for doc in store.docs(Status.GATHERED)} == set(SMALL)


def test_a_second_parent_in_the_language_is_remembered() -> None:
    store = started()
    store.add("http://x.com/", 2, from_persian=False)
    store.add("http://x.com/", 2, from_persian=True)
    store.add("http://x.com/", 2, from_persian=False)
    found = store.get("http://x.com/")
    assert found is not None
    assert found.from_persian


def test_duplicates_are_found_by_content() -> None:
    pages = {f"http://{name}.ir/": Fetched(b"same", [], True) for name in ("a", "b")}
    store = MetadataStore()
    seed_store(store, list(pages), SETTINGS)
    run_cycle(store, SETTINGS, pages.get)
    assert [doc.duplicate_of for doc in store.docs()] == [None, 1]


def test_what_does_not_come_is_ignored_and_not_counted_as_parsed() -> None:
    store = started()
    run_cycle(store, SETTINGS, {"http://a.ir/": SMALL["http://a.ir/"]}.get)
    number, assigned, parsed, persian, *_ = store.cycles()[0]
    assert (number, assigned, parsed, persian) == (1, 2, 1, 1)


@pytest.mark.parametrize("term", ["pagerank", "wlscore", "hub", "authority", "siterank", "queuesize", "static"])
def test_every_term_can_order_alone(term: str) -> None:
    settings = WireSettings(weights=ScoreWeights(**{"depth": 0, "random": 0, "persian": 0, term: 1}), batch=2)
    store = started(settings)
    for _ in range(3):
        run_cycle(store, settings, SMALL.get)
    assert len(store.docs(Status.GATHERED)) == 5


def test_one_site_does_not_fill_a_batch() -> None:
    settings = WireSettings(batch=10, per_site=3)
    store = MetadataStore()
    seed_store(store, [f"http://a.ir/{i}" for i in range(20)], settings)
    assert len(manager(store, settings)) == 3
