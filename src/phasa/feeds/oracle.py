"""The least possible delay when the posts are known beforehand: an exact lower bound for every policy.

Some optimum polls only at posting times, so k polls cut the posts into contiguous groups; the cost of a group is Monge
and the optimum F(k) convex in k. A price per poll therefore replaces the count: one pass over the posts with a hull of
lines finds G(p) = min F(k) + p·k, and bisection on the whole-number price p gives F(k) exactly, for one feed or for
many under one budget (research/feeds.md §3.1, 3.2).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isqrt, log

import numpy as np

from phasa.errors import InputError
from phasa.feeds.trace import Times


@dataclass(frozen=True)
class Bound:
    """The least total delay in seconds, and how many polls and how much delay each feed has in one optimum."""

    total: int
    polls: tuple[int, ...]
    delays: tuple[int, ...]


class _Feed:
    """One feed's posts, equal times merged: moments, posts up to each, and summed posting times up to each."""

    def __init__(self, times: Times, horizon: int | None) -> None:
        moments, counts = np.unique(times, return_counts=True)
        # Times from the first post on keep the numbers small.
        base = int(moments[0]) if len(moments) else 0
        self.moments: list[int] = [int(t) - base for t in moments]
        self.posts: list[int] = [0, *np.cumsum(counts).tolist()]
        self.sums: list[int] = [0, *np.cumsum(counts * (moments - base)).tolist()]
        self.horizon = None if horizon is None else horizon - base
        if self.horizon is not None and self.moments and self.horizon < self.moments[-1]:
            raise InputError("the horizon of an oracle must not lie before the last post")

    def most(self) -> int:
        """Delay without any poll but the free one at the horizon."""
        return self.posts[-1] * (self.horizon or 0) - self.sums[-1]

    def priced(self, price: int) -> tuple[int, int]:
        """(G(p), k): the least delay plus p per poll, and the largest number of polls that reaches it."""
        if not self.moments:
            return 0, 0
        posts, sums = self.posts, self.sums
        # Line i: F[i] + sums[i] - posts[i]·x, best seen at x = the next polled moment. Slopes fall, queries rise.
        slopes, heights, used = [0], [0], [0]
        head = 0
        value = polls = 0
        for j, x in enumerate(self.moments, start=1):
            last = len(slopes) - 1
            here = heights[head] - slopes[head] * x
            while head < last:
                after = heights[head + 1] - slopes[head + 1] * x
                if after > here or (after == here and used[head + 1] < used[head]):
                    break
                here = after
                head += 1
            served = posts[j]
            value = served * x - sums[j] + price + here
            polls = used[head] + 1
            height = value + sums[j]
            while last > head:
                # Drop the last line when the new one overtakes it no later than it overtakes its own predecessor.
                slope, low = slopes[last], heights[last]
                if (height - low) * (slope - slopes[last - 1]) > (low - heights[last - 1]) * (served - slope):
                    break
                if (height - low) * (slope - slopes[last - 1]) == (low - heights[last - 1]) * (served - slope) and (
                    used[last] > polls
                ):
                    break
                slopes.pop()
                heights.pop()
                used.pop()
                last -= 1
            slopes.append(served)
            heights.append(height)
            used.append(polls)
        if self.horizon is None:
            return value, polls
        end, everything, total = self.horizon, posts[-1], sums[-1]
        best = min(range(head, len(slopes)), key=lambda i: (heights[i] - slopes[i] * end, -used[i]))
        return heights[best] - slopes[best] * end + everything * end - total, used[best]


def bound(times: Times, polls: int, horizon: int | None = None) -> Bound:
    """The least total delay of one feed's posts with at most that many polls. See `shared_bound`."""
    return shared_bound([times], polls, horizon)


def shared_bound(feeds: Sequence[Times], polls: int, horizon: int | None = None) -> Bound:
    """The least total delay of all posts of all feeds with at most `polls` polls together.

    With a horizon every feed is also polled once at the horizon for nothing, as when the comparison ends there;
    without one every feed that posted needs a poll at its last post. Raises InputError when polls are too few for that.
    """
    parts = [_Feed(times, horizon) for times in feeds]
    needed = 0 if horizon is not None else sum(1 for part in parts if part.moments)
    distinct = sum(len(part.moments) for part in parts)
    if polls < needed:
        raise InputError(f"{polls} polls cannot serve {needed} feeds; give at least one each or set a horizon")
    if polls >= distinct:
        return Bound(0, tuple(len(part.moments) for part in parts), tuple(0 for _ in parts))
    if polls == 0:
        rest = tuple(part.most() for part in parts)
        return Bound(sum(rest), tuple(0 for _ in parts), rest)
    price, priced = _price(parts, polls)
    counts = [count for _, count in priced]
    delays = [value - price * count for value, count in priced]
    surplus = sum(counts) - polls
    if surplus:  # several optima at this price: give back polls that are worth exactly the price
        fewer = [part.priced(price + 1)[1] for part in parts]
        for i, low in enumerate(fewer):
            given = min(surplus, counts[i] - low)
            counts[i] -= given
            delays[i] += price * given
            surplus -= given
    return Bound(sum(delays), tuple(counts), tuple(delays))


def _price(parts: Sequence[_Feed], polls: int) -> tuple[int, list[tuple[int, int]]]:
    """The highest whole price at which at least `polls` polls pay, and what each feed does at it.

    Two guesses in turn keep the passes few: polls fall about as a power of the price; and a price between two known
    optima is best tried at the slope of the line through them, which ends the search when nothing lies below it.
    """
    low, found = 0, [part.priced(0) for part in parts]
    low_count, low_delay = sum(count for _, count in found), 0
    high = 1 + max(part.posts[-1] * max(part.horizon or 0, part.moments[-1] if part.moments else 0) for part in parts)
    high_count, high_delay = 0, sum(part.most() for part in parts)
    turn = 0
    while high - low > 1 and low_count != polls:
        turn += 1
        if turn % 2 and high_count and low:
            share = log(low_count / polls) / log(low_count / high_count)
            guess = int(low * (high / low) ** share)
        elif turn % 2:
            guess = isqrt(max(low, 1) * high)
        else:
            guess = (high_delay - low_delay) // (low_count - high_count)
        guess = min(max(guess, low + 1), high - 1)
        priced = [part.priced(guess) for part in parts]
        count = sum(polled for _, polled in priced)
        delay = sum(value for value, _ in priced) - guess * count
        if count >= polls:
            low, low_count, low_delay, found = guess, count, delay, priced
        else:
            high, high_count, high_delay = guess, count, delay
    return low, found
