"""The clock by which feeds are polled; a virtual one passes years in seconds."""

from __future__ import annotations

import asyncio
import time


class Clock:
    """Time as it passes."""

    # Feeds may join meanwhile, so nobody sleeps longer than this.
    longest = 30.0

    def now(self) -> float:
        return time.time()

    async def wait(self, seconds: float, stop: asyncio.Event) -> None:
        """Wait so long, or until the stop is asked for."""
        try:
            await asyncio.wait_for(stop.wait(), timeout=seconds)
        except TimeoutError:
            return
