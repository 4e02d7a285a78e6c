"""One worker of a pool, seen from its owner: the calls that it has been sent, and the replies as they come."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable

from phasa.sandbox.frames import REPLY
from phasa.sandbox.lanes import Call

CALLS_AHEAD = 8
BYTES_AHEAD = 512 * 1024
LATE = 8
"""Looks at the same call after which it is late."""


class Worker(asyncio.Protocol):
    """`calls` are oldest first. `last` is what serves the lane of dear calls. `answered` is given each reply with its
    processor seconds, `fed` is called when some have come, `lost` when the process has ended."""

    def __init__(
        self,
        number: int,
        *,
        last: bool,
        answered: Callable[[Call, bytes, float], None],
        fed: Callable[[], None],
        lost: Callable[[Worker], None],
    ) -> None:
        self.number = number
        self.last = last
        self.calls: deque[Call] = deque()
        self.served = 0
        self.looks = 0
        """How often the call that it works on was found under way."""
        self.busy_alone = False
        """Whether it works on a call that nothing is sent after."""
        self._answered, self._fed, self._lost = answered, fed, lost
        self._ahead = 0
        self._came = bytearray()
        self._transport: asyncio.WriteTransport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport  # type: ignore[assignment]

    def connection_lost(self, problem: Exception | None) -> None:
        self._lost(self)

    def has_room(self) -> bool:
        """Whether another quick call may be sent."""
        if not self.calls:
            return True
        return not self.busy_alone and self.looks < LATE and len(self.calls) < CALLS_AHEAD and self._ahead < BYTES_AHEAD

    def send(self, call: Call, *, alone: bool = False) -> None:
        """Have a call done; `alone`, nothing comes after it before it is done."""
        assert self._transport is not None
        for piece in call.made():
            self._transport.write(piece)
        self.calls.append(call)
        self._ahead += call.size
        self.busy_alone = alone

    def is_late(self) -> bool:
        """Look at it, regularly: whether it has just been found on one call for too long. The loop may be what is late:
        so looks are counted, between which replies could come, and not seconds."""
        self.looks += bool(self.calls)
        return self.looks == LATE

    def data_received(self, data: bytes) -> None:
        came = self._came
        came += data
        start, size = 0, len(came)
        with memoryview(came) as view:
            while size - start >= REPLY.size:
                length, seconds = REPLY.unpack_from(view, start)
                end = start + REPLY.size + length
                if size < end:
                    break
                self._has(bytes(view[start + REPLY.size : end]), seconds)
                start = end
        del came[:start]
        self._fed()

    def _has(self, reply: bytes, seconds: float) -> None:
        call = self.calls.popleft()
        self._ahead -= call.size
        self.served += 1
        self.looks = 0
        self.busy_alone = False
        self._answered(call, reply, seconds)

    def close(self) -> None:
        """End the process."""
        if self._transport is not None:
            self._transport.abort()
