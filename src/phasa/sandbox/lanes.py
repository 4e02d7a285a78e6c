"""Whose calls wait for whose: what a host costs is charged to that host.

Two lanes. In the quick one stands whoever's calls are cheap, as nearly all are. Calls that are large, and those of
hosts whose calls have been dear, wait in the other, for a worker that does one of them at a time and stands back behind
the others: however many dear ones there are, they take each other's time.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from typing import Any

from phasa.sandbox.frames import call_frame

LARGE = 512 * 1024
"""Bytes from which a call is dear whoever it is for: it takes memory."""
UNKNOWN = 128 * 1024
"""Bytes from which the first call for a host is dear."""


class Call:
    """A call that waits or is under way, for one host. One that proved `dear` took long or ended a worker; a `suspect`
    ended one, which may have been the fault of a call before it."""

    __slots__ = ("args", "bytes", "dear", "function", "future", "host", "options", "size", "suspect")

    def __init__(self, host: str, function: Callable[..., Any], args: tuple[Any, ...], options: dict[str, Any]) -> None:
        self.host, self.function, self.args, self.options = host, function, args, options
        self.future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self.bytes = sum(len(arg) for arg in args if isinstance(arg, bytes))
        self.size = 0
        self.dear = self.suspect = False

    def made(self) -> list[bytes]:
        """The pieces to send; made when they are sent, for they have a copy of the page."""
        frame = call_frame(self.function, self.args, self.options)
        self.size = sum(map(len, frame))
        return frame


class Costs:
    """Processor seconds that a call for each host takes, of late; hosts not heard of for long are forgotten."""

    MOST = 10_000
    EASE = 0.3
    """Weight of the last call."""

    def __init__(self) -> None:
        self._of: dict[str, float] = {}

    def of(self, host: str) -> float | None:
        """What a call takes; None when nothing is known."""
        return self._of.get(host)

    def charge(self, host: str, seconds: float) -> None:
        """A call took so long."""
        before = self._of.pop(host, seconds)
        self._of[host] = before + self.EASE * (seconds - before)
        if len(self._of) > self.MOST:
            del self._of[next(iter(self._of))]


class Lanes:
    """The calls that wait."""

    def __init__(self, dear_seconds: float) -> None:
        self.costs = Costs()
        self.quick: deque[Call] = deque()
        self.dear: deque[Call] = deque()
        self._dear_seconds = dear_seconds

    def is_dear(self, call: Call) -> bool:
        """Whether a call waits with the large and expensive ones. Those that are for nobody are known by size alone."""
        if call.dear or call.bytes > LARGE:
            return True
        if not call.host:
            return False
        usual = self.costs.of(call.host)
        return call.bytes > UNKNOWN if usual is None else usual > self._dear_seconds

    def add(self, call: Call) -> None:
        """Wait for a turn."""
        (self.dear if self.is_dear(call) else self.quick).append(call)

    def give_back(self, call: Call) -> None:
        """Wait once more, before all others."""
        (self.dear if self.is_dear(call) else self.quick).appendleft(call)

    def clear(self) -> list[Call]:
        """Nobody waits any more: the calls that did."""
        calls = [*self.quick, *self.dear]
        self.quick.clear()
        self.dear.clear()
        return calls
