"""Lao, Khmer and Myanmar without a dictionary: orthographic syllables, the smallest units their spelling shows.

All three write syllables whose first consonant can be told from the signs around it. A syllable is not always a word,
but it never cuts one in the wrong place inside a cluster, which is what indexing, counting and matching need. Text of
other scripts is cut by Unicode's rules.
"""

from __future__ import annotations

import re

import numpy as np

from phasa.language.segmenters.breaks import word_starts
from phasa.language.segmenters.characters import code_points, may_cut
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


class Syllables(CutSegmenter):
    """Syllables of Lao, Khmer and Myanmar; Unicode words of everything else."""

    def piece_starts(self, text: str) -> Starts:
        codes = code_points(text)
        begins = word_starts(text, codes)
        syllables = np.fromiter((match.start() for match in _BEGIN.finditer(text)), dtype=np.int64)
        begins[syllables] = True
        return np.flatnonzero(begins & may_cut(codes))
