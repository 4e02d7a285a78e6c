"""The posts to expect from a feed, given all that its polls have found so far.

Posts come in bursts on every scale: minutes, busy days, slow drifts. The rate at time u is taken as shape(u) · A(u).
The weekly shape is learned (`shape`). The activity A is a self-exciting process: a mixture of the long-run rate and of
exponentially forgetting averages of the past, with memories from 90 minutes to 90 days. A post counts 1/shape in the
averages, so the usual morning rush is not a burst. The forecast of A solves the mean of the process, in which expected
posts excite further ones; it is a sum of exponentials.

The shares of the mixture are the same for every feed. Fitted to each feed by likelihood they predict its past better
and its future worse: polling by the common ones waits 3 % less on posts not seen (`bench/feeds_tune.py`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from math import exp

import numpy as np
from numpy.typing import NDArray

from phasa.feeds.rhythm import DAY, HOUR, MONDAY, WEEK, LearnedHours, Outdated
from phasa.feeds.shape import BINS, WIDTH, Habit, Shape, bins_between, learn_shape
from phasa.feeds.trace import Times

Floats = NDArray[np.float64]

MEMORIES = np.array([1.5 * HOUR, 8 * HOUR, 2 * DAY, 14 * DAY, 90 * DAY])
YEAR = 365 * DAY
# A post in a dead hour counts at most so many posts.
HEAVIEST = 5.0
# Shares of the averages; together below 1, so that the process does not explode.
SHARES = np.array([0.20, 0.10, 0.15, 0.25, 0.28])
# The shape is learned again after so long when so much more is known, in posts and as a share of those learned from. On
# a common budget also when the hours have changed (on training halves 0.9 % less delay on commits, 0.1 % on news).
RELEARN = 28 * DAY
MORE_POSTS, MORE_SHARE = 20, 0.05
# The learned shape is doubted when the last months had less than a third of the posts of the year it was learned from.
DOUBTED_BELOW, DOUBT_STEP = 1 / 3, 0.05
# Posts that are remembered.
KEPT = 20000
# Tables of the forecast's decay, and shapes added up, that are kept for use again, of all feeds together: a daemon has
# thousands of them.
MOST_FADING, MOST_ADDED_UP = 64, 64

Learner = Callable[[Times], Shape]


@dataclass(frozen=True)
class Pulse:
    """The process of one feed: posts per second in the long run, and the share of each memory."""

    rate: float
    shares: Floats


def forecast_terms(shares: Floats) -> tuple[Floats, Floats, Floats]:
    """Decay per second, weights in and weights out of the terms of the forecast.

    A(now + x) = rate + Σ_l out_l · (in_l · (E - rate)) · e^(-decay_l x).
    """
    matrix = (np.ones((len(MEMORIES), 1)) * shares[None, :] - np.eye(len(MEMORIES))) / MEMORIES[:, None]
    values, vectors = np.linalg.eig(matrix)
    return -values.real, np.linalg.inv(vectors).real, (shares @ vectors).real


@lru_cache(MOST_FADING)
def fading(shares: tuple[float, ...], width: int) -> Floats:
    """How much of each average is left in the middle of each step of `width` bins of the next two weeks. The same for
    all feeds, whose shares are common."""
    decay, inward, outward = forecast_terms(np.array(shares))
    middles = (np.arange(2 * BINS // width) + 0.5) * (width * WIDTH)
    left: Floats = np.exp(-np.outer(middles, decay)) * outward @ inward
    return left


@lru_cache(MOST_ADDED_UP)
def added_up(shape: Shape) -> Floats:
    """Posts to be expected per unit of activity up to each bin of three weeks, so that any window is one subtraction.

    It is three times as large as the shape, and one poll asks for it many times: kept for the last feeds polled."""
    return np.concatenate(([0.0], np.cumsum(np.tile(shape.rates * WIDTH, 3))))


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


def pulse_of(times: Times, end: float, shares: Floats = SHARES, shape: Shape | None = None) -> Pulse:
    """The process of a feed with these posts from the first one to `end`; one post a day before anything is known.

    With a shape, less than a week counts as much as it is of a usual one: twenty posts on a Sunday are more in a week.
    """
    if len(times) < 2:
        return Pulse(1.0 / DAY, shares)
    span = max(float(end - times[0]), float(HOUR))
    if shape is not None and span < WEEK:
        span *= float(shape.rates[bins_between(int(times[0]), int(end))].mean())
    return Pulse(len(times) / max(span, float(HOUR)), shares)


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


@dataclass
class Forecast:
    """What is known of one feed at its last poll, and what to expect from then on.

    `known`: the posts found so far, ascending. `alone`: the feed has polls of its own, so that its shape is doubted
    when it hardly posts any more.
    """

    shape: Shape
    pulse: Pulse
    last: int
    known: Times
    learner: Learner = learn_shape
    averages: list[float] = field(default_factory=list)
    unsteady: float = 0.0
    alone: bool = False

    def __post_init__(self) -> None:
        self._judged = len(self.known)
        self._memories = MEMORIES.tolist()
        self._calendar = self.last // RELEARN
        self._habit = Habit(self.shape, self.pulse.rate, self.alone)
        self._set_pulse(self.pulse)
        self._when_learned = self._last_year
        self._hours = LearnedHours.at(self.last, self.known)

    @classmethod
    def learn(cls, times: Times, now: int, learner: Learner = learn_shape, alone: bool = False) -> Forecast:
        """The forecast from all posts before `now`. `learner` may remember shapes of the same posts."""
        shape = learner(times)
        pulse = pulse_of(times, now, shape=shape)
        forecast = cls(shape, pulse, now - now % WIDTH, times[-KEPT:], learner, alone=alone)
        forecast.unsteady = unsteadiness(times, now)
        return forecast

    def _set_pulse(self, pulse: Pulse) -> None:
        self.pulse = pulse
        self._last_year = rate_of_year(self.known, self.last, pulse.rate)
        self.averages = averages(self.known, self.shape, self.last, pulse.rate).tolist()
        self._shares: tuple[float, ...] = tuple(pulse.shares.tolist())

    def activity(self) -> float:
        """Posts per second to be expected just now, were the shape flat."""
        rate = self.pulse.rate
        above: float = sum(share * (average - rate) for share, average in zip(self._shares, self.averages, strict=True))
        return rate + above

    def usual_activity(self) -> float:
        """Posts per second that the usual gap is meant for: the last year and the last months, half each.

        Were it the last days, a busy week would be thought usual and get no more polls than a quiet one.
        """
        return max(0.5 * (self.averages[-1] + self._last_year), 1e-9)

    @property
    def doubt(self) -> float:
        """How little the feed is what it was when its shape was learned, 0 to 1; 0 for feeds on a common budget."""
        return self._habit.doubt

    def observe(self, now: int, posts: Times) -> None:
        """A poll at `now` found these posts, ascending. Moments count in whole bins of the shape."""
        now = max(now - now % WIDTH, self.last)
        gap = now - self.last
        kept = [average * exp(-gap / memory) for average, memory in zip(self.averages, self._memories, strict=True)]
        if len(posts):
            added = weights(posts, self.shape)[:, None] * np.exp(-(now - posts)[:, None] / MEMORIES)
            kept = [k + a for k, a in zip(kept, (added.sum(axis=0) / MEMORIES).tolist(), strict=True)]
            late = len(self.known) > 0 and bool(posts[0] < self.known[-1])
            self.known = np.concatenate((self.known, posts))
            if late:
                self.known.sort()
            self.shape = self._habit.see(posts)
        self.averages, self.last = kept, now
        if self.alone:
            self._doubt()
        elif why := self._hours.outdated(now, self.known):
            self._hours = LearnedHours.at(now, self.known)
            if why is Outdated.DRIFT:
                self.relearn(now)
        if now // RELEARN > self._calendar:
            self._calendar = now // RELEARN
            self._last_year = rate_of_year(self.known, now, self.pulse.rate)
            more = len(self.known) - self._judged
            if more >= max(MORE_POSTS, MORE_SHARE * self._judged):
                self.relearn(self._calendar * RELEARN)
        elif len(self.known) < 4 * MORE_POSTS and len(self.known) >= max(MORE_POSTS, 2 * self._judged):
            # A feed that has just joined is judged again when it has shown twice as much.
            self.relearn(now)
            self._set_pulse(pulse_of(self.known, now, shape=self.shape))

    def _doubt(self) -> None:
        doubt = max(0.0, 1.0 - self.averages[-1] / (DOUBTED_BELOW * self._when_learned))
        if abs(doubt - self._habit.doubt) > DOUBT_STEP:
            self._habit.doubt = doubt
            self.shape = self._habit.believed()

    def relearn(self, now: int) -> None:
        """Learn the shape again from what was posted before `now`."""
        self.known = self.known[-KEPT:]
        self._judged = len(self.known)
        learned = self.learner(self.known[: int(np.searchsorted(self.known, now))])
        self._habit = Habit(learned, self.pulse.rate, self.alone, self._habit)
        self._when_learned = rate_of_year(self.known, now, self.pulse.rate)
        self.shape = self._habit.believed()

    def expect(self, until: int) -> tuple[float, float]:
        """Posts to be expected from the last poll to `until`, and the seconds that they wait for a poll then."""
        steps = max(1, (until - self.last) // WIDTH)
        if steps > 2 * BINS:
            return 0.0, 0.0
        expected = np.array(self.expected_posts(1, steps))
        waits = (until - self.last) - (np.arange(steps) + 0.5) * WIDTH
        return float(expected.sum()), float(expected @ waits)

    def expected_posts(self, width: int, steps: int) -> list[float]:
        """Posts to be expected in each of the next steps of `width` five-minute bins, two weeks at most."""
        rest = self.pulse.rate
        activity = fading(self._shares, width)[:steps] @ (np.array(self.averages) - rest) + rest
        place = (self.last - MONDAY) % WEEK // WIDTH
        marks = added_up(self.shape)[place : place + steps * width + 1 : width]
        expected: list[float] = (np.maximum(activity, 0.02 * rest) * (marks[1:] - marks[:-1])).tolist()
        return expected
