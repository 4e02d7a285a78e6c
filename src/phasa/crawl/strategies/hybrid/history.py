"""What was found where: the share of pages in the language per top-level domain, site, server and directory.

Keys are hashed into tables of fixed size, so memory does not grow with the web; two keys that share a slot share their
history, which costs a little quality and nothing else. Old pages fade out, so a changed server is soon judged anew.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from phasa.crawl.strategy import Floats

Ids = NDArray[np.int64] | NDArray[np.int32]


def log_odds(share: Floats) -> Floats:
    """ln(p / (1 − p)), finite."""
    bounded = np.minimum(np.maximum(share, 1e-4), 1 - 1e-4)
    return np.asarray(np.log(bounded / (1 - bounded)))


class Shares:
    """Hits and pages per key, each fading by `fade` whenever its key is seen again."""

    def __init__(self, bits: int, fade: float, weight: float) -> None:
        self.mask = (1 << bits) - 1
        self.fade = fade
        self.weight = weight
        """How many pages the expectation from the wider place counts for."""
        self.hits = np.zeros(1 << bits, dtype=np.float32)
        self.pages = np.zeros(1 << bits, dtype=np.float32)

    def add(self, key: int, hit: bool, weight: float = 1.0) -> None:
        """Count a page, or a part of one."""
        slot = key & self.mask
        fade = 1.0 - (1.0 - self.fade) * weight
        self.hits[slot] = self.hits[slot] * fade + hit * weight
        self.pages[slot] = self.pages[slot] * fade + weight

    def count(self, key: int) -> float:
        """Pages counted for a key, faded ones in part."""
        return float(self.pages[key & self.mask])

    def share(self, keys: Ids, expected: Floats | float) -> Floats:
        """The share of hits per key, drawn towards what is `expected` there while little is known."""
        slots = keys & self.mask
        return np.asarray((self.hits[slots] + self.weight * expected) / (self.pages[slots] + self.weight))
