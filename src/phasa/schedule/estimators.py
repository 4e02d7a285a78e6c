"""Estimators of change rates side by side, on pages whose rates are known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from phasa.schedule.rates import believed, cho, learn_prior, likeliest, naive
from phasa.schedule.value import Floats

DAY = 86_400.0
_MEAN_DAYS = 20.0  # between two changes of a page, in the mean of rates
_GAP_DAYS = 10.0  # between two visits, in the mean


@dataclass(frozen=True)
class EstimatorRow:
    """An estimator after so many visits: the median factor by which it misses the rate (1 = exact), and its mean error
    in changes a day."""

    visits: int
    estimator: str
    factor: float
    error: float


def compare_estimators(visits: Sequence[int], pages: int = 20_000, seed: int = 1) -> list[EstimatorRow]:
    """Pages with heavy-tailed rates (Gamma, shape 0.7), each visited so many times at uneven gaps. The prior of `phasa`
    is learned from what these visits found, as nothing else is known."""
    rng = np.random.default_rng(seed)
    true = rng.gamma(0.7, 1 / 0.7, pages) / (_MEAN_DAYS * DAY)
    rows = []
    for count in visits:
        owners = np.repeat(np.arange(pages), count)
        gaps = rng.gamma(2.0, _GAP_DAYS / 2 * DAY, pages * count)
        changed = np.asarray(rng.random(len(gaps)) < -np.expm1(-true[owners] * gaps))
        seen = gaps, changed, owners, pages
        made = {
            "naive": naive(*seen),
            "cho": cho(*seen),
            "likeliest": likeliest(*seen),
            "phasa": believed(*seen, learn_prior(gaps, changed)),
        }
        rows += [EstimatorRow(count, name, _factor(rates, true), _error(rates, true)) for name, rates in made.items()]
    return rows


def _factor(rates: Floats, true: Floats) -> float:
    return float(np.exp(np.median(np.abs(np.log(np.maximum(rates, 1e-12) / np.maximum(true, 1e-12))))))


def _error(rates: Floats, true: Floats) -> float:
    """At most one change a day is told apart: whatever is above counts as that."""
    return float(np.abs(np.minimum(rates, 1 / DAY) - true).mean() * DAY)
