"""A file as the language commands see it: its text, whether it is HTML or plain, and what it declares."""

from __future__ import annotations

import re

from phasa.language.verdict import Document
from phasa.web.charset import decode
from phasa.web.html import read_page
from phasa.web.url import Url

_HTML = re.compile(rb"<(?:!doctype|html|head|body|meta|title|script|div|p|a)[\s>/]", re.IGNORECASE)
_SNIFFED = 4096
_NOWHERE = Url("http://document.invalid/")


def read_document(body: bytes) -> tuple[Document, str]:
    """The document in a file's bytes, and on what evidence its charset was chosen. HTML is reduced to visible text."""
    decoded = decode(body)
    if _HTML.search(body[:_SNIFFED]):
        shown, declared = visible_text(decoded.text)
        return Document(shown, decoded.charset, declared), decoded.evidence
    return Document(decoded.text, decoded.charset), decoded.evidence


def visible_text(html: str) -> tuple[str, str | None]:
    """What a reader sees of a page, title first, and the language it declares (html lang, or a meta tag)."""
    page = read_page(html, _NOWHERE, tags=frozenset())
    declared = page.lang or next(iter(page.languages), None)
    # The title first: a page that is all pictures or scripts often says in it alone which language it is in.
    return f"{page.title}\n{page.text}".strip(), declared
