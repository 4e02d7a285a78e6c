"""The tag cloud as one self-contained HTML page: no network, no server, nothing computed after it was made."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import NamedTuple

import jinja2
import msgspec

from phasa.overview.cloud import STYLES, style_sheet, styles_of
from phasa.overview.keywords import KeywordLists, recommend
from phasa.overview.terms import Passage

PLACES_PER_TERM = 40
PHONE_SCALE = 0.6

# What the page says besides its own content: English, and the languages that come first here.
_WORDS = {
    "en": {
        "x": "top share of unique weights",
        "y": "keywords",
        "said": "{count} keywords at {percent} %",
        "control": "Number of keywords",
        "facts": "{pages} pages, {terms} keywords in all",
    },
    "th": {
        "x": "ร้อยละของค่าน้ำหนักที่ไม่ซ้ำกัน",
        "y": "คำสำคัญ",
        "said": "คำสำคัญ {count} คำ ที่ {percent} %",
        "control": "จำนวนคำสำคัญ",
        "facts": "{pages} หน้า คำสำคัญทั้งหมด {terms} คำ",
    },
    "fa": {
        "x": "سهم وزن‌های یکتا",
        "y": "کلیدواژه",
        "said": "{count} کلیدواژه در {percent} ٪",
        "control": "شمار کلیدواژه‌ها",
        "facts": "{pages} صفحه، {terms} کلیدواژه",
    },
}


@dataclass(frozen=True, slots=True)
class PageText:
    """One page as the cloud knows it: its name and its passages in order."""

    name: str
    passages: Sequence[Passage]


class Look(NamedTuple):
    """How a cloud is shown. `target` is the wished number of keywords at the start; by default a sixth of all."""

    title: str
    language: str = "en"
    direction: str = "ltr"
    target: int | None = None


def render_cloud(lists: KeywordLists, pages: Sequence[PageText], look: Look) -> str:
    """The cloud as a page that needs nothing else."""
    script = cloud_script()
    return _template("cloud.html").render(
        title=_writable(look.title),
        language=look.language,
        direction=look.direction,
        fragment=render_fragment(lists, pages, look),
        style=cloud_style(),
        script=script,
        script_hash=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
    )


def render_fragment(lists: KeywordLists, pages: Sequence[PageText], look: Look) -> str:
    """The cloud as a part of a page: its markup and its data, without style and script."""
    words = _WORDS.get(look.language.split("-")[0], _WORDS["en"])
    chart = lists.chart()
    initial = recommend(chart, look.target)
    terms = [keyword.term for keyword in lists[100]]
    number = {term: place for place, term in enumerate(terms)}
    styled: dict[int, list[tuple[int, int]]] = {}
    for percent in lists:
        shown = lists[percent]
        styled[percent] = [(number[word.term], style) for word, style in zip(shown, styles_of(shown), strict=True)]
    passages, places = _places(pages, number)
    data = {
        "chart": chart,
        "initial": initial,
        "terms": terms,
        "lists": {str(percent): rows for percent, rows in styled.items()},
        "pages": [page.name for page in pages],
        "passages": passages,
        "places": places,
        "words": words,
    }
    return _writable(
        _template("fragment.html").render(
            title=look.title,
            language=look.language,
            direction=look.direction,
            facts=words["facts"].format(pages=len(pages), terms=len(terms)),
            words=words,
            initial=initial,
            shown=[(terms[place], style) for place, style in styled[initial]],
            data=_safe_json(data),
        )
    )


def cloud_style() -> str:
    """The style sheet of a cloud."""
    return f"{_resource('cloud.css')}\n{style_sheet()}\n@media (max-width: 600px) {{\n{_phone_sheet()}\n}}"


def cloud_script() -> str:
    """The script of a cloud; it expects the fragment in the page and fetches nothing."""
    return _resource("cloud.js")


def _places(
    pages: Sequence[PageText], number: dict[str, int]
) -> tuple[list[dict[str, object]], dict[str, list[tuple[int, int, int]]]]:
    """The passages that are shown as contexts, and where each term stands in them (UTF-16 units, as browsers count)."""
    passages: list[dict[str, object]] = []
    places: dict[str, list[tuple[int, int, int]]] = {}
    for page_number, page in enumerate(pages):
        for passage in page.passages:
            unit = _utf16_counter(passage.text)
            for start, end, term in passage.occurrences:
                found = places.setdefault(str(number.get(term, -1)), [])
                if len(found) < PLACES_PER_TERM:
                    found.append((len(passages), unit(start), unit(end)))
            passages.append({"text": passage.text, "page": page_number})
    return passages, places


def _utf16_counter(text: str) -> Callable[[int], int]:
    """From a place in Python's counting to the same place in a browser's."""
    if not text or max(text) <= "\uffff":
        return lambda at: at
    return lambda at: len(text[:at].encode("utf-16-le", "surrogatepass")) // 2


def _phone_sheet() -> str:
    sizes = [style.font_px * PHONE_SCALE for style in STYLES]
    return "\n".join(f".s{number} {{ font-size: {size:.0f}px; }}" for number, size in enumerate(sizes, 1))


def _safe_json(data: object) -> str:
    """JSON that cannot end the script element it stands in."""
    try:
        text = msgspec.json.encode(data).decode()
    except UnicodeEncodeError:  # a lone surrogate somewhere in a page's text
        text = json.dumps(data)
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


@cache
def _resource(name: str) -> str:
    return (files("phasa.overview") / "page" / name).read_text(encoding="utf-8")


@cache
def _template(name: str) -> jinja2.Template:
    return jinja2.Environment(autoescape=True, keep_trailing_newline=True).from_string(_resource(name))


def _writable(text: str) -> str:
    """`text` without lone surrogates, which cannot be written to a file."""
    return text.encode("utf-8", "replace").decode()
