"""A Bloom filter of fixed size: which keys were certainly never seen. Most links are new, and need no look at the file.

Two bits of 2²⁷ for each key (Bloom 1970): after ten million keys 2 of 100 new ones are taken for seen, after a hundred
million 60. Whatever is taken for seen is looked up, so a full filter costs time, never correctness.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_BITS = 27
_FACTORS = np.array([[0x9E3779B97F4A7C15], [0xC2B2AE3D27D4EB4F]], np.uint64)
_SHIFT = np.uint64(64 - _BITS)


class KeyFilter:
    """16 megabytes, taken at once."""

    def __init__(self) -> None:
        self._bytes = np.full(1 << (_BITS - 3), 0, np.uint8)

    def add(self, keys: NDArray[np.int64]) -> None:
        for start in range(0, len(keys), 65_536):
            bits = _places(keys[start : start + 65_536]).reshape(-1)
            np.bitwise_or.at(self._bytes, bits >> np.uint64(3), _MASKS[bits & np.uint64(7)])

    def may_have(self, keys: NDArray[np.int64]) -> NDArray[np.bool_]:
        """False for keys that were never added."""
        bits = _places(keys)
        both = self._bytes[bits >> np.uint64(3)] & _MASKS[bits & np.uint64(7)]
        return np.asarray(both.all(axis=0))


_MASKS = (1 << np.arange(8)).astype(np.uint8)


def _places(keys: NDArray[np.int64]) -> NDArray[np.uint64]:
    """Two bits for each key: the upper bits of its products with two odd numbers (multiplicative hashing)."""
    return np.asarray((keys.view(np.uint64) * _FACTORS) >> _SHIFT)
