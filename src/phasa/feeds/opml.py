"""Lists of feeds as OPML, in and out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple
from xml.etree import ElementTree
from xml.sax.saxutils import escape, quoteattr

from phasa.errors import InputError
from phasa.feed_settings import FeedSettings
from phasa.feeds.mend import mended, writable
from phasa.feeds.recode import recode
from phasa.web.url import Url, parse

_BOUNDS = FeedSettings()


class Outline(NamedTuple):
    """One feed of a list: its address, its title, the folders that it stands in (`News/Thailand`), its publisher."""

    url: str
    title: str
    category: str
    publisher: str = ""


def read_opml(content: bytes, name: str = "OPML", bounds: FeedSettings = _BOUNDS) -> tuple[list[Outline], list[str]]:
    """The feeds of a list, each once, and what was passed over and why.

    Raises InputError when it is no OPML, or more than the bounds allow. Memory grows with the feeds that are kept,
    not with how deep the list is nested: it is read as it comes, without a tree.
    """
    if len(content) > bounds.list_bytes:
        raise InputError(f"{name}: {len(content):,} bytes; a list of feeds may have {bounds.list_bytes:,} (list_bytes)")
    document = recode(content).data
    try:
        return _read(document, name, bounds)
    except ElementTree.ParseError as trouble:
        # Lists are written by hand and by careless programs: a lone & is the usual damage.
        try:
            return _read(mended(document, len(document)), name, bounds)
        except ElementTree.ParseError:
            raise InputError(f"{name}: not OPML: {trouble}; give a list of feeds as readers export it") from None


def _read(document: bytes, name: str, bounds: FeedSettings) -> tuple[list[Outline], list[str]]:
    target = _List(name, bounds)
    parser = ElementTree.XMLParser(target=target)
    parser.feed(document)
    parser.close()
    return list(target.found.values()), target.passed


class _List:
    """What an XML parser tells while it reads: outlines begin and end. Nothing else of the document is kept."""

    def __init__(self, name: str, bounds: FeedSettings) -> None:
        self._name = name
        self._bounds = bounds
        self._folders: list[str] = []
        self._opened: list[bool] = []  # for each open element: whether it is a folder that was kept
        self._outlines = 0
        self._begun = False
        self.found: dict[str, Outline] = {}
        self.passed: list[str] = []

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        if not self._begun and tag.lower() != "opml":
            raise InputError(f"{self._name}: not OPML: the outermost element is <{tag[:100]}>")
        self._begun = True
        self._opened.append(tag.lower() == "outline" and self._outline(attributes))

    def end(self, tag: str) -> None:
        if self._opened.pop():
            self._folders.pop()

    def close(self) -> None:
        """The document has ended."""

    def _outline(self, attributes: dict[str, str]) -> bool:
        """Take a feed; whether it is a folder instead, which is then open."""
        bounds = self._bounds
        self._outlines += 1
        if self._outlines > bounds.list_outlines:
            raise InputError(f"{self._name}: more than {bounds.list_outlines:,} outlines; split the list")
        given = {key.lower(): value.strip() for key, value in attributes.items()}
        if "xmlurl" in given:
            self._feed(given)
            return False
        folder = (given.get("text") or given.get("title") or "").strip().replace("/", " ")
        if folder and len(self._folders) < bounds.list_depth:
            self._folders.append(folder[: bounds.category_length])
            return True
        return False

    def _feed(self, given: dict[str, str]) -> None:
        url = feed_address(given["xmlurl"])
        if url is None:
            self.passed.append(f"{given['xmlurl'][:100]!r}: not a usable address")
        elif url in self.found:
            self.passed.append(f"{url}: listed twice")
        else:
            title = (given.get("title") or given.get("text") or "")[: self._bounds.title_length]
            category = given.get("category") or "/".join(self._folders)
            publisher = given.get("publisher", "")[: self._bounds.title_length]
            self.found[url] = Outline(str(url), title, category[: self._bounds.category_length].strip("/ "), publisher)


def feed_address(written: str) -> Url | None:
    """The address that people write for a feed: http(s), or one of the old forms feed://… and feed:https://…"""
    plain = written.strip()
    if plain[:5].lower() == "feed:":
        rest = plain[5:]
        plain = f"http:{rest}" if rest.startswith("//") else rest
    return parse(plain)


def write_opml(feeds: Iterable[Outline], title: str = "feeds", bounds: FeedSettings = _BOUNDS) -> str:
    """The list as OPML 2.0, folders in folders as the categories say; never deeper than the bounds allow."""
    root: _Folder = _Folder({}, [])
    for feed in feeds:
        folder = root
        names = [name for name in writable(feed.category[: bounds.category_length]).split("/") if name.strip()]
        for name in names[: bounds.list_depth]:
            folder = folder.folders.setdefault(name, _Folder({}, []))
        folder.feeds.append(feed)
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', '<opml version="2.0">']
    lines += [f"  <head><title>{escape(writable(title))}</title></head>", "  <body>", *_lines(root, "    ")]
    return "\n".join([*lines, "  </body>", "</opml>", ""])


class _Folder(NamedTuple):
    folders: dict[str, _Folder]
    feeds: list[Outline]


def _lines(folder: _Folder, pad: str) -> Iterator[str]:
    for feed in folder.feeds:
        name = quoteattr(writable(feed.title or feed.url))
        # Not in the standard, which lets writers add attributes; readers that do not know it pass it over.
        publisher = f" publisher={quoteattr(writable(feed.publisher))}" if feed.publisher else ""
        yield f'{pad}<outline type="rss" text={name} title={name} xmlUrl={quoteattr(writable(feed.url))}{publisher}/>'
    for name, inner in folder.folders.items():
        yield f"{pad}<outline text={quoteattr(name)}>"
        yield from _lines(inner, pad + "  ")
        yield f"{pad}</outline>"
