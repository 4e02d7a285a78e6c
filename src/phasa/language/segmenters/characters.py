"""What each character is, for cutting text into words: one table of the whole of Unicode, read by array indexing.

The kinds are the Word_Break property values of UAX #29 that matter here, plus COMPLEX for the letters of scripts
written without blanks (Thai, Lao, Khmer, Myanmar), whose words only a dictionary or a model can find, and COMPLEX_MARK
for the marks that hang on them.
"""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from functools import cache

import numpy as np
import numpy.typing as npt

Codes = npt.NDArray[np.uint32]
Kinds = npt.NDArray[np.uint8]
Mask = npt.NDArray[np.bool_]

OTHER, BLANK, LINE_END, LETTER, DIGIT, COMPLEX, EXTEND, ZWJ, REGIONAL, PICTOGRAPH = range(10)
MID_LETTER, MID_NUMBER, MID_BOTH, CONNECTOR, KATAKANA, COMPLEX_MARK = range(10, 16)

# Vowels that Unicode calls letters but that can never begin a word: they follow the consonant they belong to.
FOLLOWING_VOWELS = "ะาำๅ" + "ະາຳຽ"
# Vowels written before the consonant they are spoken after: a word cannot end with one.
LEADING_VOWELS = "เแโใไ" + "ເແໂໃໄ"

_COMPLEX_BLOCKS = (
    (0x0E00, 0x0E80),
    (0x0E80, 0x0F00),
    (0x1000, 0x10A0),
    (0x1780, 0x1800),
    (0xA9E0, 0xAA00),
    (0xAA60, 0xAA80),
)
_PICTOGRAPH_BLOCKS = ((0x2190, 0x2200), (0x2300, 0x2400), (0x2460, 0x2C00), (0x1F000, 0x1FB00))
_LOOKED_UP = (range(0x3400), range(0xA000, 0xAC00), range(0xFB00, 0x10000))


def code_points(text: str) -> Codes:
    """The text as an array of code points; lone surrogates come through as they are."""
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4")


def from_code_points(codes: Codes) -> str:
    """The text of an array of code points."""
    return codes.astype("<u4", copy=False).tobytes().decode("utf-32-le", "surrogatepass")


def kinds_of(codes: Codes) -> Kinds:
    """The kind of every character."""
    return kinds_of_all().take(codes)


def without_surrogates(text: str, codes: Codes) -> str:
    """The text with U+FFFD for every lone surrogate, same length, fit for libraries that need real UTF-8."""
    lone = (codes >= 0xD800) & (codes <= 0xDFFF)
    if not lone.any():
        return text
    mended = codes.copy()
    mended[lone] = 0xFFFD
    return from_code_points(mended)


def may_cut(codes: Codes) -> Mask:
    """Whether a word may begin at each character; the hard rule of every engine for South East Asian scripts.

    Never before a mark that hangs on the character before it (tone mark, vowel above, below or after, joiner), never
    after a vowel that is written before its consonant. The first character always begins a word, and so do a line end
    and the character after it.
    """
    rules = _cut_table().take(codes)
    allowed: Mask = (rules & 1) == 0
    allowed[1:] &= (rules[:-1] & 2) == 0
    line_end = rules == 4
    allowed[1:] |= line_end[:-1] | line_end[1:]
    allowed[:1] = True
    return allowed


@cache
def kinds_of_all() -> Kinds:
    """The kind of every code point, in order."""
    table = np.full(0x110000, LETTER, dtype=np.uint8)
    for block in _LOOKED_UP:
        table[block.start : block.stop] = [_BY_CATEGORY[what] for what in map(unicodedata.category, map(chr, block))]
    for first, end in _COMPLEX_BLOCKS:
        table[first:end] = _IN_COMPLEX.take(table[first:end])
    for first, end, kind in _KANA:
        kana = table[first:end]
        kana[(kana != EXTEND) & (kana != DIGIT)] = kind
    table[0x4E00:0xA000] = OTHER  # ideographs: a word boundary on both sides, as UAX #29 has it
    table[0x3400:0x4DC0] = OTHER
    table[0x20000:0x32000] = OTHER
    table[0xD800:0xF900] = OTHER  # surrogates and private use
    for first, end in _PICTOGRAPH_BLOCKS:
        table[first:end] = PICTOGRAPH
    table[[0xA9, 0xAE, 0x203C, 0x2049, 0x2122, 0x2139, 0x3030, 0x303D, 0x3297, 0x3299]] = PICTOGRAPH
    for code, kind in _NAMED.items():
        table[code] = kind
    table[0x1F1E6:0x1F200] = REGIONAL
    table[0x1F3FB:0x1F400] = EXTEND  # skin tones
    table[0xE0000:0xE01F0] = EXTEND  # tags and variation selectors
    table[0xF0000:] = OTHER
    return table


_NAMED = (
    dict.fromkeys((0x0A, 0x0B, 0x0C, 0x0D, 0x85, 0x2028, 0x2029), LINE_END)
    | dict.fromkeys((0x3A, 0xB7, 0x387, 0x55F, 0x5F4, 0x2027, 0xFE13, 0xFE55, 0xFF1A), MID_LETTER)
    | dict.fromkeys(
        (0x2C, 0x3B, 0x37E, 0x589, 0x60C, 0x60D, 0x66C, 0x7F8, 0x2044, 0xFE10, 0xFE14, 0xFF0C, 0xFF1B), MID_NUMBER
    )
    | dict.fromkeys((0x27, 0x2E, 0x2018, 0x2019, 0x2024, 0xFE52, 0xFF07, 0xFF0E), MID_BOTH)
    | {0x09: BLANK, 0x200D: ZWJ, 0x200B: OTHER}
)


# What the general category of a character makes it; all others are OTHER.
_BY_CATEGORY = defaultdict(
    int,
    dict.fromkeys(("Mn", "Mc", "Me", "Cf"), EXTEND)
    | dict.fromkeys(("Lu", "Ll", "Lt", "Lm", "Lo", "Nl"), LETTER)
    | {"Nd": DIGIT, "Pc": CONNECTOR, "Zs": BLANK},
)
# The same in scripts written without blanks.
_IN_COMPLEX = np.zeros(16, dtype=np.uint8)
_IN_COMPLEX[[LETTER, EXTEND, DIGIT]] = COMPLEX, COMPLEX_MARK, DIGIT
# Hiragana stand alone, like ideographs.
_KANA = ((0x3040, 0x30A0, OTHER), (0x30A0, 0x3100, KATAKANA), (0xFF66, 0xFFA0, KATAKANA))


@cache
def _cut_table() -> Kinds:
    kinds = kinds_of_all()
    table = np.zeros(0x110000, dtype=np.uint8)
    table[(kinds == EXTEND) | (kinds == ZWJ) | (kinds == COMPLEX_MARK)] = 1
    table[[ord(vowel) for vowel in FOLLOWING_VOWELS]] = 1
    table[[ord(vowel) for vowel in LEADING_VOWELS]] = 2
    table[kinds == LINE_END] = 4
    return table
