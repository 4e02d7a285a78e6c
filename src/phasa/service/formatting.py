"""What comes from the web, made fit to be shown: always text, never markup, and never in command of the page.

Control characters are drawn as what they are (␀, ␛), characters that turn the direction of writing or cannot be seen
are named in brackets, long text is cut, and everything stands in its own <bdi> so that it cannot reorder its
neighbours.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Any

import msgspec
from markupsafe import Markup

MOST = 300

# Bidirectional controls and invisible characters that spoof; joiners stay: Persian and Thai need them.
_HIDDEN = re.compile(
    "[\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2064\u2066-\u2069\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)
_CONTROLS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")
_BLANKS = re.compile(r"[\s\u2028\u2029]+")
_SHORT = {"\u202e": "RLO", "\u202d": "LRO", "\u202a": "LRE", "\u202b": "RLE", "\u202c": "PDF", "\u2066": "LRI",
          "\u2067": "RLI", "\u2068": "FSI", "\u2069": "PDI", "\u200e": "LRM", "\u200f": "RLM", "\u061c": "ALM",
          "\u200b": "ZWSP", "\ufeff": "BOM", "\u2028": "LS", "\u2029": "PS"}  # fmt: skip


def plain(text: str, most: int = MOST) -> str:
    """One line of visible text, at most so long; what was cut is marked with an ellipsis."""
    head = text[: most * 4 + 64]  # what blanks are folded away does not count
    line = visible(_BLANKS.sub(" ", head).strip())
    return line if len(line) <= most and len(head) == len(text) else line[: most - 1].rstrip() + "…"


def visible(text: str) -> str:
    """The text with everything that hides or turns made visible; line ends and tabs stay."""
    return _HIDDEN.sub(lambda found: f"⟨{_name(found[0])}⟩", _CONTROLS.sub(_drawn, text))


def foreign(text: str | None, most: int = MOST, lang: str = "") -> Markup:
    """Text of the web for a template: cut, made visible, escaped, and isolated from what stands around it."""
    attribute = Markup(' lang="{}"').format(lang) if lang and lang != "und" else ""
    return Markup('<bdi dir="auto"{}>{}</bdi>').format(attribute, plain(text or "", most))


def address(url: str | None, most: int = 120) -> Markup:
    """A URL: left to right whatever it holds, broken anywhere, never a link to the live page."""
    return Markup('<bdi dir="ltr" class="url">{}</bdi>').format(plain(url or "", most))


def shade(value: float, most: float) -> int:
    """How dark a value is drawn, 0 to 8; only nothing is 0."""
    return 0 if value <= 0 or most <= 0 else max(1, min(8, round(8.0 * value / most)))


def json_text(value: object) -> Markup:
    """A value as JSON inside a <script> that is data: nothing in it can end the element."""
    text = msgspec.json.encode(value).decode("utf-8", "replace")
    return Markup(text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026"))


def encode(value: object) -> bytes:
    """A value as JSON that every reader accepts; a lone surrogate in a page of the web becomes a question mark."""
    try:
        return msgspec.json.encode(value)
    except UnicodeEncodeError:
        return msgspec.json.encode(_mended(msgspec.to_builtins(value)))


def _mended(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, dict):
        return {_mended(key): _mended(item) for key, item in value.items()}
    return [_mended(item) for item in value] if isinstance(value, (list, tuple)) else value


def _drawn(found: re.Match[str]) -> str:
    code = ord(found[0])
    if code < 0x20:
        return chr(0x2400 + code)
    return "␡" if code == 0x7F else "�"


def _name(letter: str) -> str:
    return _SHORT[letter] if letter in _SHORT else unicodedata.name(letter, f"U+{ord(letter):04X}")
