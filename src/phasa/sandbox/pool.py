"""Calls in the sandbox from an event loop: several workers, each with a few calls ahead, and the hosts that the calls
are for kept apart (`lanes`)."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from typing import ParamSpec, TypeVar

from phasa.errors import ParserCrashedError, PhasaError
from phasa.sandbox.bounds import DONE, Bounds, death_in_words, is_guilty
from phasa.sandbox.frames import value_of
from phasa.sandbox.lanes import Call, Lanes
from phasa.sandbox.nursery import PATIENCE, Nursery
from phasa.sandbox.worker import Worker

P = ParamSpec("P")
T = TypeVar("T")
_LOG = logging.getLogger(__name__)

_TOGETHER = 16
_MOMENT = 0.004  # seconds
_LOOK = 0.05  # seconds between two looks at what workers do
_BEHIND = 15  # nice: about a thirtieth of what a process in front gets
_DEATH = 0.2  # processor seconds that the end of a worker costs: another one, and its call once more
_NURSERIES = 5  # that may end by themselves before the pool gives up


class Pool:
    """`workers` processes that read pages: the last of them for dear calls (by itself, for all), the others with half
    the memory. Use it as an asynchronous context; `modules` are loaded before the first call. A worker that ends is
    replaced, and what it had not answered is sent to another; what ended it, to the last."""

    def __init__(self, workers: int = 2, bounds: Bounds | None = None, modules: Sequence[str] = ()) -> None:
        self._size = workers
        self._bounds = bounds or Bounds()
        self._modules = modules
        self._nursery: Nursery | None = None
        self._nurseries = 0
        self._ready = False
        """Whether the nursery has loaded its modules: a call was answered."""
        self._workers: set[Worker] = set()
        self._lanes = Lanes(self._bounds.dear_seconds)
        self._deaths: dict[int, asyncio.Future[None]] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._replies: list[tuple[Call, bytes]] = []
        self._looking: asyncio.TimerHandle | None = None
        self._closed = False
        self._broken: PhasaError | None = None

    async def __aenter__(self) -> Pool:
        self._found()
        for number in range(self._size):
            await self._hire(last=number == self._size - 1)
        return self

    async def __aexit__(self, *_: object) -> None:
        self._closed = True
        if self._looking is not None:
            self._looking.cancel()
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
        return await self.call_for("", function, *args, **options)

    async def call_for(self, host: str, function: Callable[P, T], *args: P.args, **options: P.kwargs) -> T:
        """The same, for what came from this host: it is charged for what the call takes."""
        if self._broken is not None and not self._workers:
            raise self._broken
        call = Call(host, function, args, options)
        self._lanes.add(call)
        self.feed()
        value: T = await call.future
        return value

    def cost(self, host: str) -> float:
        """Processor seconds that a call for this host takes, of late."""
        return self._lanes.costs.of(host) or 0.0

    # ── who does what ────────────────────────────────────────────────────────────────────────────

    def feed(self) -> None:
        """Send waiting calls to workers that have room, the least busy first. Dear calls go to the last worker alone,
        one at a time; while none of them waits, it helps with the others."""
        quick, dear = self._lanes.quick, self._lanes.dear
        for worker in [worker for worker in self._workers if worker.last and not worker.calls]:
            # By itself it does some quick ones first: its lanes take turns.
            if dear and (self._size > 1 or not quick or worker.served % 2):
                call = dear.popleft()
                if call.suspect and worker.served:
                    dear.appendleft(call)
                    worker.close()  # the one after it has done nothing that could harm it
                elif not call.future.done():
                    self._send(worker, call, alone=True)
        while quick:
            free = [worker for worker in self._workers if worker.has_room() and not self._keeps_free(worker)]
            if not free:
                return
            call = quick.popleft()
            if not call.future.done():
                self._send(min(free, key=lambda worker: (worker.last, len(worker.calls))), call)

    def _keeps_free(self, worker: Worker) -> bool:
        """Whether it is to have nothing but dear calls now."""
        return worker.last and self._size > 1 and bool(self._lanes.dear)

    def _send(self, worker: Worker, call: Call, *, alone: bool = False) -> None:
        worker.send(call, alone=alone)
        if self._looking is None:
            self._looking = asyncio.get_running_loop().call_later(_LOOK, self._look)

    def _look(self) -> None:
        """See that no call waits behind one that takes long: that one is begun again, with the dear ones. The last
        worker stands back behind other processes, which may leave it nothing: the quick calls that it was to help with
        are done by another as well, and the first answer counts."""
        for worker in list(self._workers):
            if not self._ready or not worker.is_late() or self._nursery is None:
                continue
            if not worker.last:
                worker.calls[0].dear = True
                self._workers.discard(worker)
                self._nursery.kill(worker.number)
            elif self._size > 1 and not worker.busy_alone:
                for call in reversed(worker.calls):
                    self._lanes.give_back(call)
                self.feed()
        busy = any(worker.calls for worker in self._workers)
        self._looking = asyncio.get_running_loop().call_later(_LOOK, self._look) if busy else None

    def _answered(self, call: Call, reply: bytes, seconds: float) -> None:
        """Keep a reply for a moment, so that several are handed over together: who asked works better on many."""
        self._ready = True
        self._lanes.costs.charge(call.host, seconds)
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

    # ── workers that come and go ─────────────────────────────────────────────────────────────────

    def _lost(self, worker: Worker) -> None:
        """A worker has ended: find out why, and go on with another."""
        self._workers.discard(worker)
        if not self._closed:
            self._begin(self._replace(worker))

    def _begin(self, work: Coroutine[None, None, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _replace(self, worker: Worker) -> None:
        status = await self._status(worker.number)
        calls = worker.calls
        late = bool(calls) and calls[0].dear and not worker.last  # we ended it
        if calls and not late and status is not None and (status != DONE or not worker.served):
            self._judge(calls.popleft(), status, worker)
        for call in reversed(calls):
            self._lanes.give_back(call)
        await self._hire_or_break(last=worker.last)

    def _judge(self, call: Call, status: int, worker: Worker) -> None:
        """A call ended its worker: it has crashed, or is tried once more, by the last worker when it is fresh."""
        self._lanes.costs.charge(call.host, self._bounds.seconds if is_guilty(status) else _DEATH)
        if not is_guilty(status) and (worker.served or not worker.last):
            call.dear = call.suspect = True
            self._lanes.give_back(call)
            return
        words = death_in_words(status, self._bounds)
        _LOG.warning("a page ended the process that read it: %s", words)
        if not call.future.done():
            call.future.set_exception(ParserCrashedError(f"parser_crashed: {words}"))

    async def _hire_or_break(self, *, last: bool) -> None:
        try:
            await self._hire(last=last)
        except PhasaError as problem:
            self._broken = problem
            for call in self._lanes.clear():
                if not call.future.done():
                    call.future.set_exception(problem)
        self.feed()

    async def _hire(self, *, last: bool) -> None:
        """One more worker."""
        assert self._nursery is not None
        megabytes = self._bounds.megabytes if last else self._bounds.megabytes // 2
        number, calls = self._nursery.worker(megabytes, _BEHIND if last and self._size > 1 else 0)
        self._deaths[number] = asyncio.get_running_loop().create_future()
        worker = Worker(number, last=last, answered=self._answered, fed=self.feed, lost=self._lost)
        await asyncio.get_running_loop().create_connection(lambda: worker, sock=calls)
        self._workers.add(worker)

    # ── how workers end ──────────────────────────────────────────────────────────────────────────

    def _found(self) -> None:
        """Start the process that has the workers."""
        self._nurseries += 1
        if self._nurseries > _NURSERIES:
            raise PhasaError("the processes that read pages end by themselves again and again; is memory left?")
        self._ready = False
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
