"""Hashes of n-grams: each from the one before, as arrays of 32-bit numbers."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Hashes = npt.NDArray[np.uint32]

MULTIPLY = np.uint32(0x9E3779B1)
SPREAD = np.uint32(0x85EBCA6B)
_HALF = np.uint32(15)


def gram_hashes(codes: npt.NDArray[np.unsignedinteger], longest: int) -> Hashes:
    """Row n has the hash of the n codes from each place on, for n up to `longest`; row 0 has zeros.

    The last n - 1 places of a row, from which there are no n codes, have the hash of one code less.
    """
    size = len(codes)
    hashes = np.zeros((longest + 1, size), dtype=np.uint32)
    # The codes are spread out first: what comes after is added, and must not meet its like.
    hashes[1] = grown(codes.astype(np.uint32, copy=False), hashes[0])
    for length in range(2, min(longest, size) + 1):
        hashes[length] = hashes[length - 1]
        hashes[length, : size - length + 1] = grown(hashes[length - 1, : size - length + 1], hashes[1, length - 1 :])
    return hashes


def grown(hashes: Hashes, more: Hashes) -> Hashes:
    """The hashes of sequences with one more element each."""
    longer = hashes * MULTIPLY
    longer += more
    longer ^= longer >> _HALF
    return longer
