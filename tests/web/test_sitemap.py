"""Sitemaps in all their spellings, and walking through index files without end."""

from __future__ import annotations

import gzip
import tarfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.hostile.server import HostileServer, gzip_bomb

from phasa.web.exchange import Exchange
from phasa.web.fetch import Fetcher
from phasa.web.limits import Limits
from phasa.web.sitemap import Entry, Sitemap, parse, walk
from phasa.web.url import Url

HERE = Url("http://a.example/sitemap.xml")
URLSET = """<?xml version="1.0"?><!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
<url><loc> http://a.example/1?a=1&amp;b=2 </loc><lastmod>2026-11-01</lastmod><changefreq>daily</changefreq>
<priority>0.8</priority><image:image><image:loc>http://a.example/i.png</image:loc></image:image></url>
<url><image:loc>http://a.example/only.png</image:loc></url>
<url><loc><![CDATA[http://a.example/2]]></loc></url><url><loc>&e;</loc></url>
<url><loc>http://a.example/3</loc>"""


def addresses(found: Sitemap) -> list[str]:
    return [entry.url for entry in found.entries]


def test_a_broken_sitemap_gives_what_it_has() -> None:
    found = parse(URLSET.encode(), HERE)
    assert found.entries[0] == Entry(Url("http://a.example/1?a=1&b=2"), "2026-11-01", "daily", "0.8")
    assert addresses(found)[1] == "http://a.example/2"
    assert addresses(found)[-1] == "http://a.example/3"
    assert not any("png" in address or "passwd" in address for address in addresses(found))


def test_an_index_lists_sitemaps() -> None:
    body = b"<sitemapindex><sitemap><loc>/a.xml</loc></sitemap><sm:sitemap>\nhttp://b.example/b.xml\n</sm:sitemap>"
    assert parse(body, HERE) == Sitemap((), (Url("http://a.example/a.xml"), Url("http://b.example/b.xml")), False)


@pytest.mark.parametrize(
    "body",
    [
        b"http://a.example/1\r\nnot an address\n\nhttp://a.example/2",
        b"\xef\xbb\xbfhttp://a.example/1\nhttp://a.example/2\n",
        gzip.compress(b"http://a.example/1\nhttp://a.example/2\n"),
        b"<rss><channel><item><link>http://a.example/1</link></item><item><link>http://a.example/2</link></item>",
        b"<feed xmlns='x'><entry><link href='/1'/></entry><entry><link rel='alternate' href='/2'/></entry></feed>",
    ],
    ids=["text", "byte order mark", "gzip", "rss", "atom"],
)
def test_other_forms(body: bytes) -> None:
    assert addresses(parse(body, HERE)) == ["http://a.example/1", "http://a.example/2"]


def test_counts_and_sizes_are_bounded() -> None:
    many = b"<urlset>" + b"<url><loc>http://a.example/</loc></url>" * 200
    assert len(parse(many, HERE, most=100).entries) == 100
    assert parse(many, HERE, most=100).truncated
    assert parse(b"http://a.example/\n" * 200, HERE, most=100).truncated
    assert parse(gzip_bomb(100), HERE, Limits(decoded_bytes=1_000_000)).truncated


@given(st.binary(max_size=300))
def test_any_bytes_give_some_sitemap(body: bytes) -> None:
    assert isinstance(parse(body, HERE), Sitemap)
    assert isinstance(parse(b"<urlset><url>" + body, HERE), Sitemap)


class Files:
    """Sitemaps by address, and which of them were asked for."""

    def __init__(self, **files: str) -> None:
        self.files = {f"http://a.example/{name}.xml": text for name, text in files.items()}
        self.asked: list[str] = []

    async def fetch(self, address: Url) -> Exchange:
        self.asked.append(address)
        body = self.files.get(address, "").encode()
        return Exchange(url=address, final_url=address, outcome="ok", status=200 if body else 404, body=body)


def index(*names: str) -> str:
    return "".join(f"<sitemap><loc>/{name}.xml</loc></sitemap>" for name in names)


async def test_a_walk_visits_every_file_once() -> None:
    files = Files(
        top=index("top", "one", "missing", "two"),
        one="<url><loc>/p1</loc></url>",
        two=index("one", "top") + "<url><loc>/p2</loc></url>",
    )
    found = [entry.url async for entry in walk([Url("http://a.example/top.xml")], files.fetch)]
    assert found == ["http://a.example/p1", "http://a.example/p2"]
    assert [address[17:-4] for address in files.asked] == ["top", "one", "missing", "two"]


async def test_a_walk_keeps_to_its_counts() -> None:
    files = Files(top=index(*(f"f{number}" for number in range(100))), f1="<url><loc>/p</loc></url>" * 50)
    assert len([entry async for entry in walk([Url("http://a.example/top.xml")], files.fetch, files=10)]) == 50
    assert len(files.asked) == 10
    assert len([entry async for entry in walk([Url("http://a.example/f1.xml")], files.fetch, entries=7)]) == 7


async def test_an_index_that_lists_itself_ends() -> None:
    async with HostileServer() as server, Fetcher(allow_private=True) as fetcher:
        assert [entry async for entry in walk([server.url("/sitemap.xml")], fetcher.fetch, files=20)] == []
        assert server.requests == ["/sitemap.xml", "/sitemap.xml?2"]


@pytest.mark.data
def test_the_samples_of_crawler_commons(data: Path) -> None:
    counts = {}
    with tarfile.open(data / "sitemap-samples" / "crawler-commons-sitemaps.tar.xz") as archive:
        for member in archive:
            stored = archive.extractfile(member) if member.isfile() else None
            if stored:
                found = parse(stored.read(), HERE)
                counts[Path(member.name).name] = (len(found.entries), len(found.sitemaps))
    assert counts["sitemap.badns.xml"] == (2, 0)
    assert counts["sitemap.index.xml"][1] > 10
    assert counts["sitemap.txt.gz"] == counts["xmlSitemap.gz"] == (5, 0)
    assert all(sum(count) > 0 for count in counts.values())
