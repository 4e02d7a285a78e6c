"""The time of a live crawl, for a web that is replayed: many connections, hosts that rest between two requests, answers
that take a while, and a clock that skips all waiting.

The loop, its chooser and the manners are those of `phasa crawl`; what differs from the strict order of `replay` is what
differs live: many leases are out before their answers are known, and the best link's host may not be asked yet. An
hour of politeness takes seconds, and the same draw gives the same crawl.
"""

from __future__ import annotations

import asyncio
import random
import selectors
from collections.abc import Coroutine
from dataclasses import dataclass
from math import exp
from typing import Any, TypeVar

from msgspec.structs import replace

from phasa.collection import CollectionSettings
from phasa.crawl.answer import Answer, Kind, Web
from phasa.frontier.politeness import Politeness
from phasa.frontier.protocol import Lease

T = TypeVar("T")
_DEFAULTS = CollectionSettings(language="und")
_HOST_SPREAD, _ANSWER_SPREAD = 0.7, 0.3
"""Spread of the latency from host to host, and from answer to answer: standard deviations of its logarithm."""
_NO_TIME = 1e-6
"""The rest of a host that needs none: it still has one request at a time."""


@dataclass(frozen=True)
class Pace:
    """How a live crawl goes: the settings of a new collection, and how long answers take."""

    delay: float = _DEFAULTS.politeness.delay
    """Seconds that a host rests after an answer."""
    latency: float = 0.2
    """Seconds until an answer comes, as a rule; hosts differ, and so do the answers of a host."""
    connections: int = _DEFAULTS.connections
    tolerance: float = _DEFAULTS.tolerance

    @property
    def manners(self) -> Politeness:
        """Every host has one request at a time, and rests."""
        return Politeness(delay=max(self.delay, _NO_TIME), address_delay=0.0)


class TimedWeb:
    """A web whose answers take time, drawn anew with each `draw`; some hosts are slower than others, always the same.
    The first request to a host is for its robots.txt, as live."""

    def __init__(self, web: Web, pace: Pace, draw: int) -> None:
        self._web = web
        self._usual = pace.latency
        self._dice = random.Random(draw)
        self._hosts: dict[str, float] = {}
        self.seconds = 0.0
        """When the last answer came."""

    async def address(self, lease: Lease) -> str:
        return ""

    async def get(self, lease: Lease) -> Answer:
        first = lease.host not in self._hosts
        if first:
            spread = random.Random(lease.host).gauss(0.0, _HOST_SPREAD)  # of the web, the same in every run
            self._hosts[lease.host] = self._usual * exp(spread)
        seconds = self._hosts[lease.host] * exp(self._dice.gauss(0.0, _ANSWER_SPREAD))
        await asyncio.sleep(seconds)
        self.seconds = asyncio.get_running_loop().time()
        return replace(Answer(Kind.FIRST, "") if first else await self._web.get(lease), seconds=seconds)


class LoopClock:
    """The time of the event loop that runs."""

    def now(self) -> float:
        return asyncio.get_running_loop().time()

    async def wait(self, wake: asyncio.Event, seconds: float) -> None:
        timer = asyncio.get_running_loop().call_later(max(0.0, seconds), wake.set)
        await wake.wait()
        timer.cancel()


def run_skipping(work: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine on an event loop that never waits: when nothing is ready, the time is simply that of what comes
    next. Only for work that talks to nobody outside."""
    with asyncio.Runner(loop_factory=_SkippingLoop) as runner:
        return runner.run(work)


class _Skipping(selectors.SelectSelector):
    """Waits for nothing; `skipped` is what it would have waited."""

    skipped = 0.0

    def select(self, timeout: float | None = None) -> Any:
        ready = super().select(0)
        if not ready and timeout is not None:
            self.skipped += max(0.0, timeout)
        return ready


class _SkippingLoop(asyncio.SelectorEventLoop):
    def __init__(self) -> None:
        self._skipping = _Skipping()
        super().__init__(self._skipping)

    def time(self) -> float:
        return self._skipping.skipped
