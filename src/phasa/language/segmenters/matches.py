"""All occurrences of a word list in a text, as arrays: one compiled pass, then numpy."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

import daachorse
import numpy as np
import numpy.typing as npt

from phasa.language.segmenters.characters import Codes, without_surrogates

Ints = npt.NDArray[np.int64]


class Occurrences:
    """Finds every occurrence, overlapping ones included, of `words` in a text. Words must differ and not be empty."""

    def __init__(self, words: Sequence[str]) -> None:
        self._automaton = daachorse.CharwiseDoubleArrayAhoCorasick(list(words)) if words else None

    def find(self, text: str, codes: Codes) -> tuple[Ints, Ints, Ints]:
        """(starts, ends, word numbers), by end."""
        if self._automaton is None:
            return _NONE, _NONE, _NONE
        found = self._automaton.find_overlapping(without_surrogates(text, codes))
        flat = np.fromiter(chain.from_iterable(found), dtype=np.int64, count=3 * len(found)).reshape(-1, 3)
        return flat[:, 0].copy(), flat[:, 1].copy(), flat[:, 2].copy()


_NONE: Ints = np.zeros(0, dtype=np.int64)
