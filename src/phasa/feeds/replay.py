"""Policies replayed on posts that are known to us and not to them: what would the delay have been?"""

from __future__ import annotations

import heapq
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np

from phasa.feeds.poller import HOLDS, Bucket, Poller
from phasa.feeds.rhythm import DAY, MONDAY
from phasa.feeds.shape import WIDTH
from phasa.feeds.trace import Times

# However quiet a feed is, it is looked at again after this time.
LONGEST_GAP = 14 * DAY


@dataclass(frozen=True)
class Replayed:
    """Total delay of the posts in seconds, and the polls that were made."""

    delay: int
    polls: int


def even_delay(gap: float) -> float:
    """Expected delay under evenly spaced polls whose phase knows nothing of the posts: half the gap."""
    return gap / 2.0


def replay_points(posts: Times, points: Sequence[int], width: int, period: int) -> float:
    """Total delay in seconds under points that repeat each period; a point p is p bins of `width` after its start."""
    taus = np.sort(np.asarray(points, dtype=np.int64)) * width
    circle = np.append(taus, taus[0] + period)
    phases = (posts - MONDAY) % period
    return float((circle[np.searchsorted(circle, phases)] - phases).sum())


class _Watched:
    """One feed during a replay: the poller, and the posts that it cannot see yet."""

    def __init__(self, poller: Poller, posts: Times) -> None:
        self.poller = poller
        self.posts = posts
        self.moments: list[int] = posts.tolist()
        self.seen = self.delay = self.polls = 0

    def poll(self, at: int) -> None:
        upto = bisect_right(self.moments, at, self.seen)
        self.delay += at * (upto - self.seen) - sum(self.moments[self.seen : upto])
        self.poller.observe(at, self.posts[self.seen : upto])
        self.seen = upto
        self.polls += 1

    @property
    def replayed(self) -> Replayed:
        return Replayed(self.delay, self.polls)


def replay_poller(poller: Poller, posts: Times, per_day: float) -> Replayed:
    """The causal policy with its own budget of polls a day, until the last post is seen."""
    feed = _Watched(poller, posts)
    bucket = Bucket.for_rate(per_day, poller.last, poller.unsteady, HOLDS)
    gap = DAY / per_day
    # A feed with a rhythm is served by fewer polls than a steady one: the price at which it asks for all of them is
    # lower, the more so the fewer they are.
    usual = 0.5 * gap * gap * (1.0 - 0.29 * per_day**-0.4)
    while feed.seen < len(posts):
        now = poller.last
        latest, ready = bucket.full_at(now), bucket.ready_at(now)
        price = usual * poller.worth(bucket)
        at = max(min(poller.next_poll(price, gap, ready), _grid(latest)), _grid(ready), now + WIDTH)
        bucket.pay(at)
        feed.poll(at)
    return feed.replayed


def replay_shared(pollers: Sequence[Poller], posts: Sequence[Times], per_day: float, end: int) -> list[Replayed]:
    """The causal policy of many feeds on one budget. A feed joins at its `poller.last`; polling goes on until `end`.

    Every feed asks for its next poll at the common price; how full the common bucket is sets the price. At `end` every
    feed is polled once more, so that no post goes uncounted.
    """
    feeds = [_Watched(poller, times) for poller, times in zip(pollers, posts, strict=True)]
    bucket = Bucket.for_rate(per_day, min(poller.last for poller in pollers))
    due = [(poller.last, number) for number, poller in enumerate(pollers)]
    heapq.heapify(due)
    first = due[0][0]
    rooted = [sqrt(max(poller.activity(), 1e-9)) if poller.last == first else 0.0 for poller in pollers]
    roots = sum(rooted)
    while due[0][0] < end:
        at, number = heapq.heappop(due)
        at = max(at, _grid(bucket.ready_at(max(at, bucket.since))))
        bucket.pay(at)
        feed = feeds[number]
        feed.poll(at)
        # The price at which steady feeds would use the budget exactly (square-root rule) is where steering starts.
        activity = max(feed.poller.activity(), 1e-9)
        roots += sqrt(activity) - rooted[number]
        rooted[number] = sqrt(activity)
        price = 0.5 * (roots * DAY / per_day) ** 2 * bucket.dearness()
        gap = min(max(sqrt(2.0 * price / activity), 2.0 * WIDTH), float(LONGEST_GAP))
        heapq.heappush(due, (min(feed.poller.next_poll(price, gap), at + LONGEST_GAP), number))
    for feed in feeds:
        feed.poll(max(end, feed.poller.last))
    return [feed.replayed for feed in feeds]


def _grid(moment: float) -> int:
    return -int(-moment // WIDTH) * WIDTH
