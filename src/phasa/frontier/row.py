"""A URL as it is stored, and a memory of such rows: the leaders of a queue are changed again and again, and reading a
row costs more than writing it."""

from __future__ import annotations

from typing import NamedTuple

from phasa.web.url import Url


class Row(NamedTuple):
    """A URL as stored."""

    id: int
    host: int
    state: int
    priority: float
    depth: int
    attempts: int
    source: int | str | None
    url: Url
    note: bytes | None
    reason: str | None
    key: int


ROW = "id, host, state, priority, depth, attempts, source, url, note, reason, key"


class RowCache:
    """At most `most` rows (0: none), by URL, with the `priorities` that they have in the file by now; the rows have
    those of when they were read. Who writes anything else of a row says so by `forget`. When it is full all are
    forgotten, which costs a look into the file each."""

    def __init__(self, most: int = 4_096) -> None:
        self._most = most
        self.by_url: dict[str, Row] = {}
        self.priorities: dict[int, float] = {}
        self._by_id: dict[int, Row] = {}

    def put(self, row: Row) -> None:
        if len(self._by_id) >= self._most:
            if not self._most:
                return
            self.clear()
        self._by_id[row.id] = self.by_url[row.url] = row
        self.priorities[row.id] = row.priority

    def get(self, id: int) -> Row | None:
        """A row as it is now."""
        row = self._by_id.get(id)
        if row is not None and row.priority != self.priorities[id]:
            row = row._replace(priority=self.priorities[id])
        return row

    def forget(self, id: int) -> None:
        row = self._by_id.pop(id, None)
        if row is not None:
            del self.by_url[row.url], self.priorities[id]

    def clear(self) -> None:
        self._by_id.clear()
        self.by_url.clear()
        self.priorities.clear()
