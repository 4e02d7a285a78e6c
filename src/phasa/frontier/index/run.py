"""A sorted run of the memtable: key, id and rank of each URL as arrays, 24 bytes a URL."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

HASH_BITS = 35
"""The lower bits of a key are a hash of the URL, the upper ones its host."""
GONE = np.inf
"""The rank of a URL that does not wait."""
ENTRY = np.dtype([("rank", "<f8"), ("id", "<i8")])
"""An entry of a posting list, packed."""

NewUrl = tuple[int, int, int, float, int, int | str | None, str, bytes | None, str | None]
"""A URL to be added: host, key, state, priority, depth, source, url, note, reason."""

RankChange = tuple[int, int, int, float, float]
"""A waiting URL that gets another rank: id, host, key, rank before, rank now."""


class Head(NamedTuple):
    """A waiting URL in the order of its host's queue: rank is minus its priority, id its place in the order of
    discovery. The head of a host is the smallest of them."""

    rank: float
    id: int


class Columns(NamedTuple):
    """URLs in the order of their keys."""

    keys: NDArray[np.int64]
    ids: NDArray[np.int64]
    ranks: NDArray[np.float64]


def split_changes(changes: Sequence[RankChange], first: int) -> tuple[Sequence[RankChange], Sequence[RankChange]]:
    """Changes in the order of their ids: those of URLs before an id, and those from it on."""
    place = bisect_left(changes, (first,))
    return changes[:place], changes[place:]


class Run:
    """Up to `capacity` URLs as arrays in the order of their keys."""

    def __init__(self, capacity: int) -> None:
        # Empty, not filled: addresses are taken once, and the system gives the memory behind them as they are used.
        self._keys: NDArray[np.int64] = np.empty(capacity, np.int64)
        self._ids: NDArray[np.int64] = np.empty(capacity, np.int64)
        self._ranks: NDArray[np.float64] = np.empty(capacity, np.float64)
        self._n = 0

    def __len__(self) -> int:
        return self._n

    def add(self, new: Columns) -> None:
        """URLs in the order of their keys."""
        places = np.searchsorted(self._keys[: self._n], new.keys)
        end = self._n + len(new.keys)
        if end > len(self._keys):
            self._keys = np.resize(self._keys, end)
            self._ids = np.resize(self._ids, end)
            self._ranks = np.resize(self._ranks, end)
        _insert(self._keys, self._n, places, new.keys)
        _insert(self._ids, self._n, places, new.ids)
        _insert(self._ranks, self._n, places, new.ranks)
        self._n = end

    def columns(self) -> Columns:
        """Everything, without a copy: to be read before the next change."""
        return Columns(self._keys[: self._n], self._ids[: self._n], self._ranks[: self._n])

    def find(self, keys: list[int]) -> dict[int, int]:
        """Those of the keys that are here, with their ids."""
        asked = np.array(keys, np.int64)
        places = np.minimum(np.searchsorted(self._keys[: self._n], asked), self._n - 1)
        here = self._keys[places] == asked
        return dict(zip(asked[here].tolist(), self._ids[places[here]].tolist(), strict=True))

    def _slice(self, host: int) -> slice:
        first, end = np.searchsorted(self._keys[: self._n], (host << HASH_BITS, (host + 1) << HASH_BITS))
        return slice(int(first), int(end))

    def set_rank(self, host: int, id: int, rank: float | None) -> None:
        """A URL waits with this rank now; with none it does not."""
        here = self._slice(host)
        self._ranks[here][self._ids[here] == id] = GONE if rank is None else rank

    def set_ranks(self, keys: list[int], ranks: list[float]) -> None:
        """URLs that wait with other ranks now."""
        self._ranks[np.searchsorted(self._keys[: self._n], np.array(keys, np.int64))] = ranks

    def waiting(self, host: int, limit: int) -> list[Head]:
        """The waiting URLs of a host, best first."""
        here = self._slice(host)
        ranks, ids = self._ranks[here], self._ids[here]
        if limit == 1:
            best = ranks.min(initial=GONE)
            return [Head(float(best), int(ids[ranks == best].min()))] if best < GONE else []
        order = np.lexsort((ids, ranks))[:limit]
        return [Head(*item) for item in zip(ranks[order].tolist(), ids[order].tolist(), strict=True) if item[0] < GONE]

    def take_queue(self, host: int) -> list[int]:
        """Empty the queue of a host; the ids that waited in it."""
        here = self._slice(host)
        ids: list[int] = self._ids[here][self._ranks[here] < GONE].tolist()
        self._ranks[here] = GONE
        return ids

    def postings(self, size: int) -> Iterator[tuple[int, float, int, bytes | None]]:
        """All that wait as rows of posting lists, in order, up to `size` URLs of a host in a row: host, rank and id of
        the best of them, and the others behind it as bytes (`ENTRY`), if there are any."""
        for part in self._parts():
            waits = self._ranks[part] < GONE
            ranks, ids = self._ranks[part][waits], self._ids[part][waits]
            hosts = self._keys[part][waits] >> HASH_BITS
            if not len(hosts):
                continue
            order = np.lexsort((ids, ranks, hosts))
            entries = np.empty(len(order), ENTRY)
            entries["rank"], entries["id"] = ranks[order], ids[order]
            packed, hosts = entries.tobytes(), hosts[order]
            changes = np.flatnonzero(np.diff(hosts, prepend=-1))
            place = np.arange(len(hosts)) - np.repeat(changes, np.diff(changes, append=len(hosts)))
            starts = np.flatnonzero(place % size == 0)
            best = entries[starts]
            columns = (hosts[starts], best["rank"], best["id"], starts + 1, np.append(starts[1:], len(hosts)))
            for host, rank, id, start, end in zip(*(column.tolist() for column in columns), strict=True):
                yield host, rank, id, packed[ENTRY.itemsize * start : ENTRY.itemsize * end] or None

    def _parts(self, size: int = 8_192) -> Iterator[slice]:
        """Slices of whole hosts, some thousand URLs long, so that a merge needs little memory for itself."""
        keys, start = self._keys[: self._n], 0
        while start < self._n:
            last = int(keys[min(start + size, self._n) - 1]) >> HASH_BITS
            end = int(np.searchsorted(keys, (last + 1) << HASH_BITS))
            yield slice(start, end)
            start = end

    def clear(self) -> None:
        self._n = 0


_PIECE = 65_536


def _insert(column: NDArray[Any], size: int, places: NDArray[np.intp], values: NDArray[Any]) -> None:
    """Insert values before the given places of the first `size` cells, in order. From the end, piece by piece, so that
    the memory needed for the insertion does not grow with the column."""
    new = len(values)
    while new:
        start = max(0, size - _PIECE)
        first = int(np.searchsorted(places, start))
        column[start + first : size + new] = np.insert(column[start:size], places[first:new] - start, values[first:new])
        size, new = start, first
