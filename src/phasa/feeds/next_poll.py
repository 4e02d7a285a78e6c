"""The best moment of the next poll when a poll has a price: a short exact dynamic program over the forecast."""

from __future__ import annotations

from bisect import bisect_right
from math import ceil, sqrt

from phasa.feeds.forecast import Forecast
from phasa.feeds.rhythm import HOUR
from phasa.feeds.shape import BINS, WIDTH

# Step widths in bins of five minutes: few, so that what depends on them can be kept.
_WIDTHS = (1, 2, 3, 4, 6, 8, 12, 18, 24, 36, 48, 72, 96, 144)
# Steps to a usual gap; usual gaps that a plan looks ahead, or a day and a night, but no more than so many gaps.
FINE, AHEAD, NIGHT, FARTHEST = 12, 3.5, 30 * HOUR, 7.0


def best_poll(forecast: Forecast, price: float, gap: float, ready: float = 0.0) -> int:
    """The best moment of the next poll from `ready` on, when a poll is worth `price` seconds of waiting.

    `gap` is the usual time between polls.
    """
    width = _WIDTHS[bisect_right(_WIDTHS, max(1.0, gap / FINE / WIDTH)) - 1]
    step = width * WIDTH
    ahead = min(max(AHEAD * gap, NIGHT), FARTHEST * gap)
    steps = min(max(8, int(ahead / step)), 2 * BINS // width)
    first = max(1, ceil((ready - forecast.last) / step))
    return forecast.last + step * _first_poll(forecast.expected_posts(width, steps), price / step, min(first, steps))


def _first_poll(expected: list[float], price: float, earliest: int = 1) -> int:
    """The step after which the best plan polls first: least waiting plus price per poll, at least one poll.

    No poll can be made before the step `earliest`.

    Forward program over the steps with a hull of lines (as in `oracle`). The end of the horizon is open: a plan may end
    with a poll at any of the later steps, and is charged what the same time costs on average at the optimum of a steady
    feed, √(2 · price · rate) per step.
    """
    horizon = len(expected)
    mean = sum(expected) / horizon
    usual = sqrt(2.0 * price * mean)
    slopes, heights, firsts = [0.0], [0.0], [0]
    head = 0
    posts = moments = 0.0
    best, chosen = float("inf"), horizon
    for j, count in enumerate(expected, start=1):
        posts += count
        moments += count * j
        if j < earliest:
            continue
        last = len(slopes) - 1
        here = heights[head] - slopes[head] * j
        while head < last:
            after = heights[head + 1] - slopes[head + 1] * j
            if after > here:
                break
            here = after
            head += 1
        value = posts * j - moments + here + price
        first = firsts[head] or j
        if 2 * j > horizon and value - usual * j < best:
            best, chosen = value - usual * j, first
        height = value + moments
        while last > head:
            slope, low = slopes[last], heights[last]
            if (height - low) * (slope - slopes[last - 1]) > (low - heights[last - 1]) * (posts - slope):
                break
            slopes.pop()
            heights.pop()
            firsts.pop()
            last -= 1
        slopes.append(posts)
        heights.append(height)
        firsts.append(first)
    return chosen


def next_bin(moment: float) -> int:
    """The end of the bin of five minutes that the moment is in."""
    return -int(-moment // WIDTH) * WIDTH
