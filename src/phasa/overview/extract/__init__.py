"""The key content of a page: `extract(page)` gives its text, elements, title, author, date and language.

Two methods: `phasa`, the default, judges blocks of text by their features; `thesis` is Single Page Extraction as
published (specs/content-overview.md §4.2-4.4).
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import TYPE_CHECKING

from phasa.overview.extract.blocks import lay_out
from phasa.overview.extract.content import Content, Element
from phasa.overview.extract.language import language_of
from phasa.overview.extract.metadata import Metadata, read_metadata
from phasa.overview.extract.page import read_text, read_tree

if TYPE_CHECKING:
    from phasa.overview.extract.thesis import Rules

__all__ = ["Content", "Element", "Method", "content_of", "extract", "extract_page", "extract_pages"]


class Method(StrEnum):
    """How key content is told from the rest."""

    PHASA = "phasa"
    THESIS = "thesis"


def extract(
    page: bytes | str, url: str = "", method: Method | str = Method.PHASA, rules: Rules | None = None
) -> Content:
    """The key content of an HTML page.

    `page` is its bytes (decoded here) or text; `url` helps to date it; `rules` are the constants of `thesis`.
    A page without key content gives an empty text. Raises InputError for what is no HTML text at all.
    """
    return content_of(*extract_page(page, url, method, rules))


def extract_page(
    page: bytes | str, url: str = "", method: Method | str = Method.PHASA, rules: Rules | None = None
) -> tuple[Metadata, list[Element]]:
    """What `extract` does in two parts, so that elements can be matched across pages before `content_of`."""
    return extract_pages([(read_text(page), url)], method, rules)[0]


def extract_pages(
    pages: Sequence[tuple[str, str]], method: Method | str = Method.PHASA, rules: Rules | None = None
) -> list[tuple[Metadata, list[Element]]]:
    """The same of several pages, each its text (`page.read_text`) and its URL: quicker than one by one."""
    trees = [read_tree(text) for text, _ in pages]
    told = [read_metadata(tree, url) for tree, (_, url) in zip(trees, pages, strict=True)]
    if Method(method) is Method.THESIS:
        from phasa.overview.extract import thesis

        found = [thesis.extract_elements(tree, rules or thesis.Rules()) for tree in trees]
    else:
        from phasa.overview.extract.features import Draft  # loads numpy, which the published method does without
        from phasa.overview.extract.judged import extract_elements

        drafts = [Draft(lay_out(tree), metadata.evidence) for tree, metadata in zip(trees, told, strict=True)]
        found = extract_elements(drafts)
    return list(zip(told, found, strict=True))


def content_of(metadata: Metadata, elements: list[Element]) -> Content:
    """The content made of a page's metadata and those of its elements that were kept."""
    text = "\n".join(element.text for element in elements)
    return Content(
        title=metadata.title,
        text=text,
        author=metadata.author,
        date=metadata.date,
        language=language_of(text, metadata.language),
        elements=tuple(elements),
    )
