"""How soon a feed must be polled so that its document, which shows its last entries only, loses no post (§5.13)."""

from __future__ import annotations

from dataclasses import dataclass

from phasa.feeds.forecast import Forecast
from phasa.feeds.rhythm import WEEK
from phasa.feeds.shape import WIDTH

# An alarm halves what may be new in a document, at most so often; its effect is gone after so long.
MOST_ALARMS, ALARM_LASTS = 3, WEEK


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
        # Most feeds post far less than their documents show: no need to look closely.
        if most <= 0.0 or forecast.activity() * (wanted - forecast.last) * 10.0 < most:
            return wanted
        while wanted - forecast.last > WIDTH and forecast.expect(int(wanted))[0] > most:
            wanted = forecast.last + max(float(WIDTH), 0.7 * (wanted - forecast.last))
        return wanted
