"""Sitemaps in all their spellings, and how they are told from pages."""

from __future__ import annotations

import gzip
import tarfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.hostile.server import gzip_bomb

from phasa.web.limits import Limits
from phasa.web.sitemap import is_sitemap, listed, read_listing
from phasa.web.url import Url

HERE = Url("http://a.example/sitemap.xml")
URLSET = """<?xml version="1.0"?><!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
<url><loc> http://a.example/1?a=1&amp;b=2 </loc><lastmod>2026-11-01</lastmod><changefreq>daily</changefreq>
<priority>0.8</priority><image:image><image:loc>http://a.example/i.png</image:loc></image:image></url>
<url><image:loc>http://a.example/only.png</image:loc></url>
<url><loc><![CDATA[http://a.example/2]]></loc></url><url><loc>&e;</loc></url>
<url><loc>http://a.example/3</loc>"""


def test_a_broken_sitemap_gives_what_it_has() -> None:
    found = listed(URLSET.encode(), HERE)
    assert found[:2] == ["http://a.example/1?a=1&b=2", "http://a.example/2"]
    assert found[-1] == "http://a.example/3"
    assert not any("png" in address or "passwd" in address for address in found)


def test_an_index_lists_sitemaps() -> None:
    body = b"<sitemapindex><sitemap><loc>/a.xml</loc></sitemap><sm:sitemap>\nhttp://b.example/b.xml\n</sm:sitemap>"
    assert listed(body, HERE) == ["http://a.example/a.xml", "http://b.example/b.xml"]


@pytest.mark.parametrize(
    "body",
    [
        b"http://a.example/1\r\nnot an address\n\nhttp://a.example/2",
        b"\xef\xbb\xbfhttp://a.example/1\nhttp://a.example/2\n",
        gzip.compress(b"http://a.example/1\nhttp://a.example/2\n"),
        b"<rss><channel><item><link>http://a.example/1</link></item><item><link>http://a.example/2</link></item>",
        b"<feed xmlns='x'><entry><link href='/1'/></entry><entry><link rel='alternate' href='/2'/></entry></feed>",
        b"<urlset><url><loc>/1</loc></url><url><loc>/2</loc></url><url><loc>/1</loc></url></urlset>",
    ],
    ids=["text", "byte order mark", "gzip", "rss", "atom", "twice"],
)
def test_other_forms(body: bytes) -> None:
    assert listed(body, HERE) == ["http://a.example/1", "http://a.example/2"]


def test_counts_and_sizes_are_bounded() -> None:
    many = b"<urlset>" + b"".join(b"<url><loc>http://a.example/%d</loc></url>" % number for number in range(200))
    assert len(listed(many, HERE, most=100)) == 100
    assert len(listed(b"".join(b"http://a.example/%d\n" % number for number in range(200)), HERE, most=100)) == 100
    assert listed(gzip_bomb(100), HERE, Limits(decoded_bytes=1_000_000)) == []


@given(st.binary(max_size=300))
def test_any_bytes_give_some_list(body: bytes) -> None:
    assert isinstance(listed(body, HERE), list)
    assert isinstance(listed(b"<urlset><url>" + body, HERE), list)


@pytest.mark.parametrize(
    ("path", "body", "expected"),
    [
        ("/anything", URLSET.encode(), True),
        ("/anything", b"<sm:sitemapindex xmlns:sm='x'>", True),
        ("/anything", b"<html><p>urlset</p></html>", False),
        ("/sitemap.txt", b"http://a.example/1", True),
        ("/notes.txt", b"http://a.example/1", False),
        ("/s1.xml.gz", gzip.compress(URLSET.encode()), True),
        ("/sitemap.xml", b"", False),
    ],
)
def test_sitemaps_are_told_from_pages(path: str, body: bytes, expected: bool) -> None:
    assert is_sitemap(body, Url("http://a.example" + path)) is expected


@pytest.mark.data
def test_the_samples_of_crawler_commons(data: Path) -> None:
    counts = {}
    with tarfile.open(data / "sitemap-samples" / "crawler-commons-sitemaps.tar.xz") as archive:
        for member in archive:
            stored = archive.extractfile(member) if member.isfile() else None
            if stored:
                counts[Path(member.name).name] = len(listed(stored.read(), HERE))
    assert counts["sitemap.badns.xml"] == 2
    assert counts["sitemap.index.xml"] > 10
    assert counts["sitemap.txt.gz"] == counts["xmlSitemap.gz"] == 5
    assert all(count > 0 for count in counts.values())


NOW = 1_790_000_000.0  # 21 September 2026


def sitemap(*dates: str, priorities: tuple[str, ...] = ()) -> bytes:
    said = [*priorities, *[""] * len(dates)]
    rows = [f"<url><loc>/{n}</loc><lastmod>{d}</lastmod>{said[n]}</url>" for n, d in enumerate(dates)]
    return f"<urlset>{''.join(rows)}</urlset>".encode()


def dates(*written: str) -> list[float | None]:
    found = read_listing(sitemap(*written), HERE, now=NOW)
    return [found.changed.get(Url(f"http://a.example/{number}")) for number in range(len(written))]


def test_dates_are_read_in_every_form_of_the_standard() -> None:
    assert dates("2026-09-01", "2026-09-01T12:00:00Z", "2026-09-01T12:00:00.5+07:00", "2026-08", "2025") == [
        1788220800.0,
        1788264000.0,
        1788238800.5,
        1785542400.0,
        1735689600.0,
    ]


def test_a_date_in_the_future_or_that_is_none_is_not_believed() -> None:
    assert dates("2027-01-01", "9999-99-99", "soon", "0000-00-00", "", "2026-01-01") == [None] * 5 + [1767225600.0]


def test_a_clock_that_is_a_little_ahead_means_now() -> None:
    assert dates("2026-09-21T18:00:00Z", "2026-01-01") == [NOW, 1767225600.0]


def test_a_date_that_most_addresses_share_says_when_the_file_was_made() -> None:
    assert dates("2026-09-01", "2026-09-01", "2026-09-01") == [None] * 3
    assert dates("2026-09-01", "2026-09-01", "2026-08-01") == [None, None, 1785542400.0]
    assert dates("2026-09-01", "2026-08-01") == [1788220800.0, 1785542400.0]


def test_what_the_sitemap_calls_important_comes_first_and_equals_keep_their_order() -> None:
    said = ("<priority>0.1</priority>", "", "<priority>1.0</priority>", "<priority>9e9</priority>", "")
    found = read_listing(sitemap(*["2026-01-01"] * 5, priorities=said), HERE, now=NOW).urls
    assert [address.rpartition("/")[2] for address in found] == ["2", "1", "3", "4", "0"]


@given(st.text("<url>locastmdpriority/0129-:TZ ", max_size=300))
def test_any_text_gives_some_listing(text: str) -> None:
    read_listing(f"<urlset>{text}".encode(), HERE, now=NOW)
