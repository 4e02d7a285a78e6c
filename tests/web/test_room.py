"""Memory that bodies share: many large bodies take each other's room and nobody else's."""

from __future__ import annotations

import asyncio

from phasa.web.room import Room, Share

MEGABYTE = 1024 * 1024


async def grown(share: Share, size: int) -> asyncio.Task[bool]:
    task = asyncio.ensure_future(share.grow(size))
    await asyncio.sleep(0)
    return task


async def test_large_bodies_leave_room_for_small_ones() -> None:
    room = Room(32 * MEGABYTE)
    large = [Share(room) for _ in range(40)]
    tasks = [await grown(share, 4 * MEGABYTE) for share in large]
    waiting = sum(not task.done() for task in tasks)
    assert waiting == 40 - 7, "six fit into three quarters, and one more goes on so that the room empties"
    small = [Share(room) for _ in range(4)]
    assert [await share.grow(MEGABYTE) for share in small] == [False] * 4, "none of them waits"
    while tasks:
        task, share = tasks.pop(0), large.pop(0)
        await task
        room.give_back(share)
    for share in small:
        room.give_back(share)
    assert room.used == 0
    assert not room.full


async def test_small_bodies_that_wait_go_before_large_ones() -> None:
    room = Room(32 * MEGABYTE)
    held = [Share(room) for _ in range(7)]
    for share in held:
        await share.grow(4 * MEGABYTE)
    fillers = [Share(room) for _ in range(4)]
    for share in fillers:
        await share.grow(MEGABYTE)
    large = await grown(Share(room), 4 * MEGABYTE)
    small_share = Share(room)
    small = await grown(small_share, MEGABYTE)
    assert not large.done()
    assert not small.done()
    room.give_back(fillers[0])
    await asyncio.sleep(0)
    assert small.done()
    assert not large.done()
    large.cancel()
