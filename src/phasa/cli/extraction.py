"""What `phasa extract` does once its arguments are known. Imports no command-line library: see `phasa.cli.filters`."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence

from phasa.cli.inputs import read_bytes, write_text
from phasa.errors import InputError, PhasaError
from phasa.overview.extract import Content, Method, content_of, extract_page
from phasa.overview.extract.thesis import Rules
from phasa.overview.match import Frequencies


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
    for page, content in _contents(pages, method, rules, match, allow_private):
        if isinstance(content, Content):
            write_text(_json(page, content) if as_json else content.text + "\n")
        else:
            well = False
            sys.stderr.write(f"phasa: {page}: {content}\n")
    return well


def _contents(
    pages: Sequence[str], method: str, rules: Rules | None, match: bool, allow_private: bool
) -> Iterator[tuple[str, Content | Exception]]:
    """Each page with its content, or with what was wrong with it. With `match` the pages are read twice."""
    frequencies = Frequencies()
    if match:
        if "-" in pages:
            raise InputError("--match reads every page twice, which standard input does not allow: name files")
        for page in pages:
            try:
                elements = extract_page(_read(page, allow_private), _address(page), method, rules)[1]
            except (PhasaError, OSError):
                continue  # told in the second pass
            frequencies.add(element.text for element in elements)
    for page in pages:
        try:
            metadata, elements = extract_page(_read(page, allow_private), _address(page), method, rules)
        except (PhasaError, OSError) as problem:
            wrong = problem.strerror.lower() if isinstance(problem, OSError) and problem.strerror else str(problem)
            yield page, InputError(wrong)
        else:
            yield page, content_of(metadata, frequencies.clean(elements) if match else elements)


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
