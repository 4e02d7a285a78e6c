"""Feed documents of every kind to posts: RSS 0.9x/1.0/2.0, Atom 0.3/1.0, CDF, JSON Feed; never raises.

Order of work: `recode` gives UTF-8 (feeds lie about their encoding) without the document type, so nothing is ever
expanded or fetched; `stream` reads what is well-formed in one pass; `mend` sees to what is not, or is of another kind.
Each has limits, so that no document costs more than a second or some fifty megabytes (`bench/feeds_hostile.py`).
Markup in texts is left as it is: whoever shows it must clean it.
"""

from __future__ import annotations

import re
from typing import Any

from phasa.feeds.dates import parse_date, parse_odd_date, parse_usual_date
from phasa.feeds.json_feed import read_item, read_json, scalar
from phasa.feeds.mend import MOST_MENDED, mended, read_forgiving, step_over
from phasa.feeds.post import Feed, Hints, Post
from phasa.feeds.recode import Recoded, recode
from phasa.feeds.stream import Fields, Read, read_stream
from phasa.web.url import Url, join, parse

MOST_POSTS = 5000
# Dates in odd forms that are tried; they cost a hundred times the usual ones.
_MOST_ODD = 1000

_CONTROLS = re.compile("[\x80-\x9f]")
_ITEM = re.compile(rb"<(?:\w+:)?(?:item|entry)[\s>]", re.IGNORECASE)
# Where no item begins within so many bytes, none is looked for.
_LONGEST_HEAD = 1_000_000
_TTL = re.compile(r"<ttl>\s*([\d.]{1,12})\s*</ttl>", re.IGNORECASE)
_PERIOD = re.compile(r"<\w{1,20}:updatePeriod>\s*([A-Za-z]{1,20})\s*</", re.IGNORECASE)
_FREQUENCY = re.compile(r"<\w{1,20}:updateFrequency>\s*([\d.]{1,12})\s*</", re.IGNORECASE)
_BASE = re.compile(r"<\w{1,20}:updateBase>\s*([\w:+.-]{4,40})\s*</", re.IGNORECASE)
_SKIP = re.compile(r"<skip(Hours|Days)\b[^>]*>(.{0,2000}?)</skip", re.IGNORECASE | re.DOTALL)
_ENTRY = re.compile(r"<(?:hour|day)>\s*(\w{1,12})\s*</", re.IGNORECASE)
_LINK = re.compile(r"<(?:\w+:)?link\b([^<>]{1,4000})>", re.IGNORECASE)
_ATTRIBUTE = re.compile(r"""\b(rel|href)\s*=\s*["']([^"'<>]{1,2048})["']""", re.IGNORECASE)
_LINK_HEADER = re.compile(r"<([^<>]{1,2000})>\s*((?:;[^,;]{0,200})*)")
_RELATION = re.compile(r"rel\s*=\s*\"?([^\";]+)", re.IGNORECASE)

_HOURS = {"hourly": 1, "daily": 24, "dayly": 24, "weekly": 168, "monthly": 720, "yearly": 8760}
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")


def read_feed(body: bytes, content_type: str | None = None, url: str = "", hint: str | None = None) -> Feed:
    """The feed in a document. `content_type` is the header's value, `url` its address, `hint` a language code."""
    document = recode(body, content_type, hint)
    address = parse(url) if url else None
    if document.data[:1] == b"{":
        return _read_json(document, address)
    data, faults, reader = document.data, list(document.faults), "fast"
    posts = _Posts(address)
    read = read_stream(data, posts.take)
    kind, head = read.kind, read.head
    if read.fault and kind != "cdf":
        faults.append(read.fault)
    if kind == "cdf" or (read.broken and not (document.cut and posts.telling())):
        kind, head, posts, data, reader = _read_damaged(data, read, posts)
    around = _around_items(data)
    hub, itself = _related(around)
    base = _based(address, head)
    return Feed(
        kind=kind, title=flat(head.get("title") or head.get("dc:title")), link=_absolute(flat(head.get("link")), base),
        language=flat(head.get("language") or head.get("lang")).replace("_", "-"),
        posts=posts.newest(), hints=_hints_of(around), hub=_absolute(hub, base), itself=_absolute(itself, base),
        charset=document.charset, reader=reader, faults=tuple(faults),
    )  # fmt: skip


def _read_damaged(data: bytes, first: Read, posts: _Posts) -> tuple[str, Fields, _Posts, bytes, str]:
    """(kind, head, posts, document, reader) of a document that could not be read to its end, by whoever finds most."""
    if len(data) > MOST_MENDED:
        step_over(data, first, posts.take)
    repaired, again = mended(data), posts.empty()
    read = first if first.kind == "cdf" else read_stream(repaired, again.take)
    step_over(repaired, read, again.take)
    if read.broken or read.kind == "cdf":
        kind, fields, entries = read_forgiving(repaired)
        third = posts.empty()
        for entry in entries:
            third.take(_of_feedparser(entry))
        if third.telling() >= max(posts.telling(), again.telling()):
            head = {name: str(fields[name]) for name in ("title", "link", "language") if fields.get(name)}
            return "cdf" if first.kind == "cdf" else kind, head, third, repaired, "forgiving"
    if posts.telling() > again.telling():
        return first.kind, first.head, posts, data, "fast"
    return read.kind, read.head, again, repaired, "fast"


class _Posts:
    """The posts of a document as they come; never many more than the newest MOST_POSTS."""

    def __init__(self, address: Url | None) -> None:
        self._address = address
        self._posts: list[Post] = []
        self._odd = _MOST_ODD

    def empty(self) -> _Posts:
        return _Posts(self._address)

    def telling(self) -> int:
        """How many of them say anything that a reader could use."""
        return sum(bool(post.title or post.link or post.id) for post in self._posts)

    def take(self, fields: Fields) -> None:
        """Add a post from what the document tells of it."""
        get = fields.get
        link, name = get("link", ""), get("id") or get("about") or get("dc:id", "")
        if not link and name.startswith(("http://", "https://")) and "opaque" not in fields:
            link = name
        if not link.startswith(("http://", "https://")):
            link = _absolute(link, _based(self._address, fields))
        self.add(
            Post(
                flat(name), flat(link), flat(get("title") or get("dc:title")),
                flat(get("summary") or get("content") or get("dc:summary")),
                self._when(get("published") or get("date") or get("issued")),
                self._when(get("updated")),
            )
        )  # fmt: skip

    def add(self, post: Post) -> None:
        self._posts.append(post)
        if len(self._posts) >= 2 * MOST_POSTS:
            self._posts = list(self.newest())

    def newest(self) -> tuple[Post, ...]:
        """At most MOST_POSTS posts: the newest by date, in the order of the document."""
        posts = self._posts
        if len(posts) <= MOST_POSTS:
            return tuple(posts)
        keep = sorted(range(len(posts)), key=lambda k: (-(posts[k].when() or 0.0), k))[:MOST_POSTS]
        return tuple(posts[k] for k in sorted(keep))

    def _when(self, text: str | None) -> float | None:
        if not text:
            return None
        at = parse_usual_date(text)
        if at is None and self._odd > 0:
            self._odd -= 1
            at = parse_odd_date(text)
        return at


def _of_feedparser(entry: dict[str, Any]) -> Fields:
    """An entry of the forgiving reader in the words of the fast one."""
    # As stored: asked in its own way, feedparser gives the date of publication for one of change that is absent.
    names = ("id", "link", "title", "summary", "published", "updated")
    fields = {name: str(value) for name in names if (value := dict.get(entry, name))}
    content = entry.get("content") or ()
    if content and content[0].get("value"):
        fields["content"] = str(content[0]["value"])
    return fields


def _read_json(document: Recoded, address: Url | None) -> Feed:
    feed, trouble = read_json(document.data)
    if feed is None:
        return Feed("", charset=document.charset, faults=(*document.faults, trouble))
    posts = _Posts(address)
    for raw in feed.items or ():
        if item := read_item(raw):
            text = scalar(item.summary) or scalar(item.content_html) or scalar(item.content_text)
            link = scalar(item.url) or scalar(item.external_url)
            posts.add(
                Post(
                    id=flat(scalar(item.id)), link=_absolute(flat(link), address), title=flat(scalar(item.title)),
                    summary=flat(text), published=parse_date(scalar(item.date_published)),
                    updated=parse_date(scalar(item.date_modified)),
                )
            )  # fmt: skip
    return Feed(
        kind="json", title=flat(scalar(feed.title)), link=flat(scalar(feed.home_page_url)),
        language=flat(scalar(feed.language)), posts=posts.newest(), hub=feed.hub(), itself=scalar(feed.feed_url),
        charset=document.charset, reader="json", faults=tuple(document.faults),
    )  # fmt: skip


def flat(value: str | None) -> str:
    """A text without space around it, with bytes that were taken for characters put right."""
    if not value:
        return ""
    if value.isascii() or not _CONTROLS.search(value):
        return value.strip()
    return _as_meant(value).strip()


def _as_meant(value: str) -> str:
    """Numbers of bytes taken for Unicode's: &#226;&#128;&#166; is … in UTF-8, &#146; is ’ in Windows' encoding."""
    try:
        return value.encode("latin-1").decode("utf-8")
    except UnicodeError:
        return _CONTROLS.sub(lambda match: match.group().encode("latin-1").decode("cp1252", "replace"), value)


def _based(address: Url | None, fields: Fields) -> Url | None:
    """What links are relative to: xml:base where the document has one."""
    base = fields.get("base")
    if not base:
        return address
    return (join(address, base) if address else parse(base)) or address


def _absolute(link: str, base: Url | None) -> str:
    if not link or base is None or link.startswith(("http://", "https://")):
        return link
    return join(base, link) or link


def _hints_of(head: str) -> Hints:
    """The hints in the words around a feed's items. What makes no sense (`always`, zero) is no hint."""
    asked: list[float] = []
    period = base = None
    if found := _TTL.search(head):
        asked.append(_number(found.group(1)) * 60.0)
    if (found := _PERIOD.search(head)) and (hours := _HOURS.get(found.group(1).lower())):
        often = _FREQUENCY.search(head)
        period = hours * 3600.0 / ((_number(often.group(1)) if often else 1.0) or 1.0)
        begun = _BASE.search(head)
        base = parse_usual_date(begun.group(1)) if begun else None
        if base is None:
            asked.append(period)
    skipped: set[int] = set()
    days: set[int] = set()
    for kind, block in _SKIP.findall(head):
        for entry in _ENTRY.findall(block):
            if kind.lower() == "hours" and entry.isdecimal() and int(entry) <= 24:
                skipped.add(int(entry) % 24)
            elif kind.lower() == "days" and entry.lower() in _WEEKDAYS:
                days.add(_WEEKDAYS.index(entry.lower()))
    # Whoever forbids everything has made a mistake.
    return Hints(
        max((seconds for seconds in asked if seconds > 0), default=None),
        frozenset(skipped) if len(skipped) < 24 else frozenset(),
        frozenset(days) if len(days) < 7 else frozenset(),
        period,
        base,
    )


def _related(head: str) -> tuple[str, str]:
    """(hub, self): the addresses that the feed's own links of these relations name, "" where there is none."""
    hub = itself = ""
    for attributes in _LINK.findall(head):
        given = {name.lower(): value for name, value in _ATTRIBUTE.findall(attributes)}
        relations = given.get("rel", "").lower().split()
        if "hub" in relations:
            hub = hub or given.get("href", "")
        elif "self" in relations:
            itself = itself or given.get("href", "")
    return hub.replace("&amp;", "&"), itself.replace("&amp;", "&")


def _around_items(data: bytes) -> str:
    """What a document in UTF-8 says before its first and after its last item: the words about the feed itself."""
    first = _ITEM.search(data, 0, _LONGEST_HEAD)
    if first is None:
        return data[:20_000].decode("utf-8", "ignore")
    last = data.rfind(b"</item>" if b"item" in first.group() else b"</entry>")
    tail = data[last : last + 4000] if last > 0 else b""
    return (data[max(0, first.start() - 20_000) : first.start()] + tail).decode("utf-8", "ignore")


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return 0.0


def linked_in_header(header: str | None) -> tuple[str, str]:
    """(hub, self) that a Link header names; "" where it names none."""
    hub = itself = ""
    for target, parameters in _LINK_HEADER.findall((header or "")[:8000]):
        relations = " ".join(_RELATION.findall(parameters)).lower().split()
        if "hub" in relations:
            hub = hub or target.strip()
        if "self" in relations:
            itself = itself or target.strip()
    return hub, itself
