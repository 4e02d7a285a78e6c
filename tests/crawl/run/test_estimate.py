"""How much is left: a sample of what waits is drawn fairly, fetched first, and says what holds for all."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from pathlib import Path

import msgspec
import pytest
from tests.durability.small_web import SmallWeb, collection_for

from phasa.collection import Collection
from phasa.crawl.run.estimate import SAMPLE, Sample, Sampling, _bounds, _estimate, draw_sample, read_estimate
from phasa.crawl.run.runs import run_collection
from phasa.errors import InputError
from phasa.frontier.budgets import Budgets
from phasa.frontier.protocol import Ending, Offer, State, Visit
from phasa.frontier.sqlite import SqliteFrontier
from phasa.frontiers import read_frontier
from phasa.web.url import Url

PAGES = 400


def crawled(path: Path, small: SmallWeb, pages: int, **changes: str) -> Collection:
    collection = collection_for(path, small, budgets=limit(pages), **changes)  # type: ignore[arg-type]
    run_collection(collection)
    return collection


def limit(pages: int) -> Budgets:
    return Budgets(pages=pages, free_disk_megabytes=0.0, idle_seconds=20.0)


def go_on(collection: Collection, pages: int) -> None:
    run_collection(Collection(collection.path, msgspec.structs.replace(collection.settings, budgets=limit(pages))))


def waiting(collection: Collection) -> set[str]:
    with read_frontier(collection) as frontier:
        return {seen.url for seen in frontier.seen_urls() if seen.state is State.WAITING}


def is_wanted(url: str) -> bool:
    return bool(int(url.rpartition("/")[2].removesuffix(".html")) % 3)


def test_the_sample_is_fetched_next_and_says_how_many_of_all_are_wanted(tmp_path: Path) -> None:
    small = SmallWeb(PAGES, hosts=20)
    with small.serving():
        collection = crawled(tmp_path / "c", small, 80)
        waits = waiting(collection)
        sample = draw_sample(collection, 40)
        assert set(sample.urls) <= waits
        assert sample.waiting == len(waits)
        begun = read_estimate(collection)
        assert begun is not None
        assert (begun.open, begun.at_least, begun.at_most) == (40, 0, len(waits))
        go_on(collection, 240)  # twenty hosts, one page at a time of each: some of the sample wait for their host
    found = read_estimate(collection)
    assert found is not None
    assert len(waiting(collection)) > 80
    assert set(sample.urls) & waiting(collection) == set()
    assert (found.open, found.asked) == (0, 40)
    assert found.wanted == sum(map(is_wanted, sample.urls))
    assert found.pages == round(found.wanted / 40 * len(waits))
    assert found.at_least < found.pages < found.at_most


def test_a_sample_that_is_all_that_waits_leaves_nothing_to_chance(tmp_path: Path) -> None:
    small = SmallWeb(60, hosts=10)
    with small.serving():
        collection = crawled(tmp_path / "c", small, 30)
        waits = waiting(collection)
        draw_sample(collection, 1000)
        go_on(collection, 0)
    found = read_estimate(collection)
    assert found is not None
    assert found.at_least == found.pages == found.at_most == sum(map(is_wanted, waits))


def test_every_address_that_waits_is_as_likely_to_be_drawn(tmp_path: Path) -> None:
    small = SmallWeb(PAGES, hosts=20)
    with small.serving():
        collection = crawled(tmp_path / "c", small, 60)
    waits = sorted(waiting(collection))
    drawn = Counter(url for _ in range(200) for url in draw_sample(collection, 10).urls)
    assert set(drawn) <= set(waits)
    usual = 2000 / len(waits)
    assert max(drawn.values()) < usual + 7 * usual**0.5
    assert len(drawn) > 0.95 * len(waits) * (1 - 2.72**-usual)


def test_a_crawl_that_was_cut_off_counts_what_came_before(tmp_path: Path) -> None:
    small = SmallWeb(PAGES, hosts=20)
    with small.serving():
        collection = crawled(tmp_path / "c", small, 80)
        sample = draw_sample(collection, 60)
        go_on(collection, 100)
        half = read_estimate(collection)
        go_on(collection, 380)  # twenty hosts, as above
    found = read_estimate(collection)
    assert half is not None
    assert found is not None
    assert 30 <= half.open < 60
    assert found.open == 0
    assert found.wanted == sum(map(is_wanted, sample.urls))
    assert half.at_most - half.at_least > found.at_most - found.at_least


def test_workers_share_a_sample(tmp_path: Path) -> None:
    small = SmallWeb(PAGES, hosts=20)
    with small.serving():
        collection = crawled(tmp_path / "c", small, 80)
        sample = draw_sample(collection, 40)
        command = [sys.executable, "-m", "phasa", "crawl", str(collection.path), "--workers", "2", "--pages", "320"]
        subprocess.run(command, check=True, capture_output=True)
    found = read_estimate(collection)
    assert found is not None
    assert (found.open, found.wanted) == (0, sum(map(is_wanted, sample.urls)))


def test_bounds_are_wilsons() -> None:
    assert _bounds(0, 200) == pytest.approx((0.0, 0.01885), abs=1e-4)
    assert _bounds(50, 200) == pytest.approx((0.1951, 0.3144), abs=1e-4)
    assert _bounds(10, 10) == pytest.approx((0.7225, 1.0), abs=1e-4)


def test_what_was_not_fetched_may_be_wanted_or_not() -> None:
    sample = Sample(drawn=0.0, waiting=10_000, urls=[f"http://a.example/{n}" for n in range(100)])
    closed, still = _estimate(sample, 40, 0), _estimate(sample, 40, 20)
    assert closed.at_least == still.at_least
    assert still.at_most == _estimate(sample, 60, 0).at_most
    assert still.pages == 5000, "of those that came, half"


def test_the_command_draws_once_and_tells(tmp_path: Path) -> None:
    small = SmallWeb(PAGES, hosts=20)
    with small.serving():
        collection = crawled(tmp_path / "c", small, 80)
        command = [sys.executable, "-m", "phasa", "estimate", str(collection.path)]
        first = subprocess.run([*command, "--draw", "30"], capture_output=True, text=True, check=True).stdout
        assert f"Not all were fetched yet: phasa crawl {collection.path}." in first
        assert "about" not in first
        go_on(collection, 260)
    told = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert "30 of " in told
    assert "0 wait.\nOf all that waited then, about " in told
    as_json = subprocess.run([*command, "--json"], capture_output=True, check=True).stdout
    assert msgspec.json.decode(as_json)["open"] == 0


def test_a_sample_of_nothing_is_a_clear_error(tmp_path: Path) -> None:
    collection = Collection.create(tmp_path / "c", language="th")
    with pytest.raises(InputError, match="nothing waits"):
        draw_sample(collection)
    with pytest.raises(InputError, match="1 to 5,000 addresses, not 0"):
        draw_sample(collection, 0)


def test_a_damaged_estimate_is_none(tmp_path: Path) -> None:
    collection = Collection.create(tmp_path / "c", language="th")
    collection.reports_folder.mkdir(exist_ok=True)
    (collection.reports_folder / "estimate.json").write_bytes(b"{")
    assert read_estimate(collection) is None


def test_a_sample_is_drawn_on_a_server_too(tmp_path: Path, postgres: str) -> None:
    small = SmallWeb(PAGES, hosts=20)
    with small.serving():
        collection = crawled(tmp_path / "c", small, 80, frontier=postgres)
        waits = waiting(collection)
        sample = draw_sample(collection, 40)
        assert set(sample.urls) <= waits
        go_on(collection, 240)
    found = read_estimate(collection)
    assert found is not None
    assert (found.open, found.wanted) == (0, sum(map(is_wanted, sample.urls)))


def test_the_sample_keeps_its_place_while_every_host_is_being_asked(tmp_path: Path) -> None:
    collection = collection_for(tmp_path / "c", SmallWeb(4, hosts=2))
    frontier = SqliteFrontier(collection.frontier_file)
    urls = [Url(f"http://h{number % 2}.example/{number}") for number in range(10)]
    frontier.offer([Offer(url, 0.5, 0) for url in urls])
    frontier.commit()
    chosen = urls[6:]
    sample = Sample(drawn=0.0, waiting=10, urls=list(chosen))
    (collection.path / SAMPLE).write_bytes(msgspec.json.encode(sample))
    sampling = Sampling(collection)
    sampling.heard()
    asked = []
    for now in (0.0, 100.0):
        sampling.look(frontier)
        leases = frontier.lease(now, 2)
        sampling.look(frontier)  # both hosts are busy
        for lease in leases:
            frontier.finish(lease, Ending(State.DONE, "200", now, visit=Visit(now)))
        asked += [lease.url for lease in leases]
    frontier.close()
    assert set(asked) == set(chosen)
