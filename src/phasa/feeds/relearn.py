"""When a feed's plan is made anew: every four weeks (spec §5.12), or sooner when its rhythm has changed.

A rhythm has changed when the hours of the last fortnight differ from those the plan was made of by more than chance
explains (`rhythm.drift`), looked at once a day. Every plan is a version in the store, with its reason; old ones stay.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from phasa.feeds.plan import plan_feed
from phasa.feeds.rhythm import DAY, HOUR, Counts, drift, histogram
from phasa.feeds.trace import Times, Trace

EVERY = 28 * DAY
LOOK_EVERY = DAY
RECENT = 14 * DAY
# The chance of a false alarm, per look: about one in three years.
SURE = 0.001
# With fewer posts in the fortnight the test says nothing worth acting on.
FEWEST = 30


@dataclass
class Learned:
    """What a feed's present plan was made of, and when it was last looked at."""

    made: float
    hours: Counts
    looked: float

    @classmethod
    def at(cls, now: float, times: Times) -> Learned:
        return cls(now, histogram(times[times >= now - EVERY], HOUR), now)

    def outdated(self, now: float, times: Times) -> str:
        """Why a new plan is due, "" when none is."""
        if now - self.made >= EVERY:
            return "four weeks have passed"
        if now - self.looked < LOOK_EVERY or now - self.made < RECENT:
            return ""
        self.looked = now
        recent = times[times >= now - RECENT]
        if len(recent) < FEWEST or self.hours.sum() < FEWEST:
            return ""
        chance = drift(self.hours, histogram(recent, HOUR))
        return f"its rhythm changed (by chance only in {chance:.1e} of cases)" if chance < SURE else ""


def plan_versions(name: str, times: Times, per_day: float, now: float) -> list[tuple[str, int, tuple[int, ...], float]]:
    """The plan of a feed that gets about so many polls a day, as the store keeps it; none without posts."""
    recent = times[times >= now - 3 * EVERY]
    if len(recent) == 0:
        return []
    m = int(np.clip(round(per_day), 1, 24))
    return [(p.cluster, p.per_day, p.points, p.expected_delay_hours) for p in plan_feed(Trace(name, recent), m)]
