"""Simple naive Bayes over nominal attributes, Laplace-smoothed (segment-focused-crawling §2.7).

P(c) = (N_c + 1)/(N + 2); P(a_k = v | c) = (N_ckv + 1)/(N_ck + V_k). An unseen or missing value gives no factor.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from phasa.crawl.learn.word_bayes import logistic
from phasa.errors import InputError

MISSING = "??"
Attributes = Sequence[str]


class NominalBayes:
    """A fitted model of two classes: per attribute a table value → log P(v|wanted) − log P(v|other)."""

    def __init__(self, prior: float, tables: list[dict[str, float]]) -> None:
        self.prior = prior
        self.tables = tables

    @classmethod
    def fit(cls, rows: Sequence[Attributes], wanted: Sequence[bool] | NDArray[np.bool_]) -> NominalBayes:
        """Learn from rows of attributes. Raises InputError when a class is missing or rows differ in length."""
        sizes = [sum(not kind for kind in wanted), sum(bool(kind) for kind in wanted)]
        if not all(sizes):
            raise InputError("link model: examples of both classes are needed")
        if len({len(row) for row in rows}) != 1:
            raise InputError("link model: rows of different length")
        tables = []
        for column in zip(*rows, strict=True):
            counts = (Counter[str](), Counter[str]())
            for value, kind in zip(column, wanted, strict=True):
                if value != MISSING:
                    counts[int(kind)][value] += 1
            values = counts[0].keys() | counts[1].keys()
            smooth = [math.log(side.total() + len(values)) if values else 0.0 for side in counts]
            tables.append(
                {
                    value: math.log(counts[1][value] + 1) - smooth[1] - math.log(counts[0][value] + 1) + smooth[0]
                    for value in sorted(values)
                }
            )
        return cls(math.log(sizes[1] + 1) - math.log(sizes[0] + 1), tables)

    def probability(self, row: Attributes) -> float:
        """P(wanted | attributes), 0..1. Raises ValueError when the row has another length than those learned from."""
        total = self.prior
        for table, value in zip(self.tables, row, strict=True):
            total += table.get(value, 0.0)
        return logistic(total)
