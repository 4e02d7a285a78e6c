"""The key content of a page: `extract(page)` gives its text, elements, title, author, date and language.

Two methods: `phasa`, the default, judges blocks of text by their features; `thesis` is Single Page Extraction as
published (specs/content-overview.md §4.2-4.4).
"""

from __future__ import annotations

from enum import StrEnum

from phasa.overview.extract import thesis
from phasa.overview.extract.content import Content, Element
from phasa.overview.extract.language import language_of
from phasa.overview.extract.metadata import Metadata, read_metadata
from phasa.overview.extract.page import read_tree

__all__ = ["Content", "Element", "Method", "content_of", "extract", "extract_page"]


class Method(StrEnum):
    """How key content is told from the rest."""

    PHASA = "phasa"
    THESIS = "thesis"


def extract(
    page: bytes | str,
    url: str = "",
    method: Method | str = Method.PHASA,
    rules: thesis.Rules | None = None,
) -> Content:
    """The key content of an HTML page.

    `page` is its bytes (decoded here) or text; `url` helps to date it; `rules` are the constants of `thesis`.
    A page without key content gives an empty text. Raises InputError for what is no HTML text at all.
    """
    return content_of(*extract_page(page, url, method, rules))


def extract_page(
    page: bytes | str,
    url: str = "",
    method: Method | str = Method.PHASA,
    rules: thesis.Rules | None = None,
) -> tuple[Metadata, list[Element]]:
    """What `extract` does in two parts, so that elements can be matched across pages before `content_of`."""
    tree = read_tree(page)
    metadata = read_metadata(tree, url)
    if Method(method) is Method.THESIS:
        return metadata, thesis.extract_elements(tree, rules or thesis.Rules())
    from phasa.overview.extract import judged  # loads numpy, which `thesis` does without

    return metadata, judged.extract_elements(tree, metadata.evidence)


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
