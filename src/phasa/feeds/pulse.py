"""How busy a feed is just now: bursts of minutes, busy days, slow drifts, learned as one self-exciting process.

Posts come in bursts on every scale. The rate at time u is taken as  shape(u) · A(u),  where the activity A is a mixture
of the long-run rate and of exponentially forgetting averages of the past with memories from 90 minutes to 90 days.
The shares of the mixture are fitted by maximum likelihood (EM) on the learning posts. A post counts 1/shape in the
averages, so a usual morning rush is no burst. The forecast of A after now solves the mean of the process, in which
expected posts excite further ones; it is a sum of exponentials.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from phasa.feeds.rhythm import DAY, HOUR, MONDAY, WEEK
from phasa.feeds.shape import WIDTH, Shape
from phasa.feeds.trace import Times

Floats = NDArray[np.float64]

MEMORIES = np.array([1.5 * HOUR, 8 * HOUR, 2 * DAY, 14 * DAY, 90 * DAY])
# A post in a dead hour counts at most so many posts.
HEAVIEST = 5.0
# Shares of the averages together; below 1 so that the process does not explode.
MOST_EXCITED = 0.97
# Steps in which the past is cut to fit: about half a gap between polls, since that is how far ahead is to be seen.
STEPS = (1800, 3600, 7200, 10800, 21600, 43200)
# With fewer posts nothing is fitted: a feed is believed to be as bursty as feeds commonly are.
FEWEST = 30
BEFORE_LEARNING = np.array([0.2, 0.1, 0.15, 0.25, 0.25])


@dataclass(frozen=True)
class Pulse:
    """A fitted process: posts per second in the long run, and the share of each memory."""

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


def fit_pulse(times: Times, shape: Shape, end: float, gap: float = 6 * HOUR) -> Pulse:
    """The process that makes the posts from the first one to `end` most likely; a common one when too few.

    `gap` is the usual time between polls: a burst that is over before the next poll is no reason to poll.
    """
    step = max(size for size in STEPS if size <= max(gap / 2.0, STEPS[0]))
    span = max(float(end - times[0]), float(step)) if len(times) else float(DAY)
    rate = len(times) / span
    if len(times) < FEWEST:
        return Pulse(rate if len(times) > 1 else 1.0 / DAY, BEFORE_LEARNING)
    steps = int(span // step) + 1
    place = ((times - times[0]) // step).astype(np.int64)
    posts = np.bincount(place, minlength=steps).astype(np.float64)[:steps]
    added = np.bincount(place, weights=weights(times, shape), minlength=steps)[:steps].astype(np.float64)
    middles = times[0] + (np.arange(steps) + 0.5) * step
    usual = shape.per_bin(step)[(((middles - MONDAY) % WEEK) // step).astype(np.int64)] * step
    features = np.empty((steps, len(MEMORIES) + 1))
    features[:, 0] = rate
    for k, memory in enumerate(MEMORIES):
        features[:, k + 1] = _forgetting(added, rate, float(np.exp(-step / memory)), step)
    features *= usual[:, None]
    active = np.flatnonzero(posts)
    seen, count, mass = features[active], posts[active], features.sum(axis=0)
    shares = np.full(len(MEMORIES) + 1, 1.0 / (len(MEMORIES) + 1))
    for _ in range(80):
        shares = shares * (seen.T @ (count / (seen @ shares))) / mass
    excited = shares[1:]
    if excited.sum() > MOST_EXCITED:
        excited = excited * (MOST_EXCITED / excited.sum())
    return Pulse(rate, excited)


def _forgetting(added: Floats, start: float, keep: float, step: int) -> list[float]:
    """The average before each step, when every step keeps `keep` of it and adds its own posts."""
    share = (1.0 - keep) / step
    value, values = start, []
    for posts in added.tolist():
        values.append(value)
        value = value * keep + posts * share
    return values
