"""What is remembered of waiting URLs: one row each, in columns, so that all of them can be scored again at once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from phasa.crawl.strategies.hybrid.names import PIECES, Names

SOURCES = 3
"""How many of the pages that link to a URL are remembered."""


def _row_type(features: int) -> np.dtype[np.void]:
    return np.dtype([*_COLUMNS, ("features", "<f4", (features,))])


_COLUMNS = [
        ("host", "<i8"), ("site", "<i8"), ("tld", "<i8"), ("segment", "<i8"), ("last_source", "<i8"),
        ("national", "<f4"),
        ("parents", "<f4"), ("wanted_parents", "<f4"), ("parent", "<f4"),
        ("anchor_yes", "<f4"), ("anchor_no", "<f4"), ("hint", "<f4"),
        ("distance", "<f4"), ("path", "<f4"), ("depth", "<f4"),
        ("inside", "<f4"), ("inside_wanted", "<f4"), ("seed", "<f4"), ("country", "<f4"),
        ("sources", "<i4", (SOURCES,)), ("source_count", "<i4"),
        ("given", "<f8"),
        ("pieces", "<i4", (PIECES,)),
]  # fmt: skip

Rows = NDArray[np.int64]


class Candidates:
    """A table of at most `limit` waiting URLs; when it is full the least promising tenth is forgotten."""

    def __init__(self, names: Names, features: int, limit: int = 200_000) -> None:
        self.names = names
        self.limit = limit
        self._type = _row_type(features)
        self.table = np.zeros(min(1024, limit), dtype=self._type)
        self.urls: list[str] = []
        self._rows: dict[str, int] = {}
        self._free: list[int] = []

    def __len__(self) -> int:
        return len(self._rows)

    def row(self, url: str) -> int:
        """The row of a URL, -1 when it is not remembered."""
        return self._rows.get(url, -1)

    def alive(self) -> Rows:
        """The rows in use, in the order of discovery."""
        return np.fromiter(self._rows.values(), dtype=np.int64, count=len(self._rows))

    def add(self, urls: Sequence[str]) -> tuple[Rows, NDArray[np.bool_]]:
        """A row for each URL, and which of them are new."""
        known = self._rows
        found = [known.get(url, -1) for url in urls]
        fresh = np.array([row < 0 for row in found])
        if fresh.any():
            if len(known) + int(fresh.sum()) > self.limit:
                self._forget(set(urls))
                found = [known.get(url, -1) for url in urls]
            for i, url in enumerate(urls):
                if found[i] < 0:
                    # The same URL may stand twice on one page.
                    found[i] = known.get(url, -1)
                    if found[i] < 0:
                        found[i] = self._new(url)
        return np.array(found, dtype=np.int64), fresh

    def pop(self, url: str) -> np.void | None:
        """Forget a URL and give what was known of it."""
        row = self._rows.pop(url, None)
        if row is None:
            return None
        self._free.append(row)
        entry: np.void = self.table[row].copy()
        return entry

    def _new(self, url: str) -> int:
        if self._free:
            row = self._free.pop()
            self.urls[row] = url
        else:
            row = len(self.urls)
            self.urls.append(url)
            if row >= len(self.table):
                self.table = np.concatenate([self.table, np.zeros(len(self.table), dtype=self._type)])
        host, segment, pieces = self.names.address(url)
        entry = np.zeros((), dtype=self._type)
        entry["host"], entry["site"], entry["tld"], entry["segment"] = host.host, host.site, host.tld, segment
        entry["national"] = host.national
        entry["last_source"] = -1
        entry["distance"] = 9
        entry["depth"] = 99
        entry["pieces"] = host.pieces + pieces
        self.table[row] = entry
        self._rows[url] = row
        return row

    def _forget(self, needed: set[str]) -> None:
        rows = self.alive()
        worst = rows[np.argsort(self.table["given"][rows], kind="stable")[: max(1, self.limit // 10)]]
        for row in worst.tolist():
            url = self.urls[row]
            if url not in needed:
                del self._rows[url]
                self._free.append(row)
