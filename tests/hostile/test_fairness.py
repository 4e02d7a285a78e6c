"""Good hosts beside hostile ones: what these cost is charged to them. Work is counted, not time."""

from __future__ import annotations

import asyncio
from pathlib import Path

from aiohttp import web
from tests.crawl.paper_web import PaperWeb
from tests.durability.small_web import SmallWeb, collection_for

from phasa.crawl.answer import Answer, Kind
from phasa.crawl.clock import WallClock
from phasa.crawl.loop import Crawl
from phasa.crawl.run.runs import run_collection
from phasa.crawl.seeds import plant
from phasa.crawl.settle import Parts
from phasa.crawl.strategies.breadth_first import BreadthFirst
from phasa.crawl.strategy import Rediscovery, Seed
from phasa.frontier.budgets import NO_LIMITS, Budgets
from phasa.frontier.memory import MemoryFrontier
from phasa.frontier.politeness import Politeness
from phasa.frontier.protocol import Lease
from phasa.frontier.rules import Rules
from phasa.web.limits import Limits

GOOD = [f"http://good.example/{number}" for number in range(12)]
QUICK = Politeness(delay=0.0, address_delay=0.0, robots=False, tries=3, backoff=1e-6, backoff_limit=1e-6)


class Tarpits(PaperWeb):
    """One good host whose pages lead on, and hosts that give no answer: at first they say so, then nothing more until
    every page of the good host was asked for, or for longer than anybody should wait."""

    def __init__(self) -> None:
        super().__init__({url: [after] for url, after in zip(GOOD, [*GOOD[1:], GOOD[0]], strict=True)})
        self.over = asyncio.Event()
        self.held_up = 0

    async def get(self, lease: Lease) -> Answer:
        if lease.host == "good.example":
            answer = await super().get(lease)
            if len(self.asked) == len(GOOD):
                self.over.set()
            return answer
        if lease.attempts:
            try:
                await asyncio.wait_for(self.over.wait(), 3.0)
            except TimeoutError:
                self.held_up += 1
        return Answer(Kind.FAILED, "timeout_first_byte", seconds=20.0)


async def test_hosts_that_give_no_answer_hold_no_turn_of_a_good_one() -> None:
    """While little is known one request is out at a time: a host that failed once is asked beside it, not in it."""
    paper, strategy = Tarpits(), BreadthFirst()
    frontier = MemoryFrontier(Rules(Rediscovery.FIRST, manners=QUICK))
    plant(frontier, strategy, [*(Seed(f"http://pit{n}.example/") for n in range(5)), Seed(GOOD[0])])
    parts = Parts(paper, paper, strategy, frontier, WallClock())
    await Crawl(parts, manners=QUICK, budgets=NO_LIMITS, slots=32, tolerance=0.01).run()
    assert paper.asked == GOOD
    assert paper.held_up == 0


def answer(host: str, path: str) -> web.Response:
    """A sitemap of more addresses than are taken in at once."""
    urls = "".join(f"<url><loc>http://h0.example/{number}</loc></url>" for number in range(3500))
    return web.Response(text=f"<urlset>{urls}</urlset>", content_type="application/xml")


def test_a_long_sitemap_is_taken_in_whole_by_slices(tmp_path: Path) -> None:
    small = SmallWeb(1, hosts=1, handler=answer)
    with small.serving():
        collection = collection_for(
            tmp_path / "c",
            small,
            seeds=["http://h0.example/sitemap.xml"],
            politeness=Politeness(delay=60.0, robots=False),
            budgets=Budgets(free_disk_megabytes=0.0, idle_seconds=1.0),
        )
        with collection.locked():
            run = run_collection(collection)
    assert run.metrics.done == 1
    assert run.metrics.waiting == 3500


def test_a_host_rests_for_what_its_pages_cost(tmp_path: Path) -> None:
    """Pages that cost a lot are asked for less often: the host may not be asked again in this run."""
    links = "<a href=/more>x</a>"
    body = links + "<p><a title=x>x</a>" * 60_000

    def heavy(host: str, path: str) -> web.Response:
        return web.Response(text=body, content_type="text/html")

    counts = []
    for rest in (0.0, 100_000.0):
        small = SmallWeb(1, hosts=1, handler=heavy)
        with small.serving():
            collection = collection_for(
                tmp_path / str(rest),
                small,
                seeds=["http://h0.example/"],
                politeness=Politeness(delay=0.01, robots=False),
                limits=Limits(cost_rest=rest),
                budgets=Budgets(free_disk_megabytes=0.0, idle_seconds=2.0),
            )
            with collection.locked():
                counts.append(run_collection(collection).metrics.done)
    assert counts == [2, 1]
