"""Key content as Markdown and as TEI: paragraphs, headings, lists and tables as they stand on the page."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Final
from xml.sax.saxutils import escape, quoteattr

from phasa.overview.extract.content import Element, Kind, page_kind
from phasa.overview.extract.metadata import Metadata

TEI: Final = "http://www.tei-c.org/ns/1.0"
_SPECIAL = re.compile(r"([\\`*_\[\]<>])")
_OPENING = re.compile(r"^(\s*)([#+\-]|\d+[.)])(?=\s|$)", re.MULTILINE)
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
Group = tuple[Kind, list[Element]]


def groups(elements: Sequence[Element]) -> Iterator[Group]:
    """Neighbours that belong together: the items of a list, the cells of a table, headlines; all else alone."""

    def belongs(element: Element) -> tuple[Kind, int]:
        place = element.place
        if place.kind in (Kind.ITEM, Kind.HEADLINE):
            return place.kind, 0
        return place.kind, place.group if place.kind is Kind.CELL else element.order + 1

    for (kind, _), members in groupby(elements, belongs):
        yield kind, list(members)


def table_rows(cells: Sequence[Element]) -> list[list[str]]:
    """The lines of a table, each its cells; several blocks in one cell are one."""
    rows = []
    for _, line in groupby(cells, lambda cell: cell.place.row):
        rows.append(
            ["\n".join(part.text for part in cell) for _, cell in groupby(line, lambda part: part.place.column)]
        )
    return rows


def markdown(metadata: Metadata, elements: Sequence[Element]) -> str:
    """The page as CommonMark with tables; its title as the first heading unless it has one of that text."""
    parts = [_markdown_group(kind, members) for kind, members in groups(elements)]
    titled = any(one.place.kind is Kind.HEADING and one.text == metadata.title for one in elements)
    if metadata.title and not titled:
        parts.insert(0, f"# {_plain(metadata.title)}")
    return "\n\n".join(parts) + "\n" if parts else ""


def _markdown_group(kind: Kind, members: list[Element]) -> str:
    first = members[0]
    if kind is Kind.HEADING:
        return f"{'#' * first.place.level} {_plain(' '.join(first.text.split()))}"
    if kind is Kind.QUOTE:
        return "\n".join(f"> {line}" for line in _plain(first.text).split("\n"))
    if kind is Kind.CODE:
        return "\n".join(f"    {line}" for line in first.text.split("\n"))
    if kind is Kind.CELL:
        return _markdown_table(table_rows(members))
    if kind is Kind.HEADLINE:
        return "\n".join(f"- {_plain(line)}" for one in members for line in one.text.split("\n"))
    if kind is Kind.ITEM:
        return "\n".join(_markdown_items(members))
    return "  \n".join(_plain(first.text).split("\n"))


def _markdown_items(members: list[Element]) -> Iterator[str]:
    for _, item in groupby(members, lambda one: one.place.row):
        parts = list(item)
        place = parts[0].place
        lines = [line for part in parts for line in _plain(part.text).split("\n")]
        indent = "    " * (place.level - 1)
        yield f"{indent}{'1.' if place.numbered else '-'} {lines[0]}"
        yield from (f"{indent}  {line}" for line in lines[1:])


def _markdown_table(rows: list[list[str]]) -> str:
    width = max(map(len, rows))
    lines = ["| " + " | ".join(_cell(text) for text in [*row, *[""] * (width - len(row))]) + " |" for row in rows]
    return "\n".join([lines[0], "|" + " --- |" * width, *lines[1:]])


def _cell(text: str) -> str:
    return " ".join(_plain(text).split()).replace("|", "\\|")


def _plain(text: str) -> str:
    """Text that Markdown shows as it is."""
    return _OPENING.sub(r"\1\\\2", _SPECIAL.sub(r"\\\1", text))


def tei(name: str, metadata: Metadata, elements: Sequence[Element], language: str) -> str:
    """The page as a TEI document."""
    body = "\n".join(_tei_group(kind, members) for kind, members in groups(elements)) or "<p/>"
    author = f"<author>{_xml(metadata.author)}</author>" if metadata.author else ""
    date = f"<date when={_attribute(metadata.date)}/>" if metadata.date else ""
    return f"""<TEI xmlns="{TEI}">
<teiHeader><fileDesc><titleStmt><title>{_xml(metadata.title)}</title>{author}</titleStmt>
<publicationStmt><p>extracted by phasa</p></publicationStmt>
<sourceDesc><bibl>{_xml(name)}{date}</bibl></sourceDesc></fileDesc>
<profileDesc><langUsage><language ident={_attribute(language)}/></langUsage></profileDesc></teiHeader>
<text><body><div type={_attribute(page_kind(elements) or "empty")}>
{body}
</div></body></text>
</TEI>
"""


def _tei_group(kind: Kind, members: list[Element]) -> str:
    text = members[0].text
    if kind is Kind.HEADING:
        return f'<ab type="heading" n="{members[0].place.level}">{_lines(text)}</ab>'
    if kind is Kind.QUOTE:
        return f"<quote><p>{_lines(text)}</p></quote>"
    if kind is Kind.CODE:
        return f'<ab type="code">{_lines(text)}</ab>'
    if kind is Kind.CELL:
        rows = ("".join(f"<cell>{_lines(cell)}</cell>" for cell in row) for row in table_rows(members))
        return "<table>" + "".join(f"<row>{row}</row>" for row in rows) + "</table>"
    if kind is Kind.HEADLINE:
        return _tei_list("headlines", [line for one in members for line in one.text.split("\n")])
    if kind is Kind.ITEM:
        items = ["\n".join(one.text for one in item) for _, item in groupby(members, lambda one: one.place.row)]
        return _tei_list("numbered" if members[0].place.numbered else "bulleted", items)
    return f"<p>{_lines(text)}</p>"


def _tei_list(rend: str, items: list[str]) -> str:
    return f'<list rend="{rend}">' + "".join(f"<item>{_lines(item)}</item>" for item in items) + "</list>"


def _lines(text: str) -> str:
    return _xml(text).replace("\n", "<lb/>")


def _xml(text: str) -> str:
    return escape(_NOT_XML.sub("", text))


def _attribute(text: str) -> str:
    return quoteattr(_NOT_XML.sub("", text))
