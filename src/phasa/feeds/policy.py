"""What a polling policy is: it says when each feed is polled next and what a poll is worth.

One protocol for the daemon, the replay, the evaluation and the lab; `policies.Policies` is the one object that carries
it out, each feed under the policy that its collection or the feed itself names:

- `phasa`: polls when the posts expected are worth one (`shared`, `own`);
- `dorpm`, `rs`: the points of the day that the published methods learn, stored as plan versions (`timetable`);
- `uniform`: even gaps, as many polls as the budget gives each feed; `fixed:N`: N polls a day at even gaps.

Nothing here reads a clock.
"""

from __future__ import annotations

import datetime as dt
from enum import StrEnum
from math import inf
from typing import NamedTuple, Protocol

from msgspec import Struct

from phasa.errors import InputError
from phasa.feeds.rhythm import HOUR
from phasa.feeds.trace import Times

MOST_A_DAY = 288


class Reason(StrEnum):
    """Why a poll is when it is."""

    WORTH = "when its posts are worth a poll"
    WINDOW = "before its document can lose a post"
    LEARNING = "at even gaps while its hours are learned"
    POINT = "at the next point of its plan"
    EVEN = "at even gaps"


class Kind(StrEnum):
    """The policies by name."""

    PHASA = "phasa"
    DORPM = "dorpm"
    RS = "rs"
    UNIFORM = "uniform"
    FIXED = "fixed"


class Choice(NamedTuple):
    """A policy as a user names it; `per_day` is the N of `fixed:N`."""

    kind: Kind = Kind.PHASA
    per_day: int = 0

    def __str__(self) -> str:
        return f"{self.kind}:{self.per_day}" if self.kind is Kind.FIXED else str(self.kind)


def parse_policy(text: str) -> Choice:
    """The policy of this name. Raises InputError that names the known ones."""
    name, _, number = text.strip().partition(":")
    if name == Kind.FIXED and number.isdecimal() and 1 <= int(number) <= MOST_A_DAY:
        return Choice(Kind.FIXED, int(number))
    if not number and name in (Kind.PHASA, Kind.DORPM, Kind.RS, Kind.UNIFORM):
        return Choice(Kind(name))
    raise InputError(
        f"policy '{text}': choose phasa, dorpm, rs, uniform, or fixed:N with N from 1 to {MOST_A_DAY} polls a day"
    )


class Pace(NamedTuple):
    """How servers are spared, and posts kept from being lost, whatever the budget.

    `least_gap`: seconds between any two polls of a feed. `window_share`: the next poll comes before more than this
    share of the entries that a document shows is expected to be new; 0 does without.
    """

    least_gap: float = 900.0
    window_share: float = 0.5


UNPACED = Pace(0.0, 0.0)


class Rules(Struct, frozen=True):
    """What a collection asks of its policy.

    `per_day`: polls a day for all feeds together. `per_feed`: polls a day of each feed on its own instead; then there
    is no common budget. `bootstrap`: seconds between polls of a feed whose first plan is still learned. `learn_days`,
    `update_days`: the window of a plan and how long it is followed; `rs_days`: the window of RS, which never learns
    again (spec §10). `at_start`: the share of the first day's polls that may be made at once, so that new feeds are
    known soon; the others come in the course of that day.
    """

    per_day: float
    per_feed: float | None = None
    policy: Choice = Choice()
    pace: Pace = Pace()
    bootstrap: float = 2.0 * HOUR
    learn_days: int = 28
    update_days: int = 28
    rs_days: int = 14
    at_start: float = 0.5


class Terms(Struct, frozen=True):
    """What holds for one feed: its own policy, the zone of its days, its own bootstrap gap, the entries that its
    document showed when it was last read; None or 0 where the collection's rules hold or nothing is known."""

    policy: Choice | None = None
    zone: dt.tzinfo = dt.UTC
    bootstrap: float | None = None
    entries: int = 0
    kin: str = ""
    """Feeds of the same kin, a publisher or a server, are likely to post at the same hours."""


class Decision(NamedTuple):
    """The next poll of a feed.

    `worth`: the seconds of waiting, of all posts together, that a poll must save to be made. `gap`: the usual time
    between polls at that price, in seconds. `activity`: posts per second to be expected now. `urgent_from`: when the
    feed must not wait for a poll any longer, because its document would soon lose posts.
    """

    at: float
    worth: float
    gap: float
    activity: float
    reason: Reason = Reason.WORTH
    urgent_from: float = inf


class Policy(Protocol):
    """What the replay needs of a policy. Feeds are known by number, moments are Unix seconds."""

    def ready_at(self, feed: int, now: float) -> float:
        """The first moment from `now` on at which a poll of the feed can be paid."""
        ...

    def pay(self, feed: int, now: float) -> None:
        """A poll of the feed is made."""
        ...

    def observe(self, feed: int, now: float, posts: Times) -> None:
        """A poll of the feed at `now` found these posts, ascending."""
        ...

    def decide(self, feed: int, now: float) -> Decision:
        """The next poll of a feed that was just polled."""
        ...


class FeedsPolicy(Policy, Protocol):
    """What the daemon needs besides: feeds come and go, and their readers are promised a delay."""

    @property
    def common(self) -> bool:
        """Whether all feeds pay from one budget: when it is used up everybody waits."""
        ...

    def register(self, feed: int, terms: Terms) -> None:
        """A feed is to be polled on these terms; again when they change."""
        ...

    def __contains__(self, feed: object) -> bool:
        """Whether the feed has joined."""
        ...

    def join(self, feed: int, times: Times, now: float, watched_since: float) -> None:
        """Take up a feed at its first poll. `times`: when it posted until now, ascending."""
        ...

    def recall(self, feed: int, activity: float) -> None:
        """Count a feed that was polled before a restart with the activity that it had then, until it joins."""
        ...

    def made(self, feed: int, polls: int) -> None:
        """So many polls of the feed were made on the day before a restart: it earns none."""
        ...

    def window(self, feed: int, now: float, entries: int, lost: bool) -> None:
        """The document that was just read shows so many entries; `lost`: all of them new, so others may be lost."""
        ...

    def leave(self, feed: int) -> None:
        """Forget a feed."""
        ...

    def expected_delay(self, feed: int, until: float, gap: float) -> float:
        """Seconds that a post is expected to wait when the feed is polled next at `until`."""
        ...

    def summary(self) -> str:
        """How the budget stands, for the log."""
        ...
