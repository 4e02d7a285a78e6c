"""The entries of both indexes that are not in the file yet: URLs added since the last merge, in memory.

Three parts of growing size: the *newest* few thousand are in dictionaries; when they are many they are sorted into the
*middle*, and that, when it is full, into the *run*. So each entry is moved only a few times, and all three together
take no more memory at the end of a crawl than at its start. Nothing here needs to survive: the rows of the URLs
themselves are in the file.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from phasa.frontier.newest import Newest, NewUrl
from phasa.frontier.ready import Head
from phasa.frontier.run import Run


class Young:
    """Newest, middle and run as one. Full, and to be merged, when `len` reaches the capacity."""

    NEWEST = 8_192
    MIDDLE = 65_536

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self._newest = Newest()
        self._middle = Run(min(self.MIDDLE, capacity))
        self._middle_first = sys.maxsize  # the lowest id in there
        self._run = Run(capacity + min(self.MIDDLE, capacity))

    def __len__(self) -> int:
        return len(self._newest.ids) + len(self._middle) + len(self._run)

    def add(self, first: int, rows: Sequence[NewUrl]) -> None:
        """New URLs, numbered from `first` on."""
        if len(self._newest.ids) >= self.NEWEST:
            self._settle()
        self._newest.add(first, rows)

    def _settle(self) -> None:
        """Sort the newest into the middle, after the middle, when that would be too full, into the run."""
        if len(self._middle) + len(self._newest.ids) > self.MIDDLE:
            self._pour()
        if self._newest.ids:
            if not len(self._middle):
                self._middle_first = self._newest.first
            self._middle.add(self._newest.columns())
            self._newest.clear()

    def _pour(self) -> None:
        self._run.add(self._middle.columns())
        self._middle.clear()
        self._middle_first = sys.maxsize

    def find(self, key: int) -> int | None:
        """The id of the URL with this key."""
        return self.find_many([key]).get(key)

    def find_many(self, keys: list[int]) -> dict[int, int]:
        """Those of many keys that are here, with their ids."""
        newest = self._newest.ids
        found = {key: newest[key] for key in keys if key in newest}
        if keys:
            for run in (self._middle, self._run):
                if len(run):
                    found.update(run.find(keys))
        return found

    def push(self, host: int, rank: float, id: int) -> None:
        """A URL of ours waits, or waits again."""
        if id >= self._newest.first:
            self._newest.push(host, rank, id)
        else:
            self._run_of(id).set_rank(host, id, rank)

    def remove(self, host: int, id: int) -> None:
        """A URL of ours no longer waits."""
        if id >= self._newest.first:
            self._newest.remove(id)
        else:
            self._run_of(id).set_rank(host, id, None)

    def _run_of(self, id: int) -> Run:
        return self._middle if id >= self._middle_first else self._run

    def move(self, moves: Sequence[tuple[int, int, int, float]]) -> None:
        """URLs of ours that wait get other ranks: (host, key, id, rank)."""
        newest, first, middle = self._newest, self._newest.first, self._middle_first
        settled: tuple[list[tuple[int, float]], list[tuple[int, float]]] = [], []
        for host, key, id, now in moves:
            if id >= first:
                newest.push(host, now, id)
            else:
                settled[id >= middle].append((key, now))
        for run, changes in zip((self._run, self._middle), settled, strict=True):
            if changes:
                run.set_ranks([key for key, _ in changes], [rank for _, rank in changes])

    def heads(self, host: int, limit: int) -> list[Head]:
        """The best waiting URLs of a host."""
        found = self._newest.heads(host, limit)
        for run in (self._middle, self._run):
            if len(run):
                found += run.heads(host, limit)
        return sorted(found)[:limit]

    def take_queue(self, host: int) -> list[int]:
        """Empty the queue of a host; the ids that waited in it."""
        return self._newest.take_queue(host) + self._middle.take_queue(host) + self._run.take_queue(host)

    def hand_over(self) -> Run:
        """Everything as one run, to be read before `clear`."""
        self._settle()
        self._pour()
        return self._run

    def clear(self) -> None:
        """Everything is in the file now."""
        self._newest.clear()
        self._middle.clear()
        self._middle_first = sys.maxsize
        self._run.clear()
