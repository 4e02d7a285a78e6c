"""The tag cloud as one self-contained HTML page: no network, no server, nothing computed after it was made."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Final, NamedTuple

import jinja2
import msgspec

from phasa.overview import calm
from phasa.overview.calm import by_weight, sizes_of, steps_of
from phasa.overview.cloud import STYLES, style_sheet, styles_of
from phasa.overview.cloud_words import digits_of, numbered, words_for
from phasa.overview.keywords import KeywordLists, recommend
from phasa.overview.terms import Passage

PLACES_PER_TERM = 40
PHONE_SCALE = 0.6

CALM, PUBLISHED = "calm", "published"
THEMES: Final = (CALM, PUBLISHED)
SHOWN: Final = 50
"""Words that a calm cloud opens with."""
_DOTTED = re.compile(r"(?:\w\.)+\w")


@dataclass(frozen=True, slots=True)
class PageText:
    """One page as the cloud knows it: its name, its passages in order, and its day or month (2026-03) where known."""

    name: str
    passages: Sequence[Passage]
    time: str = ""


class Look(NamedTuple):
    """How a cloud is shown. `theme` is `calm`, or `published` with its seven styles and twenty lists. `target` is the
    wished number of words at the start: of a calm cloud fifty, of the published one a sixth of all."""

    title: str
    language: str = "en"
    direction: str = "ltr"
    target: int | None = None
    theme: str = CALM


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
    words = words_for(look.language)
    keywords = lists[100]
    terms = [keyword.term for keyword in keywords]
    number = {term: place for place, term in enumerate(terms)}
    labels = terms if look.theme == PUBLISHED else _as_written(pages, number)
    view = _published(lists, number, look) if look.theme == PUBLISHED else _calm(lists, look)
    passages, places = _places(pages, number)
    data = {
        "theme": look.theme,
        "points": view.points,
        "initial": view.initial,
        "terms": labels,
        "order": view.order,
        "lists": view.lists,
        "sizes": view.sizes,
        "pages": [page.name for page in pages],
        "times": [page.time[:7] for page in pages],
        "counts": _counts(pages, number),
        "passages": passages,
        "places": places,
        "words": words,
        "digits": digits_of(look.language),
    }
    count, percent, _ = view.points[view.initial]
    facts = numbered(words["fact" if len(pages) == 1 else "facts"], look.language, pages=len(pages), terms=len(terms))
    said = words["said"] if look.theme == PUBLISHED else words["words"]
    return _writable(
        _template("fragment.html").render(
            title=look.title,
            language=look.language,
            direction=look.direction,
            theme=look.theme,
            facts=facts,
            words=words,
            now=percent if look.theme == PUBLISHED else count,
            least=view.points[0][look.theme == PUBLISHED],
            most=view.points[-1][look.theme == PUBLISHED],
            said=numbered(said, look.language, count=count, percent=percent),
            share="" if look.theme == PUBLISHED else numbered(words["share"], look.language, percent=percent),
            shown=[(labels[place], style) for place, style in view.first],
            data=_safe_json(data),
        )
    )


class View(NamedTuple):
    """A theme's part of the data. `points`: (number of words, percentage of the unique weights, height on the chart
    0…1) of every position of the control; `first`: (word, class) of what is shown at the start."""

    points: list[tuple[int, int, float]]
    initial: int
    order: list[int]
    lists: dict[str, list[tuple[int, int]]]
    sizes: list[int]
    first: list[tuple[int, str]]


def _calm(lists: KeywordLists, look: Look) -> View:
    """So many words, the heaviest; each has its size whatever the number. The chart is the weight of the last word."""
    keywords = lists[100]
    order, sizes = by_weight(keywords), sizes_of(keywords)
    shown = min(look.target or SHOWN, len(keywords))
    heaviest = keywords[order[0]].weight if order else 1.0
    unique = len({round(keyword.weight, 9) for keyword in keywords}) or 1
    points = []
    for step in steps_of(len(keywords), shown):
        last = keywords[order[step - 1]].weight if step else 0.0
        above = len({round(keywords[place].weight, 9) for place in order[:step]})
        points.append((step, max(1, round(100 * above / unique)), round(max(0.0, last / heaviest) ** 0.5, 4)))
    initial = next(at for at, point in enumerate(points) if point[0] >= shown)
    first = [(place, f"w{sizes[place]}") for place in sorted(order[: points[initial][0]])]
    return View(points, initial, order, {}, sizes, first)


def _published(lists: KeywordLists, number: dict[str, int], look: Look) -> View:
    """The twenty lists with their styles (§4.12). The chart is the number of keywords."""
    chart = lists.chart()
    most = max(count for _, count in chart) or 1
    points = [(count, percent, count / most) for percent, count in chart]
    styled = {
        str(percent): [(number[word.term], style) for word, style in zip(row, styles_of(row), strict=True)]
        for percent, row in ((percent, lists[percent]) for percent in lists)
    }
    begin = recommend(chart, look.target)
    initial = next(at for at, (percent, _) in enumerate(chart) if percent == begin)
    first = [(place, f"s{style}") for place, style in styled[str(begin)]]
    return View(points, initial, [], styled, [], first)


def _as_written(pages: Sequence[PageText], number: dict[str, int]) -> list[str]:
    """Every term as its pages mostly write it: Kyiv, UN; of equals the plainer one."""
    forms: dict[str, Counter[str]] = {term: Counter({term: 0}) for term in number}
    for page in pages:
        for passage in page.passages:
            for start, end, term in passage.occurrences:
                if term in forms:
                    forms[term][_written(passage.text, start, end, term)] += 1
    return [max(found, key=lambda form: (found[form], form.islower(), form)) for found in forms.values()]


def _written(text: str, start: int, end: int, term: str) -> str:
    """An occurrence as a word of its own: without the 's that follows it, with the last point of U.S."""
    form = " ".join(text[start:end].split())
    if form[: len(term)].lower() == term:
        form = form[: len(term)]
    return f"{form}." if text[end : end + 1] == "." and _DOTTED.fullmatch(form) else form


def _counts(pages: Sequence[PageText], number: dict[str, int]) -> list[list[tuple[int, int]]]:
    """For every word how often each page has it: (page, times)."""
    counts: list[list[tuple[int, int]]] = [[] for _ in number]
    for at, page in enumerate(pages):
        for term, times in Counter(term for passage in page.passages for term in passage.terms).items():
            if term in number:
                counts[number[term]].append((at, times))
    return counts


def cloud_style() -> str:
    """The style sheet of a cloud."""
    published = f"{style_sheet()}\n@media (max-width: 600px) {{\n{_phone_sheet()}\n}}"
    return f"{_resource('cloud.css')}\n{calm.style_sheet()}\n{published}"


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
                if term not in number:
                    continue
                found = places.setdefault(str(number[term]), [])
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
