"""The page limit of several workers together: a few numbers in memory that they share."""

from __future__ import annotations

from multiprocessing.context import SpawnContext
from typing import Any

from phasa.crawl.loop import PageLimit


class SharedPageLimit(PageLimit):
    """Says how many pages a worker may lease, so that all of them together never go beyond the limit.

    Each worker says what it has done and what is out; what it is granted counts as out until it says so again. Made by
    the process that starts the workers, which hands each of them its own (`of_worker`).
    """

    def __init__(self, context: SpawnContext, workers: int, done: int) -> None:
        self._before = done
        self._worker = 0
        self._own: int | None = None
        self._done: Any = context.Array("q", workers)
        self._out: Any = context.Array("q", workers, lock=False)

    def of_worker(self, worker: int) -> SharedPageLimit:
        """The same numbers, seen by one worker."""
        mine = SharedPageLimit.__new__(SharedPageLimit)
        mine._before, mine._worker, mine._own, mine._done, mine._out = self._before, worker, None, self._done, self._out
        return mine

    def grant(self, limit: int, done: int, out: int, wanted: int) -> int:
        if self._own is None:
            self._own = done  # what others had done before this worker began is not its own
        with self._done.get_lock():
            self._done[self._worker], self._out[self._worker] = done - self._own, out
            left = limit - self._before - sum(self._done[:]) - sum(self._out[:]) if limit else wanted
            granted = max(0, min(wanted, left))
            self._out[self._worker] += granted
        return granted

    def reached(self, limit: int, done: int) -> bool:
        return bool(self._before + sum(self._done[:]) >= limit)
