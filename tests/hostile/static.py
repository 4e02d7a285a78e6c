# ruff: noqa: E501 - one misdeed a line
"""Answers that are wrong as they stand: heads that break the rules, bodies that break parsers, files that break readers.

Importing this module adds them to the misdeeds of `server`; robots.txt files are in `ROBOTS`, by the name of a host.
"""

from __future__ import annotations

import gzip
import zlib

from tests.hostile.server import MISDEEDS, Caller, Misdeed
from tests.sandbox.deeds import CRASH

_THAI = "ภาษาไทยเป็นภาษาที่มีผู้พูดมาก ".encode()


def _raw(data: bytes, *, close: bool = True) -> Misdeed:
    async def misdeed(caller: Caller) -> None:
        await caller.send(data)
        if close:
            caller.writer.close()

    return misdeed


def _page(body: bytes, *headers: str, kind: str = "text/html") -> Misdeed:
    async def misdeed(caller: Caller) -> None:
        await caller.answer(body, *headers, kind=kind)

    return misdeed


HEADS: dict[str, bytes] = {
    "no-version": b"200 OK\r\n\r\nx",
    "http-0.9": b"<html>x",
    "http-9.9": b"HTTP/9.9 200 OK\r\nContent-Length: 1\r\n\r\nx",
    "http-2": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "status-0": b"HTTP/1.1 0 Zero\r\n\r\n",
    "status-99": b"HTTP/1.1 99 Low\r\n\r\n",
    "status-600": b"HTTP/1.1 600 High\r\nContent-Length: 1\r\n\r\nx",
    "status-1000": b"HTTP/1.1 1000 Long\r\n\r\n",
    "status-minus": b"HTTP/1.1 -200 OK\r\n\r\n",
    "status-word": b"HTTP/1.1 two OK\r\n\r\n",
    "status-unicode": "HTTP/1.1 ２００ OK\r\n\r\n".encode(),
    "reason-long": b"HTTP/1.1 200 " + b"r" * 100_000 + b"\r\nContent-Length: 1\r\n\r\nx",
    "reason-nul": b"HTTP/1.1 200 a\0b\r\nContent-Length: 1\r\n\r\nx",
    "reason-binary": b"HTTP/1.1 200 \xff\xfe\r\nContent-Length: 1\r\n\r\nx",
    "length-minus": b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\nx",
    "length-plus": b"HTTP/1.1 200 OK\r\nContent-Length: +1\r\n\r\nx",
    "length-word": b"HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\nx",
    "length-huge": b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\nx",
    "length-twice": b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxy",
    "length-and-chunks": b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n",
    "length-list": b"HTTP/1.1 200 OK\r\nContent-Length: 1, 1\r\n\r\nx",
    "chunk-minus": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\nx",
    "chunk-huge": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\nx",
    "chunk-extension": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;" + b"e" * 200_000 + b"\r\nx\r\n0\r\n\r\n",
    "chunk-trailers": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n" + b"T: x\r\n" * 50_000 + b"\r\n",
    "chunk-no-end": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n",
    "chunk-long-number": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + b"0" * 100_000 + b"1\r\nx\r\n0\r\n\r\n",
    "coding-unknown": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: magic\r\n\r\nx",
    "coding-twice": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked, chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n",
    "header-no-colon": b"HTTP/1.1 200 OK\r\nnonsense\r\nContent-Length: 1\r\n\r\nx",
    "header-no-name": b"HTTP/1.1 200 OK\r\n: value\r\nContent-Length: 1\r\n\r\nx",
    "header-blank-name": b"HTTP/1.1 200 OK\r\nA B: value\r\nContent-Length: 1\r\n\r\nx",
    "header-folded": b"HTTP/1.1 200 OK\r\nA: b\r\n c\r\n d\r\nContent-Length: 1\r\n\r\nx",
    "header-binary": b"HTTP/1.1 200 OK\r\nA: \x80\xff\r\nContent-Length: 1\r\n\r\nx",
    "header-lf-only": b"HTTP/1.1 200 OK\nContent-Length: 1\n\nx",
    "header-cr-only": b"HTTP/1.1 200 OK\rContent-Length: 1\r\rx",
    "header-name-long": b"HTTP/1.1 200 OK\r\n" + b"N" * 100_000 + b": v\r\n\r\n",
    "header-never-ends": b"HTTP/1.1 200 OK\r\n" + b"A: b\r\n" * 10,
    "upgrade": b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\nxxxx",
    "continue-flood": b"HTTP/1.1 100 Continue\r\n\r\n" * 100_000,
    "early-hints": b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n" * 20_000,
    "processing": b"HTTP/1.1 102 Processing\r\n\r\n" * 50_000,
    "body-on-204": b"HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\nhello",
    "body-on-304": b"HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\nhello",
    "two-answers": b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nxHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\ny",
    "answer-and-noise": b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx" + b"noise" * 10_000,
    "ssh": b"SSH-2.0-OpenSSH_9.0\r\n",
    "smtp": b"220 mail ready\r\n",
    "ftp": b"220 (vsFTPd 3.0)\r\n",
    "tls-alert": b"\x15\x03\x01\x00\x02\x02\x0a",
    "nothing-but-lines": b"\r\n" * 50_000,
    "nothing-but-nul": bytes(100_000),
}  # fmt: skip

LOCATIONS: dict[str, str] = {
    "self": "", "slash": "/", "nowhere": "http://", "file": "file:///etc/passwd", "data": "data:text/html,x",
    "javascript": "javascript:alert(1)", "ftp": "ftp://a.example/", "port-0": "http://a.example:0/",
    "port-99999": "http://a.example:99999/", "user": "http://u:p@a.example/", "host-long": f"http://{'a' * 300}.example/",
    "path-long": "/" + "p" * 50_000, "dots": "/" + "../" * 10_000, "percent": "/%%%00%zz", "unicode": "/ก",
    "metadata": "http://169.254.169.254/latest/meta-data/", "octal": "http://0177.0.0.1/", "decimal": "http://2130706433/",
    "mapped": "http://[::ffff:127.0.0.1]/", "zone": "http://[fe80::1%25eth0]/", "www-dot": "http://www./", "dot": "http://./",
}  # fmt: skip

PAGES: dict[str, bytes] = {
    "crash-table": CRASH,
    "svg-anchors": b"<svg>" + b"<a>" * 500 + "ก".encode() * 1_000_000,
    "base-long": b"<base href='/" + b"b" * 400_000 + b"/'>" + b"<a href=x>x</a>" * 5000,
    "base-medium": b"<base href='/" + b"b" * 1900 + b"/'>" + b"".join(b"<a href=%d>x</a>" % n for n in range(5000)),
    "base-elsewhere": b"<base href='javascript:x'><a href=y>y</a>",
    "blockquotes": b"<blockquote>" * 500 + b"<p>x" * 20_000,
    "wide-table": b"<table><tr><td>" + b"w" * 500_000 + b"<td>x" + b"<tr><td>x<td>y" * 20_000,
    "nested-tables": b"<table><tr><td>" * 20_000,
    "numbers": b"<ol start=999999999999>" + b"<li>x" * 100_000,
    "formatting": b"".join(b"<b id=%d>" % n for n in range(400)) + b"<div></b><p>x" * 5000,
    "attributes": b"<p " + b" ".join(b"a%d=x" % n for n in range(100_000)) + b">x",
    "attribute-long": b"<p title='" + b"t" * 1_900_000 + b"'>x",
    "tag-long": b"<" + b"t" * 1_900_000 + b">x",
    "tag-never-ends": b"<a href='" + b"x" * 1_900_000,
    "comment-never-ends": b"<!--" + b"-" * 1_900_000,
    "comments": b"<!---->" * 250_000,
    "cdata": b"<svg><![CDATA[" + b"]" * 1_000_000,
    "script-never-ends": b"<script>" + b"<!--<script>" * 100_000,
    "templates": b"<template>" * 100_000,
    "frames": b"<frameset>" * 50_000 + b"<frame src=x>" * 5000,
    "selects": b"<select>" * 100_000 + b"<option>x" * 50_000,
    "mathml": b"<math><annotation-xml encoding='text/html'>" * 40_000 + b"<p>x",
    "foreign": b"<svg><foreignObject><math><mtext>" * 30_000 + b"x",
    "entities": b"&lt;&notanentity;&#xfffffff;&#0;&NotEqualTilde;" * 40_000,
    "numeric-entities": b"&#" + b"9" * 1_000_000 + b";",
    "null-bytes": b"<p>\0" * 300_000,
    "end-tags": b"</p></x></table></body></html>" * 60_000,
    "forms": b"<form><input><p>" * 60_000,
    "headings": b"<h1><h2><h3>" * 60_000,
    "anchors": b"<a href=x><a href=y>" * 80_000,
    "refresh": b"<meta http-equiv=refresh content='0; url=" + b"x" * 500_000 + b"'>",
    "metas": b"<meta name=robots content=index>" * 60_000,
    "hreflang": b"".join(b"<link rel=alternate hreflang=x href=/%d>" % n for n in range(50_000)),
    "feeds": b"".join(b"<link rel=alternate type=application/rss+xml href=/%d>" % n for n in range(40_000)),
    "title-long": b"<title>" + b"t" * 1_900_000,
    "titles": b"<title>x</title>" * 100_000,
    "language-long": b"<html lang='" + b"l" * 1_000_000 + b"'><p>x",
    "utf-16-odd": "\ufeff<p>x".encode("utf-16") + b"\0",
    "utf-32": "<p>กข".encode("utf-32") * 10_000,
    "utf-7": b"<meta charset=utf-7>+ADw-script+AD4-",
    "charset-unknown": b"<meta charset=x-nothing><p>" + _THAI,
    "charset-long": b"<meta charset='" + b"c" * 500_000 + b"'>x",
    "surrogates": b"<p>\xed\xa0\x80\xed\xb0\x80" * 50_000,
    "overlong": b"<p>\xc0\xaf\xf8\x88\x80\x80\x80" * 50_000,
    "iso-2022": b"\x1b$B" * 200_000,
    "random": bytes((n * n >> 3) % 256 for n in range(300_000)),
    "combining": ("<p>a" + "\u0301" * 500_000).encode(),
    "bidi": ("<p>" + "\u202e\u202d" * 200_000).encode(),
    "one-line": b"<p>" + _THAI * 20_000,
    "many-hosts": b"".join(b"<a href=http://h%d.spam.example/>x</a>" % n for n in range(3000)),
    "calendar": b"".join(b"<a href=?day=%d>x</a>" % n for n in range(5000)),
    "links-thai": ("".join(f"<a href='/{'ก' * 600}{n}'>x</a>" for n in range(500))).encode(),
    "links-www-dot": b"<a href=http://www./>x</a><a href=http://./>x</a><a href=http://../>y</a>",
    "empty": b"",
    "blanks": b" " * 2_000_000,
}  # fmt: skip

PACKED: dict[str, tuple[bytes, str]] = {
    "members": (gzip.compress(b"") * 400_000, "gzip"),
    "members-full": (gzip.compress(b"<p>x") * 50_000, "gzip"),
    "torn": (gzip.compress(b"<p>x" * 10_000)[:-20], "gzip"),
    "tail": (gzip.compress(b"<p>x") + b"tail" * 1000, "gzip"),
    "checksum": (gzip.compress(b"<p>x")[:-8] + bytes(8), "gzip"),
    "layers": (gzip.compress(gzip.compress(b"<p>x")), "gzip, gzip"),
    "layers-many": (b"x", ", ".join(["gzip"] * 50)),
    "deflate-noise": (b"noise" * 1000, "deflate"),
    "brotli-noise": (b"noise" * 1000, "br"),
    "zstd-noise": (b"noise" * 1000, "zstd"),
    "zstd-window": (b"\x28\xb5\x2f\xfd\x00\xf8" + bytes(100), "zstd"),
    "zlib-bomb": (zlib.compress(bytes(50_000_000), 9), "deflate"),
    "unknown": (b"<p>x", "snappy"),
    "name-long": (b"<p>x", "x" * 30_000),
}  # fmt: skip

SITEMAPS: dict[str, bytes] = {
    "billion-laughs": b'<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]><urlset><url><loc>&b;</loc></url></urlset>',
    "external": b'<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><urlset><url><loc>&a;</loc></url></urlset>',
    "deep": b"<urlset>" + b"<url>" * 300_000,
    "many": b"<urlset>" + b"".join(b"<url><loc>/s/%d</loc></url>" % n for n in range(60_000)),
    "long": b"<urlset><url><loc>http://a.example/" + b"x" * 1_000_000 + b"</loc></url></urlset>",
}  # fmt: skip

ROBOTS: dict[str, bytes] = {
    "rules": b"User-agent: *\n" + b"".join(b"Disallow: /*%d*x\n" % n for n in range(34_000)),
    "stars": b"User-agent: *\n" + b"".join(b"Disallow: /%s%d\n" % (b"*a" * 8000, n) for n in range(32)),
    "delay-huge": b"User-agent: *\nCrawl-delay: 1000000000\n",
    "delay-nan": b"User-agent: *\nCrawl-delay: nan\n",
    "delay-minus": b"User-agent: *\nCrawl-delay: -5\n",
    "agents": b"".join(b"User-agent: a%d\n" % n for n in range(30_000)) + b"Disallow: /\n",
    "binary": bytes(range(256)) * 2000,
    "one-line": b"User-agent: *\nDisallow: /" + b"x" * 490_000,
    "sitemaps": b"".join(b"Sitemap: http://a.example/%d.xml\n" % n for n in range(12_000)),
    "nothing": b"User-agent: *\nDisallow: /\n",
}  # fmt: skip

MISDEEDS.update({f"/head/{name}": _raw(data) for name, data in HEADS.items()})
MISDEEDS.update({f"/page/{name}": _page(body) for name, body in PAGES.items()})
MISDEEDS.update(
    {f"/packed/{name}": _page(body, f"Content-Encoding: {coding}") for name, (body, coding) in PACKED.items()}
)
MISDEEDS.update({f"/sitemap/{name}": _page(body, kind="application/xml") for name, body in SITEMAPS.items()})


def _moved(location: str) -> Misdeed:
    async def misdeed(caller: Caller) -> None:
        raw = location.encode("utf-8").decode("latin-1")
        await caller.answer(b"", f"Location: {raw}", status="302 Found")

    return misdeed


MISDEEDS.update({f"/moved/{name}": _moved(location) for name, location in LOCATIONS.items()})
