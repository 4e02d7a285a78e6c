"""Calls in the sandbox, one at a time: for commands and whatever else has no event loop."""

from __future__ import annotations

import atexit
import os
import socket
import threading
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

from phasa.errors import ParserCrashedError
from phasa.sandbox.bounds import Bounds, death_in_words, is_guilty
from phasa.sandbox.frames import REPLY, call_frame, value_of
from phasa.sandbox.nursery import Nursery

P = ParamSpec("P")
T = TypeVar("T")


def run(function: Callable[P, T], *args: P.args, **options: P.kwargs) -> T:
    """What `function(*args, **options)` returns, called in the sandbox. Raises what it raises on purpose (PhasaError),
    and ParserCrashedError when it ended its process or raised anything else."""
    with _LOCK:
        value: T = _sandbox().call(function, args, options)
        return value


class _Sandbox:
    """A nursery and one worker of it."""

    def __init__(self, bounds: Bounds) -> None:
        self.owner = os.getpid()
        self._nursery = Nursery(bounds, ())
        self._worker: tuple[int, socket.socket] | None = None
        self._served = 0

    def call(self, function: Callable[..., Any], args: tuple[Any, ...], options: dict[str, Any]) -> Any:
        frame = call_frame(function, args, options)
        while True:
            if self._worker is None:
                self._worker, self._served = self._nursery.worker(), 0
            number, calls = self._worker
            reply = _exchange(calls, frame)
            if reply is not None:
                self._served += 1
                return value_of(reply, function)
            calls.close()
            self._worker = None
            status = self._status(number)
            if is_guilty(status) or not self._served:
                raise ParserCrashedError(f"parser_crashed: {death_in_words(status, self._nursery.bounds)}")

    def _status(self, number: int) -> int:
        while (heard := self._nursery.hear()) is not None and heard != number:
            pass
        status = self._nursery.status(number)
        if status is None:
            raise ParserCrashedError("parser_crashed: the processes that read pages have ended")
        return status

    def close(self) -> None:
        if self.owner == os.getpid():
            if self._worker is not None:
                self._worker[1].close()
            self._nursery.close()


_BOUNDS = Bounds(seconds=60.0, megabytes=1024)  # one call at a time, and somebody waits for it
_LOCK = threading.Lock()
_made: _Sandbox | None = None


def _sandbox() -> _Sandbox:
    """That of this process, started at the first call."""
    global _made
    if _made is None or _made.owner != os.getpid():
        _made = _Sandbox(_BOUNDS)
        atexit.register(_made.close)
    return _made


def _exchange(calls: socket.socket, frame: list[bytes]) -> bytearray | None:
    """The reply to a call; None when the worker ended instead."""
    try:
        for piece in frame:
            calls.sendall(piece)
        head = _received(calls, REPLY.size)
        return _received(calls, REPLY.unpack(head)[0]) if head is not None else None
    except OSError:
        return None


def _received(calls: socket.socket, size: int) -> bytearray | None:
    found = bytearray(size)
    rest = memoryview(found)
    while rest:
        count = calls.recv_into(rest)
        if not count:
            return None
        rest = rest[count:]
    return found
