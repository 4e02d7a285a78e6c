"""Time for the loop: the wall's, which never runs backwards here, or a virtual one that only the loop moves."""

from __future__ import annotations

import asyncio
import time
from typing import Protocol


class Clock(Protocol):
    """Seconds since 1970, and waiting."""

    def now(self) -> float:
        """The time."""
        ...

    async def wait(self, wake: asyncio.Event, seconds: float) -> None:
        """Return when `wake` is set or so many seconds have passed."""
        ...


class WallClock:
    """The wall's time as it was at the start, carried on by the monotonic clock: setting the clock changes nothing."""

    def __init__(self) -> None:
        self._offset = time.time() - time.monotonic()

    def now(self) -> float:
        return self._offset + time.monotonic()

    async def wait(self, wake: asyncio.Event, seconds: float) -> None:
        timer = asyncio.get_running_loop().call_later(max(0.0, seconds), wake.set)
        await wake.wait()
        timer.cancel()


class VirtualClock:
    """Waiting costs nothing: the time is simply later."""

    def __init__(self, start: float = 0.0) -> None:
        self._now = start

    def now(self) -> float:
        return self._now

    async def wait(self, wake: asyncio.Event, seconds: float) -> None:
        if not wake.is_set():
            self._now += max(0.0, seconds)
        await asyncio.sleep(0)
