"""Control of a crawl from another process: what is ordered is done, and nothing is forgotten."""

from __future__ import annotations

import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.durability.small_web import QUICK, SmallWeb, collection_for, command, finish

from phasa.archive_settings import ArchiveSettings
from phasa.collection import Collection
from phasa.crawl.run.control import Orders, add_seeds, give_orders, plant_fresh, read_orders
from phasa.crawl.run.runs import run_collection
from phasa.crawl.run.status import read_status
from phasa.errors import CollectionError, InputError


def until(true: Callable[[], bool], seconds: float = 40.0) -> None:
    """Wait for something to become true."""
    for _ in range(int(seconds / 0.05)):
        if true():
            return
        time.sleep(0.05)
    pytest.fail("it never happened")


def still(small: SmallWeb) -> int:
    """How many requests there were when they stopped coming."""
    before = -1
    while before != len(small.arrivals):
        before = len(small.arrivals)
        time.sleep(0.6)
    return before


@pytest.fixture
def collection(tmp_path: Path) -> Collection:
    return Collection.create(tmp_path / "c")


def test_orders_stay_until_they_are_changed_and_each_for_itself(collection: Collection) -> None:
    assert read_orders(collection) == Orders()
    give_orders(collection, paused=True)
    give_orders(collection, pages=500, delay=2.5)
    assert read_orders(collection) == Orders(paused=True, pages=500, delay=2.5)
    give_orders(collection, paused=False, pages=None)
    assert read_orders(Collection.open(collection.path)) == Orders(delay=2.5)


def test_orders_change_only_what_they_name(collection: Collection) -> None:
    settings = collection.settings
    assert Orders().budgets(settings) == settings.budgets
    assert Orders().manners(settings) == settings.politeness
    changed = Orders(pages=7, delay=0.0)
    assert changed.budgets(settings).pages == 7
    assert changed.budgets(settings).idle_seconds == settings.budgets.idle_seconds
    assert changed.manners(settings).delay == 0.0
    assert changed.manners(settings).address_delay == settings.politeness.address_delay


@given(st.sampled_from(["pages", "seconds", "megabytes", "delay"]), st.sampled_from([-1, "x", [], 1e300]))
def test_an_order_that_cannot_be_is_refused_and_changes_nothing(
    tmp_path_factory: pytest.TempPathFactory, name: str, value: object
) -> None:
    collection = Collection.create(tmp_path_factory.mktemp("c"))
    give_orders(collection, pages=3)
    with pytest.raises(InputError):
        give_orders(collection, **{name: value})
    assert read_orders(collection) == Orders(pages=3)


def test_a_broken_file_of_orders_is_named(collection: Collection) -> None:
    (collection.path / "control.json").write_text("{")
    with pytest.raises(CollectionError, match=r"control\.json"):
        read_orders(collection)


def test_seeds_are_added_once_where_a_person_would_add_them(collection: Collection) -> None:
    (collection.path / "seeds.txt").write_text("# mine\nhttp://a.example/")  # no line end
    result = add_seeds(collection, ["http://a.example/", " b.example ", "javascript:alert(1)", "", "# no", "b.example"])
    assert result.added == ["http://b.example/"]
    assert result.known == ["http://a.example/", "http://b.example/"]
    assert result.junk == ["javascript:alert(1)"]
    assert collection.seeds() == ["http://a.example/", "http://b.example/"]


def test_a_line_cannot_bring_more_than_one_seed(collection: Collection) -> None:
    add_seeds(collection, ["http://a.example/\nhttp://b.example/", "http://c.example/ 1 2"])
    assert all("b.example" not in line.split("/")[2] for line in collection.seeds())
    assert len(collection.seeds()) <= 2


def test_too_many_seeds_at_once_are_refused(collection: Collection) -> None:
    with pytest.raises(InputError, match="at most"):
        add_seeds(collection, ["http://a.example/"] * 10_001)


def test_a_running_crawl_pauses_goes_on_takes_seeds_and_a_limit(tmp_path: Path) -> None:
    small = SmallWeb(4000, hosts=20, seconds=0.03)
    with small.serving():
        collection = collection_for(tmp_path / "c", small, archive=ArchiveSettings(keep=False), connections=4)
        crawl = command("crawl", collection.path, "--quiet")
        until(lambda: len(small.arrivals) > 60)
        give_orders(collection, paused=True)
        stopped = still(small)
        time.sleep(1.0)
        assert len(small.arrivals) == stopped, "a paused crawl fetches nothing"
        assert read_status(collection).running
        add_seeds(collection, ["http://other.example/p/3999.html"])
        give_orders(collection, paused=False)
        until(lambda: any(arrival.host == "other.example" for arrival in small.arrivals))
        limit = read_status(collection).done + 400
        give_orders(collection, pages=limit)
        code, out, err = finish(crawl)
    assert code == 0, err
    assert f"the limit of {limit:,} pages is reached" in out
    assert read_status(collection).done == limit
    assert err.count("paused") == 1
    assert "goes on" in err


def test_a_paused_crawl_is_paused_after_a_restart_and_the_command_line_resumes_it(tmp_path: Path) -> None:
    small = SmallWeb(12, hosts=3)
    with small.serving():
        collection = collection_for(tmp_path / "c", small, archive=ArchiveSettings(keep=False))
        code, out, _ = finish(command("crawl", collection.path, "--pause"))
        assert (code, out) == (0, "no crawl is running; the next one will be paused\n")
        waiting = command("crawl", collection.path, "--quiet")
        until(lambda: read_status(collection).running)
        time.sleep(1.5)
        assert not small.arrivals
        code, out, _ = finish(command("crawl", collection.path, "--resume"))
        assert (code, out) == (0, "the running crawl goes on\n")
        code, out, _ = finish(waiting)
    assert code == 0
    assert read_status(collection).done == 12


def test_a_slower_pace_is_kept_at_once(tmp_path: Path) -> None:
    small = SmallWeb(60, hosts=1)
    with small.serving():
        collection = collection_for(tmp_path / "c", small, archive=ArchiveSettings(keep=False))
        give_orders(collection, delay=0.4, seconds=5.0)
        with collection.locked():
            outcome = run_collection(collection).outcome
    assert outcome.why == "the limit of 5 seconds is reached"
    times = [arrival.time for arrival in small.arrivals]
    assert len(times) >= 2
    assert min(later - earlier for earlier, later in pairwise(times)) >= 0.4


def test_what_the_command_line_says_is_newer_than_the_orders(tmp_path: Path) -> None:
    small = SmallWeb(30, hosts=3)
    with small.serving():
        collection = collection_for(tmp_path / "c", small, archive=ArchiveSettings(keep=False))
        give_orders(collection, pages=20, delay=0.01)
        code, _, err = finish(command("crawl", collection.path, "--pages", "5", "--quiet"))
    assert code == 0, err
    assert read_status(collection).done == 5
    assert read_orders(collection) == Orders(delay=0.01)


def test_broken_orders_do_not_stop_a_crawl(tmp_path: Path) -> None:
    small = SmallWeb(6, hosts=2)
    with small.serving():
        collection = collection_for(tmp_path / "c", small, archive=ArchiveSettings(keep=False), politeness=QUICK)
        (collection.path / "control.json").write_text("{")
        with collection.locked():
            run = run_collection(collection)
    assert run.metrics.done == 6
    assert any("control.json" in error for error in run.errors)


def test_only_seeds_never_offered_before_are_planted() -> None:
    from phasa.crawl.strategies.breadth_first import BreadthFirst
    from phasa.crawl.strategy import Seed
    from phasa.frontier.memory import MemoryFrontier

    frontier, seeds = MemoryFrontier(), [Seed("http://a.example/"), Seed("http://b.example/")]
    assert plant_fresh(frontier, BreadthFirst(), seeds[:1]) == 1
    assert plant_fresh(frontier, BreadthFirst(), seeds) == 1
    assert plant_fresh(frontier, BreadthFirst(), seeds) == 0
