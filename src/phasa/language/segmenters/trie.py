"""A trie of words as a hash table in arrays, walked from all places of a text at once.

A node is a slot of the table and is found by its key: the parent's slot and a character. Step n looks one character
further from every place from which n - 1 characters lead to a node, so each step has fewer places than the one before.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from phasa.language.segmenters.characters import Codes, code_points

Ints = npt.NDArray[np.int64]
Numbers = npt.NDArray[np.int32]
Keys = npt.NDArray[np.uint32] | npt.NDArray[np.uint64]

_MULTIPLY = 0x9E3779B97F4A7C15
_MORE = np.int32(1 << 30)  # the flag of a node that has children; below it the number of its word plus one
_PAIRS = 1 << 20  # so large may the table be that takes the first two steps at once


class Found(NamedTuple):
    """The occurrences of words of one length: where they begin, ascending, and which words they are."""

    length: int
    starts: Ints
    words: Numbers


class Trie:
    """The trie of `words`, which must differ and not be empty. A word's number is its place among them."""

    def __init__(self, words: Sequence[str]) -> None:
        order = sorted(range(len(words)), key=words.__getitem__)
        codes = code_points("".join([words[number] for number in order]))
        lengths = np.array([len(words[number]) for number in order], dtype=np.int64)
        alphabet = np.flatnonzero(np.bincount(codes)) if len(codes) else no_ints()
        bits = max(4, (len(codes) + len(codes) // 2).bit_length())
        self._set_up(alphabet.astype(np.uint32), bits)
        self._keys = np.zeros(1 << bits, dtype=self._width.dtype)
        self._keys[0] = np.iinfo(self._keys.dtype).max  # slot 0 is the root
        self._nodes = np.zeros(1 << bits, dtype=np.int32)
        self._probes = 0
        letters = self._letters.take(codes)
        self._grow(letters, np.cumsum(lengths) - lengths, lengths, np.array(order, dtype=np.int32))
        self._first, self._pairs = self._first_steps()

    def _set_up(self, alphabet: npt.NDArray[np.uint32], bits: int) -> None:
        """What follows from the letters and the size of the table."""
        self._alphabet = alphabet
        self._letters = np.zeros(0x110000, dtype=np.uint32)
        self._letters[alphabet] = np.arange(1, len(alphabet) + 1)
        width = len(alphabet) + 1
        size = 32 if width << bits < 1 << 32 else 64
        number = np.uint32 if size == 32 else np.uint64
        self._width, self._shift = number(width), number(size - bits)
        self._multiply = number(_MULTIPLY >> (64 - size) | 1)
        self._mask = np.int64((1 << bits) - 1)

    def to_bytes(self) -> bytes:
        """The trie as bytes from which `from_bytes` makes it anew without growing it."""
        head = np.array([len(self._alphabet), len(self._keys), self._probes, self._keys.itemsize], dtype="<u4")
        return b"".join(part.tobytes() for part in (head, self._alphabet, self._keys, self._nodes))

    @classmethod
    def from_bytes(cls, data: bytes) -> Trie:
        """The trie that `to_bytes` wrote. Raises ValueError when the sizes do not fit."""
        letters, slots, probes, width = np.frombuffer(data, dtype="<u4", count=4).tolist()
        at = 16 + 4 * letters
        if width not in (4, 8) or len(data) != at + (width + 4) * slots or slots & (slots - 1):
            raise ValueError("not a trie")
        trie = cls.__new__(cls)
        trie._set_up(np.frombuffer(data, dtype="<u4", count=letters, offset=16), slots.bit_length() - 1)
        trie._keys = np.frombuffer(data, dtype=trie._width.dtype, count=slots, offset=at)
        trie._nodes = np.frombuffer(data, dtype="<i4", count=slots, offset=at + width * slots)
        trie._probes = probes
        trie._first, trie._pairs = trie._first_steps()
        return trie

    def _grow(self, letters: npt.NDArray[np.uint32], begins: Ints, lengths: Ints, numbers: Numbers) -> None:
        """Insert all words, depth by depth. They come in order, so that those that share a node are neighbours."""
        parents = np.zeros(len(lengths), dtype=np.int64)
        for depth in range(int(lengths.max(initial=0))):
            keys = self._key(parents, letters.take(begins + depth))
            new = np.append(True, keys[1:] != keys[:-1])
            slots = self._insert(keys[new])[np.cumsum(new) - 1]
            done = lengths == depth + 1
            self._nodes[slots[done]] += numbers[done] + 1
            on = np.flatnonzero(~done)
            self._nodes[slots[on]] |= _MORE
            numbers, parents, begins, lengths = numbers[on], slots[on], begins[on], lengths[on]

    def _first_steps(self) -> tuple[Ints, Ints | None]:
        """The nodes that one letter and two letters lead to from the root, for each of them.

        None for the pairs when there are too many letters for a table.
        """
        width = int(self._width)
        letters = np.arange(width, dtype=np.uint32)
        first = self._look_up(self._key(np.zeros(width, dtype=np.int64), letters))
        if width * width > _PAIRS:
            return first, None
        pairs = self._look_up(self._key(np.repeat(first, width), np.tile(letters, width)))
        pairs[np.repeat(first == 0, width)] = 0
        return first, pairs

    def _key(self, parents: npt.NDArray[np.signedinteger], letters: npt.NDArray[np.uint32]) -> Keys:
        keys = parents.astype(self._keys.dtype)
        keys *= self._width
        keys += letters
        return keys

    def _home(self, keys: Keys) -> Ints:
        homes = keys * self._multiply
        homes >>= self._shift
        return homes.astype(np.int64)

    def _insert(self, keys: Keys) -> Ints:
        """The slots of new keys: each goes to the first free one from its home on."""
        slots = self._home(keys)
        left = np.arange(len(keys))
        while len(left):
            at = slots[left]
            free = np.flatnonzero(self._keys.take(at) == 0)
            # Of several that want one slot the last to write has it.
            self._nodes[at[free]] = free
            won = free[self._nodes.take(at[free]) == free]
            self._nodes[at[free]] = 0
            self._keys[at[won]] = keys[left[won]]
            lost = np.ones(len(left), dtype=np.bool_)
            lost[won] = False
            left = left[lost]
            slots[left] = (slots[left] + 1) & self._mask
            self._probes += 1  # more than any one key needs, which is all that `_look_up` relies on
        return slots

    def _look_up(self, keys: Keys) -> Ints:
        """The slots of the keys, 0 for those that are not there."""
        slots = self._home(keys)
        seen = self._keys.take(slots)
        here = seen == keys
        again = np.flatnonzero(~here & (seen != 0))
        further = slots[again]
        slots *= here
        for _ in range(self._probes):
            if not len(again):
                break
            further = (further + 1) & self._mask
            seen = self._keys.take(further)
            here = seen == keys[again]
            slots[again[here]] = further[here]
            left = np.flatnonzero(~here & (seen != 0))
            again, further = again[left], further[left]
        return slots

    def find(self, codes: Codes) -> Iterator[Found]:
        """All occurrences, overlapping ones too, shortest words first."""
        letters = np.append(self._letters.take(codes), np.uint32(0))
        places = np.flatnonzero(letters != 0)
        slots = self._first.take(letters.take(places))
        depth = 1
        while len(places):
            nodes = self._nodes.take(slots)
            words = nodes & ~_MORE
            ends = np.flatnonzero(words != 0)
            if len(ends):
                yield Found(depth, places[ends], words[ends] - 1)
            # A letter of 0 leads nowhere: it is the end of the text, or a character that no word has.
            on = np.flatnonzero(nodes >= _MORE)
            places = places[on]
            after = letters.take(places + depth)
            if depth == 1 and self._pairs is not None:
                slots = self._pairs.take(letters.take(places).astype(np.int64) * int(self._width) + after)
            else:
                slots = self._look_up(self._key(slots[on], after))
            depth += 1


def no_ints() -> Ints:
    return np.zeros(0, dtype=np.int64)
