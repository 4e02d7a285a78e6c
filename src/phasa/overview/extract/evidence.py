"""What the head of a page says about its content: title, description, and an article body in JSON-LD."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

_SAYS_SOMETHING: Final = 8  # characters; shorter texts stand in anything


@dataclass(frozen=True, slots=True)
class Evidence:
    """Texts that a page declares in its head. They are never extracted, only compared with the visible text."""

    title: str = ""
    description: str = ""
    record: str = ""
    home: bool = False
    """Its address, given or declared, is that of a whole site."""
    article: bool = False
    """It calls itself an article, and not also a collection of them."""

    def match(self, openings: list[str]) -> tuple[list[bool], list[bool], list[bool]]:
        """Per block, by its opening in lower case: is it the title, does it stand in the description, in the body."""
        title, description, record = plain(self.title), plain(self.description), plain(self.record)
        near_title = 2 * len(title) + 10
        opening = description[:60]
        is_title = [
            _SAYS_SOMETHING < len(key) < near_title and (key in title or title in key) if title else False
            for key in openings
        ]
        in_description = [
            len(key) > _SAYS_SOMETHING and (key in description or opening in key) if description else False
            for key in openings
        ]
        in_record = [len(key) > _SAYS_SOMETHING and key[:80] in record if record else False for key in openings]
        return is_title, in_description, in_record


def plain(text: str) -> str:
    """`text` in lower case with single blanks, as blocks have them: what two writings of one sentence share."""
    return " ".join(text.split()).lower()
