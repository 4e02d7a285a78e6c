"""The policy `phasa` for a feed with polls of its own: so many a day on average, saved in quiet times for busy ones."""

from __future__ import annotations

import numpy as np

from phasa.feeds.bucket import HOLDS, Bucket
from phasa.feeds.forecast import Forecast
from phasa.feeds.guard import Guard
from phasa.feeds.next_poll import best_poll, next_bin
from phasa.feeds.policy import UNPACED, Decision, Pace, Reason
from phasa.feeds.promise import Calibration
from phasa.feeds.rhythm import DAY
from phasa.feeds.shape import WIDTH
from phasa.feeds.trace import Times
from phasa.feeds.window import Window


class OwnBudget:
    """The policy for one feed with polls of its own, so many a day on average. The number of the feed does not matter.

    What is not spent in a quiet time is there for a busy one, four weeks of polls at most. A feed that it serves worse
    than even polls would is polled evenly (`guard`).
    """

    def __init__(self, per_day: float, forecast: Forecast, pace: Pace = UNPACED, entries: int = 0) -> None:
        self.bucket = Bucket.for_rate(per_day, forecast.last, forecast.unsteady, HOLDS)
        self.window = Window(entries)
        self.calibration = Calibration(float(forecast.last))
        self._pace = pace
        self._forecast = forecast
        self._gap = DAY / per_day
        # A feed with a rhythm is served by fewer polls than a steady one: the price at which it asks for all of them is
        # lower, the more so the fewer they are.
        self.guard = Guard(max(self._gap, pace.least_gap))
        self._usual = 0.5 * self._gap**2 * (1.0 - 0.29 * per_day**-0.4)

    def ready_at(self, feed: int, now: float) -> float:
        return self.bucket.ready_at(now)

    def pay(self, feed: int, now: float) -> None:
        self.bucket.pay(now)

    def observe(self, feed: int, now: float, posts: Times) -> None:
        at, last = int(now) - int(now) % WIDTH, self._forecast.last
        if at > last:
            expected, waiting = self._forecast.expect(at)
            self.calibration.add(now, expected, waiting, len(posts), float((now - posts).sum()))
        # A post that turns up after a poll later than its date is no fault of the polls.
        self.guard.see(np.float64(now) - posts[posts > last])
        self._forecast.observe(int(now), posts)

    def decide(self, feed: int, now: float) -> Decision:
        latest, ready = self.bucket.full_at(now), self.bucket.ready_at(now)
        activity = self.priced_activity()
        price, reason = self._usual * activity, Reason.WORTH
        if self.guard.on:
            saved = (self.bucket.level - 1.0) / self.bucket.per_day
            at, reason = now + self.guard.even_gap(saved), Reason.EVEN
        else:
            at = float(min(best_poll(self._forecast, price, self._gap, ready), next_bin(latest)))
        at = max(at, next_bin(ready), now + WIDTH, now + self._pace.least_gap)
        if self._pace.window_share:
            soon = self.window.latest(self._forecast, at, self._pace.window_share)
            if soon < at:
                soon = max(soon, next_bin(ready), now + WIDTH)
                return Decision(soon, price, self._gap, activity, Reason.WINDOW, soon)
        return Decision(at, price, self._gap, activity, reason)

    def expected_delay(self, feed: int, until: float, gap: float) -> float:
        posts, waiting = self._forecast.expect(int(until))
        return (waiting / posts if posts > 0 else gap / 2.0) * self.calibration.factor()

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
