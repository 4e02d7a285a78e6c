"""Feed documents of every kind to posts: RSS 0.9x/1.0/2.0, Atom 0.3/1.0, CDF, JSON Feed; never raises.

Order of work: our decoder gives the text (feeds lie about their encoding); the document type and its entities are cut
off, so nothing is ever expanded or fetched; expat checks well-formedness and depth in one cheap pass; fastfeedparser
reads what is well-formed, feedparser what is not or what the fast one cannot read. Markup in texts is left as it is:
whoever shows it must clean it.
"""

from __future__ import annotations

import html
import io
import json
import re
from collections.abc import Iterable, Iterator
from datetime import datetime
from html.entities import html5
from typing import Any
from xml.etree import ElementTree
from xml.parsers import expat

from phasa.feeds.hints import around_items, hints_of, related
from phasa.feeds.post import Feed, Post
from phasa.feeds.rhythm import parse_date
from phasa.web.charset import decode
from phasa.web.url import Url, join, parse

MOST_BYTES = 10 * 1024 * 1024
MOST_POSTS = 5000
DEEPEST = 200
# A damaged document is read up to here; the forgiving reader is slow and sees less of it than the fast one.
MOST_MENDED = 1_000_000
MOST_FORGIVEN = 100_000

_DECLARATION = re.compile(r"^\s*<\?xml[^<>]{0,400}?\?{1,2}>", re.IGNORECASE)
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\ud800-\udfff]")
_CONTROLS = re.compile("[\x80-\x9f]")
_DOCTYPE = re.compile(r"<!DOCTYPE", re.IGNORECASE)
_DOCTYPE_MARK = re.compile(r"""["'\[\]>]|<!--""")
_CLOSINGS = {'"': '"', "'": "'", "<!--": "-->"}
_UNTOUCHED = (("<![CDATA[", "]]>"), ("<!--", "-->"))
_AMPERSAND = re.compile(
    r"&(?!(?:amp|lt|gt|quot|apos|#\d{1,7}|#[xX][0-9a-fA-F]{1,6});)(?:([A-Za-z][A-Za-z0-9]{1,31});)?"
)
_RDF_NAMES = {
    "date": "published",
    "modified": "updated",
    "description": "summary",
    "pubDate": "published",
    "guid": "id",
}
_ITEMS = ("\x1fitem", "\x1fentry", "item", "entry")


class _TooDeepError(Exception):
    pass


def read_feed(body: bytes, content_type: str | None = None, url: str = "", hint: str | None = None) -> Feed:
    """The feed in a document. `content_type` is the header's value, `url` its address, `hint` a language code."""
    faults: list[str] = []
    if len(body) > MOST_BYTES:
        body = body[:MOST_BYTES]
        faults.append(f"longer than {MOST_BYTES} bytes, the rest was left out")
    decoded = decode(body, content_type, hint)
    text = decoded.text.lstrip("\ufeff")
    if "\ufffd" in text and b"\xef\xbf\xbd" not in body:
        faults.append(f"bytes that are not {decoded.charset}")
    if text.lstrip()[:1] == "{":
        return _read_json(text, url, decoded.charset, faults)
    text = _without_doctype(_DECLARATION.sub("", text, count=1).lstrip())
    data = text.encode("utf-8", "replace")
    found, reader = None, "fast"
    try:
        items, trouble = _check(data)
        if trouble:
            faults.append(trouble)
            text = _mended(text[:MOST_MENDED])
            data = text.encode("utf-8", "replace")
            items, trouble = _check(data)
    except _TooDeepError:
        return Feed("", charset=decoded.charset, faults=(*faults, f"nested deeper than {DEEPEST} elements"))
    if not trouble:
        found = _read_fast(text, data, items) or _read_rdf(data)
    elif len(data) > MOST_FORGIVEN:
        found = _read_fast(text, data, max(items, 1))
    if found is None:
        found, reader = _read_forgiving(text, bool(trouble)), "forgiving"
    kind, head, entries = found
    address = parse(url) if url else None
    around = around_items(text)
    hub, itself = related(around)
    return Feed(
        kind=kind, title=_flat(head.get("title")), link=_absolute(_flat(head.get("link")), address),
        language=_flat(head.get("language")), posts=_newest(_post(entry, address) for entry in entries),
        hints=hints_of(around), hub=_absolute(hub, address), itself=_absolute(itself, address),
        charset=decoded.charset, reader=reader, faults=tuple(faults),
    )  # fmt: skip


def _without_doctype(text: str) -> str:
    """Cut off the document type with its internal subset: what it declares would only be expanded or fetched."""
    found = _DOCTYPE.search(text, 0, 100_000)
    return text[: found.start()] + text[_end_of_doctype(text, found.end()) :] if found else text


def _end_of_doctype(text: str, at: int) -> int:
    opened = 0
    while found := _DOCTYPE_MARK.search(text, at):
        mark, at = found.group(), found.end()
        if mark in _CLOSINGS:
            closing = text.find(_CLOSINGS[mark], at)
            if closing < 0:
                break
            at = closing + len(_CLOSINGS[mark])
        elif mark == ">" and opened <= 0:
            return at
        else:
            opened += (mark == "[") - (mark == "]")
    return len(text)


def _check(data: bytes) -> tuple[int, str]:
    """(number of items, what is ill-formed or ""). Raises _TooDeepError."""
    parser = expat.ParserCreate("utf-8", "\x1f")
    depth = items = 0

    def start(name: str, _: object) -> None:
        nonlocal depth, items
        depth += 1
        if depth > DEEPEST:
            raise _TooDeepError
        if name.endswith(_ITEMS):
            items += 1

    def end(_: str) -> None:
        nonlocal depth
        depth -= 1

    parser.ordered_attributes = True
    parser.StartElementHandler, parser.EndElementHandler = start, end
    try:
        parser.Parse(data, True)
    except expat.ExpatError as trouble:
        return items, f"not well-formed: {trouble}"
    return items, ""


def _mended(text: str) -> str:
    """The usual damage: forbidden characters left out, and outside CDATA HTML's names written out, lone & escaped."""
    text = _FORBIDDEN.sub("", text)

    def character(match: re.Match[str]) -> str:
        name = match.group(1)
        if name and (known := html5.get(name + ";")):
            return html.escape(known)
        return "&amp;" + match.group(0)[1:]

    mended, at = [], 0
    for start, end in _untouched(text):
        mended += [_AMPERSAND.sub(character, text[at:start]), text[start:end]]
        at = end
    return "".join([*mended, _AMPERSAND.sub(character, text[at:])])


def _untouched(text: str) -> Iterator[tuple[int, int]]:
    """Where CDATA sections and comments are. One pass: an opening without an end ends the search."""
    at = 0
    while True:
        starts = [(found, ending) for opening, ending in _UNTOUCHED if (found := text.find(opening, at)) >= 0]
        if not starts:
            return
        start, ending = min(starts)
        closing = text.find(ending, start)
        if closing < 0:
            return
        at = closing + len(ending)
        yield start, at


def _read_fast(text: str, data: bytes, items: int) -> tuple[str, dict[str, Any], list[dict[str, Any]]] | None:
    import fastfeedparser

    try:
        found = fastfeedparser.parse(data, include_media=False, include_enclosures=False, include_tags=False)
    except Exception:  # noqa: BLE001 -- whatever it cannot read, the forgiving reader tries
        return None
    if len(found["entries"]) < items:
        return None
    root = re.search(r"<(?:\w+:)?(\w+)", text)
    kinds = {"rss": "rss", "feed": "atom", "rdf": "rdf"}
    return kinds.get((root.group(1) if root else "").lower(), "rss"), found["feed"], found["entries"]


def _read_rdf(data: bytes) -> tuple[str, dict[str, Any], list[dict[str, Any]]] | None:
    """RSS 0.90 and 1.0, whose items stand beside the channel; by local names, as the modules differ in namespaces."""
    try:
        root = ElementTree.fromstring(data)
    except ElementTree.ParseError:
        return None
    if _local(root.tag) != "RDF":
        return None
    channel: dict[str, Any] = {}
    entries: list[dict[str, Any]] = []
    for element in root:
        told = {_RDF_NAMES.get(name, name): child.text for child in element if (name := _local(child.tag))}
        if _local(element.tag) == "item":
            about = next((value for name, value in element.attrib.items() if _local(name) == "about"), None)
            entries.append({"id": about, **told})
        elif _local(element.tag) == "channel":
            channel = told
    return "rdf", channel, entries


def _local(name: object) -> str:
    return name.rpartition("}")[2] if isinstance(name, str) else ""


def _read_forgiving(text: str, damaged: bool) -> tuple[str, dict[str, Any], list[dict[str, Any]]]:
    import feedparser

    if damaged and len(text) > MOST_FORGIVEN:
        text = text[:MOST_FORGIVEN]
    document = io.BytesIO(text.encode("utf-8"))
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


def _read_json(text: str, url: str, charset: str, faults: list[str]) -> Feed:
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as trouble:
        return Feed("", charset=charset, faults=(*faults, f"not JSON: {str(trouble)[:80]}"))
    items = document.get("items") if isinstance(document, dict) else None
    if not isinstance(items, list) or "jsonfeed.org" not in str(document.get("version")):
        return Feed("", charset=charset, faults=(*faults, "JSON, but no JSON Feed"))
    address = parse(url) if url else None
    posts = [
        Post(
            id=_flat(item.get("id")), link=_absolute(_flat(item.get("url") or item.get("external_url")), address),
            title=_flat(item.get("title")),
            summary=_flat(item.get("summary") or item.get("content_html") or item.get("content_text")),
            published=_moment(item.get("date_published")), updated=_moment(item.get("date_modified")),
        )
        for item in items
        if isinstance(item, dict)
    ]  # fmt: skip
    hubs = [hub.get("url") for hub in document.get("hubs") or () if isinstance(hub, dict)]
    return Feed(
        kind="json", title=_flat(document.get("title")), link=_flat(document.get("home_page_url")),
        language=_flat(document.get("language")), posts=_newest(posts), hub=_flat(hubs[0]) if hubs else "",
        itself=_flat(document.get("feed_url")), charset=charset, reader="json", faults=tuple(faults),
    )  # fmt: skip


def _post(entry: dict[str, Any], address: Url | None) -> Post:
    content = entry.get("content") or ()
    summary = entry.get("summary") or entry.get("description")
    if not summary and content:
        summary = content[0].get("value")
    return Post(
        id=_flat(entry.get("id")), link=_absolute(_flat(entry.get("link")), address), title=_flat(entry.get("title")),
        summary=_flat(summary), published=_moment(entry.get("published")), updated=_moment(entry.get("updated")),
    )  # fmt: skip


def _newest(posts: Iterable[Post]) -> tuple[Post, ...]:
    """At most MOST_POSTS posts: the newest by date, in the order of the document."""
    listed = list(posts)
    if len(listed) <= MOST_POSTS:
        return tuple(listed)
    keep = sorted(range(len(listed)), key=lambda k: (-(listed[k].when() or 0.0), k))[:MOST_POSTS]
    return tuple(listed[k] for k in sorted(keep))


def _moment(text: object) -> float | None:
    """Unix time of a date in a feed: ISO 8601 or RFC 822; None when it is neither."""
    if not isinstance(text, str) or not text:
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return parse_date(text)
    if moment.tzinfo is None:
        from datetime import UTC

        moment = moment.replace(tzinfo=UTC)
    try:
        return moment.timestamp()
    except (ValueError, OverflowError):
        return None


def _flat(value: object) -> str:
    if not isinstance(value, str):
        return "" if value is None else str(value)
    # Numbers of Windows' characters taken for Unicode's: &#146; is meant as ’, as browsers read it.
    if not value.isascii() and _CONTROLS.search(value):
        value = _CONTROLS.sub(lambda match: match.group().encode("latin-1").decode("cp1252", "replace"), value)
    return value.strip()


def _absolute(link: str, base: Url | None) -> str:
    if not link or base is None or link.startswith(("http://", "https://")):
        return link
    return join(base, link) or link
