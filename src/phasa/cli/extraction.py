"""What `phasa extract` does once its arguments are known. Imports no command-line library: see `phasa.cli.filters`."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from phasa.cli.inputs import read_bytes, tell_trouble, write_text
from phasa.errors import InputError, PhasaError
from phasa.overview.extract import Content, Method, content_of, extract_pages
from phasa.overview.extract.page import read_text

if TYPE_CHECKING:
    from phasa.overview.extract.thesis import Rules
    from phasa.overview.match import Frequencies

_AT_ONCE = 4_000_000  # characters of pages that are judged together
_MOST_AT_ONCE = 40  # pages


def print_contents(
    pages: Sequence[str],
    *,
    as_json: bool = False,
    method: str = Method.PHASA,
    rules: Rules | None = None,
    match: bool = False,
    allow_private: bool = False,
) -> bool:
    """Print the key content of every page. A page that cannot be read is told on standard error; True if none was."""
    well = True
    frequencies = _count(pages, method, rules, allow_private) if match else None
    for group in _groups(pages, allow_private):
        texts = [(text, _address(page)) for page, text in group if isinstance(text, str)]
        found = iter(extract_pages(texts, method, rules))
        out: list[str] = []
        for page, text in group:
            if isinstance(text, str):
                metadata, elements = next(found)
                content = content_of(metadata, frequencies.clean(elements) if frequencies else elements)
                out.append(_json(page, content) if as_json else content.text + "\n")
            else:
                well = tell_trouble(page, text)
        write_text("".join(out))
    return well


def _count(pages: Sequence[str], method: str, rules: Rules | None, allow_private: bool) -> Frequencies:
    """How many pages each element stands on: the first of two passes."""
    if "-" in pages:
        raise InputError("--match reads every page twice, which standard input does not allow: name files")
    from phasa.overview.match import Frequencies

    frequencies = Frequencies()
    for group in _groups(pages, allow_private):
        texts = [(text, _address(page)) for page, text in group if isinstance(text, str)]  # the rest is told later
        for _, elements in extract_pages(texts, method, rules):
            frequencies.add(element.text for element in elements)
    return frequencies


def _groups(pages: Sequence[str], allow_private: bool) -> Iterator[list[tuple[str, str | Exception]]]:
    """Each page with its text, or with what was wrong with it, some pages at a time."""
    group: list[tuple[str, str | Exception]] = []
    size = 0
    for page in pages:
        try:
            text = read_text(_read(page, allow_private))
        except (PhasaError, OSError) as problem:
            group.append((page, problem))
        else:
            group.append((page, text))
            size += len(text)
        if size > _AT_ONCE or len(group) == _MOST_AT_ONCE:
            yield group
            group, size = [], 0
    if group:
        yield group


def _address(page: str) -> str:
    return page if page.startswith(("http://", "https://")) else ""


def _read(page: str, allow_private: bool) -> bytes:
    if _address(page):
        from phasa.cli.sources import read_source  # the network, which files do without

        return read_source(page, allow_private=allow_private).body
    return read_bytes(page)


def _json(page: str, content: Content) -> str:
    row = {
        "file": page,
        "title": content.title,
        "text": content.text,
        "author": content.author,
        "date": content.date,
        "language": content.language,
        "elements": [{"xpath": element.xpath, "text": element.text} for element in content.elements],
    }
    return json.dumps(row, ensure_ascii=False) + "\n"
