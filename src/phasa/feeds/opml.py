"""Lists of feeds as OPML, in and out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple
from xml.etree import ElementTree
from xml.sax.saxutils import escape, quoteattr

from phasa.errors import InputError
from phasa.feeds.mend import mended
from phasa.feeds.recode import recode
from phasa.web.url import Url, parse


class Outline(NamedTuple):
    """One feed of a list: its address, its title, and the folders that it stands in (`News/Thailand`)."""

    url: str
    title: str
    category: str


def read_opml(content: bytes, name: str = "OPML") -> tuple[list[Outline], list[str]]:
    """The feeds of a list, each once, and what was passed over and why. Raises InputError when it is no OPML."""
    document = recode(content).data
    try:
        root = ElementTree.fromstring(document)
    except ElementTree.ParseError as trouble:
        # Lists are written by hand and by careless programs: a lone & is the usual damage.
        try:
            root = ElementTree.fromstring(mended(document, len(document)))
        except ElementTree.ParseError:
            raise InputError(f"{name}: not OPML: {trouble}; give a list of feeds as readers export it") from None
    if root.tag.lower() != "opml":
        raise InputError(f"{name}: not OPML: the outermost element is <{root.tag}>")
    found: dict[str, Outline] = {}
    passed: list[str] = []
    for element, folder in _outlines(root):
        given = {key.lower(): value.strip() for key, value in element.attrib.items()}
        if "xmlurl" not in given:
            continue
        url = feed_address(given["xmlurl"])
        if url is None:
            passed.append(f"{given['xmlurl'][:100]!r}: not a usable address")
        elif url in found:
            passed.append(f"{url}: listed twice")
        else:
            found[url] = Outline(
                str(url), given.get("title") or given.get("text") or "", given.get("category") or folder
            )
    return list(found.values()), passed


def feed_address(written: str) -> Url | None:
    """The address that people write for a feed: http(s), or one of the old forms feed://… and feed:https://…"""
    plain = written.strip()
    if plain[:5].lower() == "feed:":
        rest = plain[5:]
        plain = f"http:{rest}" if rest.startswith("//") else rest
    return parse(plain)


def _outlines(root: ElementTree.Element) -> Iterator[tuple[ElementTree.Element, str]]:
    """Every outline with the folders around it, in the order of the list. Levels may be many: no recursion."""
    waiting = [(child, "") for child in reversed(root)]
    while waiting:
        element, place = waiting.pop()
        tag = element.tag.lower() if isinstance(element.tag, str) else ""
        inner = place
        if tag == "outline":
            yield element, place
            given = {key.lower(): value for key, value in element.attrib.items()}
            if "xmlurl" not in given and (name := (given.get("text") or given.get("title") or "").strip()):
                inner = f"{place}/{name.replace('/', ' ')}" if place else name.replace("/", " ")
        waiting += [(child, inner) for child in reversed(element)]


def write_opml(feeds: Iterable[Outline], title: str = "feeds") -> str:
    """The list as OPML 2.0, folders in folders as the categories say."""
    root: _Folder = _Folder({}, [])
    for feed in feeds:
        folder = root
        for name in filter(None, feed.category.split("/")):
            folder = folder.folders.setdefault(name, _Folder({}, []))
        folder.feeds.append(feed)
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', '<opml version="2.0">']
    lines += [f"  <head><title>{escape(title)}</title></head>", "  <body>", *_lines(root, "    ")]
    return "\n".join([*lines, "  </body>", "</opml>", ""])


class _Folder(NamedTuple):
    folders: dict[str, _Folder]
    feeds: list[Outline]


def _lines(folder: _Folder, pad: str) -> Iterator[str]:
    for feed in folder.feeds:
        name = quoteattr(feed.title or feed.url)
        yield f'{pad}<outline type="rss" text={name} title={name} xmlUrl={quoteattr(feed.url)}/>'
    for name, inner in folder.folders.items():
        yield f"{pad}<outline text={quoteattr(name)}>"
        yield from _lines(inner, pad + "  ")
        yield f"{pad}</outline>"
