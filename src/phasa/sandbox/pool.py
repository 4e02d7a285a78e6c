"""Calls in the sandbox from an event loop: several workers, each with a few calls ahead."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, ParamSpec, TypeVar

from phasa.errors import ParserCrashedError, PhasaError
from phasa.sandbox.bounds import DONE, Bounds, death_in_words, is_guilty
from phasa.sandbox.frames import HEAD, call_frame, value_of
from phasa.sandbox.nursery import PATIENCE, Nursery

P = ParamSpec("P")
T = TypeVar("T")
_LOG = logging.getLogger(__name__)

_CALLS_AHEAD = 8
_BYTES_AHEAD = 512 * 1024
_TOGETHER = 16
_MOMENT = 0.004  # seconds
_NURSERIES = 5  # that may end by themselves before the pool gives up


class _Call:
    """A call that waits or is under way."""

    __slots__ = ("args", "function", "future", "large", "options", "size")

    def __init__(self, function: Callable[..., Any], args: tuple[Any, ...], options: dict[str, Any]) -> None:
        self.function, self.args, self.options = function, args, options
        self.future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self.size = 0
        self.large = any(isinstance(arg, bytes) and len(arg) > _BYTES_AHEAD for arg in args)

    def made(self) -> bytes:
        """The frame to send; made when it is sent, for it has a copy of the page."""
        frame = call_frame(self.function, self.args, self.options)
        self.size = len(frame)
        return frame


class _Worker(asyncio.Protocol):
    """One worker process: calls that it has been sent, oldest first, and the replies as they come."""

    def __init__(self, number: int, pool: Pool) -> None:
        self.number = number
        self.calls: deque[_Call] = deque()
        self.ahead = 0
        self.served = 0
        self._pool = pool
        self._came = bytearray()
        self._transport: asyncio.WriteTransport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport  # type: ignore[assignment]

    def connection_lost(self, problem: Exception | None) -> None:
        self._pool.lost(self)

    def has_room(self) -> bool:
        return not self.calls or (len(self.calls) < _CALLS_AHEAD and self.ahead < _BYTES_AHEAD)

    def send(self, call: _Call) -> None:
        self.calls.append(call)
        assert self._transport is not None
        self._transport.write(call.made())
        self.ahead += call.size

    def data_received(self, data: bytes) -> None:
        came = self._came
        came += data
        while len(came) >= HEAD.size:
            end = HEAD.size + HEAD.unpack_from(came)[0]
            if len(came) < end:
                break
            self._answered(bytes(came[HEAD.size : end]))
            del came[:end]
        self._pool.feed()

    def _answered(self, reply: bytes) -> None:
        call = self.calls.popleft()
        self.ahead -= call.size
        self.served += 1
        self._pool.deliver(call, reply)

    def close(self) -> None:
        if self._transport is not None:
            self._transport.abort()


class Pool:
    """`workers` processes that read pages. Use it as an asynchronous context; `modules` are loaded before the first
    call. A worker that ends is replaced, and what it had not answered is sent to another."""

    def __init__(self, workers: int = 2, bounds: Bounds | None = None, modules: Sequence[str] = ()) -> None:
        self._size = workers
        self._bounds = bounds or Bounds()
        self._modules = modules
        self._nursery: Nursery | None = None
        self._nurseries = 0
        self._workers: set[_Worker] = set()
        self._waiting: deque[_Call] = deque()
        self._large: deque[_Call] = deque()
        self._deaths: dict[int, asyncio.Future[None]] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._replies: list[tuple[_Call, bytes]] = []
        self._closed = False
        self._broken: PhasaError | None = None

    async def __aenter__(self) -> Pool:
        self._found()
        for _ in range(self._size):
            await self._hire()
        return self

    async def __aexit__(self, *_: object) -> None:
        self._closed = True
        for task in self._tasks:
            task.cancel()
        for worker in self._workers:
            worker.close()
        if self._nursery is not None:
            nursery = self._nursery
            self._ignore(nursery)
            await asyncio.get_running_loop().run_in_executor(None, nursery.close)

    async def call(self, function: Callable[P, T], *args: P.args, **options: P.kwargs) -> T:
        """What `function(*args, **options)` returns, called in a worker. Raises what it raises on purpose (PhasaError),
        and ParserCrashedError when it ended its process or raised anything else."""
        if self._broken is not None and not self._workers:
            raise self._broken
        call = _Call(function, args, options)
        (self._large if call.large else self._waiting).append(call)
        self.feed()
        value: T = await call.future
        return value

    def feed(self) -> None:
        """Send waiting calls to workers that have room, the least busy first. Of large ones one is under way at a time:
        they take the memory, and the other workers go on with what is small."""
        while True:
            free = [worker for worker in self._workers if worker.has_room()]
            busy = any(call.large for worker in self._workers for call in worker.calls)
            queue = self._large if self._large and not busy else self._waiting
            if not free or not queue:
                return
            call = queue.popleft()
            if not call.future.done():
                min(free, key=lambda worker: len(worker.calls)).send(call)

    def deliver(self, call: _Call, reply: bytes) -> None:
        """Keep a reply for a moment, so that several are handed over together: who asked works better on many."""
        self._replies.append((call, reply))
        if len(self._replies) >= _TOGETHER:
            self._hand_over()
        elif len(self._replies) == 1:
            asyncio.get_running_loop().call_later(_MOMENT, self._hand_over)

    def _hand_over(self) -> None:
        replies, self._replies = self._replies, []
        for call, reply in replies:
            if call.future.done():  # whoever asked has been cancelled
                continue
            try:
                call.future.set_result(value_of(reply, call.function))
            except PhasaError as problem:
                call.future.set_exception(problem)

    def lost(self, worker: _Worker) -> None:
        """A worker has ended: find out why, and go on with another."""
        self._workers.discard(worker)
        if not self._closed:
            task = asyncio.get_running_loop().create_task(self._replace(worker))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _replace(self, worker: _Worker) -> None:
        status = await self._status(worker.number)
        calls = worker.calls
        suspect: _Call | None = None
        if calls and status is not None and (status != DONE or not worker.served):
            if is_guilty(status) or not worker.served:
                call, words = calls.popleft(), death_in_words(status, self._bounds)
                _LOG.warning("a page ended the process that read it: %s", words)
                if not call.future.done():
                    call.future.set_exception(ParserCrashedError(f"parser_crashed: {words}"))
            else:
                suspect = calls.popleft()
        for call in reversed(calls):
            (self._large if call.large else self._waiting).appendleft(call)
        try:
            await self._hire(suspect)
        except PhasaError as problem:
            self._broken = problem
            for call in [*([suspect] if suspect else []), *self._waiting, *self._large]:
                if not call.future.done():
                    call.future.set_exception(problem)
            self._waiting.clear()
            self._large.clear()
        self.feed()

    async def _hire(self, first: _Call | None = None) -> None:
        """One more worker; its first call, if any, has it for itself."""
        assert self._nursery is not None
        number, calls = self._nursery.worker()
        self._deaths[number] = asyncio.get_running_loop().create_future()
        worker = _Worker(number, self)
        await asyncio.get_running_loop().create_connection(lambda: worker, sock=calls)
        if first is not None:
            worker.send(first)
        self._workers.add(worker)

    # ── how workers end ──────────────────────────────────────────────────────────────────────────

    def _found(self) -> None:
        """Start the process that has the workers."""
        self._nurseries += 1
        if self._nurseries > _NURSERIES:
            raise PhasaError("the processes that read pages end by themselves again and again; is memory left?")
        nursery = self._nursery = Nursery(self._bounds, self._modules)
        asyncio.get_running_loop().add_reader(nursery.control.fileno(), self._hear, nursery)

    def _ignore(self, nursery: Nursery) -> None:
        with suppress(OSError, ValueError):
            asyncio.get_running_loop().remove_reader(nursery.control.fileno())

    def _hear(self, nursery: Nursery) -> None:
        number = nursery.hear()
        if number is not None:
            if (death := self._deaths.get(number)) is not None and not death.done():
                death.set_result(None)
            return
        # It has ended, and its workers with it: none of them is to blame.
        self._ignore(nursery)
        nursery.close()
        if nursery is self._nursery and not self._closed:
            with suppress(PhasaError):  # `_hire` tells it
                self._found()
        for death in self._deaths.values():
            if not death.done():
                death.set_result(None)

    async def _status(self, number: int) -> int | None:
        """How a worker ended; None when nobody knows."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self._deaths[number], PATIENCE)
        del self._deaths[number]
        return self._nursery.status(number) if self._nursery is not None else None
