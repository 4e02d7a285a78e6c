"""How busy a feed is just now: bursts of minutes, busy days, slow drifts, as one self-exciting process.

Posts come in bursts on every scale. The rate at time u is taken as  shape(u) · A(u),  where the activity A is a mixture
of the long-run rate and of exponentially forgetting averages of the past with memories from 90 minutes to 90 days. A
post counts 1/shape in the averages, so a usual morning rush is no burst. The forecast of A after now solves the mean of
the process, in which expected posts excite further ones; it is a sum of exponentials.

The shares of the mixture are the same for every feed. Fitted to each feed by likelihood they predict its past better
and its future worse: polling by the common ones waits 3 % less on posts not seen (`bench/feeds_tune.py`).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp

import numpy as np
from numpy.typing import NDArray

from phasa.feeds.rhythm import DAY, HOUR, MONDAY, WEEK
from phasa.feeds.shape import WIDTH, Shape
from phasa.feeds.trace import Times

Floats = NDArray[np.float64]

MEMORIES = np.array([1.5 * HOUR, 8 * HOUR, 2 * DAY, 14 * DAY, 90 * DAY])
YEAR = 365 * DAY
# A post in a dead hour counts at most so many posts.
HEAVIEST = 5.0
# Shares of the averages; together below 1, so that the process does not explode.
SHARES = np.array([0.20, 0.10, 0.15, 0.25, 0.28])


@dataclass(frozen=True)
class Pulse:
    """The process of one feed: posts per second in the long run, and the share of each memory."""

    rate: float
    shares: Floats

    def forecast_terms(self) -> tuple[Floats, Floats, Floats]:
        """Decay per second, weights in and weights out of the terms of the forecast.

        A(now + x) = rate + Σ_l out_l · (in_l · (E - rate)) · e^(-decay_l x).
        """
        matrix = (np.ones((len(MEMORIES), 1)) * self.shares[None, :] - np.eye(len(MEMORIES))) / MEMORIES[:, None]
        values, vectors = np.linalg.eig(matrix)
        return -values.real, np.linalg.inv(vectors).real, (self.shares @ vectors).real


def weights(times: Times, shape: Shape) -> Floats:
    """What each post adds to the averages: 1/shape at its time, within reason."""
    at = shape.rates[((times - MONDAY) % WEEK) // WIDTH]
    return np.minimum(1.0 / np.maximum(at, 1e-9), HEAVIEST)


def averages(times: Times, shape: Shape, now: float, rate: float) -> Floats:
    """E_k(now): the forgetting averages of posts up to now, in posts per second, from `rate` at the first post on."""
    if len(times) == 0:
        return np.full(len(MEMORIES), rate)
    ages = (now - times)[:, None] / MEMORIES
    start = rate * np.exp(-(now - times[0]) / MEMORIES)
    total: Floats = start + (weights(times, shape)[:, None] * np.exp(-ages)).sum(axis=0) / MEMORIES
    return total


def pulse_of(times: Times, end: float, shares: Floats = SHARES) -> Pulse:
    """The process of a feed with these posts from the first one to `end`; one post a day before anything is known."""
    if len(times) < 2:
        return Pulse(1.0 / DAY, shares)
    return Pulse(len(times) / max(float(end - times[0]), float(HOUR)), shares)


def rate_of_year(times: Times, now: float, otherwise: float) -> float:
    """Posts per second, older ones counting less by a memory of a year; `otherwise` before there are two.

    The feeds that once were busy and are not any more: their rate over all the years is that of a feed that is gone.
    """
    if len(times) < 2:
        return otherwise
    span = max(float(now - times[0]), float(HOUR))
    begun = exp(-span / YEAR)
    return (float(np.exp((times - now) / YEAR).sum()) + begun) / (YEAR * (1.0 - begun))


def unsteadiness(times: Times, end: float) -> float:
    """How unlike a feed's weeks are: the squared variation of its weekly rate beyond chance; 0 for a steady feed."""
    if len(times) < 2:
        return 0.0
    weeks = np.bincount((np.maximum(end - 1 - times, 0) // WEEK).astype(np.int64))
    # The first week is not whole.
    weeks = weeks[:-1] if len(weeks) > 4 else weeks
    mean = float(weeks.mean())
    return max(0.0, float(weeks.var()) - mean) / max(mean, 1e-9) ** 2
