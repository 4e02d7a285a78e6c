"""Delay of polling policies on posts they have not seen: learned before a moment, tested after it.

Without a budget every feed is its own case with m polls a day, split at its own middle. With a budget all feeds share
it on one calendar, split at the middle of the whole trace; feeds that appear later join with their first post.

- `phasa`: the policy of the daemon (`policy`): what it learned before the split, and during the test what its own polls
  have already found. Nothing else of the test half is known to it.
- `phasa-fixed`: its weekly shape only, frozen at the split: the best 7 m points of the week.
- `dorpm`: the thesis: 24 hours, weekday and weekend apart by the θ rule, the optimum of the learning histogram.
- `hindsight`: the best m fixed points of the day for the very posts it is tested on; no fixed plan can do better.
- `rs`: Retrieval Scheduling. `uniform`: even spacing, phase unknown. `sqrt`: even spacing, polls by square root of the
  rate over the last 90 days. `oracle`: the least delay possible with the same number of polls, all posts known.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import msgspec
import numpy as np

from phasa.errors import InputError
from phasa.feeds.budget import square_root
from phasa.feeds.circle import optimum
from phasa.feeds.forecast import Forecast, Learner
from phasa.feeds.oracle import bound, shared_bound
from phasa.feeds.plan import week_points
from phasa.feeds.policy import UNPACED, OwnBudget, Pace, SharedBudget
from phasa.feeds.replay import Replayed, even_delay, replay, replay_points
from phasa.feeds.rhythm import DAY, HOUR, MONDAY, SPLIT_BELOW, WEEK, histogram
from phasa.feeds.rules import place_polls
from phasa.feeds.shape import WIDTH, Shape, learn_shape
from phasa.feeds.trace import Times, Trace

HALF_HOUR = 1800
SINGLE = ("phasa", "phasa-fixed", "dorpm", "rs", "uniform", "hindsight", "oracle")
SHARED = ("phasa", "sqrt", "uniform", "oracle")
RATE_WINDOW = 90 * DAY


class Row(msgspec.Struct, frozen=True):
    """The delay of one policy on one feed: posts before and after the split, mean delay in hours after it."""

    feed: str
    per_day: float
    policy: str
    learned: int
    posts: int
    delay_hours: float


def evaluate(
    traces: Iterable[Trace], per_day: Sequence[int], policies: Sequence[str], split: float = 0.5
) -> Iterator[Row]:
    """Rows for each feed, m and policy. Feeds without a post after the split give none. Raises InputError."""
    _check(policies, SINGLE)
    if any(m < 1 or m > 288 for m in per_day):
        raise InputError("polls a day must be between 1 and 288")
    for trace in traces:
        before, after = trace.split(split)
        if len(after.times) == 0 or len(before.times) == 0:
            continue
        start = int(trace.times[0]) + round((int(trace.times[-1]) - int(trace.times[0])) * split)
        learner = _remembering(learn_shape)
        for m in per_day:
            for policy in policies:
                total = _delay(policy, before.times, after.times, start, m, learner)
                hours = total / len(after.times) / HOUR
                yield Row(trace.feed, m, policy, len(before.times), len(after.times), hours)


def _delay(policy: str, learned: Times, posts: Times, start: int, m: int, learner: Learner) -> float:
    """Total delay in seconds of the posts."""
    if policy == "uniform":
        return even_delay(DAY / m) * len(posts)
    if policy == "phasa":
        own = OwnBudget(m, Forecast.learn(learned, start, learner, alone=True))
        return replay(own, [posts], [own.decide(0, start - start % WIDTH).at])[0].delay
    if policy == "phasa-fixed":
        width = HALF_HOUR if m <= 24 else WIDTH
        points = optimum(learner(learned).per_bin(width), 7 * m).points
        return replay_points(posts, points, width, WEEK)
    if policy == "hindsight":
        return replay_points(posts, optimum(histogram(posts, WIDTH), m).points, WIDTH, DAY)
    if policy == "oracle":
        polls = max(1, int((int(posts[-1]) - start) / DAY * m))
        return bound(posts, polls).total
    return _by_day(posts, learned, m, policy)


def _by_day(posts: Times, learned: Times, m: int, rule: str) -> float:
    """A rule of the thesis: own points for weekdays and weekends where volumes differ."""

    def points_of(times: Times) -> tuple[int, ...]:
        return place_polls(rule, histogram(times, DAY // _bins(m)), m).points

    weekend = (learned - MONDAY) % WEEK >= 5 * DAY
    share = weekend.mean()
    if share / 2 < SPLIT_BELOW * (1 - share) / 5 and weekend.any() and not weekend.all():
        points = week_points(points_of(learned[~weekend]), points_of(learned[weekend]), _bins(m))
    else:
        points = week_points(every_day := points_of(learned), every_day, _bins(m))
    return replay_points(posts, points, DAY // _bins(m), WEEK)


def _bins(m: int) -> int:
    return 24 if m <= 24 else 288


def evaluate_shared(
    traces: Sequence[Trace], budget: float, policies: Sequence[str], split: float = 0.5
) -> Iterator[Row]:
    """Rows for each feed and policy under one budget of polls a day for all feeds. Raises InputError."""
    _check(policies, SHARED)
    if budget <= 0:
        raise InputError("a budget is a positive number of polls a day")
    first = min(int(trace.times[0]) for trace in traces)
    end = max(int(trace.times[-1]) for trace in traces)
    start = first + round((end - first) * split)
    halves = [trace.cut(start) for trace in traces]
    for policy in policies:
        delays = _shared_delays(policy, [b.times for b, _ in halves], [a.times for _, a in halves], start, end, budget)
        for (before, after), total in zip(halves, delays, strict=True):
            hours = total / max(1, len(after.times)) / HOUR
            yield Row(before.feed, budget, policy, len(before.times), len(after.times), hours)


def _shared_delays(
    policy: str, learned: Sequence[Times], posts: Sequence[Times], start: int, end: int, budget: float
) -> Sequence[float]:
    if policy == "oracle":
        return shared_bound(posts, int((end - start) / DAY * budget), end).delays
    if policy == "phasa":
        return [feed.delay for feed in replay_shared(learned, posts, start, end, budget)]
    return _even_shares(learned, posts, start, end, budget, by_rate=policy == "sqrt")


def replay_shared(
    learned: Sequence[Times], posts: Sequence[Times], start: int, end: int, budget: float, pace: Pace = UNPACED
) -> list[Replayed]:
    """The shared policy from `start` on. A feed with no post before it joins with its first one.

    The evaluation is about the use of a budget and spares no servers: it has no pace of its own.
    """
    joins = [start if len(before) else int(after[0]) for before, after in zip(learned, posts, strict=True)]
    joins = [at - at % WIDTH for at in joins]
    policy = SharedBudget(budget, min(joins), pace)
    for number, (before, at) in enumerate(zip(learned, joins, strict=True)):
        policy.join(number, before, at, float(before[0]) if len(before) else at)
    return replay(policy, posts, joins, end)


def _even_shares(
    learned: Sequence[Times], posts: Sequence[Times], start: int, end: int, budget: float, by_rate: bool
) -> list[float]:
    """Even polls of every feed, shared again each week: equally, or by the square root of the rate of the last 90 days.

    A feed that was silent counts half a post; one that has just joined counts as the mean of the others.
    """
    everything = [np.concatenate(halves) for halves in zip(learned, posts, strict=True)]
    delays = [0.0] * len(posts)
    for week in range(start, end + 1, WEEK):
        at = [np.searchsorted(times, [week - RATE_WINDOW, week, week + WEEK]) for times in everything]
        rates = np.array([float(now - past) + 0.5 for past, now, _ in at])
        known = np.array([now > 0 for _, now, _ in at])
        joined = np.array([after > 0 for _, _, after in at])
        rates[~known] = rates[known].mean() if known.any() else 1.0
        polls = square_root((rates if by_rate else 1.0) * joined, budget)
        for feed, (_, now, after) in enumerate(at):
            if after > now:
                delays[feed] += float(after - now) * even_delay(DAY / float(polls[feed]))
    return delays


def _remembering(learner: Learner) -> Learner:
    """The learner, asked once for the same posts of one feed: polled more or less often, it learns the same."""
    known: dict[tuple[int, int, int], Shape] = {}

    def learn(times: Times) -> Shape:
        key = (len(times), int(times[0]), int(times[-1])) if len(times) else (0, 0, 0)
        if key not in known:
            known[key] = learner(times)
        return known[key]

    return learn


def _check(policies: Sequence[str], known: Sequence[str]) -> None:
    for policy in policies:
        if policy not in known:
            raise InputError(f"unknown policy '{policy}'; choose from {', '.join(known)}")
