"""When a page changed, as its server says (`Last-Modified`): heard as far as the server was not caught.

A visit that found a change shows only that there was one since the visit before. Where the server tells when the last
one was, the quiet time since then is known: it is short for a page that changes often, also for one that changes more
often than it is visited.
"""

from __future__ import annotations

import math
from collections import Counter
from typing import NamedTuple

from phasa.web.exchange import http_date

LIES = 3
"""Pages of a host that were the same with a new date, before its dates are not heard any more."""
JUST_NOW = 60.0
"""Seconds before a visit in which a date says no more than that the page was made for it."""


class ToldTimes:
    """The dates that hosts tell, and who was caught."""

    def __init__(self) -> None:
        self._caught: Counter[str] = Counter()

    def heard(self, host: str, told: str | None, since: float, now: float, changed: bool) -> float | None:
        """The moment after the last visit at which a page has changed; None when it is not told, or not believed."""
        at = http_date(told)
        if at is None or not since < at <= now - JUST_NOW:
            return None
        if not changed:
            self._caught[host] += 1
        return at if changed and self._caught[host] < LIES else None


class Found(NamedTuple):
    """What a visit that found a change says of the rate: so many changes in such a time."""

    changes: float
    seconds: float


def found_change(rate: float, since: float, now: float, last: float | None) -> Found:
    """Where `last` is known: the change of that moment and the quiet time since; of the time before it says nothing.
    Else as many changes in the whole gap as the rate lets expect when there was one at least."""
    if last is not None:
        return Found(1.0, now - last)
    expected = rate * (now - since)
    return Found(expected / -math.expm1(-expected), now - since)
