"""What the pointwise model sees around the start of a unit.

Each template names one thing seen there: the three units from two to the left, the longest known word that ends here, …
What is seen is hashed to a slot of the weight table. The templates that look at the same n-gram from different places
(a bundle) share a group of eight neighbouring slots, so that one look into the table serves them all.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from phasa.language.segmenters.hashing import MULTIPLY, SPREAD, Hashes, gram_hashes
from phasa.language.segmenters.known import KnownWords, Nearby, nearby
from phasa.language.segmenters.units import HALO, Places, Stretch

Slots = npt.NDArray[np.int64]

GROUP = 8  # slots that a bundle's n-gram has
REACH = 4  # units that the widest window has on one side
_LONGEST_GRAM, _LONGEST_TYPE_GRAM = 5, 5
UNITS, TYPES = range(2)


class Bundle(NamedTuple):
    """An n-gram of units or of their types, seen from the places that its first unit is `offsets` away from."""

    what: int
    size: int
    offsets: tuple[int, ...]

    def groups(self, view: View, bits: int) -> Hashes:
        """The group of slots of the n-gram that begins at each unit of the view."""
        grams = view.grams if self.what == UNITS else view.type_grams
        salt = _salt(self.what * 16 + self.size)
        groups: Hashes = ((grams[self.size] ^ salt) * SPREAD) >> np.uint32(32 + 3 - bits)
        return groups


class View(NamedTuple):
    """A stretch of units as the templates see it, with HALO units more than are asked about on both sides."""

    stretch: Stretch
    grams: Hashes
    type_grams: Hashes
    near: Nearby

    @property
    def size(self) -> int:
        """How many units are asked about."""
        return len(self.stretch.codes) - 2 * HALO


def _salt(number: int) -> np.uint32:
    mixed = (number + 16) * 0x9E3779B1 + 0x7F4A7C15
    return np.uint32((mixed ^ mixed >> 15) & 0xFFFFFFFF)


BUNDLES = (
    Bundle(UNITS, 1, (-4, -3, -2, -1, 0, 1, 2, 3)),
    Bundle(UNITS, 2, (-4, -3, -2, -1, 0, 1, 2)),
    Bundle(UNITS, 3, (-4, -3, -2, -1, 0, 1)),
    Bundle(UNITS, 4, (-4, -3, -2, -1, 0)),
    Bundle(TYPES, 3, (-4, -3, -2, -1, 0, 1)),
    Bundle(UNITS, 5, (-4, -3, -2, -1)),
    Bundle(TYPES, 5, (-4, -3, -2, -1)),
)
# Facts about the known words around a place.
(LENGTHS, EVERYTHING, NEXT_WORD, LAST_WORD, BOTH_WORDS) = range(5)
(TWO_LAST, TWO_NEXT, LAST_AND_UNIT, NEXT_AND_UNIT, SPAN, NEXT_LENGTH, LAST_LENGTH) = range(5, 12)
_FACTS = 12
# How many letters left and right of the place are seen together.
_AROUND = ((1, 1), (2, 1), (1, 2), (2, 2), (3, 2), (2, 3), (3, 3), (4, 0), (3, 0), (2, 0), (0, 2), (0, 3), (0, 4))
SINGLES = _FACTS + len(_AROUND)


def view_of(stretch: Stretch, words: KnownWords) -> View:
    """The view of a stretch."""
    grams = gram_hashes(stretch.codes, _LONGEST_GRAM)
    types = gram_hashes(stretch.types, _LONGEST_TYPE_GRAM)
    return View(stretch, grams, types, nearby(grams, stretch.ends, words))


def bundle_slots(view: View, bundle: Bundle, column: int, places: Places, bits: int) -> Slots:
    """The slots for what one template of a bundle sees at each place of the view."""
    groups = bundle.groups(view, bits).take(places + bundle.offsets[column])
    return groups.astype(np.int64) * GROUP + column


def single_slots(view: View, number: int, places: Places | slice, bits: int) -> Slots:
    """The slots for what a template that belongs to no bundle sees at each place of the view."""
    seen = _fact(view.near, view.grams, number, places) if number < _FACTS else _around(view, number - _FACTS, places)
    return (((seen ^ _salt(64 + number)) * SPREAD) >> np.uint32(32 - bits)).astype(np.int64)


def all_slots(view: View, places: Places, bits: int) -> npt.NDArray[np.int32]:
    """The slots of every template at each place: first those of the bundles, then the singles. One row a template."""
    rows = [bundle_slots(view, bundle, i, places, bits) for bundle in BUNDLES for i in range(len(bundle.offsets))]
    rows += [single_slots(view, number, places, bits) for number in range(SINGLES)]
    return np.stack(rows).astype(np.int32)


def _fact(near: Nearby, grams: Hashes, fact: int, places: Places | slice) -> Hashes:
    unit: Hashes = grams[1]
    if fact == NEXT_WORD:
        return near.next_word[places]
    if fact == LAST_WORD:
        return near.last_word[places]
    if fact == BOTH_WORDS:
        return near.next_word[places] * MULTIPLY + near.last_word[places]
    if fact == LAST_AND_UNIT:
        return near.last_word[places] * MULTIPLY + unit[places]
    if fact in (TWO_LAST, TWO_NEXT, NEXT_AND_UNIT):
        where = np.arange(len(near.next))[places]
        if fact == TWO_LAST:
            return near.last_word[places] * MULTIPLY + near.last_word.take(where - (near.last[places] >> 3))
        if fact == TWO_NEXT:
            return near.next_word[places] * MULTIPLY + near.next_word.take(where + (near.next[places] >> 3))
        return near.next_word[places] * MULTIPLY + unit.take(where - 1)
    return _lengths(near, fact, places)


def _lengths(near: Nearby, fact: int, places: Places | slice) -> Hashes:
    if fact == NEXT_LENGTH:
        return near.next[places].astype(np.uint32)
    if fact == LAST_LENGTH:
        return near.last[places].astype(np.uint32)
    reach = near.reach_right[places] * np.uint32(16) + near.reach_left[places]
    if fact == SPAN:
        return reach
    if fact == LENGTHS:
        both = near.next[places] * np.uint32(256) + near.last[places]
        return both * np.uint32(2) + (near.reach_right[places] > 0)
    both = (near.next[places] >> 3) * np.uint32(16) + (near.last[places] >> 3)
    return both * np.uint32(256) + reach


def _around(view: View, number: int, places: Places | slice) -> Hashes:
    left, right = _AROUND[number]
    before = view.stretch.before[places] >> np.uint32(4)
    after = view.stretch.after[places] >> np.uint32(4)
    before &= np.uint32((1 << 7 * left) - 1)
    after >>= np.uint32(7 * (4 - right))
    return before * MULTIPLY + after
