"""The one policy object: every feed under the policy it is given, all of them on one budget or each on its own.

`phasa feeds watch`, `evaluate`, the lab and the demonstration poll by this object, so what is evaluated is what runs.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from phasa.feeds.forecast import Forecast, Learner
from phasa.feeds.own import OwnBudget
from phasa.feeds.policy import Choice, Decision, Kind, Rules, Terms
from phasa.feeds.rhythm import DAY
from phasa.feeds.shape import WIDTH, learn_shape
from phasa.feeds.shared import SharedBudget
from phasa.feeds.timetable import EvenGaps, PlanBook, PlanMemory, Timetable
from phasa.feeds.trace import Times
from phasa.schedule.common_budget import CommonBudget

# Points of a day are whole hours, so a timetable has at most so many; more polls are given finer bins.
MOST_POINTS = 24
# Polls a day while revisits have the whole of a common budget.
LEAST_POLLS = 1e-3


class Policies:
    """The policy of many feeds. A poll is paid from the common budget, or from the feed's own (`Rules.per_feed`)."""

    def __init__(self, rules: Rules, now: float, book: PlanBook | None = None, learner: Learner = learn_shape) -> None:
        self.rules = rules
        self.shared = SharedBudget(rules.per_day, now, rules.pace, rules.at_start)
        self._book = book or PlanMemory()
        self._learner = learner
        self._terms: dict[int, Terms] = {}
        self._own: dict[int, OwnBudget] = {}
        self._scheduled: dict[int, Timetable | EvenGaps] = {}

    @property
    def common(self) -> bool:
        return self.rules.per_feed is None

    def share_with_pages(self, common: CommonBudget, now: float, post: float = 1.0) -> float:
        """Take the polls a day that are worth as much as the revisits of pages on the same budget; how many. `post`:
        what a post that waits counts beside a page that is out of date."""
        per_day = max(common.share(lambda prices: self.shared.demand(prices / post), now), LEAST_POLLS)
        self.shared.bucket.set_rate(per_day, now)
        self.rules = msgspec.structs.replace(self.rules, per_day=per_day)
        return per_day

    def register(self, feed: int, terms: Terms) -> None:
        before = self._terms.get(feed)
        self._terms[feed] = terms
        if before is not None and (before.policy, before.zone) != (terms.policy, terms.zone):
            self._drop(feed)
        self.shared.register(feed, terms)

    def choice(self, feed: int) -> Choice:
        """The policy of a feed: its own, else the collection's."""
        return self._terms.get(feed, Terms()).policy or self.rules.policy

    def __contains__(self, feed: object) -> bool:
        return feed in self._own or feed in self._scheduled or feed in self.shared

    def join(self, feed: int, times: Times, now: float, watched_since: float) -> None:
        choice, terms = self.choice(feed), self._terms.get(feed, Terms())
        if choice.kind is Kind.PHASA:
            if self.rules.per_feed is None:
                self.shared.join(feed, times, now, watched_since)
            else:
                forecast = Forecast.learn(times, int(now), self._learner, alone=True)
                self._own[feed] = OwnBudget(self.rules.per_feed, forecast, self.rules.pace, terms.entries)
            return
        per_day = self.polls_a_day(choice)
        if choice.kind in (Kind.UNIFORM, Kind.FIXED):
            self._scheduled[feed] = EvenGaps(per_day, now, times[times > now - 28 * DAY].tolist())
        else:
            whole = max(1, min(288, int(per_day)))
            self._scheduled[feed] = Timetable(
                feed, choice.kind, whole, self.rules, terms, self._book, times, watched_since
            )
        self._reserve()

    def polls_a_day(self, choice: Choice) -> float:
        """Polls a day of a feed with a timetable: its own number, else an equal share of the budget."""
        if choice.kind is Kind.FIXED:
            return float(choice.per_day)
        if self.rules.per_feed is not None:
            return self.rules.per_feed
        share = self.rules.per_day / max(1, len(self._terms))
        return share if choice.kind is Kind.UNIFORM else float(max(1, min(MOST_POINTS, int(share))))

    def _reserve(self) -> None:
        self.shared.scheduled = sum(timetable.per_day for timetable in self._scheduled.values())

    def recall(self, feed: int, activity: float) -> None:
        if self.common and self.choice(feed).kind is Kind.PHASA:
            self.shared.recall(feed, activity)

    def made(self, feed: int, polls: int) -> None:
        if self.common:
            self.shared.made(feed, polls)

    def window(self, feed: int, now: float, entries: int, lost: bool) -> None:
        if feed in self._own:
            self._own[feed].window.see(now, entries, lost)
        elif feed in self._scheduled:
            timetable = self._scheduled[feed]
            if lost and isinstance(timetable, Timetable):
                timetable.alarm(now)
        else:
            self.shared.window(feed, now, entries, lost)

    def leave(self, feed: int) -> None:
        self._terms.pop(feed, None)
        self._drop(feed)

    def _drop(self, feed: int) -> None:
        self._own.pop(feed, None)
        self._scheduled.pop(feed, None)
        self.shared.leave(feed)
        self._reserve()

    def ready_at(self, feed: int, now: float) -> float:
        if self.common:
            return self.shared.ready_at(feed, now)
        return self._own[feed].ready_at(feed, now) if feed in self._own else now

    def pay(self, feed: int, now: float) -> None:
        if self.common:
            self.shared.pay(feed, now)
        elif feed in self._own:
            self._own[feed].pay(feed, now)

    def observe(self, feed: int, now: float, posts: Times) -> None:
        if feed in self._own:
            self._own[feed].observe(feed, now, posts)
        elif feed in self._scheduled:
            self._scheduled[feed].observe(now, posts)
        else:
            self.shared.observe(feed, now, posts)

    def decide(self, feed: int, now: float) -> Decision:
        if feed in self._own:
            return self._own[feed].decide(feed, now)
        if feed in self._scheduled:
            return self._scheduled[feed].decide(now)
        return self.shared.decide(feed, now)

    def expected_delay(self, feed: int, until: float, gap: float) -> float:
        if feed in self._own:
            return self._own[feed].expected_delay(feed, until, gap)
        if feed in self._scheduled:
            return self._scheduled[feed].expected_delay(until, gap)
        return self.shared.expected_delay(feed, until, gap)

    def summary(self) -> str:
        if not self.common:
            return f"{len(self._own) + len(self._scheduled)} feeds with {self.rules.per_feed:g} polls a day each"
        return self.shared.summary()


def started(rules: Rules, learned: Sequence[Times], joins: Sequence[int], learner: Learner = learn_shape) -> Policies:
    """A policy for a replay: every feed has joined at its moment, with what it had posted until then."""
    policy = Policies(rules, min(at - at % WIDTH for at in joins), learner=learner)
    for number in range(len(learned)):
        policy.register(number, Terms())
    for number, (times, at) in enumerate(zip(learned, joins, strict=True)):
        policy.join(number, times, at - at % WIDTH, float(times[0]) if len(times) else at)
    return policy
