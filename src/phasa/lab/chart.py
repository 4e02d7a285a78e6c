"""Line charts as inline SVG: axes with units, a legend, a shaded 95 % interval; readable on a phone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from phasa.lab.ticks import labels, rounded_up, ticks

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


def draw(chart: Chart) -> str:
    """The chart as SVG with its legend below."""
    lines = [one for one in chart.series if len(one.x)]
    x_end = max((max(one.x) for one in lines), default=1.0) or 1.0
    y_end = chart.y_top or rounded_up(max((max(one.y) for one in lines), default=1.0) or 1.0, Y_PARTS)
    scale = _Scale(min((min(one.x) for one in lines), default=0.0) if chart.x_label == "Z" else 0.0, x_end, y_end)
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
