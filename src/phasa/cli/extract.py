"""`phasa extract`."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from phasa.cli.inputs import tell_trouble, write_text
from phasa.cli.sources import is_address, read_source
from phasa.errors import InputError, ParserCrashedError, PhasaError
from phasa.garbage import leave_the_rest
from phasa.overview.extract.method import Method
from phasa.overview_choices import FormPolicy, Logic

if TYPE_CHECKING:
    from phasa.overview.extract import Element
    from phasa.overview.extract.metadata import Metadata
    from phasa.overview.extract.thesis import Rules
    from phasa.overview.match import Frequencies

app = typer.Typer()

_AT_ONCE = 4_000_000  # characters of pages that are judged together
_MOST_AT_ONCE = 40  # pages


class Format(StrEnum):
    """What is printed for a page."""

    TEXT = "text"
    JSON = "json"
    MARKDOWN = "markdown"
    TEI = "xml-tei"


@app.command(epilog="Example:  phasa extract --json page.html other.html")
def extract(
    pages: Annotated[list[str], typer.Argument(metavar="FILE|URL|-...", help="Pages; - is standard input.")],
    form: Annotated[
        Format, typer.Option("--format", help="Text, one JSON object a page, or its structure.")
    ] = Format.TEXT,
    as_json: Annotated[bool, typer.Option("--json", help="The same as --format json.")] = False,
    method: Annotated[
        str,
        typer.Option(help="phasa: judge blocks by their features; thesis: the published rules; ./mine.py:mine: yours."),
    ] = Method.PHASA,
    match: Annotated[
        bool, typer.Option("--match", help="The pages are of one site: drop what repeats from page to page.")
    ] = False,
    logic: Annotated[Logic, typer.Option(help="thesis: join anchor ratio and title rule by or, and.")] = Logic.OR,
    form_policy: Annotated[
        FormPolicy, typer.Option(help="thesis: drop a form with all in it, or only its tag.")
    ] = FormPolicy.SUBTREE,
    allow_private: Annotated[
        bool, typer.Option("--allow-private", help="Fetch from private and loopback addresses too.")
    ] = False,
) -> None:
    """Print the key content of pages: the text without menus, advertisements, comments and footers."""
    from phasa.overview.extract.thesis import Rules

    rules = Rules(logic=logic, form_policy=form_policy)
    frequencies = _count(pages, method, rules, allow_private) if match else None
    form = Format.JSON if as_json else form
    well = True
    if form is Format.TEI:
        write_text(_TEI_BEGIN)
    for batch in _batches(pages, allow_private):
        batch, read = _extracted(batch, method, rules)
        if frequencies is not None:
            read = [page._replace(elements=frequencies.clean(page.elements)) for page in read]
        shown = iter(_SHOWN[form](read))
        for name, text in batch:
            if isinstance(text, str):
                write_text(next(shown))
            else:
                well = tell_trouble(name, text)
    if form is Format.TEI:
        write_text("</teiCorpus>\n")
    leave_the_rest()
    if not well:
        raise typer.Exit(1)


Batch = list[tuple[str, str | Exception]]
"""Names of pages, each with the text of the page or with what was wrong with it."""


class _Read(NamedTuple):
    """A page after extraction."""

    name: str
    metadata: Metadata
    elements: list[Element]

    @property
    def text(self) -> str:
        return "\n".join(element.text for element in self.elements)


def _count(pages: Sequence[str], method: str, rules: Rules, allow_private: bool) -> Frequencies:
    """How many pages each element is on: the first of two passes."""
    if "-" in pages:
        raise InputError("--match reads every page twice, which standard input does not allow: name files")
    from phasa.overview.match import Frequencies

    frequencies = Frequencies()
    for batch in _batches(pages, allow_private):
        for page in _extracted(batch, method, rules)[1]:
            frequencies.add(element.text for element in page.elements)
    return frequencies


def _batches(pages: Sequence[str], allow_private: bool) -> Iterator[Batch]:
    """The pages, some at a time."""
    from phasa.overview.extract.page import read_text

    batch: Batch = []
    size = 0
    for page in pages:
        try:
            source = read_source(page, allow_private=allow_private)
            text = read_text(source.body, source.content_type)
        except (PhasaError, OSError) as problem:
            batch.append((page, problem))
        else:
            batch.append((page, text))
            size += len(text)
        if size > _AT_ONCE or len(batch) == _MOST_AT_ONCE:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _extracted(batch: Batch, method: str, rules: Rules) -> tuple[Batch, list[_Read]]:
    """The batch, and those of its pages that could be read; a page that ends the parser is one that could not."""
    from phasa.overview.extract import extract_pages

    texts = [(name, text) for name, text in batch if isinstance(text, str)]
    try:
        found = extract_pages([(text, name if is_address(name) else "") for name, text in texts], method, rules)
    except ParserCrashedError as crash:
        if len(batch) == 1:
            return [(batch[0][0], crash)], []
        alone = [_extracted([page], method, rules) for page in batch]
        return [page for pages, _ in alone for page in pages], [page for _, read in alone for page in read]
    return batch, [_Read(name, *parts) for (name, _), parts in zip(texts, found, strict=True)]


def _json_lines(pages: list[_Read]) -> Iterator[str]:
    from phasa.overview.extract import languages_of, page_kind

    texts = [page.text for page in pages]
    languages = languages_of([(text, page.metadata.language) for text, page in zip(texts, pages, strict=True)])
    for page, text, language in zip(pages, texts, languages, strict=True):
        row = {
            "file": page.name,
            "title": page.metadata.title,
            "text": text,
            "author": page.metadata.author,
            "date": page.metadata.date,
            "language": language,
            "kind": page_kind(page.elements),
            "elements": [_row(element) for element in page.elements],
        }
        yield json.dumps(row, ensure_ascii=False) + "\n"


def _row(element: Element) -> dict[str, object]:
    """An element as JSON: its place without what does not apply to it."""
    place = element.place
    row: dict[str, object] = {"xpath": element.xpath, "text": element.text, "kind": place.kind}
    if place.level:
        row["level"] = place.level
    if place.row >= 0:
        row |= {"group": place.group, "row": place.row}
    if place.numbered:
        row["numbered"] = True
    return row


def _texts(pages: list[_Read]) -> Iterator[str]:
    return (f"{page.text}\n" for page in pages)


def _markdown(pages: list[_Read]) -> Iterator[str]:
    from phasa.overview.extract.formats import markdown

    return (markdown(page.metadata, page.elements) + "\n" for page in pages)


def _tei(pages: list[_Read]) -> Iterator[str]:
    from phasa.overview.extract import languages_of
    from phasa.overview.extract.formats import tei

    languages = languages_of([(page.text, page.metadata.language) for page in pages])
    for page, language in zip(pages, languages, strict=True):
        yield tei(page.name, page.metadata, page.elements, language)


_SHOWN = {Format.TEXT: _texts, Format.JSON: _json_lines, Format.MARKDOWN: _markdown, Format.TEI: _tei}
# One document however many pages: a corpus with a header of its own, as TEI wants it.
_TEI_BEGIN = """<?xml version="1.0" encoding="UTF-8"?>
<teiCorpus xmlns="http://www.tei-c.org/ns/1.0">
<teiHeader><fileDesc><titleStmt><title>Pages</title></titleStmt><publicationStmt><p>extracted by phasa</p>
</publicationStmt><sourceDesc><p>Web pages</p></sourceDesc></fileDesc></teiHeader>
"""
