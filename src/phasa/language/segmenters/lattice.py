"""Engines that weigh all the words a text could be cut into, and take the cheapest way through them.

Every occurrence of a word of the list is an edge; every character with the marks that hang on it is an edge too, at a
price, so that unknown stretches have a way through. One pass over the edges in the order of their ends finds the best
path (dynamic programming). The engines differ in what a word costs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from phasa.errors import InputError
from phasa.language.segmenters.breaks import word_starts
from phasa.language.segmenters.characters import COMPLEX, Codes, Mask, code_points, kinds_of, may_cut
from phasa.language.segmenters.cuts import CutSegmenter, Starts
from phasa.language.segmenters.trie import Ints, Trie

Prices = npt.NDArray[np.float64]

_UNKNOWN = 20.0  # what an unknown cluster costs when every word costs 1


class Maximal(CutSegmenter):
    """Maximum matching: of all ways to cut a text with these words, one with the fewest words.

    An unknown cluster counts as many words, so that a way without unknown letters is taken first. Among equals the way
    is taken that was reached first from the left, which prefers a long last word.
    """

    def __init__(self, words: Iterable[str]) -> None:
        entries = sorted({word for word in words if word})
        self._words = Occurrences(entries)
        self._prices = np.ones(len(entries), dtype=np.float64)

    def piece_starts(self, text: str) -> Starts:
        return _cheapest_starts(text, self._words, self._prices, _UNKNOWN)


class Unigram(CutSegmenter):
    """The most probable way to cut a text when words are drawn one by one, each with its own frequency.

    Raises InputError when no word has a count.
    """

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
        return _cheapest_starts(text, self._words, self._prices, self._unknown)


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


def _cheapest_starts(text: str, words: Occurrences, prices: Prices, unknown: float) -> Starts:
    """Where words begin on the cheapest path.

    `prices` has the price of each word of the list; a cluster of letters that is no word costs `unknown`. Unknown
    clusters that follow each other are one word in the result. Text of other scripts is cut by Unicode's rules.
    """
    codes = code_points(text)
    begins = word_starts(text, codes)
    allowed = np.append(may_cut(codes), True)
    starts, ends, numbers = words.find(codes)
    whole = allowed[starts] & allowed[ends]
    starts, ends, cost = starts[whole], ends[whole], prices[numbers[whole]]
    complex_start = (kinds_of(codes) == COMPLEX) & allowed[:-1]
    edges = np.flatnonzero(allowed & np.append(complex_start | begins, True))
    cluster_start, cluster_end = edges[:-1], edges[1:]
    cluster_cost = np.where(complex_start[cluster_start], unknown, 1e-6)
    all_ends = np.concatenate([ends, cluster_end])
    order = np.argsort(all_ends, kind="stable")
    back = _best_path(
        len(codes),
        np.concatenate([starts, cluster_start])[order].tolist(),
        all_ends[order].tolist(),
        np.concatenate([cost, cluster_cost])[order].tolist(),
    )
    path = [len(codes)]
    while path[-1]:
        path.append(back[path[-1]])
    cuts = np.array(path[:0:-1], dtype=np.int64)
    return cuts[~_joins_unknown(cuts, complex_start, _known_starts(starts, ends, cuts, len(codes)))]


def _best_path(size: int, starts: list[int], ends: list[int], costs: list[float]) -> list[int]:
    infinity = float("inf")
    best = [infinity] * (size + 1)
    back = [0] * (size + 1)
    best[0] = 0.0
    for start, end, cost in zip(starts, ends, costs, strict=True):
        total = best[start] + cost
        if total < best[end]:
            best[end] = total
            back[end] = start
    return back


def _known_starts(starts: Starts, ends: Starts, cuts: Starts, size: int) -> Mask:
    """For each word of the path, whether it is a word of the list."""
    path_words = cuts * (size + 1) + np.append(cuts[1:], size)
    return np.isin(path_words, starts * (size + 1) + ends)


def _joins_unknown(cuts: Starts, complex_start: Mask, known: Mask) -> Mask:
    unknown = complex_start[cuts] & ~known
    joins = np.zeros(len(cuts), dtype=np.bool_)
    joins[1:] = unknown[1:] & unknown[:-1]
    return joins
