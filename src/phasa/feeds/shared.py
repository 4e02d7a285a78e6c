"""The policy `phasa` for many feeds on one budget of polls a day: every feed asks at the common price.

At each poll everything posted before is known, and the forecast says what to expect (`forecast`). The poll times that
minimise expected waiting plus a price per poll are found exactly (`next_poll`); the first of them is the next poll,
which plans again. The price says what one more poll is worth and is set by who pays for it: a full bucket makes polls
cheap, an empty one expensive, so the budget is used and never exceeded whatever the feeds do.
"""

from __future__ import annotations

import logging
from math import inf, sqrt

import numpy as np

from phasa.feeds.bucket import Bucket
from phasa.feeds.forecast import Forecast
from phasa.feeds.neighbours import Neighbours
from phasa.feeds.next_poll import best_poll
from phasa.feeds.policy import UNPACED, Decision, Pace, Reason, Terms
from phasa.feeds.promise import Calibration
from phasa.feeds.rhythm import DAY, HOUR, WEEK
from phasa.feeds.shape import LEAST_POSTS, WIDTH, Shape, first_shape, learn_shape
from phasa.feeds.trace import Times
from phasa.feeds.window import Window
from phasa.schedule.value import Floats

# However quiet a feed is, it is polled again after this time. (On training halves 7 days are better than 14:
# `bench/feeds_tune.py --budget`.)
LONGEST_GAP = 7 * DAY
# A feed counts with at least so many posts per second in the common price.
LEAST_ACTIVITY = 1e-9
# Posts that turn up later than this after their date are no sign of present activity.
LATEST = 14 * DAY
# However many polls a day follow a timetable, the others keep at least this share of the budget in the price.
LEAST_SHARE = 0.1

log = logging.getLogger(__name__)


def is_young(known: Times) -> bool:
    """Whether a feed has shown too little to be learned from: few posts, or hardly a week of them."""
    return len(known) < LEAST_POSTS or int(known[-1] - known[0]) < WEEK - DAY


class SharedBudget:
    """The policy for many feeds on one budget of polls a day: every feed asks for its next poll at the common price.

    The price is the one at which steady feeds of the present activities would use the budget exactly (square-root
    rule), steered by how full the bucket is.
    """

    def __init__(self, per_day: float, now: float, pace: Pace = UNPACED, at_start: float = 0.5) -> None:
        self._pace = pace
        self.bucket = Bucket.in_advance(per_day, now, at_start)
        self.calibration = Calibration(now)
        self.scheduled = 0.0
        """Polls a day that feeds with a timetable take from the same budget."""
        self._forecasts: dict[int, Forecast] = {}
        self._windows: dict[int, Window] = {}
        self._kin: dict[int, str] = {}
        self._neighbours = Neighbours()
        # √activity of each feed, and their sum.
        self._roots: dict[int, float] = {}
        self._all_roots = 0.0
        # Feeds that nothing is known of yet: they were never polled.
        self._unknown: set[int] = set()
        self._logged = now

    @property
    def common(self) -> bool:
        return True

    def ready_at(self, feed: int, now: float) -> float:
        return self.bucket.ready_at(now)

    def pay(self, feed: int, now: float) -> None:
        self._unknown.discard(feed)
        self.bucket.pay(now)

    def made(self, feed: int, polls: int) -> None:
        self.bucket.deduct(polls)

    def demand(self, prices: Floats) -> Floats:
        """Polls a day that steady feeds of the present activities are worth at each price."""
        roots = np.fromiter(self._roots.values(), np.float64, len(self._roots))
        with np.errstate(divide="ignore"):
            gaps = [np.clip(sqrt(2.0 * price) / roots, 2.0 * WIDTH, LONGEST_GAP) for price in prices]
        return np.asarray([(DAY / gap).sum() + self.scheduled for gap in gaps])

    def register(self, feed: int, terms: Terms) -> None:
        if feed not in self._windows:
            self._windows[feed] = Window(terms.entries)
            self._unknown.add(feed)
        self._kin[feed] = terms.kin

    def __contains__(self, feed: object) -> bool:
        return feed in self._forecasts

    def join(self, feed: int, times: Times, now: float, watched_since: float) -> None:
        kin = self._kin.get(feed, "")
        self._unknown.discard(feed)
        if is_young(times):
            self._neighbours.show(times, now)

        def learn(known: Times) -> Shape:
            return first_shape(known, self._neighbours.of(kin)) if is_young(known) else learn_shape(known)

        forecast = self._forecasts[feed] = Forecast.learn(times, int(now), learn)
        if not is_young(times):
            self._neighbours.add(kin, forecast.shape, len(times))
        if len(times):
            self.recall(feed, forecast.activity())

    def recall(self, feed: int, activity: float) -> None:
        self._unknown.discard(feed)
        root = sqrt(max(activity, LEAST_ACTIVITY))
        self._all_roots += root - self._roots.get(feed, 0.0)
        self._roots[feed] = root

    def leave(self, feed: int) -> None:
        self._forecasts.pop(feed, None)
        self._windows.pop(feed, None)
        self._kin.pop(feed, None)
        self._unknown.discard(feed)
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
            log.info("budget: %s", self.summary())

    def window(self, feed: int, now: float, entries: int, lost: bool) -> None:
        self._windows.setdefault(feed, Window()).see(now, entries, lost)

    def summary(self) -> str:
        bucket, promised = self.bucket, self.calibration.promised
        hours = promised.waiting / max(promised.posts, 1e-9) / HOUR
        return (
            f"{len(self._roots)} feeds, {bucket.level:.1f} polls to spend at {bucket.per_day:g} a day, price factor "
            f"{bucket.price_factor():.2f}, promised delay {hours:.2f} h so far"
        )

    def decide(self, feed: int, now: float) -> Decision:
        forecast = self._forecasts[feed]
        activity = max(forecast.activity(), LEAST_ACTIVITY)
        self.bucket.fill(now)
        self.recall(feed, activity)
        income = self.bucket.income(now, len(self._unknown))
        per_day = max(income - self.scheduled, LEAST_SHARE * income)
        price = 0.5 * (self._expected_roots() * DAY / per_day) ** 2 * self.bucket.price_factor()
        gap = min(max(sqrt(2.0 * price / activity), 2.0 * WIDTH), float(LONGEST_GAP))
        at = min(float(best_poll(forecast, price, gap)), now + LONGEST_GAP)
        at = max(at, now + self._pace.least_gap)
        if self._pace.window_share and feed in self._windows:
            # Polls may be short when it is due, so one look as far again beyond that moment.
            beyond = 2.0 * at - now
            soon = max(self._windows[feed].latest(forecast, beyond, self._pace.window_share), now + WIDTH)
            if soon < at:
                return Decision(soon, price, gap, activity, Reason.WINDOW, soon)
            return Decision(at, price, gap, activity, urgent_from=soon if soon < beyond else inf)
        return Decision(at, price, gap, activity)

    def _expected_roots(self) -> float:
        """√activity of all feeds together. Those that were never polled count as the mean of the others, and that mean
        starts at one post a day: else the first feeds of a new collection would take the polls of all."""
        mean = (self._all_roots + sqrt(1.0 / DAY)) / (len(self._roots) + 1)
        return self._all_roots + len(self._unknown) * mean

    def expected_delay(self, feed: int, until: float, gap: float) -> float:
        posts, waiting = self._forecasts[feed].expect(int(until))
        return (waiting / posts if posts > 0 else gap / 2.0) * self.calibration.factor()
