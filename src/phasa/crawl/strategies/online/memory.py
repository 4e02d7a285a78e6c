"""What a strategy remembers of a crawl without end, in bounded memory: shares of wanted pages, and what came last.

Shares are kept per top-level domain, site, server or directory. Keys are hashed into tables of fixed size, so memory
does not grow with the web; two keys that share a slot share their history, which costs a little quality and nothing
else. Old pages fade out, so that a changed server is soon judged again.
"""

from __future__ import annotations

import math
from array import array
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from phasa.crawl.strategy import Floats

Key = TypeVar("Key")
Value = TypeVar("Value")
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


class LastSeen(Generic[Key]):
    """A set of at least the last `most` keys and at most twice as many.

    Two generations: when the young one is full it becomes the old one, and the old one is forgotten.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self.young: set[Key] = set()
        self.old: set[Key] = set()

    def add(self, key: Key) -> None:
        if len(self.young) >= self.most:
            self.young, self.old = set(), self.young
        self.young.add(key)

    def __contains__(self, key: Key) -> bool:
        return key in self.young or key in self.old

    def __len__(self) -> int:
        """The keys that are kept, those of both generations twice."""
        return len(self.young) + len(self.old)


class LastTold(Generic[Key, Value]):
    """A table of what was told last of at least the last `most` keys and of at most twice as many."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.young: dict[Key, Value] = {}
        self.old: dict[Key, Value] = {}

    def __setitem__(self, key: Key, value: Value) -> None:
        if len(self.young) >= self.most and key not in self.young:
            self.young, self.old = {}, self.young
        self.young[key] = value

    def get(self, key: Key, default: Value) -> Value:
        found = self.young.get(key)
        return found if found is not None else self.old.get(key, default)

    def __len__(self) -> int:
        """The keys that are kept, those of both generations twice."""
        return len(self.young) + len(self.old)
