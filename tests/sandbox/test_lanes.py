"""What a host costs is charged to that host: dear calls wait for each other, and nobody waits for them."""

from __future__ import annotations

import asyncio
import os
import signal

from tests.sandbox import deeds

from phasa.sandbox import Bounds
from phasa.sandbox.lanes import LARGE, UNKNOWN, Call, Costs, Lanes
from phasa.sandbox.pool import Pool

BOUNDS = Bounds(seconds=60.0, megabytes=64, dear_seconds=0.05)


async def test_cheap_calls_are_answered_while_dear_ones_wait_for_each_other() -> None:
    """Hosts whose pages take for ever, beside a good one: of the dear calls one is under way, the others stand behind
    it, and not one cheap call stands behind any of them."""
    async with Pool(2, BOUNDS) as pool:
        for number in range(4):
            await pool.call_for(f"dear{number}.example", deeds.work, 0.06)
        dear = [asyncio.ensure_future(pool.call_for(f"dear{n}.example", deeds.work, 50.0)) for n in range(4)]
        await asyncio.sleep(0)
        cheap = [await pool.call_for("good.example", deeds.double, number) for number in range(100)]
        assert cheap == list(range(0, 200, 2))
        assert not any(task.done() for task in dear)
        for task in dear:
            task.cancel()


async def test_a_call_that_takes_long_is_begun_again_among_the_dear_ones() -> None:
    """The first call of a host nobody knows: what was sent after it goes to another process, and it ends as well."""
    async with Pool(2, BOUNDS) as pool:
        await pool.call_for("good.example", deeds.double, 1)
        late = asyncio.ensure_future(pool.call_for("new.example", deeds.work, 0.8))
        await asyncio.sleep(0)
        assert await asyncio.gather(*(pool.call_for("good.example", deeds.double, n) for n in range(30))) == [
            2 * n for n in range(30)
        ]
        assert not late.done()
        assert await late > 0
        assert pool.cost("new.example") > BOUNDS.dear_seconds
        assert pool.cost("good.example") < BOUNDS.dear_seconds


async def test_nobody_waits_for_help_that_gets_no_processor() -> None:
    """The last worker stands back behind other processes. On a busy machine it hardly goes on; here it is stopped."""
    async with Pool(2, BOUNDS) as pool:
        workers: set[int] = set()
        while len(workers) < 2:
            workers.update(await asyncio.gather(*(pool.call_for("good.example", deeds.who) for _ in range(64))))
        last = max(workers, key=lambda pid: os.getpriority(os.PRIO_PROCESS, pid))
        os.kill(last, signal.SIGSTOP)
        try:
            calls = asyncio.gather(*(pool.call_for("good.example", deeds.double, n) for n in range(64)))
            assert await asyncio.wait_for(calls, 60.0) == [2 * n for n in range(64)]
        finally:
            os.kill(last, signal.SIGCONT)
        assert await pool.call_for("good.example", deeds.double, 7) == 14, "what it answers late harms nobody"


async def test_what_needs_more_memory_than_a_quick_worker_has_is_done_by_the_last() -> None:
    async with Pool(2, BOUNDS) as pool:
        assert await pool.call_for("a.example", deeds.grow, 45) > 0


async def test_one_process_serves_both_lanes() -> None:
    async with Pool(1, BOUNDS) as pool:
        await pool.call_for("dear.example", deeds.work, 0.1)
        calls = [pool.call_for("dear.example", deeds.work, 0.01) for _ in range(5)]
        calls += [pool.call_for("good.example", deeds.double, n) for n in range(50)]
        assert len(await asyncio.gather(*calls)) == 55


async def test_which_calls_are_dear() -> None:
    lanes = Lanes(0.05)

    def is_dear(host: str, size: int) -> bool:
        return lanes.is_dear(Call(host, deeds.echo, (bytes(size),), {}))

    assert not is_dear("new.example", 1000)
    assert is_dear("new.example", UNKNOWN + 1), "nothing is known, and it is not small"
    lanes.costs.charge("new.example", 0.001)
    assert not is_dear("new.example", UNKNOWN + 1)
    assert is_dear("new.example", LARGE + 1)
    for _ in range(3):
        lanes.costs.charge("new.example", 0.3)
    assert is_dear("new.example", 10)
    for _ in range(20):
        lanes.costs.charge("new.example", 0.001)
    assert not is_dear("new.example", 10), "a host can become cheap again"
    assert not is_dear("", UNKNOWN + 1), "who reads for nobody is not judged"


def test_costs_of_hosts_not_heard_of_for_long_are_forgotten() -> None:
    costs = Costs()
    for number in range(Costs.MOST + 10):
        costs.charge(f"{number}.example", 1.0)
    assert costs.of("3.example") is None
    assert costs.of(f"{Costs.MOST}.example") == 1.0
