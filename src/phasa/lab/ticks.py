"""Where an axis has its marks and how their numbers read: steps of 1, 2 or 5 times a power of ten."""

from __future__ import annotations

import math


def step_of(span: float, most: int) -> float:
    """The smallest round step that divides a span into at most `most` parts; 1 for an empty span."""
    if not span > 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(span / most))
    return next(round_one * power for round_one in (1, 2, 5, 10, 20) if span / (round_one * power) <= most + 1e-9)


def ticks(start: float, end: float, most: int) -> list[float]:
    """The multiples of a round step between two ends, both included where they are multiples."""
    step = step_of(end - start, most)
    first, last = math.ceil(start / step - 1e-9), math.floor(end / step + 1e-9)
    return [number * step for number in range(first, last + 1)]


def rounded_up(value: float, most: int) -> float:
    """The end of an axis from 0 that holds `value` and is one of its own ticks."""
    step = step_of(value, most)
    return math.ceil(value / step - 1e-9) * step


def labels(values: list[float]) -> list[str]:
    """The numbers of evenly spaced ticks, all with the same digits: 0, 0.2 … · 0, 500, 1,000 … · 0, 20k, 40k …"""
    step = values[1] - values[0] if len(values) > 1 else abs(values[0]) if values and values[0] else 1.0
    if max(map(abs, values), default=0.0) >= 10_000:
        places = max(0, -math.floor(math.log10(step / 1000) + 1e-9))
        return [f"{value / 1000:,.{places}f}k" if value else "0" for value in values]
    places = max(0, -math.floor(math.log10(step) + 1e-9))
    return [f"{value:,.{places}f}" if value else "0" for value in values]
