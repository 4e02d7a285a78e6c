"""Bytes of a page to its text, and text to a tree, whatever they are, in time that does not explode."""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from resiliparse.parse.html import HTMLTree

from phasa.errors import InputError
from phasa.web import charset


def _listed(words: str, by: str | None = None) -> list[str]:
    return words.split(by)


MAX_BYTES: Final = 20_000_000
MOST_TAGS: Final = 150_000  # no page for readers has more
MOST_NODES: Final = 200_000  # of the tree; unclosed <b> and <i> are repeated in every paragraph after them
MAX_DEPTH: Final = 512  # as browsers do; the parser's time grows with the square of the depth
_WORTH_COUNTING: Final = 12_000  # fewer opening tags than this cannot hurt
_LONGEST_TAG: Final = 500_000  # characters; so many attributes make the parser crawl
_MONSTER = re.compile(f"<[a-zA-Z][^<>]{{{_LONGEST_TAG},}}>?")
# Elements without an end tag, or whose end tag is often left out: the next of them closes the one before.
_NEVER_DEEP: Final = (
    "area base br col embed hr img input link meta param source track wbr basefont bgsound frame keygen p li dt dd td "
    "th tr thead tbody tfoot option optgroup colgroup rp rt a"
)
_CONTROL: Final = bytes((*range(9), *range(14, 32)))
_BINARY: Final = (
    (b"%PDF-", "a PDF file"),
    (b"\x89PNG", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF8", "a GIF image"),
    (b"PK\x03\x04", "a ZIP archive"),
    (b"\x1f\x8b", "gzip data; unpack it first"),
    (b"\x7fELF", "a program"),
    (b"RIFF", "a media file"),
    (b"\x00\x00\x01\x00", "an icon"),
)


def read_text(page: bytes | str, content_type: str = "") -> str:
    """The text of a page; `content_type` is what its server said. Raises InputError for what is not text or larger than
    20 MB."""
    if len(page) > MAX_BYTES:
        raise InputError(f"the page has {len(page):,} bytes, more than {MAX_BYTES:,}: cut it or raise the limit")
    return decode(page, content_type) if isinstance(page, bytes) else page


def read_tree(text: str) -> HTMLTree:
    """The tree of a page's text; of a page with more than 150,000 tags only the part before them is read."""
    if len(text) > _LONGEST_TAG or text.count("<") >= _WORTH_COUNTING:
        if text.count("<") > MOST_TAGS:
            text = text[: len(text) - len(text.split("<", MOST_TAGS)[-1]) - 1]
        text = limit_depth(text)
    return HTMLTree.parse(text)


def decode(body: bytes, content_type: str = "") -> str:
    """The text of a page's bytes. Raises InputError when they are not text."""
    for magic, what in _BINARY:
        if body.startswith(magic):
            raise InputError(f"this is {what}, not an HTML page")
    text = charset.decode(body, content_type or None).text
    head = text[:4096].encode("utf-8", "surrogatepass")
    if len(head) - len(head.translate(None, _CONTROL)) > 0.1 * len(text[:4096]):
        raise InputError("this is binary data, not an HTML page")
    return text


def limit_depth(html: str, depth: int = MAX_DEPTH) -> str:
    """`html` without the tags (not their content) that open an element deeper than `depth`, as browsers do."""
    if len(html) > _LONGEST_TAG:
        html = _MONSTER.sub("", html)
    if html.count("<") < _WORTH_COUNTING:
        return html
    tags = _tags_of_levels()
    opened = deepest = 0
    for closes, name in tags.findall(html):
        opened += -_levels(name) if closes else _levels(name)
        if opened > deepest:
            deepest = opened
    if deepest <= depth:
        return html
    kept: list[str] = []
    at = opened = 0
    for tag in tags.finditer(html):
        closes, levels = bool(tag[1]), _levels(tag[2])
        opened += 0 if closes else levels
        if opened > depth:
            kept.append(html[at : tag.start()])
            at = tag.end()
        opened = max(opened - levels, 0) if closes else opened
    kept.append(html[at:])
    return "".join(kept)


@cache
def _tags_of_levels() -> re.Pattern[str]:
    """Finds the tags that open and close a level; made when a page is large enough to need it."""
    return re.compile(rf"<(/?)(?!(?:{'|'.join(_NEVER_DEEP.split())})(?=[\s/>]))([a-zA-Z][^\s/>]*)[^>]*>", re.I)


def _levels(name: str) -> int:
    """How many elements a tag of this name opens: a table brings its body, row and cell."""
    return 4 if name.lower() == "table" else 1
