"""The key content of a page: `extract(page)` gives its text, elements, title, author, date and language.

Two methods: `phasa`, the default, judges blocks of text by their features; `thesis` is Single Page Extraction as
published (specs/content-overview.md §4.2-4.4).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from phasa.garbage import never_collected
from phasa.overview.extract.blocks import lay_out
from phasa.overview.extract.content import Content, Element
from phasa.overview.extract.language import language_of
from phasa.overview.extract.metadata import Metadata, read_metadata
from phasa.overview.extract.page import read_text, read_tree
from phasa.overview.method import Method

if TYPE_CHECKING:
    from phasa.overview.extract.thesis import Rules

__all__ = ["Content", "Element", "Method", "content_of", "extract", "extract_page", "extract_pages"]


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
    # The collector would look through the growing lists of a large page again and again.
    with never_collected():
        return _extract_pages(pages, method, rules)


def _extract_pages(
    pages: Sequence[tuple[str, str]], method: Method | str, rules: Rules | None
) -> list[tuple[Metadata, list[Element]]]:
    if Method(method) is Method.THESIS:
        return [_by_thesis(text, url, rules) for text, url in pages]
    from phasa.overview.extract.features import Draft  # loads numpy, which the published method does without
    from phasa.overview.extract.judged import extract_elements

    told: list[Metadata] = []
    drafts: list[Draft] = []
    for text, url in pages:  # one tree at a time: it is large, and read while the processor still has it at hand
        tree = read_tree(text)
        told.append(read_metadata(tree, url))
        drafts.append(Draft(lay_out(tree), told[-1].evidence))
    return list(zip(told, extract_elements(drafts), strict=True))


def _by_thesis(text: str, url: str, rules: Rules | None) -> tuple[Metadata, list[Element]]:
    from phasa.overview.extract import thesis

    tree = read_tree(text)
    return read_metadata(tree, url), thesis.extract_elements(tree, rules or thesis.Rules())


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
