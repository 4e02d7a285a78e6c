"""Multinomial naive Bayes over word counts (segment-focused-crawling §2.7): topics of pages, words around links.

Scoring is a dictionary look-up per word: `odds` holds log P(w|wanted) − log P(w|other). Words that were not in the
training are passed over.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from phasa.errors import InputError

Counts = Mapping[str, int]
_FARTHEST = 700.0


class WordBayes:
    """A fitted model of two classes."""

    def __init__(self, prior: float, odds: dict[str, float]) -> None:
        self.prior = prior
        """log P(wanted) − log P(other)."""
        self.odds = odds

    @classmethod
    def fit(cls, texts: Sequence[Counts], wanted: Sequence[bool] | NDArray[np.bool_]) -> WordBayes:
        """Learn from word counts and classes. Raises InputError when a class is missing.

        P(w|c) = (1 + n_wc) / (|V| + Σ n_c), priors by Laplace.
        """
        found: tuple[Counter[str], Counter[str]] = (Counter(), Counter())
        sizes = [0, 0]
        for counts, kind in zip(texts, wanted, strict=True):
            sizes[int(kind)] += 1
            found[int(kind)].update(counts)
        if not all(sizes):
            raise InputError("word model: examples of both classes are needed")
        words = sorted(found[0].keys() | found[1].keys())
        numbers = [math.log(len(words) + total) if words else 0.0 for total in (c.total() for c in found)]
        odds = {
            word: math.log(1 + found[1][word]) - numbers[1] - math.log(1 + found[0][word]) + numbers[0]
            for word in words
        }
        return cls(math.log(sizes[1] + 1) - math.log(sizes[0] + 1), odds)

    def probability(self, counts: Counts) -> float:
        """P(wanted | words), 0..1."""
        odds, total = self.odds, self.prior
        for word, count in counts.items():
            weight = odds.get(word)
            if weight is not None:
                total += weight * count
        return logistic(total)

    def probability_of_words(self, words: Iterable[str]) -> float:
        """The same for words as they come, repeated ones repeatedly."""
        get = self.odds.get
        return logistic(self.prior + sum(get(word, 0.0) for word in words))


def logistic(value: float) -> float:
    """1 / (1 + e^−v), without overflow."""
    return 1.0 / (1.0 + math.exp(-max(-_FARTHEST, min(_FARTHEST, value))))
