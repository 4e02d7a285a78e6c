"""A page of the archive as text, with its language: what the text exports write."""

from __future__ import annotations

from phasa.archive.text import Text
from phasa.language.detectors import detect
from phasa.web.html import read_page
from phasa.web.url import parse


def page_text(body: bytes, address: str, content_type: str) -> Text | None:
    """The text of a page; None for an address that is none."""
    url = parse(address)
    if url is None:
        return None
    page = read_page(body, url, header=content_type)
    verdict = detect(page.text)
    return Text(address, "", verdict.language, verdict.score, page.charset, page.title, page.text)
