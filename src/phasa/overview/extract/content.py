"""What an extractor gives: the key content of one page and its elements."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple


class Element(NamedTuple):
    """A piece of key content: its address in the page (specs/content-overview.md §1.5), its text, its place."""

    xpath: str
    text: str
    order: int


@dataclass(frozen=True, slots=True)
class Content:
    """The key content of a page. `date` is YYYY-MM-DD and `language` a BCP 47 code; '' and 'und' when unknown."""

    title: str
    text: str
    author: str
    date: str
    language: str
    elements: tuple[Element, ...]
