"""Word boundaries by the rules of Unicode (UAX #29), as array operations over the whole text at once.

These are the words of languages that write blanks, and the frame in which the engines for Thai and its neighbours
work: a run of COMPLEX letters is left whole here. Three rules of our own: a web or mail address is one word, a run of
blanks is one word, and a run of one repeated punctuation mark (`......`) is one word.
"""

from __future__ import annotations

import re

import numpy as np

from phasa.language.segmenters.characters import (
    BLANK,
    COMPLEX,
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
_KINDS = 16


def word_breaks(text: str, codes: Codes) -> Mask:
    """Whether a word begins at each character, with runs of COMPLEX letters whole."""
    kinds = kinds_of(codes)
    if not len(kinds):
        return np.zeros(0, dtype=np.bool_)
    begins = _breaks(kinds, codes) & may_cut(codes)
    for start, end in addresses(text):
        begins[start + 1 : end] = False
    return begins


def addresses(text: str) -> list[tuple[int, int]]:
    """The (start, end) of every web and mail address in the text."""
    if "://" not in text and "www." not in text and "@" not in text:
        return []
    return [match.span() for match in _ADDRESS.finditer(text)]


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
    before, after = kinds[:-1], kinds[1:]
    begins[1:] = ~_JOINED.take(before.astype(np.int64) * _KINDS + after)
    same_mark = (before == after) & _REPEATED.take(after) & (codes[1:] == codes[:-1])
    begins[1:] &= ~same_mark
    begins[1:] &= ~((codes[:-1] == 0x0D) & (codes[1:] == 0x0A))
    for middles, side in (((MID_LETTER, MID_BOTH), LETTER), ((MID_NUMBER, MID_BOTH), DIGIT)):  # WB6, 7, 11, 12
        middle = np.flatnonzero(np.isin(kinds[1:-1], middles) & (kinds[:-2] == side) & (kinds[2:] == side)) + 1
        begins[middle] = False
        begins[middle + 1] = False
    flags = kinds == REGIONAL
    if flags.any():  # WB15, 16: flags are pairs
        index = np.arange(len(kinds))
        run_start = np.maximum.accumulate(np.where(flags, -1, index)) + 1
        begins[flags & ((index - run_start) % 2 == 1)] = False
    return begins


def _joined_pairs() -> Mask:
    joined = np.zeros((_KINDS, _KINDS), dtype=np.bool_)
    for before in (LETTER, DIGIT, CONNECTOR):
        for after in (LETTER, DIGIT, CONNECTOR):
            joined[before, after] = True
    for kind in (KATAKANA, COMPLEX, BLANK):
        joined[kind, kind] = True
    joined[KATAKANA, CONNECTOR] = joined[CONNECTOR, KATAKANA] = True
    return joined.reshape(-1)


_JOINED = _joined_pairs()
_REPEATED = np.isin(np.arange(_KINDS), (OTHER, MID_LETTER, MID_NUMBER, MID_BOTH))
