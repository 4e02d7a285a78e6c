"""From the bytes of pages to their key content: one page, or many on all cores, without what repeats among them."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, Final, NamedTuple

from phasa.errors import InputError, ParserCrashedError
from phasa.overview.extract import Element, Method, extract_pages, languages_of
from phasa.overview.match import Frequencies
from phasa.web import url as web_address

if TYPE_CHECKING:
    from phasa.overview.extract.metadata import Metadata
    from phasa.overview.extract.thesis import Rules
    from phasa.sandbox.pool import Pool

MOST_PAGES: Final = 300
"""Pages of a site or a collection that are read where nobody says how many, by command and application alike."""
Extracted = tuple["Metadata", list[Element]]
THIN: Final = 400
"""Characters of key content below which all that a page shows is read instead: the page is a list of links."""
_AT_ONCE: Final = 64  # pages in memory
_PER_CALL: Final = 8  # pages that a worker gets at a time


class RawPage(NamedTuple):
    """A page as it came: its bytes, its address or name, its Content-Type, and its day or month where known."""

    body: bytes | str
    name: str
    content_type: str = ""
    time: str = ""


class Recipe(NamedTuple):
    """How key content is found: the method, the language where it is known, the constants of the published method."""

    method: str = Method.PHASA
    language: str | None = None
    rules: Rules | None = None


@dataclass(frozen=True, slots=True)
class Reading:
    """A page after extraction: its texts in order, not yet cut into words. `time` is its day or month where known."""

    name: str
    title: str
    texts: tuple[str, ...]
    language: str
    description: str = ""
    time: str = ""


def read_content(
    body: bytes | str,
    name: str,
    *,
    method: Method | str = Method.PHASA,
    language: str | None = None,
    content_type: str = "",
) -> Reading:
    """The key content of a page. `language` is that of the page where it is known; it is detected otherwise.

    Raises InputError for what is not HTML text at all.
    """
    page = RawPage(body, name, content_type)
    recipe = Recipe(method, language)
    texts = [(_text(page), name)]
    found = _whole_where_thin(texts, extract_pages(texts, method), recipe)
    return _readings([page], found, recipe)[0]


def read_pages(
    pages: Iterable[RawPage],
    recipe: Recipe = Recipe(),  # noqa: B008 - immutable
    *,
    workers: int | None = None,
) -> Iterator[tuple[RawPage, Reading | None]]:
    """Every page with its key content, in the order of the pages whatever the number of workers (one for each core by
    default); None for what is not a page of text. Pages are read some at a time: memory does not grow with them."""
    workers = workers or len(os.sched_getaffinity(0))
    rest = iter(pages)
    if recipe.method not in tuple(Method):  # a method of the user's own runs here, not in the sandbox
        for page in rest:
            yield page, _alone(page, recipe)
        return
    from phasa.overview.extract import trees
    from phasa.sandbox.pool import Pool

    chunk = list(islice(rest, _AT_ONCE))
    if len(chunk) <= 1:
        yield from ((page, _alone(page, recipe)) for page in chunk)
        return
    with asyncio.Runner() as runner:
        pool = Pool(workers, modules=(trees.__name__,))
        runner.run(pool.__aenter__())
        try:
            while chunk:
                yield from zip(chunk, runner.run(_read_chunk(pool, chunk, recipe)), strict=True)
                chunk = list(islice(rest, _AT_ONCE))
        finally:
            runner.run(pool.__aexit__())


def match_readings(readings: Sequence[Reading]) -> list[Reading]:
    """The pages of one site without what repeats from page to page (ECM, §4.6)."""
    frequencies = Frequencies()
    for reading in readings:
        frequencies.add(reading.texts)
    return [
        replace(reading, texts=tuple(text for text in reading.texts if not frequencies.is_noise(text)))
        for reading in readings
    ]


def match_by_host(readings: Sequence[Reading]) -> list[Reading]:
    """Pages of many sites, every site's without what repeats among them; order kept."""
    hosts: dict[str, list[int]] = {}
    for number, reading in enumerate(readings):
        address = web_address.parse(reading.name)
        hosts.setdefault(web_address.host(address) if address else "", []).append(number)
    out = list(readings)
    for numbers in hosts.values():
        for number, reading in zip(numbers, match_readings([readings[at] for at in numbers]), strict=True):
            out[number] = reading
    return out


async def _read_chunk(pool: Pool, pages: Sequence[RawPage], recipe: Recipe) -> list[Reading | None]:
    texts = [_text_or_none(page) for page in pages]
    at = [number for number, text in enumerate(texts) if text is not None]
    readable = [(texts[number] or "", pages[number].name) for number in at]
    found = await _extract(pool, readable, recipe)
    thin = [number for number, one in enumerate(found) if one is not None and _is_thin(one, recipe)]
    whole = await _extract(pool, [readable[number] for number in thin], _everything(recipe))
    for number, one in zip(thin, whole, strict=True):
        if one is not None:
            found[number] = max(found[number] or one, one, key=_size)
    out: list[Reading | None] = [None] * len(pages)
    kept = [(number, one) for number, one in zip(at, found, strict=True) if one is not None]
    made = _readings([pages[number] for number, _ in kept], [one for _, one in kept], recipe)
    for (number, _), reading in zip(kept, made, strict=True):
        out[number] = reading
    return out


async def _extract(pool: Pool, pages: Sequence[tuple[str, str]], recipe: Recipe) -> list[Extracted | None]:
    parts = [pages[start : start + _PER_CALL] for start in range(0, len(pages), _PER_CALL)]
    done = await asyncio.gather(*(_extract_part(pool, part, recipe) for part in parts))
    return [one for part in done for one in part]


async def _extract_part(pool: Pool, pages: Sequence[tuple[str, str]], recipe: Recipe) -> Sequence[Extracted | None]:
    from phasa.overview.extract import trees

    try:
        if recipe.method == Method.THESIS:
            return await pool.call(trees.by_thesis, pages, recipe.rules)
        return await pool.call(trees.by_features, pages)
    except ParserCrashedError:
        if len(pages) == 1:
            return [None]
        return [one for page in pages for one in await _extract_part(pool, [page], recipe)]


def _alone(page: RawPage, recipe: Recipe) -> Reading | None:
    text = _text_or_none(page)
    if text is None:
        return None
    texts = [(text, page.name)]
    try:
        found = _whole_where_thin(texts, extract_pages(texts, recipe.method, recipe.rules), recipe)
    except ParserCrashedError:
        return None
    return _readings([page], found, recipe)[0]


def _whole_where_thin(pages: list[tuple[str, str]], found: list[Extracted], recipe: Recipe) -> list[Extracted]:
    if not _is_thin(found[0], recipe):
        return found
    whole = _everything(recipe)
    return [max(found[0], extract_pages(pages, whole.method, whole.rules)[0], key=_size)]


def _is_thin(found: Extracted, recipe: Recipe) -> bool:
    return recipe.method == Method.PHASA and _size(found) < THIN


def _size(found: Extracted) -> int:
    return sum(len(element.text) for element in found[1])


def _everything(recipe: Recipe) -> Recipe:
    """All that a page shows, links and lists too, footers left out."""
    from phasa.overview.extract.thesis import Rules

    return recipe._replace(method=Method.THESIS, rules=Rules(max_anchor_ratio=2.0))


def _readings(pages: Sequence[RawPage], found: Sequence[Extracted], recipe: Recipe) -> list[Reading]:
    texts = [_with_title(metadata, elements, recipe.method) for metadata, elements in found]
    declared = [("\n".join(text), metadata.language) for text, (metadata, _) in zip(texts, found, strict=True)]
    languages = [recipe.language] * len(found) if recipe.language else languages_of(declared)
    return [
        Reading(
            page.name,
            metadata.title or page.name,
            tuple(text),
            language or "",
            metadata.evidence.description,
            metadata.date or page.time,
        )
        for page, text, (metadata, _), language in zip(pages, texts, found, languages, strict=True)
    ]


def _with_title(metadata: Metadata, elements: Sequence[Element], method: str) -> list[str]:
    """The texts after the title, which a reader sees first; the published method leaves it out."""
    texts = [element.text for element in elements]
    if metadata.title and method != Method.THESIS and metadata.title not in texts[:3]:
        texts.insert(0, metadata.title)
    return texts


def _text(page: RawPage) -> str:
    from phasa.overview.extract.page import read_text

    return read_text(page.body, page.content_type)


def _text_or_none(page: RawPage) -> str | None:
    try:
        return _text(page)
    except InputError:
        return None
