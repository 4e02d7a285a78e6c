"""Counter-based chance: a number that depends only on (seed, stream, index), never on what was drawn before.

Every page of a world asks for its own numbers by its own index, so any page can be made without making the others, and
the same seed gives the same web in any order and on any number of workers. The mixer is SplitMix64.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Words = NDArray[np.uint64]
Floats = NDArray[np.float64]

_MASK = (1 << 64) - 1
_STEP = 0x9E3779B97F4A7C15
_FIRST = 0xBF58476D1CE4E5B9
_SECOND = 0x94D049BB133111EB
_TO_UNIT = 2.0**-53


def mix(value: int) -> int:
    """SplitMix64's finaliser: a 64-bit number whose bits look independent of those of `value`."""
    value &= _MASK
    value = ((value ^ (value >> 30)) * _FIRST) & _MASK
    value = ((value ^ (value >> 27)) * _SECOND) & _MASK
    return value ^ (value >> 31)


def key(seed: int, *parts: int | str) -> int:
    """One 64-bit key from a seed and the names or numbers that say what the chance is for."""
    state = mix(seed + _STEP)
    for part in parts:
        if isinstance(part, str):
            for letter in part.encode():
                state = mix(state + _STEP + letter)
        else:
            state = mix(state + _STEP * (part + 1))
    return state


def words(stream: int, index: Ints) -> Words:
    """64 random bits per index."""
    with np.errstate(over="ignore"):
        value = (index.astype(np.uint64) + np.uint64(1)) * np.uint64(_STEP) + np.uint64(stream)
        value = (value ^ (value >> np.uint64(30))) * np.uint64(_FIRST)
        value = (value ^ (value >> np.uint64(27))) * np.uint64(_SECOND)
        return value ^ (value >> np.uint64(31))


def unit(stream: int, index: Ints) -> Floats:
    """A number in [0, 1) per index."""
    return (words(stream, index) >> np.uint64(11)).astype(np.float64) * _TO_UNIT


def word_at(stream: int, index: int) -> int:
    """`words` for one index, without an array."""
    return mix((index + 1) * _STEP + stream)


def unit_at(stream: int, index: int) -> float:
    """`unit` for one index, without an array."""
    return (word_at(stream, index) >> 11) * _TO_UNIT


class Dice:
    """A small sequence of chances for one thing (a page, a host), where writing out streams would be clumsy."""

    __slots__ = ("_count", "_stream")

    def __init__(self, seed: int, *parts: int | str) -> None:
        self._stream = key(seed, *parts)
        self._count = 0

    def unit(self) -> float:
        """A number in [0, 1)."""
        self._count += 1
        # `unit_at`, written out: a page takes thousands of these.
        value = ((self._count + 1) * _STEP + self._stream) & _MASK
        value = ((value ^ (value >> 30)) * _FIRST) & _MASK
        value = ((value ^ (value >> 27)) * _SECOND) & _MASK
        return ((value ^ (value >> 31)) >> 11) * _TO_UNIT

    def below(self, limit: int) -> int:
        """A whole number in [0, limit)."""
        return int(self.unit() * limit)

    def between(self, low: int, high: int) -> int:
        """A whole number in [low, high]."""
        return low + self.below(high - low + 1)

    def chance(self, share: float) -> bool:
        """True in that share of cases."""
        return self.unit() < share


def generator(seed: int, *parts: int | str) -> np.random.Generator:
    """numpy's counter-based Philox, for whole arrays that are drawn at once."""
    return np.random.Generator(np.random.Philox(key=key(seed, *parts)))
