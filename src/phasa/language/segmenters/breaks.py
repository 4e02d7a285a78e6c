"""Word boundaries by the rules of Unicode (UAX #29), as array operations over the whole text at once.

These are the words of languages that write blanks, and the frame in which the engines for Thai and its neighbours
work: a run of COMPLEX letters is left whole here. Three rules of our own: a web or mail address is one word, a run of
blanks is one word, and a run of one repeated punctuation mark (`......`) is one word.
"""

from __future__ import annotations

import re

import numpy as np
import numpy.typing as npt

from phasa.language.segmenters.characters import (
    BLANK,
    COMPLEX,
    COMPLEX_MARK,
    CONNECTOR,
    DIGIT,
    EXTEND,
    KATAKANA,
    LETTER,
    LINE_END,
    MID_BOTH,
    MID_LETTER,
    MID_NUMBER,
    OTHER,
    PICTOGRAPH,
    REGIONAL,
    ZWJ,
    Codes,
    Kinds,
    Mask,
    kinds_of,
    may_cut,
)

# Printable ASCII only: Thai text often follows an address without a blank. Bounds keep the search linear.
_ADDRESS = re.compile(
    r"(?:[A-Za-z][A-Za-z0-9+.-]{1,15}://|www\.)[!-~]*[A-Za-z0-9/=_~#&%$-]"
    r"|[A-Za-z0-9][A-Za-z0-9._%+-]{0,63}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){1,8}"
)
_SIGNS = ("://", "www.", "@")
_PRINTABLE = re.compile("[!-~]*")
_KINDS = 16


def word_starts(text: str, codes: Codes) -> Mask:
    """Whether a word begins at each character, with runs of COMPLEX letters and addresses whole."""
    begins = word_breaks(codes)
    for start, end in addresses(text):
        begins[start + 1 : end] = False
    return begins


def word_breaks(codes: Codes) -> Mask:
    """Whether a word begins at each character, with runs of COMPLEX letters whole, addresses not."""
    if not len(codes):
        return np.zeros(0, dtype=np.bool_)
    return _breaks(kinds_of(codes), codes) & may_cut(codes)


def addresses(text: str) -> list[tuple[int, int]]:
    """The (start, end) of every web and mail address in the text."""
    found: list[tuple[int, int]] = []
    end = 0
    for sign in _signs(text):
        if sign < end:
            continue
        start = sign
        while start > end and "!" <= text[start - 1] <= "~":
            start -= 1
        end = _PRINTABLE.match(text, sign).end()  # type: ignore[union-attr]  # it matches everywhere
        found += (match.span() for match in _ADDRESS.finditer(text, start, end))
    return found


def _signs(text: str) -> list[int]:
    """Where the signs of an address are; the search for addresses goes no further than their surroundings."""
    return sorted(match.start() for sign in _SIGNS if sign in text for match in re.finditer(re.escape(sign), text))


def _breaks(kinds: Kinds, codes: Codes) -> Mask:
    hanging = (kinds == EXTEND) | (kinds == ZWJ)
    if hanging.any():
        # WB4: what hangs on a character takes part as that character; rules look at bases only.
        bases = np.flatnonzero(~hanging)
        begins = np.zeros(len(kinds), dtype=np.bool_)
        begins[bases] = _breaks_between(kinds[bases], codes[bases])
        after_joiner = np.flatnonzero((kinds[1:] == PICTOGRAPH) & (kinds[:-1] == ZWJ)) + 1
        begins[after_joiner] = False  # WB3c
        orphans = np.flatnonzero((kinds[:-1] == LINE_END) & hanging[1:]) + 1
        begins[orphans] = True
        begins[0] = True
        return begins
    return _breaks_between(kinds, codes)


def _breaks_between(kinds: Kinds, codes: Codes) -> Mask:
    begins = np.ones(len(kinds), dtype=np.bool_)
    if len(kinds) < 2:
        return begins
    pairs = kinds[:-1].astype(np.intp)
    pairs *= _KINDS
    pairs += kinds[1:]
    rules = _RULES.take(pairs)
    np.greater_equal(rules, _APART, out=begins[1:])
    repeated = np.flatnonzero(rules == _APART_UNLESS_SAME) + 1
    begins[repeated] = codes[repeated] != codes[repeated - 1]
    middle = np.flatnonzero(rules[:-1] == _BEFORE_MIDDLE) + 1  # WB6, 7, 11, 12
    middle = middle[kinds[middle + 1] == kinds[middle - 1]]
    begins[middle] = False
    begins[middle + 1] = False
    line_ends = np.flatnonzero(rules == _LINE_ENDS) + 1
    begins[line_ends[(codes[line_ends - 1] == 0x0D) & (codes[line_ends] == 0x0A)]] = False
    flags = kinds == REGIONAL
    if flags.any():  # WB15, 16: flags are pairs
        index = np.arange(len(kinds))
        run_start = np.maximum.accumulate(np.where(flags, -1, index)) + 1
        begins[flags & ((index - run_start) % 2 == 1)] = False
    return begins


def _rules() -> npt.NDArray[np.uint8]:
    """What holds between two kinds, for each pair of them."""
    rules = np.full((_KINDS, _KINDS), _APART, dtype=np.uint8)
    for alike in ((LETTER, DIGIT, CONNECTOR), (COMPLEX, COMPLEX_MARK), (KATAKANA,), (BLANK,)):
        rules[np.ix_(alike, alike)] = _JOINED
    rules[KATAKANA, CONNECTOR] = rules[CONNECTOR, KATAKANA] = _JOINED
    rules[LETTER, (MID_LETTER, MID_BOTH)] = rules[DIGIT, (MID_NUMBER, MID_BOTH)] = _BEFORE_MIDDLE
    rules[LINE_END, LINE_END] = _LINE_ENDS
    for kind in (OTHER, MID_LETTER, MID_NUMBER, MID_BOTH):
        rules[kind, kind] = _APART_UNLESS_SAME
    return rules.reshape(-1)


_JOINED, _APART, _APART_UNLESS_SAME, _BEFORE_MIDDLE, _LINE_ENDS = range(5)
_RULES = _rules()
