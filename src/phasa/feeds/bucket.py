"""Polls that may be made: a bucket that fills at the budgeted rate, and the price factor that steers its use."""

from __future__ import annotations

from dataclasses import dataclass, field

from phasa.feeds.rhythm import DAY

# Days of polls that a bucket holds: as long as a learning period for one feed, a week for many together.
HOLDS, HOLDS_SHARED = 28.0, 7.0
# How a reserve is built up: days of polls for a feed whose weeks differ, at most so many, growing so fast.
RESERVE, MOST_RESERVE, RESERVE_GROWTH = 3.0, 7.0, 0.1
STEERING = 0.7
# The share of a day's polls that counts as coming even when all of the first day's were there at once.
LEAST_INCOME = 0.25
# The share of its room from which on a bucket counts as nearly full.
NEARLY_FULL = 0.75


@dataclass
class Bucket:
    """Polls that may be made. Fills at `per_day` and holds `holds` days of polls.

    It starts with one day's polls, so polls never exceed the allowance by more than that day's, whatever happens. With
    an `advance` it starts with so many instead, and so many fewer come in the first day: the allowance is then kept
    from the first day on. `reserve` is the number of days' polls that the price steers to, once there was time to save
    them.
    """

    per_day: float
    since: float
    level: float
    holds: float = HOLDS_SHARED
    reserve: float = 1.0
    advance: float = 0.0
    begun: float = field(init=False)

    def __post_init__(self) -> None:
        self.begun = self.since
        self._most = self.holds * max(1.0, self.per_day)
        self._paid = 0

    @classmethod
    def in_advance(cls, per_day: float, now: float, share: float = 0.5) -> Bucket:
        """A bucket for many feeds: a share of the first day's polls is there at once, the others come in its course."""
        at_once = max(1.0, per_day * share)
        return cls(per_day, now, at_once, advance=min(at_once, per_day))

    @classmethod
    def for_rate(cls, per_day: float, now: float, unsteady: float = 0.0, holds: float = HOLDS_SHARED) -> Bucket:
        """A bucket for so many polls a day; feeds whose weeks differ (`unsteadiness`) save more for the busy ones."""
        return cls(per_day, now, max(1.0, per_day), holds, min(MOST_RESERVE, 1.0 + RESERVE * unsteady))

    def fill(self, now: float) -> None:
        """Let time pass. A moment before the last one changes nothing."""
        if now > self.since:
            polls = (now - self.since) / DAY * self.per_day
            first_day = max(0.0, min(now, self.begun + DAY) - self.since)
            self.level = min(self._most, self.level + polls - first_day / DAY * self.advance)
            self.since = now

    def income(self, now: float, promised: int = 0) -> float:
        """Polls a day that come at this moment: fewer in the first day, as far as polls of it that were there at once
        are spent, or promised to feeds that were never polled."""
        passed = (now - self.begun) / DAY
        if passed >= 1.0:
            return self.per_day
        earned = max(0.0, self.per_day - self.advance) * passed
        spent = min(self.advance, max(0.0, self._paid + promised - earned))
        return max(self.per_day - spent, LEAST_INCOME * self.per_day)

    def set_rate(self, per_day: float, now: float) -> None:
        """From now on it fills at another rate; what is in it stays, as far as there is room."""
        self.fill(now)
        self.per_day = per_day
        self._most = self.holds * max(1.0, per_day)
        self.level = min(self.level, self._most)

    def ready_at(self, now: float) -> float:
        """The first moment from `now` on at which one poll can be paid."""
        self.fill(now)
        now = max(now, self.since)
        if self.level >= 1.0:
            return now
        lacks, ends, slowly = 1.0 - self.level, self.begun + DAY, self.per_day - self.advance
        if now < ends:
            in_first_day = (ends - now) / DAY * slowly
            if in_first_day >= lacks:
                return now + lacks / slowly * DAY
            now, lacks = ends, lacks - in_first_day
        return now + lacks / self.per_day * DAY

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
        self._paid += 1

    def deduct(self, polls: int) -> None:
        """Polls were made before the bucket was: a restart earns none."""
        self.level = max(0.0, self.level - polls)

    def price_factor(self) -> float:
        """What multiplies the price: 1 at the usual level, more when polls run short, less when they pile up."""
        saved = min(self.reserve, 1.0 + RESERVE_GROWTH * (self.since - self.begun) / DAY)
        usual = max(1.0, self.per_day * saved)
        return float((usual / max(self.level, 0.1 * usual)) ** STEERING)
