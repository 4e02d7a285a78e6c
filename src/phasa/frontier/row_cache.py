"""Rows of waiting URLs that were looked up to change their priorities: the leaders of a queue are changed again and
again, and reading a row costs more than writing it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from phasa.frontier.tables import Row


class RowCache:
    """At most `most` rows (0: none), by URL and by id, as they stand in the file. Who writes a row says so, by `put` or
    `forget`; when it is full all are forgotten, which costs a look into the file each."""

    def __init__(self, most: int = 8_192) -> None:
        self._most = most
        self.by_url: dict[str, Row] = {}
        self.by_id: dict[int, Row] = {}

    def put(self, row: Row) -> None:
        if row.id not in self.by_id and len(self.by_id) >= self._most:
            if not self._most:
                return
            self.clear()
        self.by_id[row.id] = self.by_url[row.url] = row

    def forget(self, id: int) -> None:
        row = self.by_id.pop(id, None)
        if row is not None:
            del self.by_url[row.url]

    def clear(self) -> None:
        self.by_id.clear()
        self.by_url.clear()
