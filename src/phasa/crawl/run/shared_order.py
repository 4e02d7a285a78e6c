"""The reports of several workers on one machine: numbers in memory that they share (`phasa.frontier.common_order`)."""

from __future__ import annotations

from multiprocessing.context import SpawnContext
from typing import Any

import numpy as np

from phasa.frontier.common_order import KEPT, NO_WORDS, Hearing, Others, Report, Row

_LIFE = ""
"""A worker has one life: when one dies, all end."""
_HEAD = 5  # asked, came, out, best, and whether it is there
_WIDTH = _HEAD + 2 * KEPT


class SharedOrder:
    """Made by the process that starts the workers, which hands each of them its own (`of_worker`)."""

    rest = 0.002

    def __init__(self, context: SpawnContext, workers: int) -> None:
        self._workers = workers
        self._worker = 0
        self._numbers: Any = context.Array("d", 1 + workers * _WIDTH)
        self._row = Row(_LIFE, *NO_WORDS)
        self._hearing = Hearing()

    def of_worker(self, worker: int) -> SharedOrder:
        """The same numbers, seen by one worker."""
        mine = SharedOrder.__new__(SharedOrder)
        mine._workers, mine._worker, mine._numbers = self._workers, worker, self._numbers
        mine._row, mine._hearing = self._row, Hearing()
        return mine

    def report(self, mine: Report, most: float) -> Others:
        row = self._row = self._row.after(mine)
        with self._numbers.get_lock():
            numbers = np.frombuffer(self._numbers.get_obj())
            numbers[0] = min(most, numbers[0] + mine.earned)
            rows = numbers[1:].reshape(self._workers, _WIDTH)
            # The last answer stands last, so that who reads needs no more than the end.
            rows[self._worker, :_HEAD] = row.asked, row.came, row.out, row.best, 1
            if row.seen:
                rows[self._worker, -2 * len(row.seen) :] = np.array(row.seen, dtype=float).ravel()
            there = np.flatnonzero(rows[:, 4]).tolist()
            found = {worker: self._read(worker, rows[worker]) for worker in there if worker != self._worker}
            return self._hearing.hear(found, float(numbers[0]))

    def _read(self, worker: int, row: Any) -> Row:
        asked, came, out, best, _ = row[:_HEAD].tolist()
        new = min(KEPT, self._hearing.missing(worker, _LIFE, int(came)))
        seen = row[_WIDTH - 2 * new :].reshape(new, 2).tolist() if new else []
        return Row(_LIFE, int(asked), int(came), [(at, bool(wanted)) for at, wanted in seen], int(out), best)

    def leave(self) -> None:
        with self._numbers.get_lock():
            self._numbers[1 + self._worker * _WIDTH + 4] = 0.0
