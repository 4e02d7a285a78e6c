"""Records to documents with paragraphs, page by page through the sandbox: the first step."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from phasa import sandbox
from phasa.corpus.document import Document, dropped
from phasa.corpus.page import PageReading, RawPage, read_pages
from phasa.corpus.records import Record
from phasa.errors import PhasaError

PAGES = 32
BYTES = 2_000_000
"""A batch has so many pages or bytes at the most: one call into the sandbox."""
NAME = "extract"


def extracted(records: Iterable[Record]) -> Iterator[list[Document]]:
    """Documents in batches, in the order of the records; those that say nothing have their `drop` set."""
    batch: list[Record] = []
    size = pages = 0
    for record in records:
        batch.append(record)
        if record[1] is not None:
            size += len(record[1].body)
            pages += 1
        if pages >= PAGES or size >= BYTES or len(batch) >= 8 * PAGES:
            yield _read(batch)
            batch, size, pages = [], 0, 0
    if batch:
        yield _read(batch)


def _read(batch: list[Record]) -> list[Document]:
    pages = [page for _, page in batch if page is not None]
    readings = iter(_readings(pages))
    return [document if page is None else _document(document, next(readings)) for document, page in batch]


def _readings(pages: list[RawPage]) -> list[PageReading]:
    """One call for all; when that fails, one for each, so that only the page at fault is lost."""
    if not pages:
        return []
    try:
        return sandbox.run(read_pages, pages)
    except PhasaError as problem:
        if len(pages) == 1:
            return [PageReading(problem="parser_crashed", before=str(problem))]
    return [reading for page in pages for reading in _readings([page])]


def _document(document: Document, reading: PageReading) -> Document:
    if reading.problem:
        return dropped(document, NAME, reading.problem, detail=reading.before[:200])
    document = replace(
        document,
        title=reading.title,
        author=reading.author,
        date=reading.date,
        declared=reading.declared,
        page=reading.page,
        paragraphs=tuple(reading.paragraphs),
        opt_out=reading.opt_out,
        licence=reading.licence,
        before=reading.before,
    )
    return document if document.paragraphs else dropped(document, NAME, "no_text")
