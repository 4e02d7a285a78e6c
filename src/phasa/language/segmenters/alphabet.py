"""The small alphabet in which the pointwise model reads: every Thai sign by itself, other characters by their kind."""

from __future__ import annotations

from functools import cache

import numpy as np
import numpy.typing as npt

from phasa.language.segmenters.characters import (
    BLANK,
    COMPLEX,
    DIGIT,
    EXTEND,
    KATAKANA,
    LETTER,
    LINE_END,
    PICTOGRAPH,
    Codes,
    kinds_of,
)

Letters = npt.NDArray[np.uint8]

_THAI, _THAI_END = 0x0E01, 0x0E5C
_FIRST_THAI = 40
_OTHER, _LETTER, _DIGIT, _PICTOGRAPH, _MARK, _COMPLEX, _THAI_DIGIT, _BLANK = range(1, 9)
END = 9  # the end of a line, and what lies beyond it
_PUNCTUATION = ".,-()\"'/:;?!%#@&*+=_…"
_UPPER = 36
# Groups of Thai signs that behave alike; the rest are consonants.
_GROUPS = ("เแโใไ", "ะาำๅ", "ัิีึืุู็", "่้๊๋", "์ํ๎ฺ", "ๆฯ", "งญณนฬมรลวย", "ห", "อ")


def letters_of(codes: Codes) -> Letters:
    """The text in the model's alphabet."""
    return _letter_table().take(codes)


def types_of(letters: Letters) -> Letters:
    """The type of each letter: its group for Thai signs, itself for the rest."""
    return _type_table().take(letters)


@cache
def _letter_table() -> Letters:
    kinds = kinds_of(np.arange(0x110000, dtype=np.uint32))
    table = np.full(0x110000, _OTHER, dtype=np.uint8)
    for kind, letter in (
        (LETTER, _LETTER),
        (KATAKANA, _LETTER),
        (DIGIT, _DIGIT),
        (PICTOGRAPH, _PICTOGRAPH),
        (EXTEND, _MARK),
        (COMPLEX, _COMPLEX),
        (BLANK, _BLANK),
        (LINE_END, END),
    ):
        table[kinds == kind] = letter
    table[_THAI:_THAI_END] = np.arange(_FIRST_THAI, _FIRST_THAI + _THAI_END - _THAI)
    table[0x0E50:0x0E5A] = _THAI_DIGIT
    for number, mark in enumerate(_PUNCTUATION):
        table[ord(mark)] = END + 1 + number
    for same, mark in (("“”", '"'), ("‘’", "'")):
        table[[ord(sign) for sign in same]] = table[ord(mark)]
    table[ord("A") : ord("Z") + 1] = _UPPER
    return table


@cache
def _type_table() -> Letters:
    table = np.arange(256, dtype=np.uint8)
    table[_FIRST_THAI:] = 40
    for number, group in enumerate(_GROUPS):
        for sign in group:
            table[_FIRST_THAI + ord(sign) - _THAI] = 41 + number
    return table
