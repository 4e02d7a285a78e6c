"""Titles of publishers as one line of plain text, fit for a terminal and for a list."""

from __future__ import annotations

import html
import re

_TAG = re.compile(r"<[^<>]{1,2000}>")
# Controls of terminals and of the direction of writing; joiners stay: Persian and Thai need them.
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def headline(text: str, most: int = 300) -> str:
    """The text without markup, entities, controls and line ends; cut with an ellipsis when it is longer."""
    words = html.unescape(_TAG.sub("", text[: most * 10]))
    line = " ".join(_CONTROLS.sub(" ", words).split())
    return line if len(line) <= most else line[: most - 1].rstrip() + "…"
