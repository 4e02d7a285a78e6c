"""What rules decide about a text before any model looks at it, and the places they leave open.

Rules: a run of blanks, a run of Latin letters, a run of digits and a repeated punctuation mark are never cut; blanks
and line ends are always cut off; emoji, flags and katakana follow Unicode; an address is one word; a mark never leaves
the character it hangs on. All else (between Thai letters, and where Thai, Latin, digits and punctuation meet) is open.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from phasa.language.segmenters.breaks import addresses, word_breaks
from phasa.language.segmenters.characters import (
    BLANK,
    COMPLEX,
    DIGIT,
    EXTEND,
    KATAKANA,
    LETTER,
    LINE_END,
    PICTOGRAPH,
    REGIONAL,
    ZWJ,
    Codes,
    Kinds,
    Mask,
    kinds_of,
    may_cut,
)

_NEVER, _ALWAYS, _OPEN, _UNICODE = range(4)
_KINDS = 16


class Frame(NamedTuple):
    """What is settled: where words begin for certain, and the places that are still open."""

    begins: Mask
    open: Mask


def frame_of(text: str, codes: Codes) -> Frame:
    """The frame of a text; the first character always begins a word."""
    kinds = _bases(codes)
    allowed = may_cut(codes)
    verdict = np.full(len(codes), _ALWAYS, dtype=np.uint8)
    verdict[1:] = _verdicts().take(kinds[:-1] * np.uint8(_KINDS) + kinds[1:])
    same = codes[1:] == codes[:-1]
    same &= kinds[1:] != COMPLEX
    same &= (kinds[1:] != PICTOGRAPH) & (kinds[1:] != LINE_END)
    verdict[1:][same] = _NEVER
    verdict[1:][(codes[1:] == 0x0A) & (codes[:-1] == 0x0D)] = _NEVER
    by_unicode = verdict == _UNICODE
    if by_unicode.any():
        verdict[by_unicode] = word_breaks(text, codes)[by_unicode]
    for start, end in addresses(text):
        verdict[start + 1 : end] = _NEVER
        verdict[start] = _ALWAYS
        verdict[end : end + 1] = _ALWAYS
    return Frame((verdict == _ALWAYS) & allowed, (verdict == _OPEN) & allowed)


def _bases(codes: Codes) -> Kinds:
    """The kind of every character, with what hangs on a character taking that character's kind."""
    kinds = _base_table().take(codes)
    hanging = (kinds == EXTEND) | (kinds == ZWJ)
    if hanging.any():
        hanging[0] = False
        kinds = kinds[np.maximum.accumulate(np.where(hanging, 0, np.arange(len(kinds))))]
    return kinds


@cache
def _base_table() -> Kinds:
    kinds = kinds_of(np.arange(0x110000, dtype=np.uint32)).copy()
    thai = kinds[0x0E00:0x0E80]
    thai[thai == EXTEND] = COMPLEX
    return kinds


@cache
def _verdicts() -> npt.NDArray[np.uint8]:
    table = np.full((_KINDS, _KINDS), _OPEN, dtype=np.uint8)
    for kind in (PICTOGRAPH, REGIONAL, KATAKANA):
        table[kind, :] = table[:, kind] = _UNICODE
    for kind in (BLANK, LINE_END):
        table[kind, :] = table[:, kind] = _ALWAYS
    for kind in (LETTER, DIGIT, BLANK):
        table[kind, kind] = _NEVER
    return table.reshape(-1)
