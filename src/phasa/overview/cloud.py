"""The variable tag cloud: seven styles, twenty prepared clouds, a line chart to choose among them (§4.12)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from phasa.overview.keywords import Keyword

LINE_HEIGHT = "110%"
SHADOW_FROM = 3


class Style(NamedTuple):
    """How the tags of one weight class look."""

    font_px: int
    font_weight: str
    colour: str


STYLES = (
    Style(27, "normal", "#8D9DB2"),
    Style(36, "400", "#9370D8"),
    Style(37, "600", "#228B22"),
    Style(42, "600", "#0000FF"),
    Style(46, "700", "#C71585"),
    Style(51, "800", "#FFA500"),
    Style(54, "900", "#FF4500"),
)


def styles_of(keywords: Sequence[Keyword]) -> list[int]:
    """The style 1..7 of each tag, scaled between the extremes of the tags that are shown (5.4), (5.5)."""
    if not keywords:
        return []
    weights = [keyword.weight for keyword in keywords]
    least, most = min(weights), max(weights)
    if round(most - least, 9) == 0:
        return [len(STYLES)] * len(weights)
    multiplier = (len(STYLES) - 1) / (most - least)
    # Round half up: Python's own rounding would send 2.5 and 3.5 to neighbours of different parity.
    return [min(len(STYLES), max(1, int(1 + (weight - least) * multiplier + 0.5))) for weight in weights]


def style_sheet() -> str:
    """The CSS of the seven classes `.s1` … `.s7`."""
    rules = []
    for number, style in enumerate(STYLES, 1):
        shadow = " text-shadow: 1px 1px 2px rgba(0, 0, 0, .18);" if number >= SHADOW_FROM else ""
        rules.append(
            f".s{number} {{ font-size: {style.font_px}px; font-weight: {style.font_weight};"
            f" color: {style.colour}; line-height: {LINE_HEIGHT};{shadow} }}"
        )
    return "\n".join(rules)
