"""A replayed crawl in the time of a live one: manners kept, time skipped, order near the lab's, the same each time."""

from __future__ import annotations

import asyncio
import time
from collections import defaultdict
from dataclasses import replace
from itertools import pairwise

import pytest

from phasa.crawl.answer import Answer, Kind
from phasa.crawl.strategies import Circumstances
from phasa.frontier.protocol import Lease
from phasa.lab import replay as replaying
from phasa.lab.compare import crawl_on, lab_strategy
from phasa.lab.curves import Ground, summarise
from phasa.lab.pace import LoopClock, Pace, TimedWeb, run_skipping
from phasa.lab.replay import ReplayWeb, replay
from phasa.lab.seeds import seeds_of
from phasa.lab.targets import target_of
from phasa.lab.world import World
from phasa.web.url import Url

GROUND = Ground("thai1", "th", world="1:3000")


def test_an_hour_of_waiting_is_skipped() -> None:
    async def work() -> float:
        clock, begun = LoopClock(), asyncio.get_running_loop().time()
        await clock.wait(asyncio.Event(), 3600.0)
        return clock.now() - begun

    begun = time.process_time()
    assert run_skipping(work()) == pytest.approx(3600.0)
    assert time.process_time() - begun < 60


def test_what_wakes_the_loop_ends_a_wait() -> None:
    async def work() -> float:
        wake = asyncio.Event()
        asyncio.get_running_loop().call_later(2.5, wake.set)
        await LoopClock().wait(wake, 100.0)
        return LoopClock().now()

    assert run_skipping(work()) == pytest.approx(2.5)


def test_hosts_rest_and_are_asked_one_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: dict[str, list[tuple[float, float]]] = defaultdict(list)

    class Watched(TimedWeb):
        async def get(self, lease: Lease) -> Answer:
            begun = asyncio.get_running_loop().time()
            answer = await super().get(lease)
            asked[lease.host].append((begun, asyncio.get_running_loop().time()))
            return answer

    monkeypatch.setattr(replaying, "TimedWeb", Watched)
    world = World.from_name("1:3000", "th")
    strategy = lab_strategy("bfs", Circumstances(target_of(world.graph)))
    replay(world.graph, strategy, seeds_of(world, "thai1"), 600, pace=Pace(delay=2.0))
    rests = [later[0] - earlier[1] for times in asked.values() for earlier, later in pairwise(times)]
    assert len(rests) > 100
    assert min(rests) > 2.0 - 1e-6


def test_the_first_request_to_a_host_is_for_its_rules() -> None:
    world = World.from_name("1:3000", "th")
    lease = Lease(1, Url(world.url(0)), "http://h", 0.0, 0, "", b"", 0, 0.0)

    async def work() -> list[Kind]:
        web = TimedWeb(ReplayWeb(world.graph), Pace(), draw=1)
        return [(await web.get(lease)).kind for _ in range(2)]

    assert run_skipping(work()) == [Kind.FIRST, Kind.PAGE]


def test_the_same_draw_gives_the_same_crawl_and_another_another_time() -> None:
    one, same, other = (
        crawl_on(replace(GROUND, pace=Pace(), draw=draw), "hybrid", 300)[1] for draw in (1, 1, 2)
    )  # fmt: skip
    assert one.pages.tolist() == same.pages.tolist()
    assert one.seconds == same.seconds != other.seconds


def test_more_delay_takes_more_hours() -> None:
    quick, slow = (crawl_on(replace(GROUND, pace=Pace(delay=delay)), "bfs", 500)[1] for delay in (0.0, 5.0))
    assert slow.seconds > 3 * quick.seconds > 0


def test_hybrid_keeps_near_the_order_of_the_lab_and_does_not_without_the_chooser() -> None:
    graph, strict = crawl_on(GROUND, "hybrid", 500)
    wanted = graph.wanted[strict.pages].mean()
    chosen, anything = (
        graph.wanted[crawl_on(replace(GROUND, pace=Pace(tolerance=tolerance)), "hybrid", 500)[1].pages].mean()
        for tolerance in (Pace.tolerance, 1.0)
    )
    assert chosen > wanted - 0.05
    assert anything < wanted - 0.1


def test_a_summary_has_the_hours() -> None:
    from phasa.lab.compare import run_one

    found = summarise([run_one(replace(GROUND, pace=Pace()), "bfs", 300)])
    assert found[0].hours > 0
    assert summarise([run_one(GROUND, "bfs", 300)])[0].hours == 0
