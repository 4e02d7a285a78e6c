"""A deadline that is moved often: a request has another one in each of its phases."""

from __future__ import annotations

import asyncio
from types import TracebackType


class Deadline:
    """What `asyncio.timeout_at` is, for a task that moves its deadline several times: raises TimeoutError from the
    block when it has passed. The timer of the event loop is set again only when it fires too early, or would fire too
    late, which costs a fraction of setting it at each move."""

    def __init__(self, when: float) -> None:
        self._when: float | None = when
        self._loop = asyncio.get_running_loop()
        self._timer: asyncio.TimerHandle | None = None
        self._fires = 0.0
        self._task: asyncio.Task[object] | None = None
        self._cancelling = 0
        self._expired = False

    def __enter__(self) -> Deadline:
        self._task = asyncio.current_task(self._loop)
        assert self._task is not None, "a deadline is for a task"
        self._cancelling = self._task.cancelling()
        self.move(self._when)
        return self

    def move(self, when: float | None) -> None:
        """Another deadline; None for none."""
        self._when = when
        if when is not None and (self._timer is None or when < self._fires):
            self._set(when)

    def _set(self, when: float) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._fires = when
        self._timer = self._loop.call_at(when, self._fire)

    def _fire(self) -> None:
        self._timer = None
        if self._when is None:
            return
        if self._loop.time() < self._when:
            self._set(self._when)
        elif self._task is not None:
            self._expired = True
            self._task.cancel()

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if not self._expired or self._task is None:
            return
        # Somebody else may have cancelled the task as well: that comes first.
        if self._task.uncancel() <= self._cancelling and kind is asyncio.CancelledError:
            raise TimeoutError from problem
