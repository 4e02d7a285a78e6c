"""How soon a feed must be polled so that its document, which shows its last entries only, loses no post (§5.13)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import inf

import numpy as np

from phasa.feeds.forecast import Forecast
from phasa.feeds.rhythm import DAY, WEEK
from phasa.feeds.shape import WIDTH

# An alarm halves what may be new in a document, at most so often; its effect is gone after so long.
MOST_ALARMS, ALARM_LASTS = 3, WEEK
# How likely it may be that a document overflows before the next poll.
RISK = 0.003
# How sure the mean of a forecast is, in posts that it is worth, of a feed whose gaps vary as chance has it: while its
# posts tell of less than a week, and later. Gaps that vary more make it less sure; so many of the last are looked at.
YOUNG, SURE_WHEN_YOUNG, SURE, GAPS = WEEK, 5.0, 30.0, 100
LEAST_VARIED, LEAST_SURE = 0.1, 2.0
BACK = np.arange(1, 8) * DAY
# Documents of more entries overflow at the same share of them.
MANY = 100


@dataclass
class Window:
    """What the documents of one feed show, and when posts were last lost."""

    entries: int = 0
    alarms: int = 0
    alarmed: float = 0.0

    def see(self, now: float, entries: int, lost: bool) -> None:
        """A document of so many entries was read; `lost`: all of them were new."""
        self.entries = entries
        if now - self.alarmed > ALARM_LASTS:
            self.alarms = 0
        if lost:
            self.alarms, self.alarmed = min(self.alarms + 1, MOST_ALARMS), now

    def latest(self, forecast: Forecast, wanted: float, share: float) -> float:
        """The wanted moment, or the earlier one until which the share of the entries is expected to be new, or less of
        them where the forecast is not sure enough for as many: an overflow is to be unlikely, not only unexpected."""
        dense = 0.5**self.alarms
        number = int(self.entries * share * dense)
        wanted = min(wanted, _as_on_other_days(forecast, number), _as_fast_as_ever(forecast, number))
        # Most feeds post far less than their documents show: no need to look closely.
        if not self.entries or forecast.activity() * (wanted - forecast.last) * 20.0 < self.entries * share * dense:
            return wanted
        most = min(self.entries * share, safe_mean(self.entries, sureness(forecast))) * dense
        while wanted - forecast.last > WIDTH and forecast.expect(int(wanted))[0] > most:
            wanted = forecast.last + max(float(WIDTH), 0.7 * (wanted - forecast.last))
        return wanted


def sureness(forecast: Forecast) -> int:
    """How many posts the forecast's mean is worth: fewer when little is known and when posts come in bursts."""
    known = forecast.known[-GAPS:]
    if len(known) < 3:
        return round(LEAST_SURE)
    sure = SURE_WHEN_YOUNG if forecast.last - forecast.known[0] < YOUNG else SURE
    gaps = np.diff(known)
    varied = float(gaps.var()) / max(float(gaps.mean()), 1.0) ** 2
    return round(max(LEAST_SURE, sure / max(LEAST_VARIED, varied)))


@lru_cache(4096)
def safe_mean(entries: int, sure: int) -> float:
    """The mean at which more posts than a document has entries come with the probability RISK.

    The rate is known like that of so many posts, so their number is negative binomial."""
    if entries > MANY:
        return safe_mean(MANY, sure) * entries / MANY
    low, high = 0.0, float(entries)
    for _ in range(30):
        mean = 0.5 * (low + high)
        term = (sure / (sure + mean)) ** sure
        fits = 0.0
        for posts in range(entries + 1):
            fits += term
            term *= (posts + sure) / (posts + 1) * mean / (sure + mean)
        low, high = (low, mean) if 1.0 - fits > RISK else (mean, high)
    return low


def _as_on_other_days(forecast: Forecast, number: int) -> float:
    """When so many posts will have come at the earliest, were the next days like one of the last seven."""
    known = forecast.known
    ends = np.searchsorted(known, forecast.last - BACK, side="right") + number
    shown = ends < len(known)
    if number < 1 or not shown.any():
        return inf
    return max(float((known[ends[shown]] + BACK[shown]).min()), float(forecast.last + WIDTH))


def _as_fast_as_ever(forecast: Forecast, number: int) -> float:
    """When so many posts will have come at the earliest, were a feed whose posts tell of less than a day as fast as it
    ever was: there is no other day to judge it by."""
    known = forecast.known
    if number < 1 or len(known) <= number or forecast.last - known[0] > DAY:
        return inf
    return forecast.last + max(float(WIDTH), float((known[number:] - known[:-number]).min()))
