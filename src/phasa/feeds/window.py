"""How soon a feed must be polled so that its document, which shows its last entries only, loses no post (§5.13)."""

from __future__ import annotations

from dataclasses import dataclass

from phasa.feeds.forecast import Forecast
from phasa.feeds.rhythm import DAY, WEEK
from phasa.feeds.shape import WIDTH

# An alarm halves what may be new in a document, at most so often; its effect is gone after so long.
MOST_ALARMS, ALARM_LASTS = 3, WEEK
# A feed is young while its posts tell of fewer days: the busier ones of its week may not be among them. As fast as it
# ever was, so much more of its document may be new.
YOUNG, MORE = 7 * DAY, 1.5


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
        """The wanted moment, or the earlier one until which the share of the entries is expected to be new."""
        most = self.entries * share * 0.5**self.alarms
        wanted = min(wanted, self._as_fast_as_ever(forecast, most))
        # Most feeds post far less than their documents show: no need to look closely.
        if most <= 0.0 or forecast.activity() * (wanted - forecast.last) * 10.0 < most:
            return wanted
        while wanted - forecast.last > WIDTH and forecast.expect(int(wanted))[0] > most:
            wanted = forecast.last + max(float(WIDTH), 0.7 * (wanted - forecast.last))
        return wanted

    def _as_fast_as_ever(self, forecast: Forecast, most: float) -> float:
        """When so many posts of a young feed will have come at the earliest, were it as fast as it ever was.

        The mean rate of a first document that was read after a weekend says nothing of a Monday.
        """
        known, number = forecast.known, int(MORE * most)
        if number < 1 or len(known) <= number or forecast.last - known[0] > YOUNG:
            return float("inf")
        fastest = int((known[number:] - known[:-number]).min())
        return forecast.last + max(float(WIDTH), fastest)
