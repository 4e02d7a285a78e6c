"""Maximum matching: of all ways to cut a text with the words of a list, one with the fewest words.

An unknown cluster counts as many words, so that a way without unknown letters is taken first. Among equals the way is
taken that was reached first from the left, which prefers a long last word.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from phasa.language.segmenters.cuts import CutSegmenter, Starts
from phasa.language.segmenters.lattice import cheapest_starts
from phasa.language.segmenters.matches import Occurrences

_UNKNOWN = 20.0


class Maximal(CutSegmenter):
    """The fewest words over `words`."""

    def __init__(self, words: Iterable[str]) -> None:
        entries = sorted({word for word in words if word})
        self._words = Occurrences(entries)
        self._prices = np.ones(len(entries), dtype=np.float64)

    def piece_starts(self, text: str) -> Starts:
        return cheapest_starts(text, self._words, self._prices, _UNKNOWN)
