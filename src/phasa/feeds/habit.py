"""Whether a feed still keeps the habits that were learned: judged at every post, between one learning and the next.

Three views stand side by side: the learned shape; the hours of the last few posts; no rhythm at all. Each post found
is evidence for the views that thought its moment likely. A feed that stops, changes its hours or its time zone is
believed after two or three posts, long before there is enough to learn a shape from. Some belief always flows back to
the views that lost (fixed share), so the feed may also return to its old habits.
"""

from __future__ import annotations

from math import sqrt

import numpy as np
from numpy.typing import NDArray

from phasa.feeds.rhythm import DAY, MONDAY, WEEK
from phasa.feeds.shape import PER_DAY, WIDTH, Shape, bell
from phasa.feeds.trace import Times

Floats = NDArray[np.float64]

# Belief beforehand in the learned shape, the last posts' hours, no rhythm.
BEFOREHAND = np.array([0.90, 0.05, 0.05])
# Posts after which a post counts half among the last ones, no fewer than come in so many days (or a busy feed would be
# judged by one afternoon), and how many unseen posts spread evenly stand beside them.
LAST_POSTS, LAST_DAYS, EVEN_POSTS = 8.0, 10, 1.0
# The share of belief that goes back to where it was beforehand, per post found.
FLOWS_BACK = 0.02
# Posts found together are one burst: n of them are evidence like √n, at most so strong.
STRONGEST = 4.0
_BELL = bell(3600.0)


class Habit:
    """The belief in the learned shape, kept post by post."""

    def __init__(self, learned: Shape, rate: float, counts: Floats | None = None) -> None:
        """`rate`: posts per second in the long run; `counts`: the hours of the last posts, from an earlier habit."""
        self.learned = learned
        self.half_life = max(LAST_POSTS, rate * LAST_DAYS * DAY)
        self.counts = np.zeros(PER_DAY) if counts is None else counts
        self.beliefs = BEFOREHAND.copy()

    def see(self, posts: Times) -> Shape:
        """Posts were found; what is believed now."""
        places = (posts - MONDAY) % WEEK // WIDTH
        hours = places % PER_DAY
        recent = self._recent()
        seen = np.log(np.maximum((self.learned.rates[places], recent[hours], np.ones(len(posts))), 1e-6))
        evidence = np.clip(seen.mean(axis=1) * sqrt(len(posts)), -STRONGEST, STRONGEST)
        beliefs = self.beliefs * np.exp(evidence)
        beliefs /= beliefs.sum()
        self.beliefs = (1.0 - FLOWS_BACK) * beliefs + FLOWS_BACK * BEFOREHAND
        self.counts *= 0.5 ** (len(posts) / self.half_life)
        ages = np.arange(len(posts))[::-1] / self.half_life
        self.counts += np.bincount(hours, weights=0.5**ages, minlength=PER_DAY)
        return self.believed()

    def believed(self) -> Shape:
        """The three views, each by its belief."""
        shape, recent, even = self.beliefs.tolist()
        return Shape(shape * self.learned.rates + recent * np.tile(self._recent(), 7) + even, self.learned.shares)

    def _recent(self) -> Floats:
        """The hours of the last posts, smoothed, as relative rates of a day; mean 1."""
        smooth = np.fft.irfft(np.fft.rfft(self.counts) * _BELL, n=PER_DAY)
        rates = np.maximum(smooth, 0.0) + EVEN_POSTS / PER_DAY
        relative: Floats = rates / rates.mean()
        return relative
