"""What the pointwise model sees around a place between two characters.

Each template names one thing seen there (three characters from two to the left, the longest known word that ends here,
…); what is seen is hashed, together with the template, to one slot of the weight table. Hashes of all n-grams of a text
are built once, each from the one before, as arrays of 32-bit numbers.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from phasa.language.segmenters.alphabet import END, Letters, types_of
from phasa.language.segmenters.characters import Mask

Hashes = npt.NDArray[np.uint32]
Slots = npt.NDArray[np.int64]
Places = npt.NDArray[np.int64]

CHARACTERS, TYPES, WORDS = range(3)
LONGEST_WORD = 14
LONGEST_GRAM = 6
LONGEST_TYPE_GRAM = 8
MARGIN = 8  # how far templates look, in characters, and so the padding that lines need on both sides
_WORD_BITS = 22

_MULTIPLY = np.uint32(0x9E3779B1)
_SPREAD = np.uint32(0x85EBCA6B)


class Template(NamedTuple):
    """One thing to look at: an n-gram of characters or types that begins `offset` from the place, or a word fact."""

    what: int
    size: int
    offset: int

    @property
    def salt(self) -> np.uint32:
        """What makes the same n-gram fall into other slots for other templates."""
        mixed = ((self.what * 31 + self.size) * 31 + self.offset + 16) * 0x9E3779B1 + 0x7F4A7C15
        return np.uint32((mixed ^ mixed >> 15) & 0xFFFFFFFF)


# Facts about known words around a place, numbered as `size` of a WORDS template.
(NEXT_LENGTH, LAST_LENGTH, SPAN, LENGTHS, NEXT_WORD, LAST_WORD, BOTH_WORDS, EVERYTHING) = range(8)
# The two words before the place, the two after it, and one word with the three letters on its other side.
(TWO_LAST, TWO_NEXT, LAST_AND_LETTERS, NEXT_AND_LETTERS) = range(8, 12)


def _templates() -> tuple[Template, ...]:
    found = []
    for size in range(1, LONGEST_GRAM + 1):
        offsets = [offset for offset in range(-5, 6 - size) if size < 4 or offset <= 0 <= offset + size]
        found += [Template(CHARACTERS, size, offset) for offset in offsets]
    for size, first, end in ((3, -4, 2), (4, -4, 1), (6, -5, 0), (8, -4, -3)):
        found += [Template(TYPES, size, offset) for offset in range(first, end)]
    found += [Template(WORDS, fact, 0) for fact in range(12)]
    return tuple(found)


TEMPLATES = _templates()


class KnownWords(NamedTuple):
    """A set of words as a table of flags, looked up by hash; another word has flag 0 but for rare collisions."""

    flags: npt.NDArray[np.uint8]

    def look_up(self, hashes: Hashes) -> npt.NDArray[np.uint8]:
        return self.flags.take((hashes * _SPREAD) >> np.uint32(32 - _WORD_BITS))


class Nearby(NamedTuple):
    """The longest known words that begin and end at each place, and how far known words reach across it."""

    next_length: npt.NDArray[np.uint8]
    last_length: npt.NDArray[np.uint8]
    next_flag: npt.NDArray[np.uint8]
    last_flag: npt.NDArray[np.uint8]
    next_word: Hashes
    last_word: Hashes
    reach_right: npt.NDArray[np.uint8]
    reach_left: npt.NDArray[np.uint8]


class View(NamedTuple):
    """A stretch of text as the templates see it; places are offsets into it."""

    grams: list[Hashes]
    type_grams: list[Hashes]
    nearby: Nearby


def view_of(letters: Letters, edges: Mask, words: KnownWords) -> View:
    """The view of padded letters; known words begin and end only where `edges` allows."""
    grams = gram_hashes(letters, LONGEST_WORD)
    return View(grams, gram_hashes(types_of(letters), LONGEST_TYPE_GRAM), _nearby(letters, grams, edges, words))


def gram_hashes(letters: Letters, longest: int) -> list[Hashes]:
    """For each length n up to `longest`, the hash of the n letters from each place on (index 0 is not used)."""
    values = letters.astype(np.uint32) + np.uint32(1)
    hashes = [values]
    grown = np.zeros(len(values), dtype=np.uint32)
    for size in range(1, longest + 1):
        grown = grown.copy()
        grown[: len(values) - size + 1] += values[size - 1 :]
        grown *= _MULTIPLY
        grown ^= grown >> np.uint32(15)
        hashes.append(grown)
    return hashes


def known_words(lists: list[tuple[int, list[Letters]]]) -> KnownWords:
    """The table of several lists, each with its flag (a power of two). Words of one letter or too many are left out."""
    flags = np.zeros(1 << _WORD_BITS, dtype=np.uint8)
    for flag, words in lists:
        for size in range(2, LONGEST_WORD + 1):
            same = [word for word in words if len(word) == size]
            if same:
                hashes = gram_hashes(np.concatenate(same), size)[size][::size]
                flags[(hashes * _SPREAD) >> np.uint32(32 - _WORD_BITS)] |= flag
    return KnownWords(flags)


def slots_of(view: View, places: Places, template: Template, bits: int) -> Slots:
    """The slot of the weight table for what the template sees at each place."""
    if template.what == CHARACTERS:
        seen = view.grams[template.size].take(places + template.offset)
    elif template.what == TYPES:
        seen = view.type_grams[template.size].take(places + template.offset)
    else:
        seen = _word_fact(view, places, template.size)
    return (((seen ^ template.salt) * _SPREAD) >> np.uint32(32 - bits)).astype(np.int64)


def _word_fact(view: View, places: Places, fact: int) -> Hashes:
    near = view.nearby

    def number(values: npt.NDArray[np.uint8], factor: int) -> Hashes:
        return values.take(places) * np.uint32(factor)

    if fact == NEXT_LENGTH:
        return number(near.next_length, 4) + number(near.next_flag, 1)
    if fact == LAST_LENGTH:
        return number(near.last_length, 4) + number(near.last_flag, 1)
    if fact == SPAN:
        return number(near.reach_right, 16) + number(near.reach_left, 1)
    if fact == LENGTHS:
        crossed = (near.reach_right.take(places) > 0) * np.uint32(256)
        lengths = number(near.next_length, 16) + number(near.last_length, 1)
        return lengths + crossed + number(near.next_flag, 512) + number(near.last_flag, 2048)
    if fact == NEXT_WORD:
        return near.next_word.take(places)
    if fact == LAST_WORD:
        return near.last_word.take(places)
    if fact == BOTH_WORDS:
        return near.next_word.take(places) * _MULTIPLY + near.last_word.take(places)
    if fact == TWO_LAST:
        earlier = near.last_word.take(places - near.last_length.take(places))
        return near.last_word.take(places) * _MULTIPLY + earlier
    if fact == TWO_NEXT:
        later = near.next_word.take(places + near.next_length.take(places))
        return near.next_word.take(places) * _MULTIPLY + later
    if fact == LAST_AND_LETTERS:
        return near.last_word.take(places) * _MULTIPLY + view.grams[3].take(places)
    if fact == NEXT_AND_LETTERS:
        return near.next_word.take(places) * _MULTIPLY + view.grams[3].take(places - 3)
    lengths = number(near.next_length, 4096) + number(near.last_length, 256)
    return lengths + number(near.reach_right, 16) + number(near.reach_left, 1)


def _nearby(letters: Letters, grams: list[Hashes], edges: Mask, words: KnownWords) -> Nearby:
    size = len(edges)
    lengths = np.zeros((4, size), dtype=np.uint8)
    hashed = np.zeros((2, size), dtype=np.uint32)
    reaches = np.zeros((2, size), dtype=np.uint8)
    near = Nearby(*lengths, *hashed, *reaches)
    edge_places = np.flatnonzero(edges)
    # No word goes over a line end, not even one that a collision of hashes makes up.
    line = np.cumsum(letters == END, dtype=np.int32)
    padded = np.append(edges, np.zeros(LONGEST_WORD, dtype=np.bool_))
    for length in range(2, LONGEST_WORD + 1):
        starts = edge_places[padded[edge_places + length]]
        hashes = grams[length].take(starts)
        flags = words.look_up(hashes)
        hit = np.flatnonzero(flags)
        hit = hit[line[starts[hit]] == line[starts[hit] + length - 1]]
        starts, hashes, flags = starts[hit], hashes[hit], flags[hit]
        for where, longest, kept, word in (
            (starts, near.next_length, near.next_flag, near.next_word),
            (starts + length, near.last_length, near.last_flag, near.last_word),
        ):
            longest[where] = length
            kept[where] = flags
            word[where] = hashes
    index = np.arange(size)
    reach = np.maximum.accumulate(index + near.next_length)
    near.reach_right[1:] = np.clip(reach[:-1] - index[1:], 0, 15)
    back = np.minimum.accumulate((index - near.last_length)[::-1])[::-1]
    near.reach_left[:-1] = np.clip(index[:-1] - back[1:], 0, 15)
    return near
