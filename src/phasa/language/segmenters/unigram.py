"""The most probable way to cut a text when words are drawn one by one, each with its own frequency."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from phasa.errors import InputError
from phasa.language.segmenters.cuts import CutSegmenter, Starts
from phasa.language.segmenters.lattice import cheapest_starts
from phasa.language.segmenters.matches import Occurrences


class Unigram(CutSegmenter):
    """The most probable path over words with counts. Raises InputError when no word has a count."""

    def __init__(self, counts: Mapping[str, int]) -> None:
        words = sorted(word for word, count in counts.items() if word and count > 0)
        if not words:
            raise InputError(
                "engine unigram: the lexicon has no counts; build it from a corpus with `phasa lexicon build`"
            )
        frequency = np.array([counts[word] for word in words], dtype=np.float64)
        self._words = Occurrences(words)
        self._prices = np.log(frequency.sum()) - np.log(frequency)
        # A letter of an unknown word is rarer than the rarest word: one more than its price.
        self._unknown = float(self._prices.max()) + 1.0

    def piece_starts(self, text: str) -> Starts:
        return cheapest_starts(text, self._words, self._prices, self._unknown)
