"""The key content of a page: `extract(page)` gives its text, elements, title, author, date and language.

Two methods: `phasa`, the default, judges blocks of text by their features; `thesis` is Single Page Extraction as
published (specs/content-overview.md §4.2-4.4); a plug-in may stand in their place. The HTML parser and the models are
loaded when a page is extracted, so that a command can offer the methods without them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from phasa.overview.extract.content import Content, Element, Kind, page_kind
from phasa.overview.extract.method import Method, extractor_named

if TYPE_CHECKING:
    from phasa.overview.extract.metadata import Metadata
    from phasa.overview.extract.thesis import Rules

__all__ = [
    "Content",
    "Element",
    "Kind",
    "Method",
    "content_of",
    "extract",
    "extract_page",
    "extract_pages",
    "languages_of",
    "page_kind",
]


def extract(
    page: bytes | str,
    url: str = "",
    method: Method | str = Method.PHASA,
    rules: Rules | None = None,
    language: str | None = None,
) -> Content:
    """The key content of an HTML page.

    `page` is its bytes (decoded here) or text; `url` helps to date it; `rules` are the constants of `thesis`. The
    language is detected unless the caller knows it. A page without key content gives an empty text.
    Raises InputError for what is not HTML text at all, or ends the process that reads it.
    """
    metadata, elements = extract_page(page, url, method, rules)
    text = "\n".join(element.text for element in elements)
    return content_of(metadata, elements, language or languages_of([(text, metadata.language)])[0])


def extract_page(
    page: bytes | str, url: str = "", method: Method | str = Method.PHASA, rules: Rules | None = None
) -> tuple[Metadata, list[Element]]:
    """The first half of `extract`, so that elements can be matched across pages before `content_of`."""
    from phasa.overview.extract.page import read_text

    return extract_pages([(read_text(page), url)], method, rules)[0]


def extract_pages(
    pages: Sequence[tuple[str, str]], method: Method | str = Method.PHASA, rules: Rules | None = None
) -> list[tuple[Metadata, list[Element]]]:
    """The same of several pages, each its text (`page.read_text`) and its URL: quicker than one by one.

    The pages are parsed in the sandbox; a method of the user's own is called here. Raises ParserCrashedError when one
    of them ends it: ask for each alone to know which.
    """
    from phasa import sandbox
    from phasa.overview.extract import trees

    if method == Method.PHASA:
        from phasa.overview.extract import judged

        judged.ready()  # before a command's process is copied into the sandbox: loaded once for both of them
        return sandbox.run(trees.by_features, pages)
    if method == Method.THESIS:
        return sandbox.run(trees.by_thesis, pages, rules)
    extractor = extractor_named(method)
    texts = [extractor(text, url) for text, url in pages]
    return [
        (metadata, [Element("", piece, order) for order, piece in enumerate(pieces) if piece])
        for metadata, pieces in zip(sandbox.run(trees.metadata_of, pages), texts, strict=True)
    ]


def content_of(metadata: Metadata, elements: list[Element], language: str) -> Content:
    """The content made of a page's metadata, those of its elements that were kept, and their language."""
    return Content(
        title=metadata.title,
        text="\n".join(element.text for element in elements),
        author=metadata.author,
        date=metadata.date,
        language=language,
        elements=tuple(elements),
    )


def languages_of(pages: Sequence[tuple[str, str]]) -> list[str]:
    """The language of each page, given its text and the language it declares: phasa's detector, asked once for all.

    The detector reads a bounded sample of a text. What a page declares counts where there is too little text.
    """
    from phasa.language.detectors import detector  # loads a model
    from phasa.language.verdict import Document

    documents = [Document(text, declared=declared or None) for text, declared in pages]
    return [verdict.language for verdict in detector().judge_many(documents)]
