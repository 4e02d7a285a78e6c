"""Sitemaps: XML, text, feeds, gzipped, index files; broken ones give what they have.

No XML parser is involved: tags are found by expression, so entities, namespaces and unclosed elements can do no harm.
"""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from html import unescape
from typing import NamedTuple

from phasa.web import charset, url
from phasa.web.inflate import inflate
from phasa.web.limits import Limits
from phasa.web.url import Url

ENTRIES = 50_000
"""Most addresses of one file, by the protocol."""
GZIP_TYPES = ("application/gzip", "application/x-gzip", "application/octet-stream")
"""What servers call a `sitemap.xml.gz`."""

_BLOCK = re.compile(r"<(?:[\w.-]+:)?(?:url|sitemap|item|entry)(?=[\s>])", re.IGNORECASE)
_ROOT = re.compile(rb"<(?:[\w.-]+:)?(?:urlset|sitemapindex)[\s>]", re.IGNORECASE)
# image:loc, video:loc and their kin are not pages.
_FIELD = re.compile(
    r"<(?:(?!image:|video:|news:|media:)[\w.-]+:)?(loc|link)(\s[^<>]*)?>\s*(?:<!\[CDATA\[)?\s*([^<\]]*)",
    re.IGNORECASE,
)
# Some write the address straight into <url> or <sitemap>.
_BARE = re.compile(r"[^<>]*>\s*(https?://[^\s<]+)", re.IGNORECASE)
_DATE = re.compile(r"<(?:[\w.-]+:)?lastmod\s*>\s*([0-9TtZz:+. -]{4,40})", re.IGNORECASE)
_PRIORITY = re.compile(r"<(?:[\w.-]+:)?priority\s*>\s*([01](?:\.[0-9]{1,9})?)", re.IGNORECASE)
_USUAL = 0.5  # of an address that says nothing, by the protocol
_AHEAD = 86_400.0  # seconds that clocks and time zones may differ
_HREF = re.compile(r"""href\s*=\s*["']([^"']+)""", re.IGNORECASE)
_GZIP = b"\x1f\x8b"


def is_sitemap(body: bytes, address: Url) -> bool:
    """Whether an answer that is not called HTML is a sitemap: its first element says so, or its address does."""
    if body and ("sitemap" in url.path(address).lower() or address.endswith(".xml.gz")):
        return True
    return _ROOT.search(body, 0, 4096) is not None


class Listing(NamedTuple):
    """What a sitemap lists: addresses, those that it calls more important first; and when each was last changed, as far
    as it says so and can be believed at all."""

    urls: list[Url]
    changed: dict[Url, float]


def read_listing(
    body: bytes, address: Url, limits: Limits | None = None, most: int = ENTRIES, now: float | None = None
) -> Listing:
    """The pages and further sitemaps that a sitemap at `address` lists, each once, at most `most`. Never raises.

    A date in the future is none, and so is one that most addresses share: it says when the file was made."""
    found = _blocks(body, limits or Limits(), address)
    urls: dict[Url, float] = {}
    changed: dict[Url, float] = {}
    moment = time.time() if now is None else now
    for target, block in found:
        if target in urls:
            continue
        priority = _PRIORITY.search(block)
        urls[target] = float(priority[1]) if priority else _USUAL
        date = _DATE.search(block)
        at = _moment(date[1].strip()) if date else None
        if at is not None and at <= moment + _AHEAD:
            changed[target] = min(at, moment)
        if len(urls) >= most:
            break
    shared = {at for at, count in Counter(changed.values()).items() if count > 1 and 2 * count > len(urls)}
    ordered = sorted(urls, key=lambda target: -urls[target])
    return Listing(ordered, {target: at for target, at in changed.items() if at not in shared})


def _moment(text: str) -> float | None:
    """A W3C date (a year, a month, a day, or more) as seconds since 1970; None for what is none."""
    whole = f"{text}-01-01" if len(text) == 4 else f"{text}-01" if len(text) == 7 else text
    try:
        found = datetime.fromisoformat(whole.upper())
        return (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return None


def listed(body: bytes, address: Url, limits: Limits | None = None, most: int = ENTRIES) -> list[Url]:
    """The addresses alone, as `read_listing` gives them."""
    return read_listing(body, address, limits, most).urls


def _blocks(body: bytes, limits: Limits, address: Url) -> Iterator[tuple[Url, str]]:
    """Each address with what is written about it."""
    if body[:2] == _GZIP:
        body = inflate(body, "gzip", limits).body
    text = charset.decode(body[: limits.decoded_bytes]).text
    if text[:1024].lstrip("\ufeff \t\r\n")[:1] == "<":
        for block in _BLOCK.split(text)[1:]:
            if (target := _address(block, address)) is not None:
                yield target, block
        return
    for line in text.splitlines():
        if (target := url.parse(line.strip().lstrip("\ufeff"))) is not None:
            yield target, ""


def _address(block: str, address: Url) -> Url | None:
    fields: dict[str, str] = {}
    for name, attributes, value in _FIELD.findall(block):
        if not value.strip() and name.lower() == "link":
            found = _HREF.search(attributes)
            value = found[1] if found else ""
        fields.setdefault(name.lower(), unescape(value.strip()))
    bare = None if fields.get("loc") or fields.get("link") else _BARE.match(block)
    raw = unescape(bare[1]) if bare else fields.get("loc") or fields.get("link")
    return url.join(address, raw) if raw else None
