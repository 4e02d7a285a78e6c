"""The small alphabet in which the pointwise model reads: every Thai sign by itself, other characters by their kind.

A letter is a number below 128, so that a pair of letters is an index into a small table and four of them fit into one
32-bit number.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import numpy.typing as npt

from phasa.language.segmenters.characters import (
    COMPLEX,
    COMPLEX_MARK,
    EXTEND,
    KATAKANA,
    LINE_END,
    PICTOGRAPH,
    REGIONAL,
    ZWJ,
    Codes,
    code_points,
    kinds_of_all,
)

Letters = npt.NDArray[np.uint8]

SIZE = 128
# Below these a letter is the kind of a character that has no letter of its own.
END, _THAI_DIGIT, _FIRST_MARK = 16, 17, 18
# Letters of which the rules must know more: a pair with one of these is looked at closely.
MIXED = (PICTOGRAPH, REGIONAL, EXTEND, ZWJ, COMPLEX, COMPLEX_MARK, LINE_END, KATAKANA)
POINT, COMMA = _FIRST_MARK, _FIRST_MARK + 1
_PUNCTUATION = ".,-()\"'/:;?!%#@&*+=_…"
_QUOTES = {'"': "“”", "'": "‘’"}
# Each has the same letter as others that behave in the same way.
ANY_OF_ITS_KIND = "\"'–·；．‿"
_UPPER, _FIRST_THAI = 39, 40
_THAI_SIGNS = [chr(code) for code in (*range(0x0E01, 0x0E3B), *range(0x0E3F, 0x0E50), 0x0E5A, 0x0E5B)]
# Groups of Thai signs that behave alike; the rest are consonants.
_GROUPS = ("เแโใไ", "ะาำๅ", "ัิีึืุู็", "่้๊๋", "์ํ๎ฺ", "ๆฯ", "งญณนฬมรลวย", "ห", "อ")


def letters_of(codes: Codes) -> Letters:
    """The text in the model's alphabet."""
    return _letter_table().take(codes)


def types_of(letters: Letters) -> Letters:
    """The type of each letter: its group for Thai signs, itself for the rest."""
    return _type_table().take(letters)


def samples() -> Codes:
    """A character for every letter that is not mixed, 0 for the other numbers."""
    found = np.zeros(SIZE, dtype=np.uint32)
    codes = code_points("".join((*_PUNCTUATION, *_THAI_SIGNS, ANY_OF_ITS_KIND, "aA1๑ \n")))
    found[letters_of(codes)] = codes
    return found


@cache
def _letter_table() -> Letters:
    table = kinds_of_all().copy()
    table[0x0A] = END
    table[0x0E50:0x0E5A] = _THAI_DIGIT
    table[[ord(sign) for sign in _THAI_SIGNS]] = np.arange(_FIRST_THAI, _FIRST_THAI + len(_THAI_SIGNS))
    for number, mark in enumerate(_PUNCTUATION):
        table[[ord(sign) for sign in mark + _QUOTES.get(mark, "")]] = _FIRST_MARK + number
    table[ord("A") : ord("Z") + 1] = _UPPER
    return table


@cache
def _type_table() -> Letters:
    table = np.arange(SIZE, dtype=np.uint8)
    table[_FIRST_THAI:] = _FIRST_THAI
    for number, group in enumerate(_GROUPS, 1):
        table[[_FIRST_THAI + _THAI_SIGNS.index(sign) for sign in group]] = _FIRST_THAI + number
    return table
