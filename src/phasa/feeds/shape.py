"""The weekly shape of a feed's posting, learned so that a thin or changed history does no harm.

One histogram is too rough for a sparse feed and a smooth one too blunt for a feed that posts by the clock; all posts
are too many for a feed that changed its habits. So the shape is a mixture of several estimates: the day's curve at
three widths, from all posts, from the last few hundred and from the last few dozen, with and without the weight of each
weekday and of each minute of the hour; curves of their own for weekend and weekdays, and for each weekday, that lean on
the day's; and no rhythm at all. How much each is believed is decided on posts that it has
not seen: the later half of the history is cut into blocks, every block is predicted from what came before it, and the
shares are those that make the blocks most likely (an EM mixture with a prior on "no rhythm"). With little to learn
from, or nothing that lasts, the flat shape keeps the weight and polling falls back to even spacing.

`learn_shape` learns from a history; `Habit` judges the learned shape at every post that comes afterwards.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from phasa.feeds.rhythm import DAY, HOUR, MONDAY, WEEK
from phasa.feeds.trace import Times

Floats = NDArray[np.float64]

WIDTH = 300
BINS = WEEK // WIDTH
PER_DAY = DAY // WIDTH
PER_HOUR = HOUR // WIDTH
# Standard deviations of the smoothing kernels, in seconds.
KERNELS = (600.0, 2400.0, 7200.0)
# Posts after which a weight halves: windows follow the posts, not the calendar.
MEMORIES_IN_POSTS = (40.0, 300.0, float("inf"))
# But no window is shorter than this, or a busy feed would be judged by one afternoon.
LEAST_MEMORY = 14 * DAY
# Posts from which on a feed's own are learned from; belief beforehand that fewer come at the hours of its neighbours.
LEAST_POSTS, NEIGHBOURS = 24, 0.5
# How many unseen posts the prior on "no rhythm" is worth.
PRIOR = 8.0
# Posts that the seven weekdays, and the day's curve, are believed to have had beforehand.
DAY_PRIOR = 7.0
CURVE_PRIOR = 1.0
# And the minutes of the hour: programs post by the clock.
HOUR_PRIOR = 12.0
BLOCKS = 6
# Posts that the curve of the weekdays, that of the weekend and twice as many that of each weekday are believed to have
# had beforehand, at the hours of all days. (On training halves 10, 20 and 30 are alike.)
KIND_OF_DAY_PRIOR = 20.0
# Posts beyond these tell nothing new about the shape.
ENOUGH = 20000
# Belief beforehand in the learned shape, the last posts' hours closely and loosely, no rhythm.
BEFOREHAND = np.array([0.90, 0.05, 0.0, 0.05])
# The same where the learned shape may be doubted, and what each is multiplied by when it is doubted altogether.
DOUBTING = np.array([0.90, 0.04, 0.01, 0.05])
IN_DOUBT = np.array([0.55, 1.0, 35.0, 2.0])
# Posts after which a post counts half among the last ones, no fewer than come in so many days (or a busy feed would be
# judged by one afternoon), and how many unseen posts spread evenly are added to them.
LAST_POSTS, LAST_DAYS, EVEN_POSTS = 8.0, 10, 1.0
# The share of belief that goes back to where it was beforehand, per post found.
FLOWS_BACK = 0.02
# Posts found together are one burst: n of them are evidence like √n, at most so strong.
STRONGEST = 4.0


@dataclass(frozen=True, eq=False)
class Shape:
    """Relative posting rate in each of the week's bins of five minutes from Monday 00:00 UTC; mean 1."""

    rates: Floats
    shares: Floats

    @property
    def belief(self) -> float:
        """How much of the shape is learned rhythm, 0 to 1; the rest is even."""
        return float(1.0 - self.shares[0])

    def per_bin(self, width: int, period: int = WEEK) -> Floats:
        """Mean rate in bins of `width` seconds of a week or, averaged over its days, of a day."""
        fine = self.rates if period == WEEK else self.rates.reshape(7, -1).mean(axis=0)
        coarse: Floats = fine.reshape(-1, width // WIDTH).mean(axis=1)
        return coarse


FLAT = Shape(np.ones(BINS), np.array([1.0]))


def learn_shape(times: Times) -> Shape:
    """The shape of a feed's posting from its posts so far; flat when there are too few to tell."""
    times = times[-ENOUGH:]
    if len(times) < LEAST_POSTS:
        return FLAT
    cuts = np.linspace(len(times) // 2, len(times), BLOCKS + 1).astype(np.int64)
    seen = []
    for first, last in pairwise(cuts.tolist()):
        block = ((times[first:last] - MONDAY) % WEEK) // WIDTH
        seen.append(_estimates(times[:first])[:, block])
    shares = _shares(np.concatenate(seen, axis=1))
    return Shape(shares @ _estimates(times), shares)


def first_shape(times: Times, neighbours: Floats | None) -> Shape:
    """The shape of a feed that has shown few posts: those of its neighbours, or none, by how well they fit the few.

    `neighbours`: the mean rates of feeds that are like it; mean 1.
    """
    if neighbours is None:
        return FLAT
    places = ((times - MONDAY) % WEEK) // WIDTH
    # What was seen of a few days says nothing about how much those are of a week.
    usual = neighbours[bins_between(int(times[0]), int(times[-1]))].mean() if len(times) else 1.0
    fit = float(np.log(np.maximum(neighbours[places] / usual, 1e-3)).sum())
    # Posts come in bursts: n of them are evidence like √n.
    odds = float(np.exp(np.clip(fit / sqrt(max(1, len(times))), -STRONGEST, STRONGEST)))
    share = NEIGHBOURS * odds / (NEIGHBOURS * odds + 1.0 - NEIGHBOURS)
    return Shape(share * neighbours + (1.0 - share), np.array([1.0 - share, share]))


def bins_between(first: int, last: int) -> NDArray[np.int64]:
    """The bins of the week that a time goes through, each as often; those of a whole week when it is longer."""
    start = (first - MONDAY) // WIDTH
    return np.arange(start, start + min(max(last - first, 0) // WIDTH + 1, BINS)) % BINS


def _estimates(times: Times) -> Floats:
    """The candidate shapes, each with mean 1: flat first, weekdays only, then every kernel and memory."""
    rows = [np.ones(WEEK // WIDTH)]
    places = ((times - MONDAY) % WEEK) // WIDTH
    ages = np.arange(len(times))[::-1]
    fortnight = float(np.searchsorted(-times[::-1], LEAST_MEMORY - times[-1]))
    for memory in MEMORIES_IN_POSTS:
        counts = np.bincount(places, weights=0.5 ** (ages / max(memory, fortnight)), minlength=WEEK // WIDTH)
        week: Floats = counts.astype(np.float64).reshape(7, PER_DAY)
        days = week.sum(axis=1) + DAY_PRIOR / 7
        days = days / days.mean()
        rows.append(np.repeat(days, PER_DAY))
        minutes = week.reshape(-1, PER_HOUR).sum(axis=0) + HOUR_PRIOR / PER_HOUR
        comb = np.tile(minutes / minutes.mean(), 24)
        for smoothing in _BELLS:
            curve = np.fft.irfft(np.fft.rfft(week.sum(axis=0)) * smoothing, n=PER_DAY)
            curve = np.maximum(curve, 0.0) + CURVE_PRIOR / PER_DAY
            curve = curve / curve.mean()
            rows.append(np.outer(days, curve).ravel())
            rows.append(np.tile(curve, 7))
            ticking = curve * comb
            ticking = ticking / ticking.mean()
            rows.append(np.outer(days, ticking).ravel())
            rows.append(np.tile(ticking, 7))
        for smoothing in _BELLS[1:]:
            rows.extend(_kinds_of_day(week, days, smoothing))
    return np.array(rows)


def _kinds_of_day(week: Floats, days: Floats, smoothing: NDArray[np.complex128]) -> tuple[Floats, Floats]:
    """Shapes in which the weekend, or every weekday, has hours of its own. With few posts they are the day's curve."""
    own = np.fft.irfft(np.fft.rfft(week, axis=1) * smoothing, n=PER_DAY, axis=1)
    common = np.maximum(own.sum(axis=0), 0.0) + CURVE_PRIOR / PER_DAY
    lent = KIND_OF_DAY_PRIOR / PER_DAY * common / common.mean()
    kinds = np.repeat((own[:5].sum(axis=0), own[5:].sum(axis=0)), (5, 2), axis=0)
    by_kind, by_day = np.maximum(kinds, 0.0) + lent, np.maximum(own, 0.0) + 2.0 * lent
    weights = days[:, None]
    return (
        (by_kind / by_kind.mean(axis=1, keepdims=True) * weights).ravel(),
        (by_day / by_day.mean(axis=1, keepdims=True) * weights).ravel(),
    )


def _shares(seen: Floats) -> Floats:
    """Mixture shares that make the unseen posts most likely, with a prior on the first (flat) estimate.

    seen[e, i] is the density that estimate e gave to post i beforehand.
    """
    prior = np.zeros(len(seen))
    prior[0] = PRIOR
    shares = np.full(len(seen), 1.0 / len(seen))
    for _ in range(40):
        parts = shares[:, None] * seen
        shares = (parts / parts.sum(axis=0)).sum(axis=1) + prior
        shares = shares / shares.sum()
    return shares


def bell(seconds: float) -> NDArray[np.complex128]:
    """The spectrum of a normal bell of this deviation on the day's circle."""
    distance = np.arange(PER_DAY)
    distance = np.minimum(distance, PER_DAY - distance)
    curve = np.exp(-0.5 * (distance * WIDTH / seconds) ** 2)
    spectrum: NDArray[np.complex128] = np.fft.rfft(curve / curve.sum())
    return spectrum


_BELLS = tuple(bell(kernel) for kernel in KERNELS)
_CLOSE, _LOOSE = bell(HOUR), bell(3 * HOUR)


class Habit:
    """Whether a feed still posts as it was learned, judged at every post between one learning and the next.

    Four views compete: the learned shape; the hours of the last few posts, smoothed closely and loosely; no rhythm at
    all. Each post found is evidence for the views that thought its moment likely, so a feed that changes its hours is
    followed after two or three posts, long before there is enough to learn a shape from. Some belief always flows back
    to the views that lost (fixed share), so the feed may also return to its old hours.

    A feed that hardly posts any more is doubted as a whole: the less is posted of what was usual, the more the learned
    shape gives way to the loose hours of the last posts, which are even until some have come. That is for a feed with
    polls of its own; on a common budget the polls of a quiet feed go to others, and doubt gains nothing.
    """

    def __init__(self, learned: Shape, rate: float, doubting: bool = False, before: Habit | None = None) -> None:
        """`rate`: posts per second in the long run; `before`: the habit before this learning."""
        self.learned = learned
        self.half_life = max(LAST_POSTS, rate * LAST_DAYS * DAY)
        self.counts: Floats = np.zeros(PER_DAY) if before is None else before.counts
        self.doubt: float = 0.0 if before is None else before.doubt
        self.beforehand = DOUBTING if doubting else BEFOREHAND
        self.beliefs = self.beforehand.copy()

    def see(self, posts: Times) -> Shape:
        """Posts were found; what is believed now."""
        places = (posts - MONDAY) % WEEK // WIDTH
        hours = places % PER_DAY
        close, loose = self._recent(_CLOSE), self._recent(_LOOSE)
        seen = np.log(np.maximum((self.learned.rates[places], close[hours], loose[hours], np.ones(len(posts))), 1e-6))
        evidence = np.clip(seen.mean(axis=1) * sqrt(len(posts)), -STRONGEST, STRONGEST)
        beliefs = self.beliefs * np.exp(evidence)
        beliefs /= beliefs.sum()
        self.beliefs = (1.0 - FLOWS_BACK) * beliefs + FLOWS_BACK * self.beforehand
        self.counts *= 0.5 ** (len(posts) / self.half_life)
        ages = np.arange(len(posts))[::-1] / self.half_life
        self.counts += np.bincount(hours, weights=0.5**ages, minlength=PER_DAY)
        return self.believed()

    def believed(self) -> Shape:
        """The views, each by its belief in the light of the doubt, 0 to 1."""
        weights = self.beliefs * (1.0 + self.doubt * (IN_DOUBT - 1.0))
        shape, close, loose, even = (weights / weights.sum()).tolist()
        recent = close * self._recent(_CLOSE) + loose * self._recent(_LOOSE)
        return Shape(shape * self.learned.rates + np.tile(recent, 7) + even, self.learned.shares)

    def _recent(self, smoothing: NDArray[np.complex128]) -> Floats:
        """The hours of the last posts, smoothed, as relative rates of a day; mean 1."""
        smooth = np.fft.irfft(np.fft.rfft(self.counts) * smoothing, n=PER_DAY)
        rates = np.maximum(smooth, 0.0) + EVEN_POSTS / PER_DAY
        relative: Floats = rates / rates.mean()
        return relative
