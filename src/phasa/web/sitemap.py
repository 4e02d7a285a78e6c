"""Sitemaps: XML, text, feeds, gzipped, index files; broken ones give what they have.

No XML parser is involved: tags are found by expression, so entities, namespaces and unclosed elements can do no harm.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from html import unescape
from typing import NamedTuple

from phasa.web import charset, url
from phasa.web.exchange import Exchange
from phasa.web.inflate import inflate
from phasa.web.limits import Limits
from phasa.web.url import Url

ENTRIES = 50_000  # of one file, by the protocol

_BLOCK = re.compile(r"<(?:[\w.-]+:)?(url|sitemap|item|entry)(?=[\s>])", re.IGNORECASE)
_ROOT = re.compile(r"<(?:[\w.-]+:)?(urlset|sitemapindex|rss|feed|rdf)(?=[\s>])", re.IGNORECASE)
# image:loc, video:loc and their kin are not pages.
_FIELD = re.compile(
    r"<(?:(?!image:|video:|news:|media:)[\w.-]+:)?(loc|lastmod|changefreq|priority|link|pubdate|updated)"
    r"(\s[^<>]*)?>\s*(?:<!\[CDATA\[)?\s*([^<\]]*)",
    re.IGNORECASE,
)
# Some write the address straight into <url> or <sitemap>.
_BARE = re.compile(r"[^<>]*>\s*(https?://[^\s<]+)", re.IGNORECASE)
_HREF = re.compile(r"""href\s*=\s*["']([^"']+)""", re.IGNORECASE)


class Entry(NamedTuple):
    """One page that a sitemap lists; the rest is as written there."""

    url: Url
    modified: str = ""
    frequency: str = ""
    priority: str = ""


class Sitemap(NamedTuple):
    """A sitemap file: pages, or other sitemaps (an index), or both."""

    entries: tuple[Entry, ...]
    sitemaps: tuple[Url, ...]
    truncated: bool


def parse(body: bytes, address: Url, limits: Limits | None = None, most: int = ENTRIES) -> Sitemap:
    """What a sitemap at `address` lists, gzipped or not. Never raises; at most `most` entries."""
    limits = limits or Limits()
    cut = False
    if body[:2] == b"\x1f\x8b":
        body, problem = inflate(body, "gzip", limits)
        cut = problem in ("bomb", "too_large")
    text = charset.decode(body[: limits.decoded_bytes]).text
    root = _ROOT.search(text[:4096])
    if root is None and "<" not in text[:1024].lstrip("\ufeff \t\r\n")[:1]:
        return _plain(text, address, most, cut)
    entries: list[Entry] = []
    sitemaps: list[Url] = []
    pieces = _BLOCK.split(text)
    for kind, block in zip(pieces[1::2], pieces[2::2], strict=True):
        entry = _entry(block, address)
        if entry is None:
            continue
        if len(entries) + len(sitemaps) >= most:
            cut = True
            break
        if kind.lower() == "sitemap":
            sitemaps.append(entry.url)
        else:
            entries.append(entry)
    return Sitemap(tuple(entries), tuple(sitemaps), cut)


def _entry(block: str, address: Url) -> Entry | None:
    fields: dict[str, str] = {}
    for name, attributes, value in _FIELD.findall(block):
        if not value.strip() and name.lower() == "link":
            found = _HREF.search(attributes)
            value = found[1] if found else ""
        fields.setdefault(name.lower(), unescape(value.strip()))
    bare = None if fields.get("loc") or fields.get("link") else _BARE.match(block)
    raw = unescape(bare[1]) if bare else fields.get("loc") or fields.get("link")
    target = url.join(address, raw) if raw else None
    if target is None:
        return None
    modified = fields.get("lastmod") or fields.get("updated") or fields.get("pubdate") or ""
    return Entry(target, modified, fields.get("changefreq", ""), fields.get("priority", ""))


def _plain(text: str, address: Url, most: int, cut: bool) -> Sitemap:
    entries: list[Entry] = []
    for line in text.splitlines():
        target = url.parse(line.strip().lstrip("\ufeff"))
        if target is not None:
            if len(entries) >= most:
                return Sitemap(tuple(entries), (), True)
            entries.append(Entry(target))
    return Sitemap(tuple(entries), (), cut)


async def walk(
    starts: Iterable[Url],
    fetch: Callable[[Url], Awaitable[Exchange]],
    *,
    limits: Limits | None = None,
    files: int = 500,
    entries: int = 1_000_000,
) -> AsyncIterator[Entry]:
    """Every page of these sitemaps and of those that they list, each file once, within the two counts."""
    waiting = deque(dict.fromkeys(starts))
    seen = set(waiting)
    given = 0
    for _ in range(files):
        if not waiting:
            return
        address = waiting.popleft()
        exchange = await fetch(address)
        if not 200 <= exchange.status < 300 or not exchange.body:
            continue
        found = parse(exchange.body, exchange.final_url or address, limits)
        for entry in found.entries:
            if given >= entries:
                return
            given += 1
            yield entry
        for sitemap in found.sitemaps:
            if sitemap not in seen and len(seen) < files:
                seen.add(sitemap)
                waiting.append(sitemap)
