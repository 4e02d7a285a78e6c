"""Bytes or text of a page to a tree, whatever they are, in time that does not explode."""

from __future__ import annotations

import re
from typing import Final

from resiliparse.parse.encoding import bytes_to_str, detect_encoding
from resiliparse.parse.html import HTMLTree

from phasa.errors import InputError

MAX_BYTES: Final = 20_000_000
MAX_DEPTH: Final = 512  # as browsers do; the parser's time grows with the square of the depth
_WORTH_COUNTING: Final = 4_000  # fewer opening tags than this cannot hurt
_TAG = re.compile(r"<(/?)([a-zA-Z][^\s/>]*)[^>]*>")
# Elements without an end tag, or whose end tag is often left out: the next of them closes the one before.
_NEVER_DEEP: Final = frozenset(
    [
        "area",
        "base",
        "br",
        "col",
        "embed",
        "hr",
        "img",
        "input",
        "link",
        "meta",
        "param",
        "source",
        "track",
        "wbr",
        "basefont",
        "bgsound",
        "frame",
        "keygen",
        "p",
        "li",
        "dt",
        "dd",
        "td",
        "th",
        "tr",
        "thead",
        "tbody",
        "tfoot",
        "option",
        "optgroup",
        "colgroup",
        "rp",
        "rt",
        "a",
    ]
)
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


def read_tree(page: bytes | str) -> HTMLTree:
    """The tree of a page. Raises InputError for what is no text or larger than 20 MB."""
    if len(page) > MAX_BYTES:
        raise InputError(f"the page has {len(page):,} bytes, more than {MAX_BYTES:,}: cut it or raise the limit")
    text = decode(page) if isinstance(page, bytes) else page
    return HTMLTree.parse(limit_depth(text))


def decode(body: bytes) -> str:
    """The text of a page's bytes. Raises InputError when they are no text."""
    for magic, what in _BINARY:
        if body.startswith(magic):
            raise InputError(f"this is {what}, not an HTML page")
    try:
        return body.decode("utf-8-sig")
    except UnicodeDecodeError:
        text: str = bytes_to_str(body, detect_encoding(body))
    sample = text[:4096]
    if sum(character < " " and character not in "\t\n\r\f" for character in sample) > 0.1 * len(sample):
        raise InputError("this is binary data, not an HTML page")
    return text


def limit_depth(html: str, depth: int = MAX_DEPTH) -> str:
    """`html` without the tags (not their content) that open an element deeper than `depth`, as browsers do."""
    if html.count("<") < _WORTH_COUNTING:
        return html
    tags = [match for match in _TAG.finditer(html) if match[2].lower() not in _NEVER_DEEP]
    opened = deepest = 0
    for tag in tags:
        opened += -1 if tag[1] else 1
        deepest = max(deepest, opened)
    if deepest <= depth:
        return html
    kept: list[str] = []
    at = opened = 0
    for tag in tags:
        closes = bool(tag[1])
        opened += not closes
        if opened > depth:
            kept.append(html[at : tag.start()])
            at = tag.end()
        opened = max(opened - closes, 0)
    kept.append(html[at:])
    return "".join(kept)
