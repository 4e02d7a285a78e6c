"""Rows of waiting URLs that were looked up to change their priorities: the leaders of a queue are changed again and
again, and reading a row costs more than writing it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from phasa.frontier.tables import Row


class RowCache:
    """At most `most` rows (0: none), by URL, with the `priorities` that they have in the file by now; the rows have
    those of when they were read. Who writes anything else of a row says so by `forget`. When it is full all are
    forgotten, which costs a look into the file each."""

    def __init__(self, most: int = 8_192) -> None:
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
