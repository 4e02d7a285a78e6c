"""A served world that changes, crawled with [fresh] by real HTTP on a clock on which a day takes a second: the budget
and the manners are kept, and what is promised of freshness is what is found."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from itertools import pairwise

import pytest
from aiohttp import web
from tests.durability.small_web import SmallWeb, collection_for

from phasa.collection import Collection
from phasa.crawl.clock import Clock
from phasa.crawl.live import LiveWeb
from phasa.crawl.loop import Crawl
from phasa.crawl.revisits import Revisits
from phasa.crawl.run.assembly import fetcher_of, judge_of, pool_of, rules_of, strategy_of, word_counter
from phasa.crawl.run.explain import explain
from phasa.crawl.run.freshness import Freshness, read_freshness
from phasa.crawl.settle import Parts
from phasa.fresh_settings import FreshSettings
from phasa.frontier.politeness import Politeness
from phasa.frontier.protocol import Offer
from phasa.frontier.sqlite import SqliteFrontier
from phasa.lab.changes import DAY, ChangingPage, ChangingWorld
from phasa.web.url import Url

DAYS = 25
BUDGET = 12.0  # requests a day
DELAY = 3000.0  # seconds between two requests to a host: a thirtieth of a second of ours
BEGUN = 1_700_000_000.0


class QuickClock:
    """A day in a second."""

    def __init__(self) -> None:
        self._started = time.monotonic()

    def now(self) -> float:
        return BEGUN + (time.monotonic() - self._started) * DAY

    async def wait(self, event: asyncio.Event, seconds: float) -> None:
        try:
            await asyncio.wait_for(event.wait(), max(seconds / DAY, 0.002))
        except TimeoutError:
            return


class QuickCrawl(Crawl):
    TICK = 0.05 * DAY


class ServedWorld(SmallWeb):
    """The pages of a world that changes, from one front page on; it writes down the moments of its clock."""

    def __init__(self, world: ChangingWorld, clock: QuickClock) -> None:
        super().__init__(1, 1)
        self.world, self.clock = world, clock
        self.known = {page.name: page for page in world.pages}
        self.seen: list[tuple[float, str]] = []

    def answer(self, host: str, path: str) -> web.Response:
        at = self.clock.now() - BEGUN
        name = path.strip("/").removesuffix(".html")
        self.seen.append((at, name))
        page = self.known.get(name)
        if page is None:
            links = "".join(f"<a href='/{one}.html'>{one}</a>" for one in self.known)
            text = self.world.pages[0].text(0.0)
            return web.Response(text=f"<html><body><p>{text}</p>{links}", content_type="text/html")
        if at >= page.gone:
            return web.Response(status=410)
        if at >= page.moved:
            return web.Response(status=301, headers={"Location": "/"})
        text = page.text(at, len(self.seen))
        return web.Response(text=f"<html><body><p>{text}</p>", content_type="text/html")


async def crawl(collection: Collection, clock: Clock, days: float) -> None:
    settings, profile = collection.settings, collection.profile
    strategy = strategy_of(collection, profile)
    frontier = SqliteFrontier(collection.frontier_file, rules_of(collection, strategy))
    frontier.offer([Offer(Url("http://h0.example/"))])
    try:
        async with fetcher_of(collection) as fetcher, pool_of(settings) as pool:
            web = LiveWeb(fetcher, pool, settings.limits, agent="", language=profile.code)
            revisits = Revisits(settings.fresh, frontier, clock.now())
            parts = Parts(web, judge_of(collection, profile), strategy, frontier, clock, revisits=revisits)
            made = QuickCrawl(
                parts,
                manners=settings.politeness,
                budgets=settings.budgets,
                slots=4,
                tolerance=1.0,
                words=word_counter(profile),
            )
            asyncio.get_running_loop().call_later(days, made.stop, "enough")
            await made.run()
    finally:
        frontier.close()


@pytest.fixture(scope="module")
def month(tmp_path_factory: pytest.TempPathFactory) -> tuple[ServedWorld, Collection, Freshness, float]:
    clock = QuickClock()
    served = ServedWorld(ChangingWorld(3, 90, days=60), clock)
    with served.serving() as small:
        collection = collection_for(
            tmp_path_factory.mktemp("changing") / "c",
            small,
            fresh=FreshSettings(requests_per_day=BUDGET, least_hours=6.0),
            politeness=Politeness(delay=DELAY, address_delay=0.0, lease=10 * DAY),
        )
        asyncio.run(crawl(collection, clock, DAYS))
        end = clock.now()
        promised = read_freshness(collection, end)
    return served, collection, promised, end - BEGUN


def lasting(served: ServedWorld, end: float) -> list[ChangingPage]:
    return [page for page in served.known.values() if min(page.gone, page.moved) > end]


def test_the_budget_is_kept(month: tuple[ServedWorld, Collection, Freshness, float]) -> None:
    served, _, _, end = month
    counts = Counter(name for _, name in served.seen)
    again = sum(counts.values()) - len(counts)
    assert again <= BUDGET * (end / DAY) + 3
    assert again >= 20  # and used: a busy machine may be late


def test_revisits_leave_room_for_pages_that_were_not_seen_yet(
    month: tuple[ServedWorld, Collection, Freshness, float],
) -> None:
    served, *_ = month
    known: set[str] = set()
    again = 0
    for _, name in served.seen:
        again += name in known
        known.add(name)
        assert again <= 1.3 * len(known) + 5 or len(known) > 75
    assert len(known) > 60


def test_the_host_rests_between_two_requests(month: tuple[ServedWorld, Collection, Freshness, float]) -> None:
    served, *_ = month
    moments = [at for at, _ in served.seen]
    gaps = [after - before for before, after in pairwise(moments)]
    assert min(gaps) > 0.9 * DELAY


def test_freshness_is_as_promised(month: tuple[ServedWorld, Collection, Freshness, float]) -> None:
    served, _, promised, end = month
    last = {name: at for at, name in served.seen}
    pages = [page for page in lasting(served, end) if page.name in last]
    achieved = sum(page.version(end) == page.version(last[page.name]) for page in pages) / len(pages)
    assert promised.up_to_date is not None
    assert promised.low is not None
    assert promised.high is not None
    print(f"promised {promised.up_to_date:.3f} ({promised.low:.3f} to {promised.high:.3f}), achieved {achieved:.3f}")
    assert promised.low - 0.1 <= achieved <= promised.high + 0.1


def test_changes_that_were_found_are_those_that_happened(
    month: tuple[ServedWorld, Collection, Freshness, float],
) -> None:
    served, collection, _, end = month
    checked = 0
    for page in lasting(served, end)[:40]:
        moments = [at for at, name in served.seen if name == page.name]
        captures = explain(collection, f"http://h0.example/{page.name}.html").captures
        told = [line for line in captures if "changed" in line]
        for before, after, line in zip(moments, moments[1:], told, strict=False):
            assert ("of its text changed" in line) == (page.version(before) != page.version(after)), line
            checked += 1
    assert checked > 20
