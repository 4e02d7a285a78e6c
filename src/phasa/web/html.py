"""A page as it is read: title, visible text, language hints, and every link with its anchor and surroundings.

One parse to a tree that follows the HTML standard, one rendering to text that also says where in it each `<a>` stands;
the surroundings of a link are then slices of that text. turbohtml does both in compiled code, holds nesting to 512
levels as browsers do, and is linear in the size of the document.

It is compiled code all the same, and pages are made by strangers: whoever reads a page from the web calls `read_page`,
or `read_packed` and `unpack`, through `phasa.sandbox`.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import NamedTuple, cast, overload

from msgspec import Struct
from msgspec.structs import replace
from turbohtml import Element, PlainText, parse

from phasa.web import charset, url
from phasa.web.limits import Limits
from phasa.web.requisites import WANTED as REQUISITES
from phasa.web.requisites import named_in_tree
from phasa.web.url import Url

CONTEXT = 100  # characters on either side (specs/segment-focused-crawling.md §4.6)

# Every tag that refers to something, and those among them that lead to another page.
ALL_TAGS = frozenset(("a", "area", "img", "frame", "iframe", "meta", "link"))
PAGE_TAGS = frozenset(("a", "area", "frame", "iframe", "meta"))

_WANTED = "html,a,area[href],img[src],frame[src],iframe[src],meta[content],link[href],base[href]"
_SOURCES = {"area": "href", "link": "href", "img": "src", "frame": "src", "iframe": "src"}
_ANCHORS = {"a": ["a"]}
_PLAIN = PlainText(layout="strict", bullet="")
# Drawn with blanks or numbers that nobody wrote: columns in line, quotations set in, items counted. As plain blocks
# they make no page longer than its source, and links in tables have a place in the text.
_DRAWN = "table,tr,td,th,caption,blockquote,ol"
_FEED_TYPES = ("application/rss+xml", "application/atom+xml", "application/feed+json", "application/rdf+xml")
_LANGUAGE_NAMES = ("content-language", "language", "og:locale", "dc.language")
_REFRESH = re.compile(r"\s*[\d.]*\s*[;,]?\s*(?:url\s*=\s*)?(?:'([^']*)|\"([^\"]*)|(.*))", re.IGNORECASE | re.DOTALL)
_LIMITS = Limits()
_NOWHERE = (-1, -1)


class Link(Struct, frozen=True, gc=False):
    """One reference on a page. `tag` is a, area, img, frame, iframe, meta (refresh) or link."""

    url: Url
    tag: str
    anchor: str = ""
    rel: str = ""
    before: str = ""
    after: str = ""
    language: str = ""
    """What the link says of the language of its page (hreflang)."""


class FeedLink(Struct, frozen=True, gc=False):
    """A feed that the page offers."""

    url: Url
    title: str
    type: str


class Page(Struct, frozen=True):
    """What one HTML document says about itself and others."""

    url: Url
    title: str
    text: str
    links: tuple[Link, ...]
    lang: str = ""  # the lang attribute of <html>
    languages: tuple[str, ...] = ()  # Content-Language, og:locale …: weaker hints
    alternates: tuple[tuple[str, Url], ...] = ()  # hreflang, address
    canonical: Url | None = None
    robots: frozenset[str] = frozenset()  # directives of <meta name=robots>, lower-case
    feeds: tuple[FeedLink, ...] = ()
    description: str = ""
    charset: str = ""  # how the bytes were decoded; empty when text was given
    truncated: bool = False  # too long or too many links: the rest was not read


class PackedPage(Struct, frozen=True, array_like=True):
    """A page on its way from one process to another: its links as columns, with places in the text instead of copies
    of it (-1: none; then the anchor is in `anchors`). `unpack` makes the page of it."""

    page: Page
    urls: list[Url]
    tags: list[str]
    rels: list[str]
    anchors: list[str]
    starts: list[int]
    ends: list[int]
    told: dict[int, str] = {}
    """hreflang of the links that have it."""
    needs: list[Url] = []
    """What the page needs to be seen, where that was asked for."""


class Columns(NamedTuple):
    """The references of a document as `PackedPage` has them."""

    urls: list[Url]
    tags: list[str]
    rels: list[str]
    anchors: list[str]
    starts: list[int]
    ends: list[int]


def read_page(
    html: str | bytes,
    address: Url,
    *,
    header: str | None = None,
    hint: str | None = None,
    limits: Limits = _LIMITS,
    tags: frozenset[str] = ALL_TAGS,
) -> Page:
    """The page that `html` is, fetched from `address`. Raises nothing: any bytes give some page, unless they end the
    process, which the sandbox is for.

    Bytes are decoded with `header` (the Content-Type value) and `hint` (a language code) as evidence. Links are those
    of `tags`: fewer is quicker.
    """
    return unpack(read_packed(html, address, header=header, hint=hint, limits=limits, tags=tags))


def unpack(packed: PackedPage) -> Page:
    """The page, its links with anchors and surroundings."""
    return replace(packed.page, links=tuple(PackedLinks(packed)))


def unpack_late(packed: PackedPage) -> Page:
    """The same, but that its links are put together when they are asked for."""
    return replace(packed.page, links=cast("tuple[Link, ...]", PackedLinks(packed)))


class PackedLinks(Sequence[Link]):
    """The links of a packed page, each put together when somebody asks for it: a crawl needs the columns and few of the
    links themselves."""

    def __init__(self, packed: PackedPage) -> None:
        self.packed = packed

    def __len__(self) -> int:
        return len(self.packed.urls)

    @overload
    def __getitem__(self, place: int) -> Link: ...
    @overload
    def __getitem__(self, place: slice) -> list[Link]: ...
    def __getitem__(self, place: int | slice) -> Link | list[Link]:
        if isinstance(place, slice):
            return [self[at] for at in range(len(self))[place]]
        packed, text = self.packed, self.packed.page.text
        url, tag, rel = packed.urls[place], packed.tags[place], packed.rels[place]
        start, end = packed.starts[place], packed.ends[place]
        language = packed.told.get(place if place >= 0 else place + len(self), "")
        if start < 0:
            return Link(url, tag, packed.anchors[place], rel, language=language)
        before = text[max(0, start - CONTEXT) : start]
        return Link(url, tag, text[start:end].strip(), rel, before, text[end : end + CONTEXT], language)

    def anchors(self, places: Iterable[int]) -> list[str]:
        """The anchors of the links at some places."""
        packed, text = self.packed, self.packed.page.text
        starts, ends, anchors = packed.starts, packed.ends, packed.anchors
        return [
            text[start : ends[place]].strip() if (start := starts[place]) >= 0 else anchors[place] for place in places
        ]


def read_packed(
    html: str | bytes,
    address: Url,
    *,
    header: str | None = None,
    hint: str | None = None,
    limits: Limits = _LIMITS,
    tags: frozenset[str] = ALL_TAGS,
    requisites: bool = False,
) -> PackedPage:
    """What `read_page` gives, packed; with `requisites` also what the page needs to be seen."""
    encoding = ""
    cut = False
    if isinstance(html, bytes):
        # No encoding needs more than four bytes for a character.
        cut = len(html) > 4 * limits.page_characters
        html, encoding, _ = charset.decode(html[: 4 * limits.page_characters] if cut else html, header, hint)
    whole = len(html)
    html = _bounded(html, limits)
    tree = parse(html, positions=False)
    if tree.select_one("template"):
        tree.remove("template")  # raw material of scripts, not part of the page
    for element in tree.select(_DRAWN):
        element.tag = "div"
    text, spans = tree.to_annotated_text(_ANCHORS, _PLAIN)
    text = text.replace("\xa0", " ")
    reading = _Reading(address, limits, tags, len(html))
    reading.collect(tree.select(_WANTED))
    columns = reading.columns_in(text, [(start, end) for start, end, _ in spans])
    title = tree.select_one("title")
    page = Page(
        url=address,
        title=" ".join(title.text.split()) if title else "",
        text=text,
        links=(),
        lang=reading.lang,
        languages=tuple(dict.fromkeys(reading.languages)),
        alternates=tuple(reading.alternates),
        canonical=reading.canonical,
        robots=frozenset(reading.robots),
        feeds=tuple(reading.feeds),
        description=reading.description,
        charset=encoding,
        truncated=cut or len(html) < whole or reading.full,
    )
    needs = named_in_tree(tree.select(REQUISITES), reading.base, limits) if requisites else []
    return PackedPage(page, *columns, reading.told_in, needs)


def _bounded(html: str, limits: Limits) -> str:
    """As much of a document as is parsed: so many characters, and so many tags."""
    html = html[: limits.page_characters]
    if len(html) > limits.page_tags and html.count("<") > limits.page_tags:
        html = html[: len(html) - len(html.split("<", limits.page_tags + 1)[-1]) - 1]
    return html


class _Reading:
    """What one document says, gathered tag by tag. `characters` is its length: no more than that is taken of anchors,
    which in SVG may hold each other, nor more than `link_bytes` of addresses, which a long base makes long."""

    def __init__(self, address: Url, limits: Limits, tags: frozenset[str], characters: int) -> None:
        self.base = address
        self.limits = limits
        self.tags = tags
        self.full = False
        # One row per reference: tag, address as written, anchor, rel, and the number of its <a> among those with words.
        self.rows: list[tuple[str, str, str, str, int]] = []
        self.worded: list[str] = []
        self.told: dict[int, str] = {}
        """hreflang of the references that have it, by row; `told_in`, by their place among the usable ones."""
        self.told_in: dict[int, str] = {}
        self.lang = ""
        self.languages: list[str] = []
        self.alternates: list[tuple[str, Url]] = []
        self.canonical: Url | None = None
        self.robots: set[str] = set()
        self.feeds: list[FeedLink] = []
        self.description = ""
        self._based = False
        self._letters = characters
        self._bytes = limits.link_bytes

    def collect(self, elements: Iterable[Element]) -> None:
        """Take in every element of interest, in document order."""
        rows, worded, tags, most = self.rows, self.worded, self.tags, self.limits.links_per_page
        longest = 8 * self.limits.url_length  # as written: blanks, dots and a fragment may still go
        for element in elements:
            tag = element.tag
            anchor = rel = ""
            number = -1
            if tag == "a":
                words = element.text if self._letters >= 0 else ""
                self._letters -= len(words)
                if words and not words.isspace():
                    number = len(worded)
                    worded.append(words)
                else:
                    anchor = _speechless(element)
                raw = element.attr("href")
                if not raw or raw[0] == "#":
                    continue
                if len(element.attrs) > 1:
                    rel = element.attr("rel") or ""
                    if language := element.attr("hreflang"):
                        self.told[len(rows)] = language.strip()
            elif tag == "meta":
                raw = self._meta(element)
            else:
                raw = self._other(tag, element)
                if raw and tag in tags:
                    anchor = element.attr("alt") or element.attr("title") or ""
                    rel = element.attr("rel") or ""
            if not raw or tag not in tags or len(raw) > longest:
                continue
            if len(rows) == most:
                self.full = True
                return
            rows.append((tag, raw, anchor, rel, number))

    def columns_in(self, text: str, spans: list[tuple[int, int]]) -> Columns:
        """The references that are usable addresses, in document order."""
        if len(spans) != len(self.worded):
            spans = _aligned(text, spans, self.worded)
        targets = url.join_all(self.base, [row[1] for row in self.rows])
        longest = self.limits.url_length
        kept = [place for place, target in enumerate(targets) if target is not None and len(target) <= longest]
        urls = cast(list[Url], [targets[place] for place in kept])
        if sum(map(len, urls)) > self._bytes:
            self.full = True
            fitting = bisect_right(list(accumulate(map(len, urls))), self._bytes)
            del urls[fitting:], kept[fitting:]
        if not urls:
            return Columns([], [], [], [], [], [])
        rows = self.rows if len(kept) == len(self.rows) else [self.rows[place] for place in kept]
        tags, _, anchors, rels, numbers = map(list, zip(*rows, strict=True))
        places = [spans[number] if number >= 0 else _NOWHERE for number in numbers]
        if _NOWHERE in spans:
            anchors = [
                " ".join(self.worded[number].split()) if start < 0 <= number else anchor
                for anchor, number, (start, _) in zip(anchors, numbers, places, strict=True)
            ]
        if self.told:
            self.told_in = {at: self.told[place] for at, place in enumerate(kept) if place in self.told}
        starts, ends = map(list, zip(*places, strict=True))
        return Columns(urls, tags, rels, anchors, starts, ends)

    def _join(self, raw: str) -> Url | None:
        """The address that a reference means; None when it means none, or one that is too long to be taken."""
        target = url.join(self.base, raw) if len(raw) <= 8 * self.limits.url_length else None
        if target is not None:
            self._bytes -= len(target)
        return target if target is not None and len(target) <= self.limits.url_length and self._bytes > 0 else None

    def _other(self, tag: str, element: Element) -> str:
        """Take in what a tag of the document says (of html and base the first counts); its reference, if any."""
        if tag == "html":
            self.lang = self.lang or (element.attr("lang") or element.attr("xml:lang") or "").strip()
            return ""
        if tag == "base":
            if not self._based:
                self._based = True
                self.base = self._join(element.attr("href") or "") or self.base
            return ""
        raw = element.attr(_SOURCES[tag]) or ""
        if tag == "link":
            self._relation(element, raw)
        return "" if raw[:5] == "data:" else raw

    def _meta(self, element: Element) -> str:
        """Take in what a <meta> says; the address when it is a refresh."""
        name = (element.attr("name") or element.attr("http-equiv") or element.attr("property") or "").lower()
        content = element.attr("content") or ""
        if name == "refresh":
            match = _REFRESH.match(content)
            return next((group for group in match.groups() if group), "").strip() if match else ""
        if name in ("robots", "phasa"):
            self.robots.update(word.strip() for word in content.lower().split(",") if word.strip())
        elif name in _LANGUAGE_NAMES:
            self.languages += [word.strip().replace("_", "-") for word in content.split(",") if word.strip()]
        elif name == "description" and not self.description:
            self.description = " ".join(content.split())
        return ""

    def _relation(self, element: Element, raw: str) -> None:
        """Take in what a <link> says: canonical, hreflang, feeds."""
        rel = (element.attr("rel") or "").lower()
        if "canonical" in rel and self.canonical is None:
            self.canonical = self._join(raw)
        elif "alternate" in rel:
            kind = (element.attr("type") or "").partition(";")[0].strip().lower()
            target = self._join(raw)
            if target is None or len(self.feeds) + len(self.alternates) >= self.limits.links_per_page:
                return
            if kind in _FEED_TYPES:
                self.feeds.append(FeedLink(target, " ".join((element.attr("title") or "").split()), kind))
            elif language := element.attr("hreflang"):
                self.alternates.append((language.strip(), target))


def _speechless(element: Element) -> str:
    """What stands for a link without words: its title, or what a picture inside it is called."""
    if title := element.attr("title"):
        return " ".join(title.split())
    picture = element.select_one("img[alt]")
    return " ".join((picture.attr("alt") or "").split()) if picture else ""


def _aligned(text: str, spans: list[tuple[int, int]], worded: list[str]) -> list[tuple[int, int]]:
    """A span for each <a> with words, where some of them are not part of the text (templates, hidden parts)."""
    found: list[tuple[int, int]] = []
    position = 0
    for words in worded:
        if position < len(spans):
            start, end = spans[position]
            if text[start:end].split() == words.split():
                found.append((start, end))
                position += 1
                continue
        found.append(_NOWHERE)
    return found
