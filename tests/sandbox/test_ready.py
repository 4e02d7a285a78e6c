"""A worker has everything when it begins: what it loads by itself is loaded again in the next one, and taken off the
memory that is meant for pages (a model of 40 MB did not fit: whoever met a page of no declared charset ended)."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Sequence

import brotlicffi
import pytest
import zstandard
from tests.sandbox import deeds

from phasa.feeds import document
from phasa.sandbox import Bounds
from phasa.sandbox.pool import Pool
from phasa.web import body
from phasa.web.limits import Limits
from phasa.web.url import Url

HERE = Url("http://a.example/")
THAI = "<title>ข่าว</title><p>" + "ภาษาไทยของเราในวันนี้ " * 40
PAGES = {
    "undeclared Thai": (THAI.encode("cp874"), "", "text/html"),
    "undeclared Japanese": (("<p>" + "日本語の新聞です。" * 40).encode("euc_jp"), "", "text/html"),
    "declared": (THAI.encode(), "", "text/html; charset=utf-8"),
    "gzip": (gzip.compress(THAI.encode()), "gzip", "text/html"),
    "deflate": (zlib.compress(THAI.encode()), "deflate", "text/html"),
    "brotli": (brotlicffi.compress(THAI.encode()), "br", "text/html"),
    "zstandard": (zstandard.compress(THAI.encode()), "zstd", "text/html"),
    "host of letters": ("<a href=http://ไทย.example/>ก</a>".encode(), "", "text/html"),
    "sitemap": (b"<urlset><url><loc>http://a.example/x</loc></url></urlset>", "", "application/xml"),
    "no markup": (b"\0\1\2" * 99, "", "text/html"),
}
FEEDS = {
    "rss": "<rss><channel><title>ข่าว</title><item><title>ก</title></item></channel></rss>".encode(),
    "undeclared": "<rss><channel><title>ข่าวภาษาไทยวันนี้</title><item><title>ก</title></item></channel></rss>".encode(
        "cp874"
    ),
    "atom": b'<feed xmlns="http://www.w3.org/2005/Atom"><entry><updated>2026-01-01T00:00:00Z</updated></entry></feed>',
    "json": b'{"version": "https://jsonfeed.org/version/1.1", "title": "x", "items": [{"id": "1"}]}',
    "broken": b"<rss><channel><item><title>a<b></title></item>",
    "page": b'<link rel=alternate type="application/rss+xml" href=/feed>',
}


@pytest.fixture
def quick() -> Bounds:
    """What a worker of a crawl has as a rule: half of the setting."""
    return Bounds(megabytes=Limits().parse_megabytes // 2)


async def news(bounds: Bounds, modules: Sequence[str], calls: Sequence[tuple[object, ...]]) -> set[str]:
    """Modules that a worker did not have before these calls."""
    async with Pool(1, bounds, modules) as pool:
        before = await pool.call(deeds.loaded)
        for function, *args in calls:
            await pool.call(function, *args)  # type: ignore[arg-type]
        return set(await pool.call(deeds.loaded)) - set(before)


async def test_a_worker_of_a_crawl_loads_nothing_by_itself(quick: Bounds) -> None:
    calls = [(body.read_body, wire, packed, HERE, kind, None, Limits(), True) for wire, packed, kind in PAGES.values()]
    assert {name for name in await news(quick, body.MODULES, calls) if not name.startswith("encodings.")} == set()


async def test_a_worker_of_the_feeds_loads_nothing_by_itself(quick: Bounds) -> None:
    calls = [
        (document.read_document, one, "", "application/xml", HERE, None, Limits(), "", True) for one in FEEDS.values()
    ]
    assert {name for name in await news(quick, document.MODULES, calls) if not name.startswith("encodings.")} == set()
