"""Lists of feeds as OPML, in and out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple
from xml.etree import ElementTree
from xml.sax.saxutils import quoteattr

from phasa.errors import InputError
from phasa.web.charset import decode
from phasa.web.url import parse


class Outline(NamedTuple):
    """One feed of a list: its address, its title, and the folder that it stands in."""

    url: str
    title: str
    category: str


def read_opml(content: bytes, name: str = "OPML") -> tuple[list[Outline], list[str]]:
    """The feeds of a list, each once, and what was passed over and why. Raises InputError when it is no OPML."""
    text = decode(content).text.lstrip("\ufeff \r\n\t")
    if "<!DOCTYPE" in text[:1000].upper() or "<!ENTITY" in text:
        raise InputError(f"{name}: document types are not read in OPML; remove it")
    text = text[text.find("?>") + 2 :] if text.startswith("<?xml") else text
    try:
        root = ElementTree.fromstring(text)
    except (ElementTree.ParseError, RecursionError) as trouble:
        raise InputError(f"{name}: not OPML: {trouble}") from None
    if root.tag.lower() != "opml":
        raise InputError(f"{name}: not OPML: the outermost element is <{root.tag}>")
    found: dict[str, Outline] = {}
    passed: list[str] = []
    for element, folder in _outlines(root, ""):
        told = {key.lower(): value.strip() for key, value in element.attrib.items()}
        if "xmlurl" not in told:
            continue
        url = parse(told["xmlurl"])
        if url is None:
            passed.append(f"{told['xmlurl'][:100]!r}: not a usable address")
        elif url in found:
            passed.append(f"{url}: listed twice")
        else:
            found[url] = Outline(str(url), told.get("title") or told.get("text") or "", told.get("category") or folder)
    return list(found.values()), passed


def _outlines(root: ElementTree.Element, folder: str) -> Iterator[tuple[ElementTree.Element, str]]:
    waiting = [(child, folder) for child in root]
    while waiting:
        element, place = waiting.pop(0)
        if element.tag.lower() == "outline":
            yield element, place
        name = element.get("text") or element.get("title") or place
        inner = name if element.tag.lower() == "outline" and element.get("xmlUrl") is None else place
        waiting[:0] = [(child, inner) for child in element]


def write_opml(feeds: Iterable[Outline], title: str = "feeds") -> str:
    """The list as OPML 2.0, one folder per category."""
    folders: dict[str, list[Outline]] = {}
    for feed in feeds:
        folders.setdefault(feed.category, []).append(feed)
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', '<opml version="2.0">']
    lines += [f"  <head><title>{title.replace('&', '&amp;').replace('<', '&lt;')}</title></head>", "  <body>"]
    for folder, members in folders.items():
        pad = "      " if folder else "    "
        if folder:
            lines.append(f"    <outline text={quoteattr(folder)}>")
        for feed in members:
            name = quoteattr(feed.title or feed.url)
            lines.append(f'{pad}<outline type="rss" text={name} title={name} xmlUrl={quoteattr(feed.url)}/>')
        if folder:
            lines.append("    </outline>")
    return "\n".join([*lines, "  </body>", "</opml>", ""])
