"""Where a collection stands, as everybody is told it."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from tests.crawl.run.test_live_status import worker, write

from phasa.collection import Collection
from phasa.crawl.meter import CrawlNumbers, Metrics
from phasa.crawl.run.control import give_orders
from phasa.crawl.run.live_status import Sample
from phasa.crawl.run.status import Status, read_status
from phasa.frontier.protocol import Ending, Offer, State, Visit
from phasa.frontier.sqlite import SqliteFrontier
from phasa.service.crawl_status import CrawlHistory
from phasa.web.url import Url


@pytest.fixture
def collection(tmp_path: Path) -> Collection:
    """A collection with one page that came and nine that wait."""
    made = Collection.create(tmp_path / "c")
    made.reports_folder.mkdir()
    frontier = SqliteFrontier(made.frontier_file)
    frontier.offer([Offer(Url(f"http://h{n}.example/")) for n in range(10)])
    (lease,) = frontier.lease(0.0)
    frontier.finish(lease, Ending(State.DONE, "ok", 1.0, visit=Visit(1.0, 200, "text/html", 10**6, True, words=500)))
    frontier.close()
    return made


def test_never_crawled(tmp_path: Path) -> None:
    status = read_status(Collection.create(tmp_path / "c"))
    assert (status.state, status.done, status.harvest) == ("never", 0, None)
    assert "not crawled yet" in status.what_next


def test_at_rest_nobody_knows_of_ready_hosts(collection: Collection) -> None:
    write(collection, worker(5.0, ended="the limit of 1 pages is reached"))
    status = read_status(collection)
    assert (status.state, status.running, status.done, status.pages, status.wanted) == ("rest", False, 1, 1, 1)
    assert (status.waiting, status.leased, status.ready_hosts, status.pages_per_second) == (9, 0, None, None)
    assert (status.harvest, status.words_per_megabyte) == (1.0, 500.0)
    assert status.ended == "the limit of 1 pages is reached"
    assert "go on with" in status.what_next


def test_while_a_crawl_runs_what_is_being_fetched_does_not_wait(collection: Collection) -> None:
    with collection.locked():
        assert read_status(collection).state == "running"  # it has not said a word yet
        write(collection, worker(5.0), worker(6.0))
        status = read_status(collection)
    assert (status.state, status.running) == ("running", True)
    assert (status.leased, status.waiting) == (4, 5)
    assert (status.ready_hosts, status.pages_per_second) == (14, 6.0)
    assert status.strategy == "hybrid"
    assert status.ended == ""


def test_a_pause_is_a_state_and_has_no_speed(collection: Collection) -> None:
    paused = worker(5.0)
    paused = msgspec.structs.replace(paused, metrics=msgspec.structs.replace(paused.metrics, paused=True))
    give_orders(collection, paused=True)
    with collection.locked():
        write(collection, paused)
        status = read_status(collection)
    assert (status.state, status.pages_per_second) == ("paused", None)
    assert "--resume" in status.what_next


def test_orders_are_among_the_limits(collection: Collection) -> None:
    give_orders(collection, pages=7, delay=2.5)
    status = read_status(collection)
    assert (status.limits.pages, status.limits.delay, status.orders.pages) == (7, 2.5, 7)


def test_a_number_has_one_name_wherever_it_is_told() -> None:
    numbers = set(CrawlNumbers.__struct_fields__)
    assert numbers <= set(Metrics.__struct_fields__)
    assert numbers <= set(Status.__struct_fields__)
    assert set(Sample.__struct_fields__) - numbers == {"time", "words"}
    assert set(CrawlHistory.__struct_fields__) - numbers == {"time", "seconds"}
