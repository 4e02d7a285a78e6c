"""A served world that changes, kept fresh for a month by `phasa crawl` itself, on a clock on which a day takes seconds.

    python bench/fresh_world.py [--pages 10000] [--days 30] [--seconds 30] [--per-day 2000] [--kills 40]

The whole command runs in a process of its own, over HTTP, with archive, log and frontier; only its clock is quick (a
day takes `--seconds`). It is killed with -9 at random instants and started again. The world knows when each page
changed, so the share of pages that are up to date is known; `phasa fresh` says what it promises. Printed: requests
against the budget, the least time between two requests to a host, promised and achieved freshness, URLs lost or without
a date, records that are broken or missing. Exit 1 when a promise is broken (freshness: by more than three points).
"""

from __future__ import annotations

import argparse
import asyncio
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import closing
from itertools import pairwise
from pathlib import Path

from aiohttp import web

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.durability.small_web import SmallWeb, collection_for

from phasa.archive.damage import noted
from phasa.archive.reader import positions
from phasa.collection import Collection
from phasa.crawl.run.freshness import read_freshness
from phasa.fresh_settings import FreshSettings
from phasa.frontier.budgets import Budgets
from phasa.frontier.politeness import Politeness
from phasa.lab.changes import DAY, ChangingPage, ChangingWorld

BEGUN = 1_700_000_000.0
DELAY = 900.0  # seconds of its clock between two requests to a host


class QuickClock:
    """A day in so many seconds, from a moment that all processes know."""

    started = 0.0
    seconds = 1.0

    def now(self) -> float:
        return BEGUN + (time.time() - self.started) / self.seconds * DAY

    async def wait(self, wake: asyncio.Event, seconds: float) -> None:
        timer = asyncio.get_running_loop().call_later(max(seconds / DAY * self.seconds, 0.002), wake.set)
        await wake.wait()
        timer.cancel()


class ServedWorld(SmallWeb):
    """The pages of a world that changes, a host for each site; it writes down the moments of its clock."""

    def __init__(self, world: ChangingWorld, clock: QuickClock) -> None:
        super().__init__(1, 1)
        self.clock = clock
        self.known = {page.name: page for page in world.pages}
        self.sites: dict[str, list[str]] = {}
        for name in self.known:
            self.sites.setdefault(name.partition("/")[0], []).append(name)
        self.still = world.pages[0].text(0.0)
        self.seen: list[tuple[float, str]] = []
        self.hosts_asked: dict[str, list[float]] = {}

    def url(self, number: int) -> str:
        return "http://front.example/"

    def answer(self, host: str, path: str) -> web.Response:
        at = self.clock.now() - BEGUN
        self.hosts_asked.setdefault(host, []).append(at)
        if path == "/robots.txt":
            return web.Response(status=404)
        site = host.partition(".")[0]
        page = self.known.get(f"{site}{path}".removesuffix(".html"))
        if page is None:
            self.seen.append((at, f"{host}{path}"))
            if site in self.sites:
                links = "".join(f"<a href='/{one.partition('/')[2]}.html'>{one}</a>" for one in self.sites[site])
            else:
                links = "".join(f"<a href='http://{one}.example/'>{one}</a>" for one in self.sites)
            return web.Response(text=f"<html><body><p>{self.still} {site}</p>{links}", content_type="text/html")
        self.seen.append((at, page.name))
        if at >= page.gone:
            return web.Response(status=410)
        if at >= page.moved:
            return web.Response(status=301, headers={"Location": "/"})
        text = page.text(at, len(self.seen))
        return web.Response(text=f"<html><body><p>{text}</p>", content_type="text/html")


def child(folder: str, started: str, seconds: str) -> None:
    """`phasa crawl FOLDER` with the quick clock."""
    from phasa.cli import main as command
    from phasa.crawl import loop
    from phasa.crawl.run import process

    QuickClock.started, QuickClock.seconds = float(started), float(seconds)
    process.WallClock = QuickClock  # type: ignore[assignment,attr-defined]
    loop.Crawl.TICK = 0.5 / QuickClock.seconds * DAY
    sys.argv = ["phasa", "crawl", folder]
    command()


def month(given: argparse.Namespace, collection: Collection, clock: QuickClock) -> int:
    """Crawl for so many days, killed and started again; how often it was killed."""
    words = [sys.executable, __file__, "--child", str(collection.path), str(clock.started), str(given.seconds)]
    chance = random.Random(given.seed)
    length = given.days * given.seconds
    moments = sorted(chance.uniform(0.02, 0.97) * length for _ in range(given.kills))
    killed = 0
    for moment in [*moments, length]:
        left = clock.started + moment - time.time()
        process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        try:
            _, said = process.communicate(timeout=max(left, 0.3))
            raise SystemExit(f"the crawl ended by itself:\n{said[-2000:]}")
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGINT if moment == length else signal.SIGKILL)
            process.communicate()
            killed += moment != length
    return killed


def freshness(served: ServedWorld, end: float) -> tuple[float, int]:
    """The share of the pages that were seen whose content is still what the last visit saw; and how many those are."""
    last = {name: at for at, name in served.seen}
    pages: list[ChangingPage] = [
        page for page in served.known.values() if min(page.gone, page.moved) > end and page.name in last
    ]
    return sum(page.version(end) == page.version(last[page.name]) for page in pages) / len(pages), len(pages)


def losses(collection: Collection, served: ServedWorld, end: float) -> tuple[int, int, int, int]:
    """URLs that are missing, pages that are still there and have no date, records that are broken, and captures without
    a record."""
    expected = len(served.known) + len(served.sites) + 1
    left = {name for name, page in served.known.items() if min(page.gone, page.moved) < end}
    with closing(sqlite3.connect(collection.frontier_file)) as db:
        urls = db.execute("SELECT count(*) FROM url").fetchone()[0]
        undated = db.execute(
            "SELECT u.url FROM url u JOIN revisit r ON r.id = u.id WHERE u.state = 1 AND r.due IS NULL"
        ).fetchall()
        captured = {row[0] for row in db.execute("SELECT record FROM capture")}
    with noted() as damage:
        files = sorted(collection.archive_folder.glob("*.warc.gz"))
        records = {f"{path.name}:{at}" for path in files for at, _, _ in positions(path, 0)}
    names = {url.removeprefix("http://").replace(".example", "").removesuffix(".html") for (url,) in undated}
    return expected - urls, len(names - left), len(list(damage)), len(captured - records)


def main() -> None:
    if sys.argv[1:2] == ["--child"]:
        child(*sys.argv[2:5])
        return
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=10_000)
    parser.add_argument("--days", type=float, default=30.0)
    parser.add_argument("--seconds", type=float, default=30.0, help="that a day takes")
    parser.add_argument("--per-day", type=float, default=2_000.0, help="revisits")
    parser.add_argument("--kills", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    clock = QuickClock()
    clock.seconds = given.seconds
    served = ServedWorld(ChangingWorld(given.seed, given.pages, days=given.days + 10), clock)
    with tempfile.TemporaryDirectory() as folder, served.serving():
        collection = collection_for(
            Path(folder) / "c",
            served,
            strategy="hybrid",
            warc_megabytes=100.0,
            fresh=FreshSettings(requests_per_day=given.per_day, least_hours=3.0),
            politeness=Politeness(delay=DELAY, address_delay=0.0, lease=2 * DAY),
            budgets=Budgets(free_disk_megabytes=0.0, idle_seconds=0.0),
        )
        clock.started = time.time()
        killed = month(given, collection, clock)
        end = clock.now()
        promised = read_freshness(collection, end)
        achieved, pages = freshness(served, end - BEGUN)
        counts = Counter(name for _, name in served.seen)
        again, known = sum(counts.values()) - len(counts), sum(name in served.known for name in counts)
        allowed = given.per_day * (end - BEGUN) / DAY
        rests = [b - a for moments in served.hosts_asked.values() for a, b in pairwise(moments)]
        lost = losses(collection, served, end - BEGUN)
    print(f"{known:,} of {len(served.known):,} pages on {len(served.sites)} hosts, {(end - BEGUN) / DAY:.1f} days")
    print(f"killed {killed} times")
    print(f"visits again {again:,}, budget {allowed:,.0f}; least rest of a host {min(rests):,.0f} s of {DELAY:,.0f}")
    print(
        f"up to date: promised {promised.up_to_date:.3f} ({promised.low:.3f} to {promised.high:.3f}),"
        f" achieved {achieved:.3f} of {pages:,}"
    )
    print("URLs lost {}, pages without a date {}, broken records {}, captures without a record {}".format(*lost))
    near = abs(achieved - (promised.up_to_date or 0.0)) <= 0.03
    sys.exit(0 if near and not any(lost) and again <= allowed + 3 and min(rests) > 0.9 * DELAY else 1)


if __name__ == "__main__":
    main()
