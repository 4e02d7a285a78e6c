"""Shares of pages in the language per key: top-level domains, sites, servers, directories.

Keys are hashed into tables of fixed size, so memory does not grow with the web; two keys that share a slot share their
history, which costs a little quality and nothing else. Old pages fade out, so a changed server is soon judged anew.
"""

from __future__ import annotations

import math
from array import array

import numpy as np
from numpy.typing import NDArray

from phasa.crawl.strategy import Floats

Ids = NDArray[np.int64] | NDArray[np.int32]
_LEAST, _MOST = 1e-4, 1 - 1e-4


def log_odds(share: float) -> float:
    """ln(p / (1 − p)), finite."""
    share = _LEAST if share < _LEAST else _MOST if share > _MOST else share
    return math.log(share / (1 - share))


def log_odds_of(shares: Floats) -> Floats:
    """`log_odds` of many."""
    bounded = np.minimum(np.maximum(shares, _LEAST), _MOST)
    return np.asarray(np.log(bounded / (1 - bounded)))


class Shares:
    """Hits and pages per key, each fading by `fade` whenever its key is seen again."""

    def __init__(self, bits: int, fade: float, weight: float) -> None:
        self.mask = (1 << bits) - 1
        self.fade = fade
        self.weight = weight
        """How many pages the expectation from the wider place counts for."""
        self.hits = array("f", bytes(4 << bits))
        self.pages = array("f", bytes(4 << bits))
        self.hits_view = np.frombuffer(self.hits, dtype=np.float32)
        self.pages_view = np.frombuffer(self.pages, dtype=np.float32)

    def add(self, key: int, hit: bool, weight: float = 1.0) -> None:
        """Count a page, or a part of one."""
        slot = key & self.mask
        fade = 1.0 - (1.0 - self.fade) * weight
        self.hits[slot] = self.hits[slot] * fade + hit * weight
        self.pages[slot] = self.pages[slot] * fade + weight

    def clear(self, key: int) -> None:
        """Forget a key, so that its slot can be used for another."""
        self.hits[key & self.mask] = self.pages[key & self.mask] = 0.0

    def count(self, key: int) -> float:
        """Pages counted for a key, faded ones in part."""
        return self.pages[key & self.mask]

    def share(self, key: int, expected: float) -> float:
        """The share of hits of a key, drawn towards what is `expected` there while little is known."""
        slot = key & self.mask
        return (self.hits[slot] + self.weight * expected) / (self.pages[slot] + self.weight)

    def shares(self, keys: Ids, expected: Floats | float) -> Floats:
        """`share` of many keys."""
        slots = keys & self.mask
        hits, pages = self.hits_view.take(slots), self.pages_view.take(slots)
        return np.asarray((hits + np.float64(self.weight) * expected) / (pages + np.float64(self.weight)))
