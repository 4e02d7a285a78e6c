"""Stacked bars over time, as numbers that a template draws; what they say is said there, in the reader's language."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta

import msgspec

from phasa.crawl.run.counts import DayShare

WIDTH, HEIGHT, LEFT, BOTTOM, TOP = 440, 190, 46, 24, 10
MOST_TIMES = 4
DAILY = 62
"""Days from which on months are shown."""
COLOURS = 7  # classes f1 … f7 of the style sheet; the last is for the rest


class Bar(msgspec.Struct, frozen=True):
    """One rectangle; `colour` is a class of the style sheet. `key` is None for all the rest."""

    x: float
    y: float
    width: float
    height: float
    colour: int
    day: str
    key: str | None
    count: int


class Mark(msgspec.Struct, frozen=True):
    """A label on an axis: a day below, or a value at the side."""

    at: float
    day: str = ""
    value: float = 0.0


class Chart(msgspec.Struct, frozen=True):
    """Stacked bars over time. `names` are the keys in the order of their colours; None is all the rest."""

    bars: list[Bar]
    times: list[Mark]
    values: list[Mark]
    names: list[tuple[str | None, int]]
    width: int = WIDTH
    height: int = HEIGHT
    left: int = LEFT


def by_time(days: Sequence[tuple[str, int]], most_days: int = DAILY) -> Chart | None:
    """Counts per day as a chart, months when they span more than `most_days`; days and months without any are drawn as
    nothing. None for fewer than two days."""
    if len(days) < 2:
        return None
    first, last = date.fromisoformat(days[0][0]), date.fromisoformat(days[-1][0])
    if (last - first).days < most_days:
        moments = [(first + timedelta(days=place)).isoformat() for place in range((last - first).days + 1)]
    else:
        span = range(first.year * 12 + first.month - 1, last.year * 12 + last.month)
        moments = [f"{month // 12:04}-{month % 12 + 1:02}" for month in span]
    counts = dict.fromkeys(moments, 0)
    for day, count in days:
        counts[day[: len(moments[0])]] += count
    return stacked([DayShare(moment, "", count, 0) for moment, count in counts.items()], [""])


def stacked(rows: Sequence[DayShare], keys: Sequence[str], *, weight: str = "fetches") -> Chart | None:
    """Counts (or bytes) over time by key, at most six keys and the rest; None for fewer than two moments."""
    days = sorted({row.day for row in rows})
    if len(days) < 2:
        return None
    colour = {key: number for number, key in enumerate(keys[: COLOURS - 1], 1)}
    sums: dict[str, dict[int, int]] = {day: {} for day in days}
    for row in rows:
        of = colour.get(row.key, COLOURS)
        sums[row.day][of] = sums[row.day].get(of, 0) + int(getattr(row, weight))
    most = max(sum(day.values()) for day in sums.values()) or 1
    step = (WIDTH - LEFT) / len(days)
    tall = HEIGHT - BOTTOM - TOP
    names: dict[int, str | None] = {number: key for key, number in colour.items()} | {COLOURS: None}
    bars = []
    for place, day in enumerate(days):
        floor = float(HEIGHT - BOTTOM)
        x, width = round(LEFT + place * step, 2), max(0.5, step * 0.82)
        for of in sorted(sums[day]):
            high = sums[day][of] / most * tall
            floor -= high
            bars.append(Bar(x, round(floor, 2), width, high, of, day, names[of], sums[day][of]))
    used = {of for day in sums.values() for of in day}
    every = -(-len(days) // MOST_TIMES)
    times = [Mark(LEFT + (place + 0.41) * step, days[place]) for place in range(0, len(days), every)]
    values = [Mark(HEIGHT - BOTTOM - share * tall, value=most * share) for share in (0.0, 0.5, 1.0)]
    return Chart(bars, times, values, [(names[of], of) for of in sorted(used)])
