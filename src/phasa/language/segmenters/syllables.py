"""Lao, Khmer and Myanmar without a dictionary: orthographic syllables, the smallest units their spelling shows.

All three write syllables whose first consonant can be told from the signs around it. A syllable is not always a word,
but it never cuts one in the wrong place inside a cluster, which is what indexing, counting and matching need. Text of
other scripts is cut by Unicode's rules.
"""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np

from phasa.language.segmenters.breaks import word_starts
from phasa.language.segmenters.characters import Codes, Kinds, Mask, code_points, may_cut
from phasa.language.segmenters.cuts import CutSegmenter, Starts

# Myanmar: a consonant or independent vowel begins a syllable unless it is killed (asat), stacked below (virama before
# it) or carries the stacking itself.
_MYANMAR = r"(?<!\u1039)[\u1000-\u102a\u103f\u1050-\u1055](?![\u103a\u1039])"
# Khmer: a consonant or independent vowel begins a cluster unless it stands under another (coeng before it). A bare
# consonant that closes a syllable (no sign of its own, before another cluster or the end) stays with the one before.
_KHMER = r"(?<!\u17d2)[\u1780-\u17b3](?=[\u17b4-\u17d1\u17dd]|\u17d2)|(?<![\u1780-\u17d3])[\u1780-\u17b3]"
# Lao: a leading vowel begins a syllable, and so does a consonant that carries a vowel or tone or is followed by one,
# unless a leading vowel stands before it. ຫ and ຣ ລ ວ clusters keep together.
_LAO_CONSONANT = r"[\u0e81-\u0eae\u0edc-\u0edf]"
_LAO = (
    rf"[\u0ec0-\u0ec4](?={_LAO_CONSONANT})"
    rf"|(?<![\u0ec0-\u0ec4])(?<![\u0ec0-\u0ec4]\u0eab){_LAO_CONSONANT}"
    r"(?=[\u0ebc\u0ea3\u0ea5\u0ea7\u0e99\u0ea1\u0e87\u0e8d]?[\u0eb0-\u0ebb\u0ec8-\u0ecd])"
    rf"|(?<![\u0e80-\u0eff]){_LAO_CONSONANT}"
)
_BEGIN = re.compile("|".join((_MYANMAR, _KHMER, _LAO)))


_OTHERS = re.compile("[\u0e80-\u0eff\u1000-\u109f\u1780-\u17ff]")
_THAI = 1
_SCRIPTS = ((0x0E01, 0x0E50, _THAI), (0x0E80, 0x0F00, 2), (0x1000, 0x10A0, 3), (0x1780, 0x1800, 4))


class Syllables(CutSegmenter):
    """Syllables of Lao, Khmer and Myanmar, whichever a line is in; Unicode words of everything else.

    `thai` gives the engine for lines with Thai in them, and is asked when there is one.
    """

    def __init__(self, thai: Callable[[], CutSegmenter] | None = None) -> None:
        self._thai = thai

    def piece_starts(self, text: str) -> Starts:
        codes = code_points(text)
        begins = own_syllables(text, word_starts(text, codes))
        in_thai = _scripts(codes) == _THAI
        if self._thai is not None and in_thai.any():
            by_thai = np.zeros(len(codes), dtype=np.bool_)
            by_thai[self._thai().piece_starts(text)] = True
            line = np.cumsum(codes == 0x0A) - (codes == 0x0A)  # a line end belongs to the line that it ends
            with_thai = np.bincount(line[in_thai], minlength=int(line[-1]) + 1) > 0
            begins = np.where(with_thai[line], by_thai, begins)
        return np.flatnonzero(begins)


def own_syllables(text: str, begins: Mask) -> Mask:
    """`begins`, but in Lao, Khmer and Myanmar and around them by their own rules: syllables, and words of Unicode where
    another script, a digit or a sign stands beside them."""
    if not _OTHERS.search(text):
        return begins
    codes = code_points(text)
    script = _scripts(codes)
    other = script > _THAI
    touching = other[1:] | other[:-1]
    mixed = begins.copy()
    mixed[1:][touching] = word_starts(text, codes)[1:][touching]
    mixed[1:] |= touching & (script[1:] != script[:-1]) & (script[1:] > 0) & (script[:-1] > 0)
    mixed[np.fromiter((match.start() for match in _BEGIN.finditer(text)), dtype=np.int64)] = True
    return mixed & may_cut(codes)


def _scripts(codes: Codes) -> Kinds:
    """The script of every character among those written without blanks; 0 for all others."""
    found = np.zeros(len(codes), dtype=np.uint8)
    for first, end, script in _SCRIPTS:
        found[(codes >= first) & (codes < end)] = script
    return found
