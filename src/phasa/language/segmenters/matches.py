"""All occurrences of a word list in a text, as arrays."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from phasa.language.segmenters.characters import Codes
from phasa.language.segmenters.trie import Ints, Trie


class Occurrences:
    """Finds every occurrence, overlapping ones included, of `words` in a text. Words must differ and not be empty."""

    def __init__(self, words: Sequence[str]) -> None:
        self._trie = Trie(words)

    def find(self, codes: Codes) -> tuple[Ints, Ints, Ints]:
        """(starts, ends, word numbers), by end; of those that end together the longest first."""
        found = list(self._trie.find(codes))[::-1]
        starts = np.concatenate([np.zeros(0, dtype=np.int64), *(group.starts for group in found)])
        ends = np.concatenate([np.zeros(0, dtype=np.int64), *(group.starts + group.length for group in found)])
        words = np.concatenate([np.zeros(0, dtype=np.int64), *(group.words for group in found)])
        order = np.argsort(ends, kind="stable")
        return starts[order], ends[order], words[order]
