"""What is known of the addresses that wait: a row of numbers each, and the words that speak of them."""

from __future__ import annotations

from collections.abc import Callable
from enum import IntEnum
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from phasa.crawl.segments.dictionary import tokens_of
from phasa.crawl.segments.features import address_tokens
from phasa.crawl.segments.identifier import key_of
from phasa.crawl.strategies.online.names import PIECES, piece_number
from phasa.crawl.strategy import Floats
from phasa.web.url import authority

Rows = NDArray[np.int64]
SPOKEN = 8
WRITTEN = (PIECES - SPOKEN) // 2
WORDS = PIECES
"""Words kept of an address: of what is said of it, of the address itself, and those again as words of its site."""


class Sign(IntEnum):
    """The features of a waiting address. All are known before it is fetched."""

    BIAS = 0
    BY_LINK = 1  # log odds of the link model of the predictor, mean over the segments that cite it
    BY_WORDS = 2  # the same of its word model
    PARENT = 3  # mean score of the pages that cite it, -1..1
    BEST_PARENT = 4
    CITED = 5  # ln of the segments that cite it
    INSIDE = 6  # cited from its own segment
    INSIDE_WANTED = 7  # … by a page that was wanted
    NEAR = 8  # cited from its own site only
    SITE = 9  # what its site was so far, against all pages: log odds
    FOLDER = 10  # its parent directory against its site
    SEGMENT = 11  # its segment against its parent directory
    RUN = 12  # unwanted pages in a row in its segment


class Keys:
    """What the records of an address are kept under, as hashed numbers: site, parent directory, segment."""

    __slots__ = ("folder", "name", "segment", "site")

    def __init__(self, url: str, key: Callable[[str], str] = key_of, website: Callable[[str], str] = authority) -> None:
        self.name = key(url)
        self.site = crc32(website(url).encode())
        self.segment = crc32(self.name.encode())
        self.folder = crc32(self.name[: self.name.rfind("/", 0, len(self.name) - 1) + 1].encode())


class Waiting:
    """Rows of the addresses that wait, in arrays that grow up to a limit; beyond it nothing more is remembered."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self._rows: dict[str, int] = {}
        self._free: list[int] = []
        self.urls: list[str] = []
        self.signs = np.zeros((256, len(Sign)))
        self.words = np.zeros((256, WORDS), dtype=np.int32)
        self.keys = np.zeros((256, 3), dtype=np.int64)
        """Site, folder, segment."""
        self.citing = np.zeros(256, dtype=np.int64)
        """The segment that cited it last: its many pages are one voice."""
        self.voices = np.zeros(256)
        self.given = np.full(256, -np.inf)
        """The priority that the frontier has."""
        self.alive = np.zeros(256, dtype=bool)

    def __len__(self) -> int:
        return len(self._rows)

    def row(self, url: str) -> int:
        """The row of an address, -1 when it has none."""
        return self._rows.get(url, -1)

    def add(self, url: str) -> int:
        """A row for a new address, -1 when there is no room."""
        if len(self._rows) >= self.limit:
            return -1
        if self._free:
            row = self._free.pop()
            self.urls[row] = url
        else:
            row = len(self.urls)
            self.urls.append(url)
            if row == len(self.alive):
                self._grow()
        self._rows[url] = row
        self.alive[row] = True
        self.signs[row] = 0.0
        self.signs[row, Sign.BIAS] = 1.0
        self.voices[row] = 0.0
        self.citing[row] = -1
        return row

    def pop(self, url: str) -> None:
        """Forget an address."""
        row = self._rows.pop(url, -1)
        if row >= 0:
            self.alive[row] = False
            self._free.append(row)

    def of_site(self, site: int) -> Rows:
        """The rows of one site."""
        return np.flatnonzero((self.keys[:, 0] == site) & self.alive)

    def all(self) -> Rows:
        return np.flatnonzero(self.alive)

    def _grow(self) -> None:
        for name in ("signs", "words", "keys", "citing", "voices", "given", "alive"):
            column = getattr(self, name)
            setattr(self, name, np.concatenate([column, np.zeros_like(column)]))


def hashed_words(url: str, said: str, site: int, stop: frozenset[str]) -> list[int]:
    """The words that speak of an address as numbers, 0 where there are fewer.

    The words of the address come twice: for all sites, and for its own. So the model can split a segment by the names
    of its files where a directory says nothing.
    """
    spoken = [word for word in tokens_of(said) if word not in stop][:SPOKEN]
    written = [word for word in address_tokens(url) if word not in stop and not word.isdigit()][:WRITTEN]
    numbers = [piece_number(b"s" + word.encode()) for word in spoken] + [0] * (SPOKEN - len(spoken))
    numbers += [piece_number(b"w" + word.encode()) for word in written] + [0] * (WRITTEN - len(written))
    own = site.to_bytes(4, "little")
    return numbers + [piece_number(own + word.encode()) for word in written] + [0] * (WRITTEN - len(written))


def starting_weights() -> Floats:
    """What common sense gives each sign before the first lesson."""
    given = {
        Sign.BIAS: -0.5, Sign.BY_LINK: 0.5, Sign.BY_WORDS: 0.4, Sign.PARENT: 1.0, Sign.BEST_PARENT: 0.3,
        Sign.CITED: 0.2, Sign.INSIDE_WANTED: 0.8, Sign.SITE: 0.8, Sign.FOLDER: 1.0, Sign.SEGMENT: 1.0, Sign.RUN: -0.5,
    }  # fmt: skip
    return np.array([given.get(sign, 0.0) for sign in Sign])
