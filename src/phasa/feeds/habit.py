"""Whether a feed still keeps the habits that were learned: judged at every post, between one learning and the next.

Four views stand side by side: the learned shape; the hours of the last few posts, taken closely and loosely; no rhythm
at all. Each post found is evidence for the views that thought its moment likely. A feed that stops, changes its hours
or its time zone is believed after two or three posts, long before there is enough to learn a shape from. Some belief
always flows back to the views that lost (fixed share), so the feed may also return to its old habits.

A feed that hardly posts any more is another feed: of a project that ended, the last visitors are not those of the busy
years. The less is posted of what was usual, the more the learned shape gives way to the loose hours of the last posts,
which are no rhythm at all until some have come. That is for a feed with polls of its own; on a common budget the polls
of a quiet feed go to others, and doubt gains nothing.
"""

from __future__ import annotations

from math import sqrt

import numpy as np
from numpy.typing import NDArray

from phasa.feeds.rhythm import DAY, HOUR, MONDAY, WEEK
from phasa.feeds.shape import PER_DAY, WIDTH, Shape, bell
from phasa.feeds.trace import Times

Floats = NDArray[np.float64]

# Belief beforehand in the learned shape, the last posts' hours closely and loosely, no rhythm.
BEFOREHAND = np.array([0.90, 0.05, 0.0, 0.05])
# The same where the learned shape may be doubted, and what each is multiplied by when it is doubted altogether.
DOUBTING = np.array([0.90, 0.04, 0.01, 0.05])
IN_DOUBT = np.array([0.55, 1.0, 35.0, 2.0])
# Posts after which a post counts half among the last ones, no fewer than come in so many days (or a busy feed would be
# judged by one afternoon), and how many unseen posts spread evenly stand beside them.
LAST_POSTS, LAST_DAYS, EVEN_POSTS = 8.0, 10, 1.0
# The share of belief that goes back to where it was beforehand, per post found.
FLOWS_BACK = 0.02
# Posts found together are one burst: n of them are evidence like √n, at most so strong.
STRONGEST = 4.0
_CLOSE, _LOOSE = bell(HOUR), bell(3 * HOUR)


class Habit:
    """The belief in the learned shape, kept post by post."""

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
