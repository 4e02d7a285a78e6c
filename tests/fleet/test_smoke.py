"""A real fleet: a Ray cluster of two nodes, a PostgreSQL server, a web on the loopback; one worker is killed."""

from __future__ import annotations

import os
import re
import signal
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from tests.durability.small_web import Arrival, SmallWeb, collection_for

from phasa.archive.cdxj import merge, read_index
from phasa.collection import Collection
from phasa.errors import CollectionError
from phasa.fleet import cluster, fleet
from phasa.fleet_settings import FleetSettings
from phasa.frontier.budgets import Budgets
from phasa.frontier.politeness import Politeness
from phasa.frontier.protocol import State
from phasa.frontiers import read_frontier

DELAY = 0.15
FLEET = FleetSettings(workers=2, lifetime=4.0, cpus=0.0)


class TimedWeb(SmallWeb):
    """Also writes down when each answer was given."""

    def __init__(self, pages: int, hosts: int) -> None:
        super().__init__(pages, hosts, seconds=0.02)
        self.open_hosts: defaultdict[str, int] = defaultdict(int)
        self.twice_at_once: list[str] = []
        self.ends: list[Arrival] = []

    async def _serve(self, request: Any) -> Any:
        host = (request.host or "").partition(":")[0]
        self.open_hosts[host] += 1
        if self.open_hosts[host] > 1:
            self.twice_at_once.append(f"{host}{request.path_qs}")
        try:
            return await super()._serve(request)
        finally:
            self.open_hosts[host] -= 1
            self.ends.append(Arrival(time.monotonic(), host, request.path_qs))


@pytest.fixture(scope="module")
def ray_nodes() -> Iterator[str]:
    """The address of a cluster of two nodes."""
    cluster.ray()
    from ray.cluster_utils import Cluster

    small = {"num_cpus": 2, "object_store_memory": 80_000_000, "include_dashboard": False}
    nodes = Cluster(initialize_head=True, head_node_args=small)
    nodes.add_node(num_cpus=2, object_store_memory=80_000_000)
    yield nodes.address
    cluster.leave()
    nodes.shutdown()  # type: ignore[no-untyped-call]


def wait_for(what: Callable[[], bool], seconds: float = 60.0) -> None:
    until = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < until, "it takes too long"
        time.sleep(0.2)


def fleet_collection(path: Path, small: SmallWeb, postgres: str, delay: float = DELAY) -> Collection:
    manners = Politeness(delay=delay, address_delay=0.0, backoff=0.2, backoff_limit=1.0)
    budgets = Budgets(free_disk_megabytes=0.0, idle_seconds=20.0)
    values: dict[str, Any] = {
        "frontier": postgres,
        "politeness": manners,
        "fleet": FLEET,
        "budgets": budgets,
    }
    return collection_for(path, small, **values)


def done_urls(collection: Collection) -> set[str]:
    with read_frontier(collection) as frontier:
        return {seen.url for seen in frontier.seen_urls() if seen.state is State.DONE}


def gaps(arrivals: list[Arrival]) -> list[float]:
    """Seconds between two requests to one host."""
    by_host: defaultdict[str, list[float]] = defaultdict(list)
    for arrival in arrivals:
        by_host[arrival.host].append(arrival.time)
    return [later - earlier for times in by_host.values() for earlier, later in pairwise(times)]


def test_a_fleet_fetches_every_page_once_though_a_worker_is_killed(
    tmp_path: Path, postgres: str, ray_nodes: str
) -> None:
    small = TimedWeb(300, hosts=30)
    with small.serving():
        collection = fleet_collection(tmp_path / "c", small, postgres)
        begun = fleet.start(collection, address=ray_nodes)
        assert begun.order.workers == 2
        with pytest.raises(CollectionError, match="there is a fleet already"):
            fleet.start(collection, address=ray_nodes)
        wait_for(lambda: [worker.shards for worker in fleet.status(collection).workers] == [128, 128])
        wait_for(lambda: fleet.status(collection).pages > 60)
        victim = next(state for state in fleet.status(collection).processes if state.number == 1)
        settled = done_urls(collection)
        os.kill(victim.process, signal.SIGKILL)
        wait_for(lambda: bool(fleet.status(collection).order.ended), 80.0)
        ended = fleet.status(collection)
    assert ended.order.ended == "nothing is left to fetch"
    heard = re.findall(
        r"heard of (\d+) answers that came to other workers", (collection.path / "phasa.log").read_text()
    )
    assert [number for number in heard if int(number) > 0], "they keep one order"
    assert done_urls(collection) == small.urls()
    assert small.twice_at_once == []
    assert min(gaps(small.arrivals)) >= DELAY
    pages = [f"{arrival.host}{arrival.path}" for arrival in small.arrivals if "robots" not in arrival.path]
    again = [path for path, times in Counter(pages).items() if times > 1]
    hosts = Counter(path.partition("/")[0] for path in again)
    assert set(hosts.values()) <= {1}, "a host whose page is not written down yet gets no turn"
    assert not settled & {f"http://{path}" for path in again}, "what was written down is not fetched again"
    assert len(settled) > 60
    merge(collection.archive_folder)
    kept = [entry.url for entry in read_index(collection.archive_folder) if "robots" not in entry.url]
    assert set(kept) >= small.urls(), "every page has a record"
    assert len({path.name[-10:] for path in collection.archive_folder.glob("*.warc.gz")}) == 2, "each wrote its own"


def test_a_fleet_is_scaled_and_stopped_and_goes_on(tmp_path: Path, postgres: str, ray_nodes: str) -> None:
    small = TimedWeb(120, hosts=6)
    with small.serving():
        collection = fleet_collection(tmp_path / "c", small, postgres, delay=0.6)
        fleet.start(collection, address=ray_nodes, workers=1)
        wait_for(lambda: fleet.status(collection).pages > 10)
        fleet.scale(collection, 2)
        wait_for(lambda: len([one for one in fleet.status(collection).workers if not one.lost]) == 2)
        assert fleet.stop(collection).ended == "stopped"
        stopped = fleet.status(collection)
        assert stopped.workers == [], "all have said goodbye"
        assert 0 < stopped.pages < 120
        fleet.start(collection, address=ray_nodes)
        wait_for(lambda: bool(fleet.status(collection).order.ended))
    assert done_urls(collection) == small.urls()
    pages = [f"{arrival.host}{arrival.path}" for arrival in small.arrivals if "robots" not in arrival.path]
    assert len(pages) == len(set(pages)) == 120
    assert small.twice_at_once == []
    assert min(gaps(small.arrivals)) >= 0.6
