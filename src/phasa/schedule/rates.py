"""How often pages change, from visits that only say whether they had changed (research/fresh.md, Rates).

Visits of many pages stand in flat arrays: `gaps` seconds since the visit before, `changed`, and `owners`, the number of
the page. A prior is a Gamma distribution of the rate: `changes` seen in `seconds`, before the first visit.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from phasa.schedule.value import Floats

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

_STEPS = 60
_SLOWEST, _FASTEST = 1e-13, 10.0  # changes a second between which a rate is looked for
_SHAPES = np.geomspace(0.1, 20.0, 24)
_GRID = np.geomspace(1e-4, 1e3, 141)  # rates that are weighed, in terms of the mean one
_ENOUGH = 20_000


class Prior(NamedTuple):
    """What is believed of the rate of a page before it was visited again."""

    changes: float
    seconds: float

    @property
    def rate(self) -> float:
        return self.changes / self.seconds


def naive(gaps: Floats, changed: Bools, owners: Ints, pages: int) -> Floats:
    """Visits that found a change, by time: too low where several changes fall into a gap; 0 where none was seen."""
    seconds = np.bincount(owners, gaps, pages)
    return np.asarray(np.bincount(owners, changed, pages) / np.maximum(seconds, 1e-9))


def cho(gaps: Floats, changed: Bools, owners: Ints, pages: int) -> Floats:
    """Cho and Garcia-Molina's estimator for even gaps: −ln((n − X + ½) / (n + ½)) by the mean gap."""
    visits = np.bincount(owners, minlength=pages).astype(np.float64)
    mean = np.bincount(owners, gaps, pages) / np.maximum(visits, 1)
    found = np.bincount(owners, changed, pages)
    return np.asarray(-np.log((visits - found + 0.5) / (visits + 0.5)) / np.maximum(mean, 1e-9))


def likeliest(
    gaps: Floats, changed: Bools, owners: Ints, pages: int, changes: Floats | float = 0.0, seconds: Floats | float = 0.0
) -> Floats:
    """The likeliest rate of each page, its logarithm taken as what is estimated: the root of

        Σ_{changed} τ/(e^{λτ} − 1) − Σ_{unchanged} τ + a/λ − b

    with the prior (a changes in b seconds). Without one, a page that never changed has the lowest rate that is looked
    for, and one that always had the highest."""
    low, high = np.full(pages, np.log(_SLOWEST)), np.full(pages, np.log(_FASTEST))
    quiet = np.bincount(owners, np.where(changed, 0.0, gaps), pages)
    long, whose = gaps[changed], owners[changed]
    for _ in range(_STEPS):
        middle = (low + high) / 2
        rate = np.exp(middle)
        found = long / np.expm1(np.minimum(rate[whose] * long, 700.0))
        score = np.bincount(whose, found, pages) - quiet + changes / rate - seconds
        low, high = np.where(score > 0, middle, low), np.where(score > 0, high, middle)
    return np.asarray(np.exp((low + high) / 2))


def believed(gaps: Floats, changed: Bools, owners: Ints, pages: int, prior: Prior) -> Floats:
    """The mean rate of each page, given what its visits found and the prior; a page without visits has the prior's."""
    rates = prior.rate * _GRID
    quiet = np.bincount(owners, np.where(changed, 0.0, gaps), pages)
    fits = [prior.changes * np.log(rate) - (prior.seconds + quiet) * rate for rate in rates]
    long, whose = gaps[changed], owners[changed]
    for place, rate in enumerate(rates):
        fits[place] = fits[place] + np.bincount(whose, np.log(-np.expm1(-rate * long)), pages)
    weights = np.exp(np.asarray(fits) - np.max(fits, axis=0))
    return np.asarray((weights * rates[:, None]).sum(axis=0) / weights.sum(axis=0))


def learn_prior(gaps: Floats, changed: Bools) -> Prior:
    """The Gamma prior under which the visits of many pages are likeliest to have found what they found (empirical
    Bayes): a page of such a rate is unchanged after τ seconds with probability (b / (b + τ))^a. Found on a grid."""
    mean = max(float(changed.sum()), 0.5) / max(float(gaps.sum()), 1e-9)
    if len(gaps) > _ENOUGH:  # as good, and soon done
        some = np.linspace(0, len(gaps) - 1, _ENOUGH).astype(np.int64)
        gaps, changed = gaps[some], changed[some]
    best, found = -np.inf, Prior(1.0, 1 / mean)
    for rate in mean * np.geomspace(0.5, 8.0, 25):
        for shape in _SHAPES:
            unchanged = -shape * np.log1p(gaps * rate / shape)
            fit = np.where(changed, np.log(np.maximum(-np.expm1(unchanged), 1e-300)), unchanged)
            if (likelihood := float(fit.sum())) > best:
                best, found = likelihood, Prior(float(shape), float(shape / rate))
    return found
