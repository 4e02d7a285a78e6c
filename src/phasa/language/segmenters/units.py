"""A text as the pointwise model reads it: one unit after another, each the stretch between two places of the frame.

A unit is a consonant with the marks that hang on it, a run of Latin letters, a number, a blank, a punctuation mark:
what no word boundary can fall into. There are half as many units as characters, so a window of them sees further.
Line ends are spread out to several units, so that no window reaches from one line into another.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from phasa.language.segmenters.alphabet import END, Letters, letters_of, types_of
from phasa.language.segmenters.characters import Mask, code_points
from phasa.language.segmenters.frame import NEVER, OPEN, Verdicts, frame_of

Places = npt.NDArray[np.int64]
UnitCodes = npt.NDArray[np.uint32]

SPREAD = 6  # line ends that stand for one: more than a window of the model has units on one side
HALO = 32  # units around a stretch that what is seen in it may depend on: two of the longest words and a window
_LETTERS = 4  # of a unit's letters so many count, and its length
_PAST = (1 << 32) - (1 << 4)
_MASKS = np.array([0, *((_PAST << 7 * (_LETTERS - n)) & _PAST for n in range(1, _LETTERS + 1))], dtype=np.uint32)
_LONGEST = 15


class Spread(NamedTuple):
    """A text with its line ends spread out and HALO more of them before and after it."""

    letters: Letters
    verdicts: Verdicts
    starts: Places  # where units begin, here; the end of the last one follows
    kept: Mask | None  # the characters that stand in the text itself; None: all of `text`
    text: slice  # where the text itself is

    def is_open(self) -> Mask:
        """Whether each unit begins at an open place."""
        is_open: Mask = self.verdicts.take(self.starts[:-1]) == OPEN
        return is_open

    def give_back(self, begins: Mask) -> Mask:
        """What `begins` says of every character here, for the characters of the text itself."""
        inside = begins[self.text]
        return inside if self.kept is None else inside[self.kept]


class Stretch(NamedTuple):
    """Units in a row. Codes are equal for equal units; `before` are the four letters left of each unit's start."""

    codes: UnitCodes
    types: UnitCodes
    before: UnitCodes
    after: UnitCodes
    ends: Mask  # the unit is a line end


def spread_out(text: str) -> Spread:
    """The text as units."""
    edge = "\n" * HALO
    spread = edge + (text.replace("\n", "\n" * SPREAD) if "\n" in text else text) + edge
    codes = code_points(spread)
    letters = letters_of(codes)
    verdicts = frame_of(spread, codes, letters)
    inside = slice(HALO, len(spread) - HALO)
    kept = None
    if len(spread) > len(text) + 2 * HALO:
        kept = np.ones(len(spread) - 2 * HALO, dtype=np.bool_)
        kept[np.flatnonzero(letters[inside] == END).reshape(-1, SPREAD)[:, 1:]] = False
    starts = np.append(np.flatnonzero(verdicts != NEVER), len(spread))
    return Spread(letters, verdicts, starts, kept, inside)


def stretch_of(spread: Spread, first: int, end: int) -> Stretch:
    """Units `first` to `end`, at least HALO away from both ends of the spread text, and HALO more on both sides."""
    starts = spread.starts[first - HALO : end + HALO + 1]
    origin = max(0, int(starts[0]) - _LETTERS)
    letters = spread.letters[origin : int(starts[-1]) + _LETTERS]
    length = np.minimum(np.diff(starts), _LONGEST)
    at = starts[:-1] - origin
    packed = _packed(letters)
    after = packed.take(at, mode="clip")
    mask = _MASKS.take(length, mode="clip")
    size = length.astype(np.uint32)
    codes = after & mask
    types = _packed(types_of(letters)).take(at, mode="clip")
    types &= mask
    return Stretch(codes | size, types | size, packed.take(at - _LETTERS, mode="clip"), after, letters.take(at) == END)


def _packed(letters: Letters) -> UnitCodes:
    """The four letters from each place on as one number; what lies beyond the end are line ends."""
    longer = np.append(letters, np.full(_LETTERS - 1, END, dtype=np.uint8)).astype(np.uint32)
    size = len(letters)
    packed = longer[:size] << np.uint32(25)
    for place in range(1, _LETTERS):
        packed |= longer[place : place + size] << np.uint32(25 - 7 * place)
    return packed
