"""Damaged feed documents: the usual damage is mended, a broken item is stepped over, the rest goes to feedparser."""

from __future__ import annotations

import html
import io
import re
from collections.abc import Callable, Iterator
from html.entities import html5
from typing import Any

from phasa.feeds.stream import Fields, Read, read_stream

# A damaged document is read up to here; the forgiving reader is slow and sees less of it.
MOST_MENDED = 1_000_000
MOST_FORGIVEN = 40_000
# So many broken items are stepped over.
_MOST_STEPS = 20

_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\ud800-\udfff]")
_UNTOUCHED = (("<![CDATA[", "]]>"), ("<!--", "-->"))
_AMPERSAND = re.compile(
    r"&(?!(?:amp|lt|gt|quot|apos|#\d{1,7}|#[xX][0-9a-fA-F]{1,6});)(?:([A-Za-z][A-Za-z0-9]{1,31});)?"
)
_PREFIX = re.compile(r"<([A-Za-z]\w{0,30}):|\s([A-Za-z]\w{0,30}):\w+\s*=")
_DECLARED = re.compile(r"\sxmlns:(\w+)\s*=")
_ROOT = re.compile(r"<(?:rss|feed|opml|(?:\w+:)?RDF)\b", re.IGNORECASE)
_NAMESPACES = {
    "dc": "http://purl.org/dc/elements/1.1/", "content": "http://purl.org/rss/1.0/modules/content/",
    "dcterms": "http://purl.org/dc/terms/", "atom": "http://www.w3.org/2005/Atom",
    "atom10": "http://www.w3.org/2005/Atom", "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
}  # fmt: skip
_ITEM = re.compile(rb"<(?:\w+:)?(?:item|entry)[\s>]", re.IGNORECASE)

Entry = dict[str, Any]


def mended(data: bytes, most: int = MOST_MENDED) -> bytes:
    """The usual damage: forbidden characters left out, and outside CDATA HTML's names written out, lone & escaped;
    prefixes that nobody declared are declared."""
    text = writable(data[:most].decode("utf-8", "ignore"))

    def character(match: re.Match[str]) -> str:
        name = match.group(1)
        if name and (known := html5.get(name + ";")):
            return html.escape(known)
        return "&amp;" + match.group(0)[1:]

    pieces, at = [], 0
    for start, end in _untouched(text):
        pieces += [_AMPERSAND.sub(character, text[at:start]), text[start:end]]
        at = end
    return _declared("".join([*pieces, _AMPERSAND.sub(character, text[at:])])).encode("utf-8", "replace")


def writable(text: str) -> str:
    """Text as XML may hold it: characters that it forbids are left out."""
    return _FORBIDDEN.sub("", text)


def _declared(text: str) -> str:
    """The document with a namespace for each prefix that has none, by what the prefix stands for elsewhere."""
    used = {first or second for first, second in _PREFIX.findall(text)} - {"xml", "xmlns", "XML"}
    unknown = used - set(_DECLARED.findall(text))
    root = _ROOT.search(text)
    if not unknown or len(unknown) > 50 or root is None:
        return text
    spaces = "".join(f' xmlns:{name}="{_NAMESPACES.get(name, name)}"' for name in sorted(unknown))
    return text[: root.end()] + spaces + text[root.end() :]


def _untouched(text: str) -> Iterator[tuple[int, int]]:
    """Where CDATA sections and comments are. One pass: an opening without an end ends the search."""
    at = 0
    ahead = {opening: text.find(opening) for opening, _ in _UNTOUCHED}
    while True:
        for opening, found in ahead.items():
            if 0 <= found < at:
                ahead[opening] = text.find(opening, at)
        starts = [(ahead[opening], ending) for opening, ending in _UNTOUCHED if ahead[opening] >= 0]
        if not starts:
            return
        start, ending = min(starts)
        closing = text.find(ending, start)
        if closing < 0:
            return
        at = closing + len(ending)
        yield start, at


def step_over(data: bytes, first: Read, keep: Callable[[Fields], None]) -> Read:
    """Go on after the place where the first reading broke off, from item to item; what was read first stands."""
    begin = _ITEM.search(data, 0, MOST_MENDED)
    read, steps = first, 0
    while read.broken and begin is not None and steps < _MOST_STEPS:
        place = max(read.at, begin.end())
        following = _ITEM.search(data, place, place + MOST_MENDED)
        if following is None:
            break
        head = data[: begin.start()]
        data = head + data[following.start() :]
        read = read_stream(data, keep)
        steps += 1
        if read.broken and read.at <= len(head):
            break
    return first


def read_forgiving(data: bytes) -> tuple[str, Entry, list[Entry]]:
    """(kind, head, entries) of what feedparser makes of a document's beginning; kind "" when it is no feed."""
    import feedparser

    document = io.BytesIO(data[:MOST_FORGIVEN].decode("utf-8", "ignore").encode())
    headers = {"content-type": "application/xml; charset=utf-8"}
    try:
        found = feedparser.parse(document, response_headers=headers, sanitize_html=False, resolve_relative_uris=False)
    except Exception:  # noqa: BLE001 -- a document that no reader can read is no feed, not an error of ours
        return "", {}, []
    version = str(found.get("version") or "")
    kind = next((k for k in ("rss090", "rss10") if version.startswith(k)), "")
    kind = "rdf" if kind else next((k for k in ("atom", "rss", "cdf") if version.startswith(k)), "")
    if not kind and found["entries"]:
        kind = "rss"
    return kind, found["feed"], found["entries"]
