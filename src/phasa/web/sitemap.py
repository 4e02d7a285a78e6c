"""Sitemaps: XML, text, feeds, gzipped, index files; broken ones give what they have.

No XML parser is involved: tags are found by expression, so entities, namespaces and unclosed elements can do no harm.
"""

from __future__ import annotations

import re
from html import unescape

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
_HREF = re.compile(r"""href\s*=\s*["']([^"']+)""", re.IGNORECASE)
_GZIP = b"\x1f\x8b"


def is_sitemap(body: bytes, address: Url) -> bool:
    """Whether an answer that is not called HTML is a sitemap: its first element says so, or its address does."""
    if body and ("sitemap" in url.path(address).lower() or address.endswith(".xml.gz")):
        return True
    return _ROOT.search(body, 0, 4096) is not None


def listed(body: bytes, address: Url, limits: Limits | None = None, most: int = ENTRIES) -> list[Url]:
    """The pages and further sitemaps that a sitemap at `address` lists, each once, at most `most`. Never raises."""
    limits = limits or Limits()
    if body[:2] == _GZIP:
        body = inflate(body, "gzip", limits).body
    text = charset.decode(body[: limits.decoded_bytes]).text
    found: dict[Url, None] = {}
    if text[:1024].lstrip("\ufeff \t\r\n")[:1] == "<":
        candidates = (_address(block, address) for block in _BLOCK.split(text)[1:])
    else:
        candidates = (url.parse(line.strip().lstrip("\ufeff")) for line in text.splitlines())
    for target in candidates:
        if target is not None:
            found[target] = None
            if len(found) >= most:
                break
    return list(found)


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
