"""What a visit is worth for each aim, and how a budget is shared when rates are known (research/fresh.md, Model).

A page that changes with rate λ and may have changed since it was seen: with x = λτ changes expected since then it is
out of date with probability s = 1 − e^{−x}. A visit is worth (Azar et al. 2018, as a function of s, so that other
evidence than time may raise it)

    fresh       (w/λ)(s + (1 − s) ln(1 − s))    days up to date that a request more buys
    delay       w x² / 2λ                       days of waiting changes that it saves
    versions    w (s + (1 − s) ln(1 − s))       versions that it saves

and a request goes where it is worth the *price*, which follows the budget. For constant rates the rule is Cho and
Garcia-Molina's optimum: `rest` is its interval, `share_budget` its rates. Times are in seconds.
"""

from __future__ import annotations

import math
from typing import Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray
from xxhash import xxh3_64_intdigest

from phasa.errors import InputError

Floats = NDArray[np.float64]
Aim = Literal["fresh", "delay", "versions"]
AIMS: tuple[Aim, ...] = get_args(Aim)

SPREAD = 0.7
"""How unevenly pages are visited that are worth the same, as a power of e up and down: the more often visited ones tell
early of what happens in their folders, and pages that were visited together do not come due together for ever. Placed
between values tried on the first half of the time of the trace, split again (0, 0.3, 0.6, 1, 1.4, 2; best were 0.6 and
1, with much noise). No script repeats that choice; bench/fresh.py measures what came of it."""
_SURE = 1.0 - 1e-12
# x and 1 − e^{−x}(1 + x), which rises from 0 to 1: where it is small it is x²/2, without loss of digits.
_X = np.concatenate(([0.0], np.geomspace(1e-9, 60.0, 40_001)))
_GAIN = np.where(_X < 1e-4, _X * _X / 2, -np.expm1(-_X) - _X * np.exp(-_X))


def aim_of(name: str) -> Aim:
    """The aim of that name. Raises InputError."""
    for aim in AIMS:
        if aim == name:
            return aim
    raise InputError(f"aim {name!r}: choose {', '.join(AIMS[:-1])} or {AIMS[-1]}")


def worth(expected: Floats, rates: Floats, aim: Aim, weights: Floats | float = 1.0) -> Floats:
    """What a visit is worth now to pages with so many changes expected since they were seen, and these rates."""
    if aim == "delay":
        return np.asarray(weights * expected * expected / (2 * rates))
    stale = np.minimum(-np.expm1(-expected), _SURE)
    gain = np.where(expected < 1e-4, expected * expected / 2, stale + (1 - stale) * np.log1p(-stale))
    return np.asarray(weights * gain / rates if aim == "fresh" else weights * gain)


def rest(price: float, rates: Floats, aim: Aim, weights: Floats | float = 1.0) -> Floats:
    """Seconds after which a visit is worth the price; infinite where it never is."""
    with np.errstate(divide="ignore", invalid="ignore"):
        if aim == "delay":
            return np.asarray(np.where(rates > 0, np.sqrt(2 * price / (rates * weights)), np.inf))
        target = price * rates / weights if aim == "fresh" else np.broadcast_to(price / weights, rates.shape)
        known = (rates > 0) & (target < _GAIN[-1])
        return np.asarray(np.where(known, np.interp(target, _GAIN, _X) / rates, np.inf))


def uneven(name: str, spread: float = SPREAD) -> float:
    """How much a page weighs beside others that are worth the same. By its name, so it stays so."""
    return math.exp(spread * (2 * (xxh3_64_intdigest(name.encode()) / 2.0**64) - 1))


class Share(NamedTuple):
    """How a budget is shared: visits a second of each page, and the price that they have in common."""

    visits: Floats
    price: float


def share_budget(rates: Floats, budget: float, aim: Aim, weights: Floats | float = 1.0) -> Share:
    """The optimum for known rates under `budget` visits a second in all. Pages that never change get none."""
    low, high = 1e-18, 1e18
    for _ in range(70):  # the bounds are e^83 apart: to the last digit
        price = float(np.sqrt(low * high))
        with np.errstate(divide="ignore"):
            total = float((1 / rest(price, rates, aim, weights)).sum())
        low, high = (price, high) if total > budget else (low, price)
    with np.errstate(divide="ignore"):
        return Share(1 / rest(high, rates, aim, weights), high)


def up_to_date(rates: Floats, gaps: Floats) -> Floats:
    """The share of the time for which pages are up to date that are visited every so many seconds."""
    changes = rates * gaps
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.where(changes > 1e-9, -np.expm1(-changes) / changes, 1.0))
