"""Delay of polling policies on posts they have not seen: learned before a moment, tested after it.

Without a budget every feed is its own case with m polls a day, split at its own middle. With a budget all feeds share
it on one calendar, split at the middle of the whole trace; feeds that appear later join with their first post.

`phasa`, `dorpm` and `rs` are the policies of the daemon, replayed by the same object (`policies.Policies`): what they
learned before the split, and during the test what their own polls have already found. Nothing else of the test half is
known to them. DORPM learns the last four weeks, again every four weeks; RS its two weeks, once. The others are
references:

- `uniform`: even spacing, phase unknown. `sqrt`: even spacing, polls by square root of the rate over the last 90 days.
- `phasa-fixed`: the weekly shape of `phasa` only, frozen at the split: the best 7 m points of the week.
- `hindsight`: the best m fixed points of the day for the very posts it is tested on; no fixed plan can do better.
- `oracle`: the least delay possible with the same number of polls, all posts known.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial

import msgspec
import numpy as np

from phasa.errors import InputError
from phasa.feeds.budget import square_root
from phasa.feeds.circle import optimum
from phasa.feeds.forecast import Learner
from phasa.feeds.oracle import bound, shared_bound
from phasa.feeds.policies import started
from phasa.feeds.policy import UNPACED, Rules, parse_policy
from phasa.feeds.replay import Replayed, actual_delay, even_delay, replay
from phasa.feeds.rhythm import DAY, HOUR, WEEK, histogram
from phasa.feeds.shape import WIDTH, Shape, learn_shape
from phasa.feeds.trace import Times, Trace
from phasa.processes import die_with_parent

HALF_HOUR = 1800
SINGLE = ("phasa", "phasa-fixed", "dorpm", "rs", "uniform", "hindsight", "oracle")
SHARED = ("phasa", "dorpm", "rs", "sqrt", "uniform", "oracle")
RUNNING = ("phasa", "dorpm", "rs")
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
    traces: Sequence[Trace], per_day: Sequence[int], policies: Sequence[str], split: float = 0.5, workers: int = 1
) -> Iterator[Row]:
    """Rows for each feed, m and policy, feeds shared out among processes. Feeds without a post after the split give
    none. Raises InputError."""
    _check(policies, SINGLE)
    if any(m < 1 or m > 288 for m in per_day):
        raise InputError("polls a day must be between 1 and 288")
    one = partial(_evaluate_feed, per_day=tuple(per_day), policies=tuple(policies), split=split)
    workers = min(workers, len(traces))
    if workers <= 1:
        for trace in traces:
            yield from one(trace)
        return
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, mp_context=context, initializer=die_with_parent) as pool:
        for rows in pool.map(one, traces):
            yield from rows


def _evaluate_feed(trace: Trace, per_day: Sequence[int], policies: Sequence[str], split: float) -> list[Row]:
    before, after = trace.split(split)
    if len(after.times) == 0 or len(before.times) == 0:
        return []
    start = int(trace.times[0]) + round((int(trace.times[-1]) - int(trace.times[0])) * split)
    learner = _remembering(learn_shape)
    rows = []
    for m in per_day:
        for policy in policies:
            total = _delay(policy, before.times, after.times, start, m, learner)
            hours = total / len(after.times) / HOUR
            rows.append(Row(trace.feed, m, policy, len(before.times), len(after.times), hours))
    return rows


def _delay(policy: str, learned: Times, posts: Times, start: int, m: int, learner: Learner) -> float:
    """Total delay in seconds of the posts."""
    if policy == "uniform":
        return even_delay(DAY / m) * len(posts)
    if policy in RUNNING:
        rules = Rules(m, per_feed=m, policy=parse_policy(policy), pace=UNPACED)
        running = started(rules, [learned], [start], learner)
        return replay(running, [posts], [running.decide(0, start - start % WIDTH).at])[0].delay
    if policy == "phasa-fixed":
        width = HALF_HOUR if m <= 24 else WIDTH
        points = optimum(learner(learned).per_bin(width), 7 * m).points
        return actual_delay(posts, points, width, WEEK)
    if policy == "hindsight":
        return actual_delay(posts, optimum(histogram(posts, WIDTH), m).points, WIDTH)
    polls = max(1, int((int(posts[-1]) - start) / DAY * m))
    return bound(posts, polls).total


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
    if policy in RUNNING:
        rules = Rules(budget, policy=parse_policy(policy), pace=UNPACED)
        return [feed.delay for feed in replay_shared(learned, posts, start, end, rules)]
    return _even_shares(learned, posts, start, end, budget, by_rate=policy == "sqrt")


def replay_shared(
    learned: Sequence[Times], posts: Sequence[Times], start: int, end: int, rules: Rules
) -> list[Replayed]:
    """All feeds on one budget from `start` on. A feed with no post before it joins with its first one.

    The evaluation is about the use of a budget and spares no servers: its rules have no pace.
    """
    joins = [start if len(before) else int(after[0]) for before, after in zip(learned, posts, strict=True)]
    return replay(started(rules, learned, joins), posts, [at - at % WIDTH for at in joins], end)


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
