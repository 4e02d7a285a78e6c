"""Line charts as inline SVG: axes with units, a legend, a shaded 95 % interval; readable on a phone."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

WIDTH, HEIGHT = 360, 250
LEFT, RIGHT, TOP, BOTTOM = 52, 10, 12, 40
# Colours that people with colour-blindness can tell apart (Okabe and Ito); dashes tell the rest apart.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "currentColor", "#8c6d31")
DASHES = ("", "6 3", "2 3", "8 3 2 3")
# As many parts of an axis as leave room between the numbers.
X_PARTS, Y_PARTS = 6, 6


@dataclass(frozen=True)
class Series:
    """One line: points, and half the width of the interval around each when it is known."""

    name: str
    x: Sequence[float]
    y: Sequence[float]
    around: Sequence[float] = ()


@dataclass(frozen=True)
class Chart:
    """A line chart."""

    title: str
    x_label: str
    y_label: str
    series: Sequence[Series]
    y_top: float | None = None
    """Upper end of the y axis; taken from the data when not given."""
    x_from_zero: bool = True
    """Whether the x axis begins at 0; otherwise at the smallest x."""


def draw(chart: Chart) -> str:
    """The chart as SVG with its legend below."""
    lines = [one for one in chart.series if len(one.x)]
    x_end = max((max(one.x) for one in lines), default=1.0) or 1.0
    y_end = chart.y_top or rounded_up(max((max(one.y) for one in lines), default=1.0) or 1.0, Y_PARTS)
    x_start = 0.0 if chart.x_from_zero else min((min(one.x) for one in lines), default=0.0)
    scale = _Scale(x_start, x_end, y_end)
    rows = -(-len(lines) // 2)
    height = HEIGHT + 16 * rows
    parts = [
        f'<svg viewBox="0 0 {WIDTH} {height}" role="img" aria-label="{escape(chart.title)}" '
        'xmlns="http://www.w3.org/2000/svg" font-family="sans-serif" font-size="11" fill="currentColor">'
    ]
    parts += _axes(chart, scale)
    for number, one in enumerate(lines):
        parts += _line(one, number, scale)
    for number, one in enumerate(lines):
        x, y = 12 + (number % 2) * (WIDTH // 2), HEIGHT + 8 + 16 * (number // 2)
        parts.append(
            f'<line x1="{x}" y1="{y - 4}" x2="{x + 20}" y2="{y - 4}" {_stroke(number)}/>'
            f'<text x="{x + 25}" y="{y}">{escape(one.name)}</text>'
        )
    return "".join(parts) + "</svg>"


@dataclass(frozen=True)
class _Scale:
    x_start: float
    x_end: float
    y_end: float

    def x(self, value: float) -> float:
        return round(LEFT + (value - self.x_start) / (self.x_end - self.x_start or 1) * (WIDTH - LEFT - RIGHT), 1)

    def y(self, value: float) -> float:
        share = min(1.0, max(0.0, value / self.y_end))
        return round(HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM), 1)


def _axes(chart: Chart, scale: _Scale) -> list[str]:
    bottom, right = HEIGHT - BOTTOM, WIDTH - RIGHT
    parts = [f'<path d="M{LEFT} {TOP}V{bottom}H{right}" fill="none" stroke="currentColor"/>']
    marks = ticks(0.0, scale.y_end, Y_PARTS)
    for value, label in zip(marks, labels(marks), strict=True):
        y = scale.y(value)
        parts.append(f'<path d="M{LEFT} {y}H{right}" stroke="currentColor" opacity=".15"/>')
        parts.append(f'<text x="{LEFT - 4}" y="{y + 4}" text-anchor="end">{label}</text>')
    marks = ticks(scale.x_start, scale.x_end, X_PARTS)
    for value, label in zip(marks, labels(marks), strict=True):
        x = scale.x(value)
        # A number in the middle of the last mark would be cut off by the edge.
        anchor = "end" if x > right - 14 else "middle"
        parts.append(f'<path d="M{x} {bottom}v4" stroke="currentColor"/>')
        parts.append(f'<text x="{x}" y="{bottom + 15}" text-anchor="{anchor}">{label}</text>')
    middle = (TOP + bottom) / 2
    parts.append(
        f'<text x="{(LEFT + right) / 2}" y="{bottom + 30}" text-anchor="middle">{escape(chart.x_label)}</text>'
    )
    parts.append(
        f'<text x="10" y="{middle}" text-anchor="middle" transform="rotate(-90 10 {middle})">'
        f"{escape(chart.y_label)}</text>"
    )
    return parts


def _line(one: Series, number: int, scale: _Scale) -> list[str]:
    colour = COLOURS[number % len(COLOURS)]
    parts: list[str] = []
    if len(one.around) and any(one.around):
        upper = [f"{scale.x(x)} {scale.y(y + a)}" for x, y, a in zip(one.x, one.y, one.around, strict=True)]
        lower = [f"{scale.x(x)} {scale.y(y - a)}" for x, y, a in zip(one.x, one.y, one.around, strict=True)]
        parts.append(f'<path d="M{"L".join([*upper, *reversed(lower)])}Z" fill="{colour}" opacity=".13"/>')
    points = "L".join(f"{scale.x(x)} {scale.y(y)}" for x, y in zip(one.x, one.y, strict=True))
    parts.append(f'<path d="M{points}" fill="none" {_stroke(number)}/>')
    return parts


def _stroke(number: int) -> str:
    dash = DASHES[number % len(DASHES)]
    style = f' stroke-dasharray="{dash}"' if dash else ""
    return f'stroke="{COLOURS[number % len(COLOURS)]}" stroke-width="2"{style}'


# Where an axis has its marks and how their numbers read: steps of 1, 2 or 5 times a power of ten.


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
