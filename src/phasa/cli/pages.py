"""A file as the language commands see it: its text, whether it is HTML or plain, and what it declares."""

from __future__ import annotations

import re

from phasa.language.verdict import Document
from phasa.web.charset import decode

_HTML = re.compile(rb"<(?:!doctype|html|head|body|meta|title|script|div|p|a)[\s>/]", re.IGNORECASE)
_SNIFFED = 4096


def read_document(body: bytes) -> tuple[Document, str]:
    """The document in a file's bytes, and on what evidence its charset was chosen. HTML is reduced to visible text."""
    decoded = decode(body)
    if _HTML.search(body[:_SNIFFED]):
        shown, declared = visible_text(decoded.text)
        return Document(shown, decoded.charset, declared), decoded.evidence
    return Document(decoded.text, decoded.charset), decoded.evidence


def visible_text(html: str) -> tuple[str, str | None]:
    """What a reader sees of a page, title first, and the language it declares (html lang, or a meta tag)."""
    from resiliparse.extract.html2text import extract_plain_text
    from resiliparse.parse.html import HTMLTree

    tree = HTMLTree.parse(html)
    declared = None
    if tree.document is not None:
        root = tree.document.query_selector("html")
        if root is not None:
            declared = root.getattr("lang") or root.getattr("xml:lang")
        if not declared:
            for meta in tree.document.query_selector_all("meta"):
                name = (meta.getattr("http-equiv") or meta.getattr("name") or "").lower()
                if name in ("content-language", "language"):
                    declared = meta.getattr("content")
                    break
    text = extract_plain_text(tree, main_content=False, alt_texts=False, links=False, form_fields=False)
    # The title first: a page that is all pictures or scripts often says in it alone which language it is in.
    return f"{tree.title or ''}\n{text}".strip(), declared
