"""What delay is promised, and made right by how earlier promises were kept.

A forecast of posts and their waiting is biased where its assumptions are: shapes are shrunk towards even, bursts last
longer or shorter than the common pulse says. So the promised mean delay is the forecast's, times what posts really
waited over what was forecast for them, over the last weeks. Only the past is used: a promise is made before its posts.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp

from phasa.feeds.rhythm import DAY

MEMORY = 28 * DAY
# Posts for which the forecast is believed beforehand.
PRIOR = 50.0


@dataclass
class Ledger:
    """Forecasts and what became of them, both fading: posts and seconds that they waited."""

    since: float
    forecast_posts: float = 0.0
    forecast_waiting: float = 0.0
    posts: float = 0.0
    waiting: float = 0.0

    def correction(self) -> float:
        """What multiplies a forecast mean delay to make it honest."""
        if self.forecast_posts <= 0.0 or self.forecast_waiting <= 0.0:
            return 1.0
        forecast = self.forecast_waiting / self.forecast_posts
        return (self.waiting + PRIOR * forecast) / ((self.posts + PRIOR) * forecast)

    def add(self, now: float, forecast_posts: float, forecast_waiting: float, posts: int, waiting: float) -> None:
        """The interval before a poll is over: so much was forecast, so much came."""
        kept = exp(-max(0.0, now - self.since) / MEMORY)
        self.since = max(now, self.since)
        self.forecast_posts = self.forecast_posts * kept + forecast_posts
        self.forecast_waiting = self.forecast_waiting * kept + forecast_waiting
        self.posts = self.posts * kept + posts
        self.waiting = self.waiting * kept + waiting
