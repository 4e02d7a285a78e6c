"""Feed documents of every kind to posts: RSS 0.9x/1.0/2.0, Atom 0.3/1.0, CDF, JSON Feed; never raises.

Order of work: `recode` gives UTF-8 (feeds lie about their encoding) without the document type, so nothing is ever
expanded or fetched; `stream` reads what is well-formed in one pass; `mend` sees to what is not, or is of another kind.
Each has limits, so that no document costs more than a second or some fifty megabytes (`bench/feeds_hostile.py`).
Markup in texts is left as it is: whoever shows it must clean it.
"""

from __future__ import annotations

import re
from typing import Any

from phasa.feeds.hints import around_items, hints_of, related
from phasa.feeds.json_feed import read_item, read_json, scalar
from phasa.feeds.mend import MOST_MENDED, mended, read_forgiving, step_over
from phasa.feeds.moment import moment, odd_moment, usual_moment
from phasa.feeds.post import Feed, Post
from phasa.feeds.recode import Recoded, recode
from phasa.feeds.stream import Explanation, Read, read_stream
from phasa.web.url import Url, join, parse

MOST_POSTS = 5000
# Dates in odd forms that are tried; they cost a hundred times the usual ones.
_MOST_ODD = 1000

_CONTROLS = re.compile("[\x80-\x9f]")


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
    around = around_items(data)
    hub, itself = related(around)
    base = _based(address, head)
    return Feed(
        kind=kind, title=flat(head.get("title") or head.get("dc:title")), link=_absolute(flat(head.get("link")), base),
        language=flat(head.get("language") or head.get("lang")).replace("_", "-"),
        posts=posts.newest(), hints=hints_of(around), hub=_absolute(hub, base), itself=_absolute(itself, base),
        charset=document.charset, reader=reader, faults=tuple(faults),
    )  # fmt: skip


def _read_damaged(data: bytes, first: Read, posts: _Posts) -> tuple[str, Explanation, _Posts, bytes, str]:
    """(kind, head, posts, document, reader) of a document that could not be read to its end, by whoever finds most."""
    if len(data) > MOST_MENDED:
        step_over(data, first, posts.take)
    repaired, again = mended(data), posts.anew()
    read = first if first.kind == "cdf" else read_stream(repaired, again.take)
    step_over(repaired, read, again.take)
    if read.broken or read.kind == "cdf":
        kind, told, entries = read_forgiving(repaired)
        third = posts.anew()
        for entry in entries:
            third.take(_of_feedparser(entry))
        if third.telling() >= max(posts.telling(), again.telling()):
            head = {name: str(told[name]) for name in ("title", "link", "language") if told.get(name)}
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

    def anew(self) -> _Posts:
        return _Posts(self._address)

    def telling(self) -> int:
        """How many of them say anything that a reader could use."""
        return sum(bool(post.title or post.link or post.id) for post in self._posts)

    def take(self, told: Explanation) -> None:
        """Add a post from what the document tells of it."""
        get = told.get
        link, name = get("link", ""), get("id") or get("about") or get("dc:id", "")
        if not link and name.startswith(("http://", "https://")) and "opaque" not in told:
            link = name
        if not link.startswith(("http://", "https://")):
            link = _absolute(link, _based(self._address, told))
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
        at = usual_moment(text)
        if at is None and self._odd > 0:
            self._odd -= 1
            at = odd_moment(text)
        return at


def _of_feedparser(entry: dict[str, Any]) -> Explanation:
    """An entry of the forgiving reader in the words of the fast one."""
    # As stored: asked in its own way, feedparser gives the date of publication for one of change that is absent.
    names = ("id", "link", "title", "summary", "published", "updated")
    told = {name: str(value) for name in names if (value := dict.get(entry, name))}
    content = entry.get("content") or ()
    if content and content[0].get("value"):
        told["content"] = str(content[0]["value"])
    return told


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
                    summary=flat(text), published=moment(scalar(item.date_published)),
                    updated=moment(scalar(item.date_modified)),
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


def _based(address: Url | None, told: Explanation) -> Url | None:
    """What links are relative to: xml:base where the document has one."""
    base = told.get("base")
    if not base:
        return address
    return (join(address, base) if address else parse(base)) or address


def _absolute(link: str, base: Url | None) -> str:
    if not link or base is None or link.startswith(("http://", "https://")):
        return link
    return join(base, link) or link
