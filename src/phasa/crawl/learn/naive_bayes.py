"""Naive Bayes on numeric features, with the arithmetic of Weka's default classifier (§12.1 of the specification).

Every feature value is rounded to a multiple of the feature's precision δ, so its likelihood is a function of an
integer: each one is computed once and kept.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from phasa.crawl.strategy import Floats
from phasa.errors import InputError

FLOOR = 1e-75
_ONE_VALUE = 0.01
_LEAST_STEP = 1e-12  # keeps the arithmetic finite for values that differ by rounding noise only
_HALF_ROOT = math.sqrt(0.5)
_TABLE = 100_000


def normal_probability(z: float) -> float:
    """Φ(z), the way Weka computes it: no cancellation in the lower tail, exactly 1 far up."""
    x = z * _HALF_ROOT
    if abs(x) < _HALF_ROOT:
        return 0.5 + 0.5 * math.erf(x)
    tail = 0.5 * math.erfc(abs(x))
    return 1.0 - tail if x > 0 else tail


@dataclass(frozen=True)
class Normal:
    """The values of one feature within one class."""

    mean: float
    deviation: float
    precision: float

    def probability(self, steps: int) -> float:
        """P of the value `steps`·δ: the mass of the normal curve over one step around it."""
        value = steps * self.precision
        high = normal_probability((value - self.mean + self.precision / 2) / self.deviation)
        low = normal_probability((value - self.mean - self.precision / 2) / self.deviation)
        return max(FLOOR, high - low)


def precision_of(values: Floats) -> float:
    """δ: the mean gap between adjacent distinct values; 0.01 when there is only one."""
    distinct = np.unique(values)
    return max(_LEAST_STEP, float(np.diff(distinct).mean())) if len(distinct) > 1 else _ONE_VALUE


def _normal(values: Floats, precision: float) -> Normal:
    least = precision / 6
    if not len(values):
        return Normal(0.0, least, precision)
    rounded = np.rint(values / precision) * precision
    deviation = math.sqrt(abs(float((rounded * rounded).mean()) - float(rounded.mean()) ** 2))
    return Normal(float(rounded.mean()), max(least, deviation) if deviation > 1e-10 else least, precision)


class NaiveBayes:
    """A fitted model of two classes. `probability` is U(q) of Eq. 26 for every row it is given."""

    def __init__(self, rows: Floats, wanted: NDArray[np.bool_]) -> None:
        """Fit. Raises InputError when there are no rows or a value is not a number."""
        if rows.ndim != 2 or not len(rows) or len(rows) != len(wanted):
            raise InputError("naive Bayes: no rows to learn from, or not one class per row")
        if not np.isfinite(rows).all():
            raise InputError("naive Bayes: a feature value is not a finite number")
        count = len(rows)
        self.priors = np.array([((~wanted).sum() + 1) / (count + 2), (wanted.sum() + 1) / (count + 2)])
        self.precisions = [precision_of(rows[:, i]) for i in range(rows.shape[1])]
        self.normals = [
            tuple(_normal(rows[wanted == bool(kind), i], step) for kind in (0, 1))
            for i, step in enumerate(self.precisions)
        ]
        self._known: list[dict[int, float]] = [{} for _ in self.precisions]

    def probability(self, rows: Floats) -> Floats:
        """U of each row, 0..1."""
        return np.asarray(1.0 / (1.0 + np.exp(-np.clip(self.log_odds(rows), -700, 700))))

    def log_odds(self, rows: Floats) -> Floats:
        """ln(U / (1 − U)) of each row: it still tells apart what U rounds to 1."""
        log_odds = np.full(len(rows), math.log(self.priors[1]) - math.log(self.priors[0]))
        for i, step in enumerate(self.precisions):
            known = self._known[i]
            steps = np.rint(rows[:, i] / step).astype(np.int64).tolist()
            if len(known) > _TABLE:
                known.clear()
            for value in set(steps):
                if value not in known:
                    other, target = self.normals[i]
                    known[value] = math.log(target.probability(value)) - math.log(other.probability(value))
            log_odds += np.array([known[value] for value in steps])
        return log_odds
