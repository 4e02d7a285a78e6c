"""Clocks."""

from __future__ import annotations

import asyncio
import time

import pytest

from phasa.crawl.clock import VirtualClock, WallClock


def test_the_wall_clock_does_not_follow_a_clock_that_is_set_back(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = WallClock()
    before = clock.now()
    assert abs(before - time.time()) < 5.0
    monkeypatch.setattr(time, "time", lambda: 0.0)
    assert clock.now() >= before


async def test_the_wall_clock_wakes_at_once_when_told() -> None:
    wake = asyncio.Event()
    asyncio.get_running_loop().call_soon(wake.set)
    await asyncio.wait_for(WallClock().wait(wake, 3600.0), 30.0)


async def test_waiting_costs_nothing_on_the_virtual_clock() -> None:
    clock = VirtualClock(5.0)
    await clock.wait(asyncio.Event(), 3600.0)
    assert clock.now() == 3605.0
