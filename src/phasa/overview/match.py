"""Extracted Content Matching: what repeats on many pages of a site is noise (specs/content-overview.md §4.6).

Two passes, each one page at a time: `Frequencies.add` counts every element once per page, `Frequencies.clean` drops
those that repeat. Memory holds one small entry per distinct element, not the pages.
"""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b
from typing import Final

from phasa.overview.extract.content import Element

INFORMATIVE_BELOW: Final = 0.03
MIN_PAGES_FOR_NOISE: Final = 2


class Frequencies:
    """On how many pages each element text is.

    Noise is a text on at least `min_pages` pages that are at least the share `informative_below` of all; the first
    guard keeps a site of a few pages from losing everything (§8.A4).
    """

    def __init__(self, informative_below: float = INFORMATIVE_BELOW, min_pages: int = MIN_PAGES_FOR_NOISE) -> None:
        self.informative_below = informative_below
        self.min_pages = min_pages
        self.pages = 0
        self._seen: dict[bytes, int] = {}

    def add(self, texts: Iterable[str]) -> None:
        """Count one page: each text once, however often it stands there."""
        self.pages += 1
        for key in {_key(text) for text in texts}:
            self._seen[key] = self._seen.get(key, 0) + 1

    def of(self, text: str) -> int:
        """The number of pages with this element text."""
        return self._seen.get(_key(text), 0)

    def is_noise(self, text: str) -> bool:
        """Whether the text is on so many pages that it belongs to the template."""
        pages = self.of(text)
        return pages >= self.min_pages and pages >= self.informative_below * self.pages

    def clean(self, elements: Iterable[Element]) -> list[Element]:
        """The elements of one page that are not noise, in their order. Never adds one."""
        return [element for element in elements if not self.is_noise(element.text)]


def _key(text: str) -> bytes:
    """The element's text without regard to blanks, as 8 bytes: a whole collection's elements must fit in memory."""
    return blake2b(" ".join(text.split()).encode("utf-8", "surrogatepass"), digest_size=8).digest()
