"""What the strategies of several workers learned, added up: ten workers learn as one.

Each worker publishes what it has added by itself so far; of the others it takes what is new since it looked last. So
every page counts once for every worker, in whichever order they look. A worker that begins again begins with what it
had published.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any, Protocol
from zipfile import BadZipFile

import numpy as np
import zstandard
from numpy.typing import NDArray

from phasa.crawl.strategy import Additive, Strategy
from phasa.crawl.tables import pack_tables, unpack_tables

_logger = logging.getLogger(__name__)

_LEAST = {"_hits": 0.0, "_pages": 0.0, "squares": 1.0}
"""What tables of these kinds never fall below, though old counts fade and a difference of two may be negative."""

Tables = dict[str, NDArray[Any]]


class LearnedStore(Protocol):
    """Where workers leave what they learned."""

    def published(self, name: str, worker: int) -> bytes | None: ...

    def publish(self, name: str, worker: int, content: bytes) -> None: ...

    def learned(self, name: str, worker: int, after: dict[int, int]) -> dict[int, tuple[int, bytes]]: ...


class SharedLearning:
    """The exchange of one worker: often at first, when each page teaches much, and every so many seconds later on."""

    GROWTH = 1.25
    """An exchange is due when the crawl has so many times as many answers as at the last one."""
    LEAST = 16
    """Answers before the first one."""
    REST = 0.25
    """Seconds between two of them at least, for each worker that there is: all of them read what each has written."""

    def __init__(self, strategy: Strategy, store: LearnedStore, worker: int, every: float = 60.0) -> None:
        self._every = every
        self._last: float | None = None
        self._answers = float(self.LEAST)
        self._strategy = strategy if isinstance(strategy, Additive) else None
        self._name = strategy.name
        self._store = store
        self._worker = worker
        self._start = _copy(self._strategy.sums()) if self._strategy is not None else {}
        self._foreign = {name: np.zeros_like(table) for name, table in self._start.items()}
        self._taken: dict[int, Tables] = {}
        self._versions: dict[int, int] = {}
        if self._strategy is not None and (mine := store.published(self._name, worker)) is not None:
            tables, before = self._strategy.sums(), _read(mine, worker)
            if _alike(tables, before):
                for name, table in tables.items():
                    table += before[name].astype(table.dtype)

    @property
    def used(self) -> bool:
        """Whether the strategy learns in this way; then this is what it begins with, and no file of one machine."""
        return self._strategy is not None

    def is_due(self, now: float, answers: int) -> bool:
        """Whether it is time for an exchange, when so many answers have come in all."""
        if self._last is None:
            self._last = now
        rested = now - self._last
        due = rested >= self._every or (answers >= self._answers and rested >= self.REST * (1 + len(self._taken)))
        if due:
            self._last, self._answers = now, max(self.LEAST, answers * self.GROWTH)
        return due and self.used

    def exchange(self) -> int:
        """Publish what is this worker's own, and take what is new from the others; from how many."""
        if self._strategy is None:
            return 0
        tables = self._strategy.sums()
        own = {name: table - self._start[name] - self._foreign[name] for name, table in tables.items()}
        self._store.publish(self._name, self._worker, pack_tables(own))
        heard = 0
        for other, (version, content) in self._store.learned(self._name, self._worker, self._versions).items():
            theirs = _read(content, other)
            if _alike(tables, theirs):
                self._take(tables, theirs, self._taken.get(other, {}))
                self._taken[other], self._versions[other] = theirs, version
                heard += 1
        return heard

    def _take(self, tables: Mapping[str, NDArray[Any]], theirs: Tables, before: Tables) -> None:
        for name, table in tables.items():
            new = theirs[name] - before[name] if name in before else theirs[name]
            was = table.copy()
            table += new.astype(table.dtype)
            for end, least in _LEAST.items():
                if name.endswith(end):
                    np.maximum(table, least, out=table)
            self._foreign[name] += table - was


def _read(content: bytes, worker: int) -> Tables:
    """The tables that somebody published; none when they cannot be read."""
    try:
        return unpack_tables(content)
    except (ValueError, KeyError, OSError, EOFError, BadZipFile, zstandard.ZstdError) as problem:
        _logger.warning("what worker %d learned cannot be read: %s", worker, problem)
        return {}


def _alike(tables: Mapping[str, NDArray[Any]], others: Tables) -> bool:
    return all(name in others and others[name].shape == table.shape for name, table in tables.items())


def _copy(tables: Mapping[str, NDArray[Any]]) -> Tables:
    return {name: table.copy() for name, table in tables.items()}
