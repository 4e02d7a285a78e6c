"""Deadlines that are moved: what `asyncio.timeout_at` promises holds for them."""

from __future__ import annotations

import asyncio

import pytest

from phasa.web.deadline import Deadline


def test_a_block_that_takes_too_long_ends_in_a_timeout() -> None:
    async def late() -> None:
        with Deadline(asyncio.get_running_loop().time() + 0.01):
            await asyncio.sleep(5)

    with pytest.raises(TimeoutError):
        asyncio.run(late())


def test_a_deadline_that_is_moved_later_does_not_pass_before() -> None:
    async def moved() -> float:
        loop = asyncio.get_running_loop()
        begun = loop.time()
        try:
            with Deadline(begun + 0.01) as deadline:
                deadline.move(begun + 0.08)
                await asyncio.sleep(5)
        except TimeoutError:
            return loop.time() - begun
        return 5.0

    assert 0.07 < asyncio.run(moved()) < 5.0


def test_a_deadline_can_be_moved_nearer_and_taken_away() -> None:
    async def nearer() -> None:
        with Deadline(asyncio.get_running_loop().time() + 60) as deadline:
            deadline.move(asyncio.get_running_loop().time() + 0.01)
            await asyncio.sleep(5)

    async def taken_away() -> None:
        loop = asyncio.get_running_loop()
        with Deadline(loop.time() + 0.01) as deadline:
            deadline.move(None)
            await asyncio.sleep(0.03)
            deadline.move(loop.time() + 60)
            await asyncio.sleep(0.03)

    with pytest.raises(TimeoutError):
        asyncio.run(nearer())
    asyncio.run(taken_away())


def test_who_is_cancelled_by_others_is_cancelled() -> None:
    async def waits() -> None:
        with Deadline(asyncio.get_running_loop().time() + 60):
            await asyncio.sleep(5)

    async def main() -> None:
        task = asyncio.create_task(waits())
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())
