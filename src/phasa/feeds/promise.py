"""The delay that readers are promised, compared with what became of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import exp
from typing import NamedTuple

from phasa.feeds.rhythm import DAY

# How long kept and broken promises are remembered, and the posts for which the forecast is believed beforehand.
MEMORY, PRIOR = 28 * DAY, 50.0


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
