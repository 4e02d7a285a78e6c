"""What the strategies of several workers learned, added up: ten workers learn as one.

Each worker publishes what it has added by itself so far; of the others it takes what is new since it looked last. So
every page counts once for every worker, in whichever order they look. A worker that begins again begins with what it
had published.

The tables have millions of places and a page changes some dozens of them, so only places that were changed are
published and taken.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any, NamedTuple, Protocol
from zipfile import BadZipFile

import numpy as np
import zstandard
from numpy.typing import NDArray

from phasa.crawl.strategy import Additive, Strategy
from phasa.crawl.tables import pack_tables, unpack_tables

_logger = logging.getLogger(__name__)

_LEAST = {"_hits": 0.0, "_pages": 0.0, "squares": 1.0}
"""What tables of these kinds never fall below, though old counts fade and a difference of two may be negative."""

Table = NDArray[Any]


class Added(NamedTuple):
    """What somebody added to a table by himself so far: the places that are not nothing, in order."""

    at: Table
    by: Table


_SIZES, _AT, _BY = "sizes", ".at", ".by"
"""What the parts of a published message are called."""


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
        self._known: dict[str, Table] = {}
        """The tables without what this worker has added by itself."""
        self._taken: dict[int, dict[str, Added]] = {}
        self._versions: dict[int, int] = {}
        if self._strategy is not None:
            tables = self._strategy.sums()
            self._known = {name: table.copy() for name, table in tables.items()}
            if (mine := store.published(self._name, worker)) is not None:
                for name, added in (_unpack(mine, tables, worker) or {}).items():
                    tables[name][added.at] += added.by.astype(tables[name].dtype)

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
        self._store.publish(self._name, self._worker, _pack(tables, self._known))
        heard = 0
        for other, (version, content) in self._store.learned(self._name, self._worker, self._versions).items():
            theirs = _unpack(content, tables, other)
            if theirs is not None:
                before = self._taken.get(other, {})
                for name, table in tables.items():
                    self._take(name, table, _since(before[name], theirs[name]) if name in before else theirs[name])
                self._taken[other], self._versions[other] = theirs, version
                heard += 1
        return heard

    def _take(self, name: str, table: Table, new: Added) -> None:
        known, was = self._known[name], table[new.at]
        now = was + new.by.astype(table.dtype)
        for end, least in _LEAST.items():
            if name.endswith(end):
                np.maximum(now, least, out=now)
        table[new.at] = now
        known[new.at] += now - was


def _since(before: Added, now: Added) -> Added:
    """What was added since `before`."""
    at = np.union1d(before.at, now.at)
    by = np.zeros(len(at), dtype=now.by.dtype)
    by[np.searchsorted(at, now.at)] = now.by
    by[np.searchsorted(at, before.at)] -= before.by
    new = np.flatnonzero(by)
    return Added(at[new], by[new])


def _pack(tables: Mapping[str, Table], known: Mapping[str, Table]) -> bytes:
    """What a worker has added to the tables by itself, as bytes."""
    parts = {_SIZES: np.array([len(table) for table in tables.values()])}
    for name, table in tables.items():
        at = np.flatnonzero(table != known[name])
        parts[name + _AT], parts[name + _BY] = at.astype(np.int32), table[at] - known[name][at]
    return pack_tables(parts)


def _unpack(content: bytes, tables: Mapping[str, Table], worker: int) -> dict[str, Added] | None:
    """What somebody published of tables like these; None when it cannot be read or is of other tables."""
    try:
        parts = unpack_tables(content)
        if parts.get(_SIZES, np.zeros(0)).tolist() != [len(table) for table in tables.values()]:
            raise ValueError("it is of tables of another size")
        added = {name: Added(parts[name + _AT], parts[name + _BY]) for name in tables}
        for name, (at, by) in added.items():
            if len(at) != len(by) or (len(at) and not (at.min() >= 0 and at.max() < len(tables[name]))):
                raise ValueError(f"{name} has places that do not exist")
    except (ValueError, KeyError, OSError, EOFError, BadZipFile, zstandard.ZstdError) as problem:
        _logger.warning("what worker %d learned cannot be read: %s", worker, problem)
        return None
    return added
