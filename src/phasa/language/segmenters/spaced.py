"""The engine for languages that write blanks between words: Unicode word boundaries.

In Persian the half-space (U+200C) is inside a word: «می‌روم» is one word, as is «کتاب‌ها». A half-space hangs on the
letter before it (UAX #29, rule WB4), so that it never begins or is a word of its own.
"""

from __future__ import annotations

import numpy as np

from phasa.language.segmenters.breaks import word_starts
from phasa.language.segmenters.characters import code_points
from phasa.language.segmenters.cuts import CutSegmenter, Starts


class Spaced(CutSegmenter):
    """Words by the rules of UAX #29."""

    def piece_starts(self, text: str) -> Starts:
        return np.flatnonzero(word_starts(text, code_points(text)))
