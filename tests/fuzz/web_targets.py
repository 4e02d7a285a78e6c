"""Parsers of what servers send."""

from __future__ import annotations

import gzip
import json
import re
import zlib
from collections.abc import Iterable

from tests.fuzz import corpora
from tests.fuzz.target import SHARED, Check, Target, packed_files, survived

PAGE = """<!doctype html><html lang=th><head><meta charset=utf-8><base href="/a/"><title>ข่าว</title>
<meta name=robots content=nofollow><meta http-equiv=refresh content="0;url=/x"><link rel=canonical href=//e.th/>
<link rel=alternate type=application/rss+xml href=f.xml title=F></head><body><table><tr><td><a href="b?x=1#y">สวัสดี
<img src=i.png></a></td></table><svg><a href=c><text>x</text></a></svg><template><p>t</template><form><select><option>o
</select></form><iframe src=d></iframe><p>text &amp; more &nbsp; <b><i>x</b></i></p></body></html>""".encode()
TAGS = tuple(
    b"<a|href=x>|<table>|<td>|</table>|<x>|<p>|</p>|<svg>|<math>|<mi>|<template>|</template>|<select>|<base href=/>|"
    b"<!--|-->|<![CDATA[|]]>|<script>|</script>|<style>|<title>|<plaintext>|<frameset>|<b>|<i>|</b>|<nobr>|<form>|"
    b"<button>|<li>|<dd>|<option>|<h1>|<meta charset=tis-620>|<foreignObject>|<annotation-xml>|<caption>|<colgroup>|"
    b"<col>|<tr>|<th>|<tbody>|<applet>|<marquee>|<body>|<html>|<head>|</body>|<br>|<hr>|<image>".split(b"|")
)


_MEMORY_FAULT = re.compile(r"parser_crashed: SIG(SEGV|BUS|ABRT|ILL|FPE)$")


def _html() -> Check:
    """Pages go where every page goes, into the sandbox: a memory fault of the compiled parser is an answer there, and
    is counted. Too much time or memory, or any exception, is a find all the same."""
    from phasa import sandbox
    from phasa.errors import ParserCrashedError
    from phasa.web.html import read_packed, unpack
    from phasa.web.limits import Limits
    from phasa.web.url import Url, parse

    limits = Limits(links_per_page=50)

    def check(data: bytes) -> None:
        try:
            page = unpack(sandbox.run(read_packed, data, Url("http://a.example/d/e"), limits=limits))
        except ParserCrashedError as crash:
            if not _MEMORY_FAULT.match(str(crash)):
                raise AssertionError(str(crash)) from None
            survived[str(crash)] += 1
            return
        assert len(page.links) <= 50
        assert all(parse(link.url) == link.url for link in page.links)

    return check


def _charset() -> Check:
    from phasa.web.charset import declared, decode

    def check(data: bytes) -> None:
        head, _, body = data.partition(b"\n") if b"\n" in data else (b"", b"", data)
        header = head.decode("latin-1")
        found = decode(body, header, "th")
        assert len(found.text) <= len(body) + 1
        decode(data)
        declared(body, header)

    return check


def _inflate() -> Check:
    from phasa.web.inflate import inflate
    from phasa.web.limits import Limits

    limits = Limits(decoded_bytes=200_000)
    encodings = ("gzip", "deflate", "br", "zstd", "gzip, br", "x-gzip,deflate,zstd", "br,br,br,br", "identity")

    def check(data: bytes) -> None:
        wire = data[1:]
        assert len(inflate(wire, encodings[data[0] % 8] if data else "", limits).body) <= max(200_000, len(wire))

    return check


def _robots() -> Check:
    from phasa.web.robots import parse
    from phasa.web.url import Url

    paths = [
        Url(f"http://a.th{path}") for path in ("/", "/a/b.php?x=1", "/robots.txt", "/" + "a" * 200, "/%E0%B8%81*$")
    ]

    def check(data: bytes) -> None:
        robots = parse(data)
        for path in paths:
            robots.allowed(path, "phasa/1")
        assert (robots.delay("phasa") or 0) >= 0
        assert all(isinstance(sitemap, str) for sitemap in robots.sitemaps)

    return check


def _sitemap() -> Check:
    from phasa.web.sitemap import listed
    from phasa.web.url import Url, parse

    def check(data: bytes) -> None:
        found = listed(data, Url("http://a.th/sitemap.xml"), most=100)
        assert len(found) <= 100
        assert all(parse(url) == url for url in found)

    return check


def _url() -> Check:
    from phasa.web import url as urls

    def check(data: bytes) -> None:
        raw = data.decode("utf-8", "surrogateescape")
        found = urls.parse(raw)
        if found is None:
            return
        assert urls.parse(found) == found, "not idempotent"
        assert urls.host(found)
        assert 0 <= urls.port(found) <= 65_535
        assert urls.path(found).startswith("/")
        urls.origin(found)
        urls.registered_domain(found)
        urls.segment_key(found)
        key = urls.surt(found)
        assert not set(key) & set(" \n")
        plain = urls.without_credentials(found)
        assert urls.parse(plain) == plain
        thesis = urls.thesis_form(found)
        assert urls.thesis_form(thesis) == thesis, "thesis form not idempotent"

    return check


def _join() -> Check:
    from phasa.web import url as urls

    def check(data: bytes) -> None:
        first, _, second = data.partition(b"\n")
        base = urls.parse(first.decode("utf-8", "replace")) or urls.Url("http://a.example/b/c?d")
        raw = second.decode("utf-8", "surrogateescape")
        found = urls.join(base, raw)
        assert found is None or urls.parse(found) == found
        assert urls.join_all(base, [raw, "x"])[0] == found

    return check


def _headers() -> Check:
    from phasa.feeds.manners import ordered_wait, permanent_address
    from phasa.feeds.parse import linked_in_header
    from phasa.feeds.websub import signed_by
    from phasa.web.charset import declared
    from phasa.web.exchange import Exchange
    from phasa.web.http import failure_in_words
    from phasa.web.sitemap import is_sitemap
    from phasa.web.url import Url

    def check(data: bytes) -> None:
        lines = [line.partition(":") for line in data.decode("latin-1").split("\n")]
        headers = tuple((name.strip(), value.strip()) for name, _, value in lines)
        answer = Exchange(Url("http://a.th/"), status=503, headers=headers, final_url=Url("http://a.th/"), outcome="ok")
        wait = answer.retry_after(1e9)
        assert wait is None or 0 <= wait < 1e12
        ordered_wait(answer, 1e9)
        permanent_address(answer)
        failure_in_words(answer)
        is_sitemap(data, Url("http://a.th/"))
        linked_in_header(answer.header("link"))
        declared(b"", answer.header("content-type"))
        assert not signed_by("secret", b"body", answer.header("x-hub-signature"))

    return check


def _guard() -> Check:
    from phasa.errors import PhasaError
    from phasa.web.guard import is_public, one_server

    def check(data: bytes) -> None:
        text = data.decode("utf-8", "surrogateescape")
        assert is_public(text) in (True, False)
        try:
            one_server(text)
        except PhasaError:
            return

    return check


def _url_corpus() -> Iterable[bytes]:
    path = SHARED / "url-tests" / "urltestdata.json"
    if path.exists():
        for case in json.loads(path.read_text(encoding="utf-8")):
            if isinstance(case, dict):
                yield case["input"].encode("utf-8", "surrogatepass")


def _join_corpus() -> Iterable[bytes]:
    path = SHARED / "url-tests" / "urltestdata.json"
    if path.exists():
        for case in json.loads(path.read_text(encoding="utf-8")):
            if isinstance(case, dict):
                yield f"{case.get('base') or ''}\n{case['input']}".encode("utf-8", "surrogatepass")


_URLS = (
    b"http://user:pw@www.Example.co.th:8080/a/../b;x/%7Ec.html?q=1&r=%E0%B8%81#f", "https://ไทย.ไทย/ก".encode(),
    b"http://[::ffff:1.2.3.4]:80/", b"http://0x7f.1/", b"http://www./", b"//a.b", b"http:\\\\a\\b", b"HTTP://A..B/",
)  # fmt: skip
_URL_WORDS = tuple(b"http:// https: // / \\ ? # @ : % .. . %2e [ ] :: xn-- .th . www. index.html ... ~ %7e ;".split())
_HEADERS = (
    b"Retry-After: 120\nLink: <http://h.th/>; rel=hub, <x>; rel=\"self\"\nContent-Type: text/html; charset=tis-620\n"
    b"Cache-Control: max-age=60, s-maxage=9\nExpires: Thu, 01 Dec 1994 16:00:00 GMT\nAge: 3\nDate: x\nETag: \"a\"\n"
    b"Last-Modified: Sat, 29 Oct 1994 19:43:31 GMT\nX-Hub-Signature: sha256=00\nLocation: //x",
    b"Retry-After: Fri, 31 Dec 9999 23:59:59 -9999",
)  # fmt: skip

TARGETS = (
    Target("html", _html, (PAGE,), TAGS, 300, 1600, corpora.pages()),
    Target("charset", _charset, (b"text/html; charset=tis-620\n" + "สวัสดี".encode("cp874"), b"\n" + PAGE), TAGS,
           800, 2000, packed_files("charset-detection/chardet-tests.tar.xz")),
    Target("inflate", _inflate, (b"\0" + gzip.compress(PAGE, mtime=0) * 3, b"\1" + zlib.compress(PAGE),
           b"\2\x1b\x03\x00\xf8\xff", b"\3\x28\xb5\x2f\xfd\x00\x58\x11\0\0abc"), (b"\x1f\x8b\x08\0\0\0\0\0\0\xff",),
           2000, 1500, corpora.packed_bodies),
    Target("robots", _robots, (b"User-agent: *\nDisallow: /a*b$\nAllow: /a\nCrawl-delay: 3\nSitemap: /s.xml\n",
           b"user-agent: phasa\nuser-agent: x\ndisallow: /*?*&*=*\nallow: $\n"),
           (b"User-agent:", b"Disallow:", b"Allow:", b"Crawl-delay:", b"*", b"$", b"/", b"#", b"Sitemap:"), 1000, 1500,
           packed_files("robots-txt/real-robots-top10000.tar.xz")),
    Target("sitemap", _sitemap, (b"<?xml version='1.0'?><urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'><url>"
           b"<loc>http://a.th/x</loc><lastmod>2020-01-01</lastmod></url></urlset>", b"http://a.th/1\nhttp://a.th/2\n",
           b"<sitemapindex><sitemap><loc><![CDATA[/b.xml.gz]]></loc></sitemap></sitemapindex>"),
           (b"<loc>", b"</loc>", b"<url>", b"<![CDATA[", b"]]>", b"&amp;", b"<!--", b"-->", b"<link>"), 1500, 3000,
           packed_files("sitemap-samples/crawler-commons-sitemaps.tar.xz")),
    Target("url", _url, _URLS, _URL_WORDS, 10_000, 300, _url_corpus),
    Target("join", _join, tuple(b"http://a.th/b/\n" + url for url in _URLS), _URL_WORDS, 8000, 300, _join_corpus),
    Target("headers", _headers, _HEADERS, (b"Retry-After:", b"Link:", b"rel=hub", b"<", b">", b";", b",", b"max-age=",
           b"charset=", b"Expires:", b"GMT", b'"'), 2500, 600, corpora.headers),
    Target("address", _guard, (b"127.0.0.1", b"::ffff:10.0.0.1", b"fe80::1%eth0", b"64:ff9b::7f00:1", b"[::1]:80"),
           (b"::", b".", b":", b"%", b"ffff", b"127", b"0x7f", b"2002:"), 10_000, 60),
)  # fmt: skip
