"""What rules decide about a text before any model looks at it, and the places they leave open.

Rules: a run of blanks, a run of Latin letters, a run of digits and a repeated punctuation mark are never cut; blanks
and line ends are always cut off; emoji, flags and katakana follow Unicode; an address is one word; a mark never leaves
the character it hangs on. All else (between Thai letters, and where Thai, Latin, digits and punctuation meet) is open.

Nearly always the two letters on both sides of a place settle what holds there: one table of pairs. A text with pairs
that do not settle it (emoji, Lao, combining marks of other scripts, …) is judged by `close_look`.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import numpy.typing as npt

from phasa.language.segmenters.alphabet import ANY_OF_ITS_KIND, MIXED, SIZE, Letters, letters_of, samples
from phasa.language.segmenters.breaks import addresses, word_breaks
from phasa.language.segmenters.characters import (
    BLANK,
    COMPLEX,
    COMPLEX_MARK,
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
    code_points,
    kinds_of,
    may_cut,
)

NEVER, BEGINS, OPEN, _UNCLEAR = range(4)
_UNICODE = 3
_KINDS = 16
_STEP = 1 << 16

Verdicts = npt.NDArray[np.uint8]


def frame_of(text: str, codes: Codes, letters: Letters) -> Verdicts:
    """NEVER, BEGINS or OPEN for every character; the first one always begins a word."""
    if not len(codes):
        return np.zeros(0, dtype=np.uint8)
    verdicts = np.empty(len(codes), dtype=np.uint8)
    verdicts[0] = BEGINS
    pairs = _pair_table()
    for first in range(1, len(codes), _STEP):
        end = min(first + _STEP, len(codes))
        pair = letters[first - 1 : end - 1].astype(np.intp)
        pair *= SIZE
        pair += letters[first:end]
        pairs.take(pair, out=verdicts[first:end], mode="clip")
    if int(verdicts.max()) == _UNCLEAR:
        _look_again(codes, verdicts)
    return _with_addresses(text, verdicts)


def _look_again(codes: Codes, verdicts: Verdicts) -> None:
    """Settle the lines in which a pair of letters did not."""
    line = np.cumsum(codes == 0x0A, dtype=np.int32)  # a line end belongs to the line that it begins here
    unclear = np.zeros(int(line[-1]) + 1, dtype=np.bool_)
    unclear[line[verdicts == _UNCLEAR]] = True
    chosen = np.flatnonzero(unclear[line])
    verdicts[chosen] = close_look(codes[chosen])
    line_ends = chosen[codes[chosen] == 0x0A]  # what is before these is not what was before them in `chosen`
    verdicts[line_ends] = np.where(codes[line_ends - 1] == 0x0D, NEVER, BEGINS)
    verdicts[0] = BEGINS


def close_look(codes: Codes) -> Verdicts:
    """What `frame_of` says but for addresses, for any text: from the kinds of characters and the rules of Unicode."""
    kinds = _bases(codes)
    verdicts = np.full(len(codes), BEGINS, dtype=np.uint8)
    verdicts[1:] = _verdicts_by_kind().take(kinds[:-1].astype(np.intp) * _KINDS + kinds[1:])
    same = codes[1:] == codes[:-1]
    same &= kinds[1:] != COMPLEX
    same &= (kinds[1:] != PICTOGRAPH) & (kinds[1:] != LINE_END)
    verdicts[1:][same] = NEVER
    verdicts[1:][(codes[1:] == 0x0A) & (codes[:-1] == 0x0D)] = NEVER
    by_unicode = verdicts == _UNICODE
    if by_unicode.any():
        verdicts[by_unicode] = word_breaks(codes)[by_unicode]
    verdicts[~may_cut(codes)] = NEVER
    return verdicts


def _with_addresses(text: str, verdicts: Verdicts) -> Verdicts:
    for start, end in addresses(text):
        verdicts[start + 1 : end] = NEVER
        for edge in (start, end):  # but not where a mark hangs on the last sign of the address
            verdicts[edge : edge + 1][verdicts[edge : edge + 1] == OPEN] = BEGINS
    return verdicts


def _bases(codes: Codes) -> Kinds:
    """The kind of every character, with what hangs on a character taking that character's kind."""
    kinds = kinds_of(codes)
    kinds[kinds == COMPLEX_MARK] = COMPLEX
    hanging = (kinds == EXTEND) | (kinds == ZWJ)
    if hanging.any():
        hanging[0] = False
        kinds = kinds[np.maximum.accumulate(np.where(hanging, 0, np.arange(len(kinds))))]
    return kinds


@cache
def _pair_table() -> Verdicts:
    """The verdict of `close_look` for every pair of letters, _UNCLEAR where the letters do not settle it."""
    table = np.full((SIZE, SIZE), _UNCLEAR, dtype=np.uint8)
    signs = samples()
    known = np.flatnonzero(signs)
    # One text that holds every pair: x y, then a line end that keeps pairs apart.
    before, after = np.repeat(known, len(known)), np.tile(known, len(known))
    line_ends = np.full(len(before), 0x0A, dtype=np.uint32)
    pairs = np.stack([signs[before], signs[after], line_ends], axis=1)
    table[before, after] = close_look(pairs.reshape(-1))[1::3]
    for letter in letters_of(code_points(ANY_OF_ITS_KIND)).tolist():  # only equal characters stay together
        table[letter, letter] = _UNCLEAR
    for letter in MIXED:
        table[letter, :] = table[:, letter] = _UNCLEAR
    return table.reshape(-1)


@cache
def _verdicts_by_kind() -> Verdicts:
    table = np.full((_KINDS, _KINDS), OPEN, dtype=np.uint8)
    for kind in (PICTOGRAPH, REGIONAL, KATAKANA):
        table[kind, :] = table[:, kind] = _UNICODE
    for kind in (BLANK, LINE_END):
        table[kind, :] = table[:, kind] = BEGINS
    for kind in (LETTER, DIGIT, BLANK):
        table[kind, kind] = NEVER
    return table.reshape(-1)
