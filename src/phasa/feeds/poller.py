"""When to poll a feed next, from what its polls have shown so far: the causal policy of phasa.

At each poll everything posted before is known. The expected posts of the next few gaps follow from the feed's weekly
shape and its present activity; the poll times that minimise expected waiting plus a price per poll are found exactly by
a short dynamic program, the first of them is kept, and the next poll plans anew. The price says what one more poll is
worth and is set by who pays for it: a bucket that fills at the budgeted rate and holds some weeks of polls. A full
bucket makes polls cheap, an empty one dear, so the budget is used and never exceeded whatever the feed does.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass, field
from math import ceil, exp, sqrt

import numpy as np
from numpy.typing import NDArray

from phasa.feeds.habit import Habit
from phasa.feeds.pulse import MEMORIES, Pulse, averages, pulse_of, rate_of_year, unsteadiness, weights
from phasa.feeds.rhythm import DAY, HOUR, MONDAY, WEEK
from phasa.feeds.shape import BINS, WIDTH, Shape, learn_shape
from phasa.feeds.trace import Times

RELEARN = 28 * DAY
# The shape is learned anew when so much more is known, in posts and as a share.
MORE_POSTS, MORE_SHARE = 20, 0.05
# Step widths in bins of five minutes: few, so that what depends on them can be kept.
_WIDTHS = (1, 2, 3, 4, 6, 8, 12, 18, 24, 36, 48, 72, 96, 144)
# Steps to a usual gap; usual gaps that a plan looks ahead, or a day and a night, but no more than so many gaps.
FINE, AHEAD, NIGHT, FARTHEST = 12, 3.5, 30 * HOUR, 7.0
KEPT = 20000
# Days of polls that a bucket holds: as long as a learning period for one feed, a week for many together.
HOLDS, HOLDS_SHARED = 28.0, 7.0
# How a reserve is built up: days of polls for a feed whose weeks differ, at most so many, growing so fast.
RESERVE, MOST_RESERVE, RESERVE_GROWTH = 3.0, 7.0, 0.1
STEERING = 0.7
# The learned shape is doubted when the last months had less than a third of the posts of the year it was learned of.
DOUBTED_BELOW, DOUBT_STEP = 1 / 3, 0.05
# The share of its room from which on a bucket counts as nearly full.
NEARLY_FULL = 0.75

Learner = Callable[[Times], Shape]


@dataclass
class Bucket:
    """Polls that may be made: the ledger of one feed or of all. Fills at `per_day` and holds `holds` days of polls.

    It starts with one day's polls, so polls never exceed the allowance by more than that day's, whatever happens.
    `reserve` is the number of days' polls that the price steers to, once there was time to save them.
    """

    per_day: float
    since: float
    level: float
    holds: float = HOLDS_SHARED
    reserve: float = 1.0
    begun: float = field(init=False)

    def __post_init__(self) -> None:
        self.begun = self.since
        self._most = self.holds * max(1.0, self.per_day)

    @classmethod
    def for_rate(cls, per_day: float, now: float, unsteady: float = 0.0, holds: float = HOLDS_SHARED) -> Bucket:
        """A bucket for so many polls a day; feeds whose weeks differ (`unsteadiness`) save more for the busy ones."""
        return cls(per_day, now, max(1.0, per_day), holds, min(MOST_RESERVE, 1.0 + RESERVE * unsteady))

    def fill(self, now: float) -> None:
        self.level = min(self._most, self.level + (now - self.since) / DAY * self.per_day)
        self.since = now

    def ready_at(self, now: float) -> float:
        """The first moment from `now` on at which one poll can be paid."""
        self.fill(now)
        return now if self.level >= 1.0 else now + (1.0 - self.level) / self.per_day * DAY

    def full_at(self, now: float) -> float:
        """The moment at which further saving would be lost; to poll later than that would waste the budget."""
        self.fill(now)
        return now + (self._most - self.level) / self.per_day * DAY

    def fullness(self) -> float:
        """0 up to the share `NEARLY_FULL` of its room, 1 when the next poll must be made or is lost."""
        return min(1.0, max(0.0, (self.level / self._most - NEARLY_FULL) / (1.0 - NEARLY_FULL - 1.0 / self._most)))

    def pay(self, now: float) -> None:
        self.fill(now)
        self.level -= 1.0

    def dearness(self) -> float:
        """What multiplies the price: 1 at the usual level, more when polls run short, less when they pile up."""
        saved = min(self.reserve, 1.0 + RESERVE_GROWTH * (self.since - self.begun) / DAY)
        usual = max(1.0, self.per_day * saved)
        return float((usual / max(self.level, 0.1 * usual)) ** STEERING)


@dataclass
class Poller:
    """One feed's state between polls: its shape, its pulse, the averages at the last poll.

    `alone`: it has polls of its own, and its shape is doubted when it hardly posts any more.
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
        self._set_shape(self.shape)
        self._set_pulse(self.pulse)
        self._when_learned = self._last_year

    @classmethod
    def learn(cls, times: Times, now: int, learner: Learner = learn_shape, alone: bool = False) -> Poller:
        """A poller that has learned from all posts before `now`. `learner` may remember shapes of the same posts."""
        poller = cls(learner(times), pulse_of(times, now), now - now % WIDTH, times[-KEPT:], learner, alone=alone)
        poller.unsteady = unsteadiness(times, now)
        return poller

    def _set_pulse(self, pulse: Pulse) -> None:
        self.pulse = pulse
        self._last_year = rate_of_year(self.known, self.last, pulse.rate)
        self.averages = averages(self.known, self.shape, self.last, pulse.rate).tolist()
        self._decay, self._inward, self._outward = pulse.forecast_terms()
        self._shares: list[float] = pulse.shares.tolist()
        self._fading: dict[tuple[int, int], NDArray[np.float64]] = {}

    def _set_shape(self, shape: Shape) -> None:
        self.shape = shape
        # Expected posts per unit of activity up to each bin of two weeks, so that any window is one subtraction.
        self._mass = np.concatenate(([0.0], np.cumsum(np.tile(shape.rates * WIDTH, 3))))

    def activity(self) -> float:
        """Posts per second to be expected just now, were the shape flat."""
        rate = self.pulse.rate
        above: float = sum(share * (average - rate) for share, average in zip(self._shares, self.averages, strict=True))
        return rate + above

    def level(self) -> float:
        """Posts per second that the usual gap is meant for: the last year and the last months, half each.

        Were it the last days, a busy week would be thought usual and get no more polls than a quiet one.
        """
        return max(0.5 * (self.averages[-1] + self._last_year), 1e-9)

    def worth(self, bucket: Bucket) -> float:
        """Posts per second by which the price of a poll goes.

        The usual ones, as dear as the bucket says: a feed in a quiet time saves polls for a busy one. Those to be
        expected now, the more the bucket is full or the less the feed is what it was: nothing can be saved, or for
        nothing, and polls come at the hours that the shape prefers, not whenever the bucket runs over.
        """
        usual, now = self.level() * bucket.dearness(), max(self.activity(), 1e-9)
        vain = max(bucket.fullness(), self._habit.doubt)
        return float(usual ** (1.0 - vain) * now**vain) if now < usual else usual

    def observe(self, now: int, posts: Times) -> None:
        """A poll at `now` found these posts (all since the last poll)."""
        gap = now - self.last
        kept = [average * exp(-gap / memory) for average, memory in zip(self.averages, self._memories, strict=True)]
        if len(posts):
            added = weights(posts, self.shape)[:, None] * np.exp(-(now - posts)[:, None] / MEMORIES)
            kept = [k + a for k, a in zip(kept, (added.sum(axis=0) / MEMORIES).tolist(), strict=True)]
            self.known = np.concatenate((self.known, posts))
            self._set_shape(self._habit.see(posts))
        self.averages, self.last = kept, now
        if self.alone:
            self._doubt()
        if now // RELEARN > self._calendar:
            self._calendar = now // RELEARN
            self._last_year = rate_of_year(self.known, now, self.pulse.rate)
            more = len(self.known) - self._judged
            if more >= max(MORE_POSTS, MORE_SHARE * self._judged):
                self.relearn(self._calendar * RELEARN)
        elif len(self.known) < 4 * MORE_POSTS and len(self.known) >= max(MORE_POSTS, 2 * self._judged):
            # A feed that has just joined is judged anew when it has shown twice as much.
            self.relearn(now)
            self._set_pulse(pulse_of(self.known, now))

    def _doubt(self) -> None:
        doubt = max(0.0, 1.0 - self.averages[-1] / (DOUBTED_BELOW * self._when_learned))
        if abs(doubt - self._habit.doubt) > DOUBT_STEP:
            self._habit.doubt = doubt
            self._set_shape(self._habit.believed())

    def relearn(self, now: int) -> None:
        """Learn the shape anew from what was posted before `now`."""
        self.known = self.known[-KEPT:]
        self._judged = len(self.known)
        learned = self.learner(self.known[: int(np.searchsorted(self.known, now))])
        self._habit = Habit(learned, self.pulse.rate, self.alone, self._habit)
        self._when_learned = rate_of_year(self.known, now, self.pulse.rate)
        self._set_shape(self._habit.believed())

    def next_poll(self, price: float, gap: float, ready: float = 0.0) -> int:
        """The best moment of the next poll from `ready` on, when a poll is worth `price` seconds of waiting.

        `gap` is the usual time between polls.
        """
        width = _WIDTHS[bisect_right(_WIDTHS, max(1.0, gap / FINE / WIDTH)) - 1]
        step = width * WIDTH
        ahead = min(max(AHEAD * gap, NIGHT), FARTHEST * gap)
        steps = min(max(8, int(ahead / step)), 2 * BINS // width)
        first = max(1, ceil((ready - self.last) / step))
        return self.last + step * _first_poll(self._expected(width, steps), price / step, min(first, steps))

    def expect(self, until: int) -> tuple[float, float]:
        """Posts to be expected from the last poll to `until`, and the seconds that they wait for a poll then."""
        steps = max(1, (until - self.last) // WIDTH)
        if steps > 2 * BINS:
            return 0.0, 0.0
        expected = np.array(self._expected(1, steps))
        waits = (until - self.last) - (np.arange(steps) + 0.5) * WIDTH
        return float(expected.sum()), float(expected @ waits)

    def _expected(self, width: int, steps: int) -> list[float]:
        """Posts to be expected in each of the next steps of `width` five-minute bins."""
        if (width, steps) not in self._fading:
            middles = (np.arange(steps) + 0.5) * (width * WIDTH)
            self._fading[width, steps] = np.exp(-np.outer(middles, self._decay)) * self._outward @ self._inward
        rest = self.pulse.rate
        activity = self._fading[width, steps] @ (np.array(self.averages) - rest) + rest
        place = (self.last - MONDAY) % WEEK // WIDTH
        marks = self._mass[place : place + steps * width + 1 : width]
        expected: list[float] = (np.maximum(activity, 0.02 * rest) * (marks[1:] - marks[:-1])).tolist()
        return expected


def remembering(learner: Learner) -> Learner:
    """The learner, asked once for the same posts of one feed: polled more or less often, it learns the same."""
    known: dict[tuple[int, int, int], Shape] = {}

    def learn(times: Times) -> Shape:
        key = (len(times), int(times[0]), int(times[-1])) if len(times) else (0, 0, 0)
        if key not in known:
            known[key] = learner(times)
        return known[key]

    return learn


def _first_poll(expected: list[float], price: float, earliest: int = 1) -> int:
    """The step after which the best plan polls first: least waiting plus price per poll, at least one poll.

    No poll can be made before the step `earliest`.

    Forward program over the steps with a hull of lines (as in `oracle`). The end of the horizon is open: a plan may end
    with a poll at any of the later steps, and is charged what the same time costs on average at the optimum of a steady
    feed, √(2 · price · rate) per step.
    """
    horizon = len(expected)
    mean = sum(expected) / horizon
    usual = sqrt(2.0 * price * mean)
    slopes, heights, firsts = [0.0], [0.0], [0]
    head = 0
    posts = moments = 0.0
    best, chosen = float("inf"), horizon
    for j, count in enumerate(expected, start=1):
        posts += count
        moments += count * j
        if j < earliest:
            continue
        last = len(slopes) - 1
        here = heights[head] - slopes[head] * j
        while head < last:
            after = heights[head + 1] - slopes[head + 1] * j
            if after > here:
                break
            here = after
            head += 1
        value = posts * j - moments + here + price
        first = firsts[head] or j
        if 2 * j > horizon and value - usual * j < best:
            best, chosen = value - usual * j, first
        height = value + moments
        while last > head:
            slope, low = slopes[last], heights[last]
            if (height - low) * (slope - slopes[last - 1]) > (low - heights[last - 1]) * (posts - slope):
                break
            slopes.pop()
            heights.pop()
            firsts.pop()
            last -= 1
        slopes.append(posts)
        heights.append(height)
        firsts.append(first)
    return chosen
