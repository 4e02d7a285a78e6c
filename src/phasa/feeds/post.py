"""What a feed document says: its posts, and its hints to those who poll it; titles as one plain line."""

from __future__ import annotations

import hashlib
import html
import re
from typing import Literal

from msgspec import Struct

Identity = Literal["guid", "title"]

_TAG = re.compile(r"<[^<>]{1,2000}>")
# Controls of terminals and of the direction of writing; joiners stay: Persian and Thai need them.
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


class Post(Struct, frozen=True, gc=False):
    """One item of a feed. Times are Unix seconds, None when absent or unreadable; texts as the publisher wrote them."""

    id: str
    link: str
    title: str
    summary: str
    published: float | None
    updated: float | None = None

    def key(self, by: Identity = "guid") -> str:
        """What makes the post the same post in a later document.

        By default the publisher's id, else the link, else title and date. By title as in the thesis (Fig. 4.6): a
        retitled post is a new one.
        """
        if by == "title" and self.title:
            return "title:" + self.title
        if self.id:
            return "id:" + self.id
        if self.link:
            return "link:" + self.link.partition("://")[2]
        content = f"{self.title}\0{self.published}\0{self.summary}"
        return "hash:" + hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()[:32]

    def when(self) -> float | None:
        """The time of posting: published, else updated."""
        return self.published if self.published is not None else self.updated


class Hints(Struct, frozen=True):
    """What the publisher asks of pollers: seconds between polls (ttl, sy:*), hours (GMT) and days not to ask in.

    With a `base` (sy:updateBase) the feed changes at that moment and every `period` seconds from it on.
    """

    seconds: float | None = None
    skip_hours: frozenset[int] = frozenset()
    skip_days: frozenset[int] = frozenset()  # 0 = Monday
    period: float | None = None
    base: float | None = None


class Feed(Struct, frozen=True):
    """A feed document as read. `kind` is "" when it is not a feed; `faults` says what had to be mended."""

    kind: str
    title: str = ""
    link: str = ""
    language: str = ""
    posts: tuple[Post, ...] = ()
    hints: Hints = Hints()
    hub: str = ""
    itself: str = ""
    charset: str = ""
    reader: str = ""
    faults: tuple[str, ...] = ()


def headline(text: str, most: int = 300) -> str:
    """The text without markup, entities, controls and line ends; cut with an ellipsis when it is longer."""
    words = html.unescape(_TAG.sub("", text[: most * 10]))
    line = " ".join(_CONTROLS.sub(" ", words).split())
    return line if len(line) <= most else line[: most - 1].rstrip() + "…"
