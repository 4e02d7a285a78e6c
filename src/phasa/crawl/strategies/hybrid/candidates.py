"""What is remembered of waiting URLs: one row each, in columns, so that all of them can be scored again at once."""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from phasa.crawl.strategies.hybrid.names import PIECES, Names

SOURCES = 3
"""How many of the pages that link to a URL are remembered."""
FARTHEST = 4.0
"""Links since the last page in the language are counted up to here."""

Rows = NDArray[np.int64]


class Feature(IntEnum):
    """The columns of the feature matrix. All are 0 where nothing is known; those of HISTORY change with every page."""

    BIAS = 0
    WANTED_PARENT = 1
    PARENT_LIKENESS = 2
    ANCHOR_YES = 3
    ANCHOR_NO = 4
    HINT = 5
    WANTED_PARENTS = 6
    WANTED_SHARE = 7
    DISTANCE = 8
    PARENTS = 9
    PATH = 10
    INSIDE = 11
    INSIDE_WANTED = 12
    COUNTRY = 13
    SEED = 14
    DOMAIN = 15
    SITE = 16
    SERVER = 17
    SERVER_JUDGED = 18
    DIRECTORY = 19
    SIBLINGS = 20


class Candidates:
    """A table of at most `limit` waiting URLs; when it is full the least promising tenth is forgotten."""

    def __init__(self, names: Names, limit: int = 200_000) -> None:
        self.names = names
        self.limit = limit
        room = min(1024, limit)
        self.features = np.zeros((room, len(Feature)))
        self.tld = np.zeros(room, dtype=np.int64)
        self.site = np.zeros(room, dtype=np.int64)
        self.host = np.zeros(room, dtype=np.int64)
        self.segment = np.zeros(room, dtype=np.int64)
        self.national = np.zeros(room, dtype=bool)
        self.parents = np.zeros(room)
        self.wanted_parents = np.zeros(room)
        self.last_source = np.zeros(room, dtype=np.int64)
        self.sources = np.zeros((room, SOURCES), dtype=np.int64)
        self.source_count = np.zeros(room, dtype=np.int64)
        self.pieces = np.zeros((room, PIECES), dtype=np.int32)
        self.given = np.zeros(room)
        """The priority that the frontier knows."""
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

    def add(self, urls: Sequence[str]) -> Rows:
        """A row for each URL; those that were not remembered yet start with what their address says."""
        known = self._rows
        fresh = [url for url in dict.fromkeys(urls) if url not in known]
        if fresh:
            if len(known) + len(fresh) > self.limit:
                self._forget(set(urls))
            self._start([self._take(url) for url in fresh], fresh)
        return np.array([known[url] for url in urls], dtype=np.int64)

    def pop(self, url: str) -> None:
        """Forget a URL."""
        row = self._rows.pop(url, None)
        if row is not None:
            self._free.append(row)

    def _take(self, url: str) -> int:
        if self._free:
            row = self._free.pop()
            self.urls[row] = url
        else:
            row = len(self.urls)
            self.urls.append(url)
        self._rows[url] = row
        return row

    def _start(self, rows: list[int], urls: list[str]) -> None:
        if len(self.urls) > len(self.given):
            self._grow()
        addresses = [self.names.address(url) for url in urls]
        at = np.array(rows, dtype=np.int64)
        hosts = [address.host for address in addresses]
        ids = np.array([(h.tld, h.site, h.host, a.segment) for h, a in zip(hosts, addresses, strict=True)])
        self.tld[at], self.site[at], self.host[at], self.segment[at] = ids.T
        self.national[at] = [host.national for host in hosts]
        self.pieces[at] = [address.host.pieces + address.pieces for address in addresses]
        self.features[at] = 0.0
        self.features[at, Feature.BIAS] = 1.0
        self.features[at, Feature.DISTANCE] = FARTHEST
        self.parents[at] = self.wanted_parents[at] = self.source_count[at] = 0
        self.sources[at] = 0
        self.last_source[at] = -1

    def _grow(self) -> None:
        for name in ("features", "tld", "site", "host", "segment", "national", "parents", "wanted_parents",
                     "last_source", "sources", "source_count", "pieces", "given"):  # fmt: skip
            column = getattr(self, name)
            while len(column) < len(self.urls):
                column = np.concatenate([column, np.zeros_like(column)])
            setattr(self, name, column)

    def _forget(self, needed: set[str]) -> None:
        rows = self.alive()
        worst = rows[np.argsort(self.given[rows], kind="stable")[: max(1, self.limit // 10)]]
        for row in worst.tolist():
            url = self.urls[row]
            if url not in needed:
                self.pop(url)
