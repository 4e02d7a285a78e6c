"""Charts as numbers: where each bar stands. The template draws them in SVG with classes: no style is inline."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from phasa.service.ledger import DayShare

WIDTH, HEIGHT, LEFT, BOTTOM, TOP = 440, 190, 40, 24, 10
MOST_TIMES = 4
COLOURS = 7  # classes f1 … f7 of the style sheet; the last is for the rest


class Bar(msgspec.Struct, frozen=True):
    """One rectangle; `colour` is a class of the style sheet, `said` what it means."""

    x: float
    y: float
    width: float
    height: float
    colour: int
    said: str


class Tick(msgspec.Struct, frozen=True):
    """A label on an axis."""

    at: float
    text: str


class Chart(msgspec.Struct, frozen=True):
    """Stacked bars over time. `names` are the keys in the order of their colours."""

    bars: list[Bar]
    times: list[Tick]
    values: list[Tick]
    names: list[tuple[str, int]]
    width: int = WIDTH
    height: int = HEIGHT
    left: int = LEFT
    bottom: int = HEIGHT - BOTTOM


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
    names = {number: key for key, number in colour.items()} | {COLOURS: "other"}
    bars = []
    for place, day in enumerate(days):
        floor = float(HEIGHT - BOTTOM)
        for of in sorted(sums[day]):
            high = sums[day][of] / most * tall
            floor -= high
            said = f"{day} · {names[of] or '–'}: {sums[day][of]:,}"
            bars.append(Bar(round(LEFT + place * step, 2), round(floor, 2), max(0.5, step * 0.82), high, of, said))
    used = {of for day in sums.values() for of in day}
    every = -(-len(days) // MOST_TIMES)
    times = [Tick(LEFT + (place + 0.41) * step, days[place]) for place in range(0, len(days), every)]
    values = [Tick(HEIGHT - BOTTOM - share * tall, _short(most * share)) for share in (0.0, 0.5, 1.0)]
    return Chart(bars, times, values, [(names[of], of) for of in sorted(used)])


def _short(value: float) -> str:
    for size, letter in ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= size:
            return f"{value / size:.3g}{letter}"
    return f"{value:.0f}"
