"""Bytes of pages to paragraphs: the part of the work that runs in the sandbox (phasa.sandbox)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import msgspec

from phasa.corpus.document import Paragraph
from phasa.corpus.rights import read_rights
from phasa.errors import InputError
from phasa.garbage import never_collected
from phasa.overview.extract.blocks import Layout, lay_out
from phasa.overview.extract.content import Element, Kind, page_kind
from phasa.overview.extract.features import Draft
from phasa.overview.extract.formats import groups
from phasa.overview.extract.judged import extract_elements
from phasa.overview.extract.metadata import Metadata, read_metadata
from phasa.overview.extract.page import decode, read_tree
from phasa.web.inflate import inflate
from phasa.web.limits import Limits

BEFORE = 1500
"""Characters of the visible text that are kept to be shown."""
_LIMITS = Limits()


class RawPage(NamedTuple):
    """A body as it came, and what its answer's header said. `html` is False for a body that is text already."""

    body: bytes
    url: str
    content_type: str = ""
    encoding: str = ""
    headers: tuple[tuple[str, str], ...] = ()
    html: bool = True


class PageReading(msgspec.Struct, frozen=True, array_like=True):
    """What a body says; `problem` is why it says nothing."""

    problem: str = ""
    title: str = ""
    author: str = ""
    date: str = ""
    declared: str = ""
    page: str = ""
    paragraphs: list[Paragraph] = []
    opt_out: str = ""
    licence: str = ""
    before: str = ""


def read_pages(pages: list[RawPage]) -> list[PageReading]:
    """A reading of each page, in order: unpacked, decoded, parsed and extracted, all together, which is quicker."""
    readings: list[PageReading | None] = []
    drafts: list[Draft] = []
    declared: list[Metadata] = []
    rights = []
    with never_collected():
        for page in pages:
            body, problem = inflate(page.body, page.encoding, _LIMITS)
            if problem in ("bomb", "bad_encoding"):
                readings.append(PageReading(problem=problem))
                continue
            try:
                text = decode(body[: 4 * _LIMITS.page_characters], page.content_type)[: _LIMITS.page_characters]
            except InputError as refused:
                readings.append(PageReading(problem="not_text", before=str(refused)))
                continue
            if not page.html:
                readings.append(_plain(text))
                continue
            tree = read_tree(text)
            declared.append(read_metadata(tree, page.url))
            rights.append(read_rights(tree, page.headers))
            drafts.append(Draft(lay_out(tree), declared[-1].evidence))
            readings.append(None)
        found = zip(declared, rights, drafts, extract_elements(drafts), strict=True)
        return [reading or _reading(*next(found)) for reading in readings]


def _plain(text: str) -> PageReading:
    """Of a text, as in WET files: its lines."""
    lines = [Paragraph(line) for part in text.split("\n") if (line := " ".join(part.split()))]
    return PageReading(title=lines[0].text[:200] if lines else "", page="text", paragraphs=lines)


def _reading(metadata: Metadata, rights: tuple[str, str], draft: Draft, elements: list[Element]) -> PageReading:
    layout = draft.layout
    return PageReading(
        title=metadata.title,
        author=metadata.author,
        date=metadata.date,
        declared=metadata.language,
        page=page_kind(elements),
        paragraphs=list(paragraphs_of(elements, layout)),
        opt_out=rights[0],
        licence=rights[1],
        before=_before(layout.texts),
    )


def _before(texts: Sequence[str]) -> str:
    out, size = [], 0
    for text in texts:
        out.append(text)
        size += len(text) + 1
        if size > BEFORE:
            break
    return "\n".join(out)[:BEFORE]


def paragraphs_of(elements: Sequence[Element], layout: Layout) -> Iterator[Paragraph]:
    """The elements as paragraphs: a line of a table is one, each headline of a list of headlines is one."""
    for kind, members in groups(elements):
        if kind is Kind.CELL:
            yield from _table(members, layout)
            continue
        for one in members:
            share = _link_share(layout, one.order, one.text)
            for text in one.text.split("\n") if kind is Kind.HEADLINE else (one.text,):
                if text.strip():
                    yield Paragraph(text, str(kind), max(one.place.level, 0), links=share)


def _table(cells: Sequence[Element], layout: Layout) -> Iterator[Paragraph]:
    rows: dict[int, list[Element]] = {}
    for cell in cells:
        rows.setdefault(cell.place.row, []).append(cell)
    for row in rows.values():
        share = sum(_link_share(layout, cell.order, cell.text) for cell in row) / len(row)
        yield Paragraph(" | ".join(" ".join(cell.text.split()) for cell in row), str(Kind.CELL), links=round(share, 3))


def _link_share(layout: Layout, block: int, text: str) -> float:
    return round(min(layout.links[block] / max(len(text), 1), 1.0), 3)
