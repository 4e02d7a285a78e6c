"""The words the pointwise model knows, and which of them lie around each place of a text.

The words are a table of bytes found by hash: five bits of each byte tell a word from another that falls to the same
byte, three say what it is. Words are sequences of units.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from phasa.language.segmenters.characters import Mask
from phasa.language.segmenters.hashing import SPREAD, Hashes, gram_hashes, grown
from phasa.language.segmenters.units import HALO, Places, spread_out, stretch_of

Bytes = npt.NDArray[np.uint8]

LONGEST = 9  # units
FREQUENT, LISTED, PREFIX = 1, 2, 4
_WORD = FREQUENT | LISTED
_BITS = 22
_DENSE = 4  # words of so many units are looked up everywhere, longer ones only where they can begin
_SHIFT, _CHECK = np.uint32(32 - _BITS), np.uint8(0xF8)


class KnownWords(NamedTuple):
    """A set of words. What is not in it is found in it by chance about once in a thousand times."""

    table: Bytes

    def look_up(self, hashes: Hashes) -> Bytes:
        """FREQUENT, LISTED and PREFIX of the sequences with these hashes; 0 for all others."""
        mixed = hashes * SPREAD
        found = self.table.take(mixed >> _SHIFT)
        found ^= mixed.astype(np.uint8) & _CHECK
        found *= found < 8
        return found


class Nearby(NamedTuple):
    """The longest known words that begin and end at each unit's start, and how far known words reach across it.

    `next` and `last` have eight times the length of the word in units, plus what it is; 0 where there is none.
    """

    next: Bytes
    last: Bytes
    next_word: Hashes
    last_word: Hashes
    reach_right: Bytes
    reach_left: Bytes


def known_words(lists: Iterable[tuple[int, Sequence[str]]]) -> KnownWords:
    """The table of several lists, each with its flag. Words of too many units are left out."""
    mixed: list[Hashes] = []
    flags: list[Bytes] = []
    for flag, words in lists:
        for hashes, what in _entries(words, flag):
            mixed.append(hashes * SPREAD)
            flags.append(np.full(len(hashes), what, dtype=np.uint8))
    table = np.zeros(1 << _BITS, dtype=np.uint8)
    if mixed:
        every = np.concatenate(mixed)
        keys = (every >> _SHIFT).astype(np.int64) << 8 | (every.astype(np.uint8) & _CHECK)
        unique, where = np.unique(keys, return_inverse=True)
        joined = np.zeros(len(unique), dtype=np.uint8)
        np.bitwise_or.at(joined, where, np.concatenate(flags))
        order = np.argsort(joined & _WORD, kind="stable")  # of two that fall to one byte the one that is a word stays
        table[(unique >> 8)[order]] = (unique.astype(np.uint8) | joined)[order]
    return KnownWords(table)


def _entries(words: Sequence[str], flag: int) -> Iterable[tuple[Hashes, int]]:
    spread = spread_out("\n".join(words))
    stretch = stretch_of(spread, HALO, len(spread.starts) - 1 - HALO)
    grams = gram_hashes(stretch.codes, LONGEST)
    begins = np.flatnonzero(~stretch.ends[1:] & stretch.ends[:-1]) + 1
    sizes = np.flatnonzero(stretch.ends[1:] & ~stretch.ends[:-1]) + 1 - begins
    for size in range(1, LONGEST + 1):
        yield grams[size][begins[sizes == size]], flag
        if size >= _DENSE:
            yield grams[size][begins[(sizes > size) & (sizes <= LONGEST)]], PREFIX


def nearby(grams: Hashes, ends: Mask, words: KnownWords) -> Nearby:
    """What is known around each of the units with these hashes (row n: of n units). No known word has a line end."""
    size = len(ends)
    following, last = np.zeros((2, size + LONGEST), dtype=np.uint8)
    inside = ~ends
    flags = np.zeros(0, dtype=np.uint8)
    for length in range(1, _DENSE + 1):
        if length > 1:
            inside = inside[:-1] & ~ends[length - 1 :]
        flags = words.look_up(grams[length, : size - length + 1])
        flags *= inside
        # A longer word has a larger number, so that the greatest is the longest.
        found = (flags + np.uint8(8 * length)) * ((flags & _WORD) != 0)
        count = len(found)
        np.maximum(following[:count], found, out=following[:count])
        np.maximum(last[length : length + count], found, out=last[length : length + count])
    at = np.flatnonzero(flags & PREFIX)
    hashes = grams[_DENSE].take(at)
    beyond: list[tuple[Places, int, Hashes]] = []  # words longer than the hashes at hand
    for length in range(_DENSE + 1, LONGEST + 1):
        fits = at <= size - length
        at, hashes = at[fits], grown(hashes[fits], grams[1].take(at[fits] + length - 1))
        flags = words.look_up(hashes)
        flags *= ~ends.take(at + length - 1)
        hit = np.flatnonzero(flags & _WORD)
        starts = at[hit]
        following[starts] = last[starts + length] = flags[hit] + np.uint8(8 * length)
        if length >= len(grams):
            beyond.append((starts, length, hashes[hit]))
        longer = np.flatnonzero(flags & PREFIX)
        at, hashes = at[longer], hashes[longer]
    following, last = following[:size], last[:size]
    next_length, last_length = following >> np.uint8(3), last >> np.uint8(3)
    index = np.arange(size)
    flat = grams.reshape(-1)
    next_word = flat.take(next_length.astype(np.int64) * size + index, mode="clip")
    last_word = flat.take(last_length.astype(np.int64) * (size - 1) + index, mode="clip")
    for starts, length, hashes in beyond:
        longest = next_length.take(starts) == length
        next_word[starts[longest]] = hashes[longest]
        fits = starts < size - length
        starts, hashes = starts[fits] + length, hashes[fits]
        longest = last_length.take(starts) == length
        last_word[starts[longest]] = hashes[longest]
    return Nearby(following, last, next_word, last_word, _reach(next_length), _reach(last_length[::-1])[::-1])


def _reach(lengths: Bytes) -> Bytes:
    """How far words that begin before each unit go beyond its start: max over k of lengths[i - k] - k, by doubling."""
    reach = np.zeros(len(lengths), dtype=np.int8)
    reach[1:] = lengths[:-1].view(np.int8) - np.int8(1)
    step = 1
    while step < LONGEST:
        reach[step:] = np.maximum(reach[step:], reach[:-step] - np.int8(step))
        step *= 2
    return np.maximum(reach, np.int8(0)).view(np.uint8)
