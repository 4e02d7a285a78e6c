"""When each feed is polled next, and what a poll is worth: one policy for the daemon, the replay and the evaluation.

At each poll everything posted before is known, and the forecast says what to expect (`forecast`). The poll times that
minimise expected waiting plus a price per poll are found exactly by a short dynamic program; the first of them is the
next poll, which plans again. The price says what one more poll is worth and is set by who pays for it: a bucket that
fills at the budgeted rate and holds some weeks of polls. A full bucket makes polls cheap, an empty one expensive, so
the budget is used and never exceeded whatever the feeds do.

`SharedBudget` is for many feeds on one budget, `OwnBudget` for a single feed with polls of its own. Whoever polls asks
`decide` after each poll, pays from `bucket`, and says what was found with `observe`; nothing here reads a clock.
"""

from __future__ import annotations

import logging
from bisect import bisect_right
from dataclasses import dataclass, field
from enum import StrEnum
from math import ceil, exp, sqrt
from typing import NamedTuple, Protocol

from phasa.feeds.forecast import Forecast
from phasa.feeds.rhythm import DAY, HOUR
from phasa.feeds.shape import BINS, WIDTH
from phasa.feeds.trace import Times

# However quiet a feed is, it is polled again after this time. (On training halves 7 days are better than 14:
# `bench/feeds_tune.py --budget`.)
LONGEST_GAP = 7 * DAY
# A feed counts with at least so many posts per second in the common price.
LEAST_ACTIVITY = 1e-9
# A feed is learned when it was watched for four weeks, or has shown so many posts over as long.
LEARNING, ENOUGH_POSTS = 28 * DAY, 24
# Posts that turn up later than this after their date are no sign of present activity.
LATEST = 14 * DAY
# Step widths in bins of five minutes: few, so that what depends on them can be kept.
_WIDTHS = (1, 2, 3, 4, 6, 8, 12, 18, 24, 36, 48, 72, 96, 144)
# Steps to a usual gap; usual gaps that a plan looks ahead, or a day and a night, but no more than so many gaps.
FINE, AHEAD, NIGHT, FARTHEST = 12, 3.5, 30 * HOUR, 7.0
# Days of polls that a bucket holds: as long as a learning period for one feed, a week for many together.
HOLDS, HOLDS_SHARED = 28.0, 7.0
# How a reserve is built up: days of polls for a feed whose weeks differ, at most so many, growing so fast.
RESERVE, MOST_RESERVE, RESERVE_GROWTH = 3.0, 7.0, 0.1
STEERING = 0.7
# The share of its room from which on a bucket counts as nearly full.
NEARLY_FULL = 0.75
# How long kept and broken promises are remembered, and the posts for which the forecast is believed beforehand.
MEMORY, PRIOR = 28 * DAY, 50.0


log = logging.getLogger(__name__)


class Reason(StrEnum):
    """Why a poll is when it is."""

    WORTH = "worth"
    LEARNING = "learning"


class Pace(NamedTuple):
    """How servers are spared, whatever the budget: rules of the daemon, which the mathematics would do without.

    `bootstrap`: seconds between polls of a feed that is not learned yet (spec §3.3); where the budget does not reach
    that far, or with 0, it is polled like the others. `least_gap`: seconds between any two polls of a feed.
    """

    bootstrap: float = 2.0 * HOUR
    least_gap: float = 900.0


UNPACED = Pace(0.0, 0.0)


class Decision(NamedTuple):
    """The next poll of a feed.

    `worth`: the seconds of waiting, of all posts together, that a poll must save to be made. `gap`: the usual time
    between polls at that price, in seconds. `activity`: posts per second to be expected now.
    """

    at: float
    worth: float
    gap: float
    activity: float
    reason: Reason = Reason.WORTH


class Policy(Protocol):
    """What the daemon and the replay need of a policy. Feeds are known by number, moments are Unix seconds."""

    @property
    def bucket(self) -> Bucket:
        """What every poll is paid from."""
        ...

    def observe(self, feed: int, now: float, posts: Times) -> None:
        """A poll of the feed at `now` found these posts, ascending."""
        ...

    def decide(self, feed: int, now: float) -> Decision:
        """The next poll of a feed that was just polled."""
        ...


class FeedsPolicy(Policy, Protocol):
    """What the daemon needs besides: feeds come and go, and their readers are promised a delay."""

    def __contains__(self, feed: object) -> bool:
        """Whether the feed has joined."""
        ...

    def join(self, feed: int, times: Times, now: float, watched_since: float) -> None:
        """Take up a feed at its first poll. `times`: when it posted until now, ascending."""
        ...

    def recall(self, feed: int, activity: float) -> None:
        """Count a feed that was polled before a restart with the activity that it had then, until it joins."""
        ...

    def leave(self, feed: int) -> None:
        """Forget a feed."""
        ...

    def expected_delay(self, feed: int, until: float, gap: float) -> float:
        """Seconds that a post is expected to wait when the feed is polled next at `until`."""
        ...


@dataclass
class Bucket:
    """Polls that may be made. Fills at `per_day` and holds `holds` days of polls.

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
        """Let time pass. A moment before the last one changes nothing."""
        if now > self.since:
            self.level = min(self._most, self.level + (now - self.since) / DAY * self.per_day)
            self.since = now

    def ready_at(self, now: float) -> float:
        """The first moment from `now` on at which one poll can be paid."""
        self.fill(now)
        now = max(now, self.since)
        return now if self.level >= 1.0 else now + (1.0 - self.level) / self.per_day * DAY

    def full_at(self, now: float) -> float:
        """The moment at which further saving would be lost; to poll later than that would waste the budget."""
        self.fill(now)
        return now + (self._most - self.level) / self.per_day * DAY

    def fullness(self) -> float:
        """0 up to the share `NEARLY_FULL` of its room, 1 when the next poll must be made or is lost."""
        return min(1.0, max(0.0, (self.level / self._most - NEARLY_FULL) / (1.0 - NEARLY_FULL - 1.0 / self._most)))

    def pay(self, now: float) -> None:
        """A poll is made."""
        self.fill(now)
        self.level -= 1.0

    def deduct(self, polls: int) -> None:
        """Polls were made before the bucket was: a restart earns none."""
        self.level = max(0.0, self.level - polls)

    def price_factor(self) -> float:
        """What multiplies the price: 1 at the usual level, more when polls run short, less when they pile up."""
        saved = min(self.reserve, 1.0 + RESERVE_GROWTH * (self.since - self.begun) / DAY)
        usual = max(1.0, self.per_day * saved)
        return float((usual / max(self.level, 0.1 * usual)) ** STEERING)


class Promised(NamedTuple):
    """Posts that were expected, and the seconds that they were promised to wait together."""

    posts: float = 0.0
    waiting: float = 0.0


@dataclass
class Calibration:
    """Forecasts of waiting compared with what became of them, both fading over the last weeks.

    A forecast is biased where its assumptions are: shapes are shrunk towards even, bursts last longer or shorter than
    the common process says. The mean delay that is promised is the forecast's times `factor`. Only the past is used: a
    promise is made before its posts. `promised` adds up all promises that fell due.
    """

    since: float
    forecast_posts: float = 0.0
    forecast_waiting: float = 0.0
    posts: float = 0.0
    waiting: float = 0.0
    promised: Promised = field(default_factory=Promised)

    def factor(self) -> float:
        """What multiplies a forecast mean delay to make it honest."""
        if self.forecast_posts <= 0.0 or self.forecast_waiting <= 0.0:
            return 1.0
        forecast = self.forecast_waiting / self.forecast_posts
        return (self.waiting + PRIOR * forecast) / ((self.posts + PRIOR) * forecast)

    def add(self, now: float, forecast_posts: float, forecast_waiting: float, posts: int, waiting: float) -> None:
        """The interval before a poll is over: so much was forecast, so much came."""
        waiting_promised = self.promised.waiting + forecast_waiting * self.factor()
        self.promised = Promised(self.promised.posts + forecast_posts, waiting_promised)
        kept = exp(-max(0.0, now - self.since) / MEMORY)
        self.since = max(now, self.since)
        self.forecast_posts = self.forecast_posts * kept + forecast_posts
        self.forecast_waiting = self.forecast_waiting * kept + forecast_waiting
        self.posts = self.posts * kept + posts
        self.waiting = self.waiting * kept + waiting


class SharedBudget:
    """The policy for many feeds on one budget of polls a day: every feed asks for its next poll at the common price.

    The price is the one at which steady feeds of the present activities would use the budget exactly (square-root
    rule), steered by how full the bucket is.
    """

    def __init__(self, per_day: float, now: float, pace: Pace = UNPACED) -> None:
        self._pace = pace
        self.bucket = Bucket.for_rate(per_day, now)
        self.calibration = Calibration(now)
        self._forecasts: dict[int, Forecast] = {}
        self._watched_since: dict[int, float] = {}
        # √activity of each feed, and their sum.
        self._roots: dict[int, float] = {}
        self._all_roots = 0.0
        self._logged = now

    def __contains__(self, feed: object) -> bool:
        return feed in self._forecasts

    def join(self, feed: int, times: Times, now: float, watched_since: float) -> None:
        forecast = self._forecasts[feed] = Forecast.learn(times, int(now))
        self._watched_since[feed] = watched_since
        if len(times):
            self.recall(feed, forecast.activity())

    def recall(self, feed: int, activity: float) -> None:
        root = sqrt(max(activity, LEAST_ACTIVITY))
        self._all_roots += root - self._roots.get(feed, 0.0)
        self._roots[feed] = root

    def leave(self, feed: int) -> None:
        self._forecasts.pop(feed, None)
        self._watched_since.pop(feed, None)
        self._all_roots -= self._roots.pop(feed, 0.0)

    def observe(self, feed: int, now: float, posts: Times) -> None:
        forecast = self._forecasts[feed]
        at, last = int(now) - int(now) % WIDTH, forecast.last
        fresh = posts[posts > last]
        if at > last:
            expected, waiting = forecast.expect(at)
            self.calibration.add(now, expected, waiting, len(fresh), float((now - fresh).sum()))
        forecast.observe(int(now), posts[posts > last - LATEST])
        if now - self._logged >= DAY:
            self._logged = now
            self._log_budget()

    def _log_budget(self) -> None:
        hours = self.calibration.promised.waiting / max(self.calibration.promised.posts, 1e-9) / HOUR
        log.info(
            "budget: %d feeds, %.1f polls to spend at %g a day, price factor %.2f, promised delay %.2f h so far",
            len(self._roots), self.bucket.level, self.bucket.per_day, self.bucket.price_factor(), hours,
        )  # fmt: skip

    def decide(self, feed: int, now: float) -> Decision:
        forecast = self._forecasts[feed]
        activity = max(forecast.activity(), LEAST_ACTIVITY)
        self.bucket.fill(now)
        self.recall(feed, activity)
        price = 0.5 * (self._all_roots * DAY / self.bucket.per_day) ** 2 * self.bucket.price_factor()
        gap = min(max(sqrt(2.0 * price / activity), 2.0 * WIDTH), float(LONGEST_GAP))
        if gap < self._pace.bootstrap and not self._learned(feed, now):
            return Decision(now + self._pace.bootstrap, price, gap, activity, Reason.LEARNING)
        at = min(float(best_poll(forecast, price, gap)), now + LONGEST_GAP)
        return Decision(max(at, now + self._pace.least_gap), price, gap, activity)

    def _learned(self, feed: int, now: float) -> bool:
        if now - self._watched_since[feed] >= LEARNING:
            return True
        known = self._forecasts[feed].known
        return len(known) >= ENOUGH_POSTS and now - float(known[0]) >= LEARNING

    def expected_delay(self, feed: int, until: float, gap: float) -> float:
        posts, waiting = self._forecasts[feed].expect(int(until))
        return (waiting / posts if posts > 0 else gap / 2.0) * self.calibration.factor()


class OwnBudget:
    """The policy for one feed with polls of its own, so many a day on average. The number of the feed does not matter.

    What is not spent in a quiet time is there for a busy one, four weeks of polls at most.
    """

    def __init__(self, per_day: float, forecast: Forecast) -> None:
        self.bucket = Bucket.for_rate(per_day, forecast.last, forecast.unsteady, HOLDS)
        self._forecast = forecast
        self._gap = DAY / per_day
        # A feed with a rhythm is served by fewer polls than a steady one: the price at which it asks for all of them is
        # lower, the more so the fewer they are.
        self._usual = 0.5 * self._gap**2 * (1.0 - 0.29 * per_day**-0.4)

    def observe(self, feed: int, now: float, posts: Times) -> None:
        self._forecast.observe(int(now), posts)

    def decide(self, feed: int, now: float) -> Decision:
        latest, ready = self.bucket.full_at(now), self.bucket.ready_at(now)
        activity = self.priced_activity()
        price = self._usual * activity
        at = min(best_poll(self._forecast, price, self._gap, ready), _next_bin(latest))
        return Decision(max(at, _next_bin(ready), now + WIDTH), price, self._gap, activity)

    def priced_activity(self) -> float:
        """Posts per second by which the price of a poll goes.

        The usual ones, times the price factor of the bucket: a feed in a quiet time saves polls for a busy one. Those
        to be expected now, the more the bucket is full or the less the feed is what it was: nothing can be saved, or
        for nothing, and polls come at the hours that the shape prefers, not whenever the bucket runs over.
        """
        usual = self._forecast.usual_activity() * self.bucket.price_factor()
        now = max(self._forecast.activity(), 1e-9)
        vain = max(self.bucket.fullness(), self._forecast.doubt)
        return float(usual ** (1.0 - vain) * now**vain) if now < usual else usual


def best_poll(forecast: Forecast, price: float, gap: float, ready: float = 0.0) -> int:
    """The best moment of the next poll from `ready` on, when a poll is worth `price` seconds of waiting.

    `gap` is the usual time between polls.
    """
    width = _WIDTHS[bisect_right(_WIDTHS, max(1.0, gap / FINE / WIDTH)) - 1]
    step = width * WIDTH
    ahead = min(max(AHEAD * gap, NIGHT), FARTHEST * gap)
    steps = min(max(8, int(ahead / step)), 2 * BINS // width)
    first = max(1, ceil((ready - forecast.last) / step))
    return forecast.last + step * _first_poll(forecast.expected_posts(width, steps), price / step, min(first, steps))


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


def _next_bin(moment: float) -> int:
    """The end of the bin of five minutes that the moment is in."""
    return -int(-moment // WIDTH) * WIDTH
