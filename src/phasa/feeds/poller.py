"""When to poll a feed next, from what its polls have shown so far: the causal policy of phasa.

At each poll everything posted before is known. The expected posts of the next few gaps follow from the feed's weekly
shape and its present activity; the poll times that minimise expected waiting plus a price per poll are found exactly by
a short dynamic program, the first of them is kept, and the next poll plans anew. The price says what one more poll is
worth and is set by who pays for it: a bucket that fills at the budgeted rate and holds at most a week of polls. A full
bucket makes polls cheap, an empty one dear, so the budget is used and never exceeded whatever the feed does.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from math import exp, sqrt

import numpy as np
from numpy.typing import NDArray

from phasa.feeds.pulse import FEWEST, MEMORIES, Pulse, averages, fit_pulse, weights
from phasa.feeds.rhythm import DAY, HOUR, MONDAY, WEEK
from phasa.feeds.shape import BINS, WIDTH, Shape, learn_shape
from phasa.feeds.trace import Times

RELEARN = 28 * DAY
# Step widths in bins of five minutes: few, so that what depends on them can be kept.
_WIDTHS = (1, 2, 3, 4, 6, 8, 12, 18, 24, 36, 48, 72, 96, 144)
KEPT = 20000
LEAST_LEVEL = 3.0
STEERING = 0.7


@dataclass
class Bucket:
    """Polls that may be made: the ledger of one feed or of all. Fills at `per_day` and holds at most a week of polls.

    It starts with one day's polls, so polls never exceed the allowance by more than that day's, whatever happens.
    """

    per_day: float
    since: float
    level: float
    usual: float

    @classmethod
    def for_rate(cls, per_day: float, now: float) -> Bucket:
        usual = max(LEAST_LEVEL, per_day)
        return cls(per_day, now, usual, usual)

    def fill(self, now: float) -> None:
        self.level = min(7.0 * self.usual, self.level + (now - self.since) / DAY * self.per_day)
        self.since = now

    def ready_at(self, now: float) -> float:
        """The first moment from `now` on at which one poll can be paid."""
        self.fill(now)
        return now if self.level >= 1.0 else now + (1.0 - self.level) / self.per_day * DAY

    def full_at(self, now: float) -> float:
        """The moment at which further saving would be lost; to poll later than that would waste the budget."""
        self.fill(now)
        return now + (7.0 * self.usual - self.level) / self.per_day * DAY

    def pay(self, now: float) -> None:
        self.fill(now)
        self.level -= 1.0

    def dearness(self) -> float:
        """What multiplies the price: 1 at the usual level, more when polls run short, less when they pile up."""
        return float((self.usual / max(self.level, 0.1 * self.usual)) ** STEERING)


@dataclass
class Poller:
    """One feed's state between polls: its shape, its pulse, the averages at the last poll."""

    shape: Shape
    pulse: Pulse
    last: int
    known: Times
    averages: list[float] = field(default_factory=list)
    relearned: int = 0
    gap: float = 6 * HOUR

    def __post_init__(self) -> None:
        self.relearned = self.last
        self._memories = MEMORIES.tolist()
        self._set_shape(self.shape)
        self._set_pulse(self.pulse)

    @classmethod
    def learn(cls, times: Times, now: int, gap: float = 6 * HOUR) -> Poller:
        """A poller that has learned from all posts before `now`; `gap`: the usual time between polls to be."""
        shape = learn_shape(times)
        return cls(shape, fit_pulse(times, shape, now, gap), now - now % WIDTH, times[-KEPT:], gap=gap)

    def _set_pulse(self, pulse: Pulse) -> None:
        self.pulse = pulse
        self.averages = averages(self.known, self.shape, self.last, pulse.rate).tolist()
        self._decay, self._inward, self._outward = pulse.forecast_terms()
        self._fading: dict[tuple[int, int], NDArray[np.float64]] = {}
        # A feed is judged anew when it has shown twice as much.
        self._judge_at = max(FEWEST, 2 * len(self.known))

    def _set_shape(self, shape: Shape) -> None:
        self.shape = shape
        # Expected posts per unit of activity up to each bin of two weeks, so that any window is one subtraction.
        self._mass = np.concatenate(([0.0], np.cumsum(np.tile(shape.rates * WIDTH, 3))))

    def activity(self) -> float:
        """Posts per second to be expected just now, were the shape flat."""
        above: float = sum(
            share * (average - self.pulse.rate)
            for share, average in zip(self.pulse.shares.tolist(), self.averages, strict=True)
        )
        return self.pulse.rate + above

    def level(self) -> float:
        """Posts per second of the last weeks, bursts left out: what the usual gap between polls is meant for."""
        return max(0.5 * (self.averages[-1] + self.averages[-2]), 1e-9)

    def observe(self, now: int, posts: Times) -> None:
        """A poll at `now` found these posts (all since the last poll)."""
        gap = now - self.last
        kept = [average * exp(-gap / memory) for average, memory in zip(self.averages, self._memories, strict=True)]
        if len(posts):
            added = weights(posts, self.shape)[:, None] * np.exp(-(now - posts)[:, None] / MEMORIES)
            kept = [k + a for k, a in zip(kept, (added.sum(axis=0) / MEMORIES).tolist(), strict=True)]
            self.known = np.concatenate((self.known, posts))
        self.averages, self.last = kept, now
        if now - self.relearned >= RELEARN:
            self.relearned = now
            self.known = self.known[-KEPT:]
            self._set_shape(learn_shape(self.known))
        if len(self.known) >= self._judge_at:
            self._set_shape(learn_shape(self.known))
            self._set_pulse(fit_pulse(self.known, self.shape, now, self.gap))

    def next_poll(self, price: float, gap: float) -> int:
        """The moment of the next poll when a poll is worth `price` seconds of waiting; `gap`: usual between polls."""
        fine = 24 if gap >= 6 * HOUR else 12
        width = _WIDTHS[bisect_right(_WIDTHS, max(1.0, gap / fine / WIDTH)) - 1]
        steps = min(max(8, int(3.5 * gap / (width * WIDTH))), 2 * BINS // width)
        return self.last + width * WIDTH * _first_poll(self._expected(width, steps), price / (width * WIDTH))

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


def _first_poll(expected: list[float], price: float) -> int:
    """The step after which the best plan polls first: least waiting plus price per poll, at least one poll.

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
