"""A policy replayed on posts that are known to us and not to it: what would the delay have been?"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from phasa.feeds.policy import Policy
from phasa.feeds.rhythm import DAY, MONDAY
from phasa.feeds.trace import Times


@dataclass
class Replayed:
    """One feed in a replay: total delay in seconds of the posts that were found, and the moments of its polls."""

    posts: Times
    delay: float = 0.0
    polls: list[float] = field(default_factory=list)
    found: int = 0

    @property
    def unfound(self) -> bool:
        return self.found < len(self.posts)

    def poll(self, at: float) -> Times:
        """The posts that a poll at this moment finds."""
        upto = int(np.searchsorted(self.posts, at, side="right"))
        new = self.posts[self.found : upto]
        self.delay += at * len(new) - float(new.sum())
        self.found = upto
        self.polls.append(at)
        return new


def replay(policy: Policy, posts: Sequence[Times], due: Sequence[float], end: float | None = None) -> list[Replayed]:
    """Poll every feed from the moment it is due, each time when the policy wants it and can pay for it.

    Feeds are numbered as in `posts`. Without an `end` polling goes on until every post is found. At an `end` every feed
    is polled once more, so that no post goes uncounted.
    """
    feeds = [Replayed(times) for times in posts]
    waiting = [(at, number) for number, at in enumerate(due)]
    heapq.heapify(waiting)
    while waiting[0][0] < end if end is not None else any(feed.unfound for feed in feeds):
        wanted, number = heapq.heappop(waiting)
        at = policy.ready_at(number, wanted)
        policy.pay(number, at)
        policy.observe(number, at, feeds[number].poll(at))
        heapq.heappush(waiting, (policy.decide(number, at).at, number))
    if end is not None:
        for feed in feeds:
            feed.poll(max([end, *feed.polls[-1:]]))
    return feeds


def even_delay(gap: float) -> float:
    """Expected delay under evenly spaced polls whose phase knows nothing of the posts: half the gap."""
    return gap / 2.0


def actual_delay(posts: Times, points: Sequence[int], width: int, period: int = DAY) -> float:
    """Total delay in seconds under points that repeat each period, at real posting times (Lemmas 2 and 3).

    A point p is p bins of `width` after the period's start; periods start on a Monday at 00:00 UTC. Hours are half-open
    (§5.1): a post exactly at a point belongs to the next bin and waits for a later point.
    """
    taus = np.sort(np.asarray(points, dtype=np.int64)) * width
    circle = np.append(taus, taus[0] + period)
    phases = (posts - MONDAY) % period
    return float((circle[np.searchsorted(circle, phases, side="right")] - phases).sum())
