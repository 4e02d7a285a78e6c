"""What an extractor gives: the key content of one page and its elements."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple


class Kind(StrEnum):
    """What an element is in its page; the last two stand on home, portal and list pages only."""

    PARAGRAPH = "paragraph"
    HEADING = "heading"
    ITEM = "item"
    CELL = "cell"
    QUOTE = "quote"
    CODE = "code"
    HEADLINE = "headline"
    LEAD = "lead"


class Place(NamedTuple):
    """Where an element stands: the level of a heading or list; the list or table it belongs to, and its line there."""

    kind: Kind = Kind.PARAGRAPH
    level: int = 0
    group: int = -1
    row: int = -1
    column: int = -1
    numbered: bool = False


class Element(NamedTuple):
    """A piece of key content: its address in the page (specs/content-overview.md §1.5), its text, its place."""

    xpath: str
    text: str
    order: int
    place: Place = Place()


def page_kind(elements: Iterable[Element]) -> str:
    """front: a home, portal or list page; article: any other with text; '' for one without."""
    kinds = {element.place.kind for element in elements}
    return "front" if kinds & {Kind.HEADLINE, Kind.LEAD} else "article" if kinds else ""


@dataclass(frozen=True, slots=True)
class Content:
    """The key content of a page. `date` is YYYY-MM-DD and `language` a BCP 47 code; '' and 'und' when unknown."""

    title: str
    text: str
    author: str
    date: str
    language: str
    elements: tuple[Element, ...]

    @property
    def kind(self) -> str:
        """front, article or '' (`page_kind`)."""
        return page_kind(self.elements)
