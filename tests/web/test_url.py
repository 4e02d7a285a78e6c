"""Addresses: the standard's own cases, our names for their parts, and the thesis's seven rules."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from phasa.web import url
from phasa.web.url import Url

PAGE = Url("http://www.ku.ac.th/pub/page.html?x=1")


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("HTTP://www.KU.ac.th", "http://www.ku.ac.th/"),
        ("http://www.ku.ac.th:80/a#b", "http://www.ku.ac.th/a"),
        ("https://www.ku.ac.th:443", "https://www.ku.ac.th/"),
        ("http://www.ku.ac.th:8080/", "http://www.ku.ac.th:8080/"),
        ("http://a.example/b/../c/./d", "http://a.example/c/d"),
        ("http://ไทย.ไทย/ก", "http://xn--o3cw4h.xn--o3cw4h/%E0%B8%81"),
        ("  http://a.example/\n", "http://a.example/"),
        ("http://a.example/x^y", "http://a.example/x%5Ey"),
        ("mailto:a@b.example", None),
        ("javascript:void(0)", None),
        ("ftp://a.example/", None),
        ("http://exa mple.com/", None),
        ("", None),
        ("/relative", None),
        ("http://\ud800.example/", None),
    ],
)
def test_parse_gives_the_standard_form_or_nothing(raw: str, expected: str | None) -> None:
    assert url.parse(raw) == expected


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("other.html", "http://www.ku.ac.th/pub/other.html"),
        ("/top", "http://www.ku.ac.th/top"),
        ("//cdn.example/x", "http://cdn.example/x"),
        ("?y=2", "http://www.ku.ac.th/pub/page.html?y=2"),
        ("#part", "http://www.ku.ac.th/pub/page.html?x=1"),
        ("../../..", "http://www.ku.ac.th/"),
        ("data:text/plain,x", None),
        ("http://[::bad/", None),
    ],
)
def test_join_resolves_on_the_page(raw: str, expected: str | None) -> None:
    assert url.join(PAGE, raw) == expected
    assert url.join_all(PAGE, [raw]) == [expected]


def test_joins_on_a_host_that_only_the_newer_standard_accepts() -> None:
    base = url.parse("http://a.b.c.xn--pokxncvks/x")
    assert base
    assert url.join(base, "y") == "http://a.b.c.xn--pokxncvks/y"


@given(st.text(max_size=60))
@example("http://0x7f.1/")
@example("http://a^b/")
def test_parse_is_idempotent(raw: str) -> None:
    once = url.parse("http://host.example/" + raw)
    assert once is None or url.parse(once) == once
    other = url.parse(raw)
    assert other is None or url.parse(other) == other


def test_the_names_of_the_parts() -> None:
    u = Url("https://user:pw@www.news.co.th:8443/a/b.html?q=/x/")
    assert url.split(u) == ("https", "www.news.co.th", 8443, "/a/b.html?q=/x/")
    assert url.authority(u) == "www.news.co.th:8443"
    assert url.origin(u) == "https://www.news.co.th:8443"
    assert url.registered_domain(u) == "news.co.th"
    assert url.tld_of(url.authority(u)) == "th"
    assert url.segment_key(u) == "https://www.news.co.th:8443/a/"
    assert url.without_credentials(u) == "https://www.news.co.th:8443/a/b.html?q=/x/"


@pytest.mark.parametrize(
    ("u", "host", "port", "domain", "tld"),
    [
        ("http://127.0.0.1:8000/", "127.0.0.1", 8000, "127.0.0.1", ""),
        ("http://[2001:db8::1]/", "[2001:db8::1]", 80, "[2001:db8::1]", ""),
        ("http://[2001:db8::1]:81/", "[2001:db8::1]", 81, "[2001:db8::1]", ""),
        ("http://co.th/", "co.th", 80, "co.th", "th"),
        ("http://localhost/", "localhost", 80, "localhost", "localhost"),
        ("https://a.blogspot.com/", "a.blogspot.com", 443, "a.blogspot.com", "com"),
    ],
)
def test_addresses_and_suffixes_as_hosts(u: str, host: str, port: int, domain: str, tld: str) -> None:
    address = Url(u)
    assert (url.host(address), url.port(address)) == (host, port)
    assert (url.registered_domain(address), url.tld_of(url.authority(address))) == (domain, tld)


@pytest.mark.parametrize(
    ("u", "segment"),
    [
        ("http://www.kpnews.org/", "http://www.kpnews.org/"),
        ("http://www.kpnews.org/travel/how.html", "http://www.kpnews.org/travel/"),
        ("http://www.lonelyplanet.com/thailand", "http://www.lonelyplanet.com/"),
        ("http://www.lonelyplanet.com/thailand/", "http://www.lonelyplanet.com/thailand/"),
        ("http://www.lonelyplanet.com/thailand/bangkok/a.html?x=/y/", "http://www.lonelyplanet.com/thailand/bangkok/"),
    ],
)
def test_segment_keys_of_appendix_b1(u: str, segment: str) -> None:
    assert url.segment_key(Url(u)) == segment


# Made with the `surt` package, which pywb looks records up with.
@pytest.mark.parametrize(
    ("u", "key"),
    [
        ("http://www.ku.ac.th/Help.html?b=2&a=1", "th,ac,ku)/help.html?a=1&b=2"),
        ("https://www2.example.com:8080/a/b/?", "com,example:8080)/a/b"),
        ("http://example.com/", "com,example)/"),
        ("http://user:p@example.com/x?PHPSESSID=0123456789abcdef0123456789abcdef&z=1", "com,example)/x?z=1"),
        ("http://example.com/f?f=3&sid=c613f07a94d24ae130f878df2f758925", "com,example)/f?&f=3"),
        ("http://xn--o3cw4h.example/%E0%B8%81?Q=%E0%B8%81", "example,xn--o3cw4h)/%e0%b8%81?q=%e0%b8%81"),
        ("http://127.0.0.1:8000/a//b", "1,0,0,127:8000)/a/b"),
        ("http://[::1]/x", "::1)/x"),
        ("http://example.com/a?b&a=", "com,example)/a?a=&b"),
        ("http://example.com/a%2Fb/%41?u=%253Dx", "com,example)/a/b/a?u==x"),
        ("http://www.com/x", "com)/x"),
        ("http://x.com/(a(4hqa0555fwsecu455xqckv45))/m.aspx", "com,x)/m.aspx"),
    ],
)
def test_surt_keys_are_those_that_archives_use(u: str, key: str) -> None:
    assert url.surt(Url(u)) == key


@given(st.text(alphabet="/.~index.htmlA:80#?[]|…", max_size=30))
@example("/.../.../")
@example("/index.html/index.html")
@example("//index.htm?x")
def test_the_thesis_form_is_idempotent(tail: str) -> None:
    parsed = url.parse("http://www.KU.ac.th" + tail)
    if parsed is not None:
        once = url.thesis_form(parsed)
        assert url.thesis_form(once) == once


def test_the_thesis_form_drops_three_dots_and_the_standard_keeps_them() -> None:
    address = Url("http://a.example/pub/.../x")
    assert url.parse(address) == address
    assert url.thesis_form(address) == "http://a.example/pub/x"


@pytest.mark.data
def test_every_http_case_of_the_standards_own_tests(data: Path) -> None:
    wrong = []
    cases = json.loads((data / "url-tests" / "urltestdata.json").read_text())
    for case in cases:
        if not isinstance(case, dict) or (case.get("base") or "http").partition(":")[0] not in ("http", "https"):
            continue
        expected = None if case.get("failure") else case["href"].partition("#")[0]
        if expected is not None and not expected.startswith(("http:", "https:")):
            expected = None
        base = url.parse(case["base"]) if case.get("base") else None
        got = url.join(base, case["input"]) if base else url.parse(case["input"])
        if got != expected:
            wrong.append((case["input"], case.get("base"), expected, got))
    assert not wrong


@pytest.mark.data
def test_every_case_of_the_public_suffix_list(data: Path) -> None:
    wrong = []
    for line in (data / "public-suffix" / "tests.txt").read_text().splitlines():
        name, _, expected = line.partition(" ")
        if name and not name.startswith("//") and name != "null":
            got = url.private_suffix(name) or "null"
            if got != expected:
                wrong.append((name, expected, got))
    assert not wrong


@pytest.mark.data
def test_the_resolution_cases_of_crawler_commons(data: Path) -> None:
    wrong = []
    with (data / "url-tests" / "url-resolve.csv").open() as lines:
        for row in csv.reader(line for line in lines if line.strip() and not line.startswith("#")):
            raw, base, expected = (field.strip() for field in row[:3])
            page = url.parse(base)
            wanted = url.parse(expected)
            if page and wanted and url.join(page, raw) != wanted:
                wrong.append((raw, base, expected, url.join(page, raw)))
    assert not wrong


def test_the_dot_at_the_end_of_a_host_is_dropped() -> None:
    assert url.parse("http://A.example./x./y") == "http://a.example/x./y"
    assert url.parse("https://a.example.:8443/") == "https://a.example:8443/"
    assert url.parse("http://a.example.@a.example./") == "http://a.example.@a.example/"
    assert url.parse("http://xn--bcher-kva.example./") == "http://xn--bcher-kva.example/"
    assert url.parse("http://a../") == "http://a../"
    base = url.Url("http://a.example/b/")
    assert url.join(base, "//c.example./d") == "http://c.example/d"
    assert url.join_all(base, ["http://c.example.", "e./f", "//c.example.:81/g"]) == [
        "http://c.example/",
        "http://a.example/b/e./f",
        "http://c.example:81/g",
    ]


_PIECES = ["http://", "https://", "a.example", "127.0.1.1", "256.1.1.1", "1.2.3", "0x7f.1", "a.0x7", "xn--a.example"]
_PIECES += [
    "a.b-c.co",
    ":80",
    ":443",
    ":8080",
    ":70000",
    ":08",
    "/",
    "/.",
    "/..",
    "//",
    "/%2e",
    "%E0",
    "?",
    "&a=b",
    "'",
]
_PIECES += ["A", "~", "|", " ", "#", "@", ".", "-", "_", "x.html", "\\", "ก", "^", "+", ";", "[", "%"]


@given(st.sampled_from(_PIECES[:2]), st.sampled_from(_PIECES[2:8]), st.lists(st.sampled_from(_PIECES[2:])))
def test_what_is_spelled_plainly_is_what_a_parser_makes_of_it(scheme: str, server: str, rest: list[str]) -> None:
    raw = scheme + server + "".join(rest)
    assert url.join_all(PAGE, [raw]) == [url.join(PAGE, raw)]


@given(st.sampled_from(["a.example", "127.0.1.1", "a.b-c.co:8080"]), st.text("abc/.%2eE?&=:@-~()0", max_size=20))
def test_plain_paths_are_what_a_parser_makes_of_them(server: str, path: str) -> None:
    raw = f"http://{server}/{path}"
    assert url.join_all(PAGE, [raw]) == [url.join(PAGE, raw)]


_REFERENCE = st.text("ab/.%2eE?&=:@-~()0#\n ก", max_size=12) | st.sampled_from(
    ["//b.example/x", "http://b.example/", ""]
)


@given(
    st.sampled_from(
        ["http://a.example/", "https://127.0.1.1:81/b/c", "http://u:p@a.example/x", "http://xn--a.example/"]
    ),
    st.lists(_REFERENCE.map("/{}".format) | _REFERENCE, max_size=5),
)
@example("http://a.example/", ["/a/%2e/b", "/c"])
@example("http://a.example/", ["/a/./b", "/c"])
@example("http://a.example/", ["/a^b", "/c"])
@example("http://a.example/", ["/a%5eb c", "/c"])
@example("http://a.example/", ["http://b.example/x", "https://c.example:81/"])
@example("http://a.example/", ["http://b.example/x", "/path/of/c"])
@example("http://a.example/", ["http://b.example/x", "http://b.example"])
@example("http://a.example/", ["http://b.example/x", "http://b.example:80/"])
@example("http://a.example/", ["http://b.example/x", "http:///b.example/"])
def test_references_looked_at_together_are_joined_as_each_alone(base: str, raws: list[str]) -> None:
    page = Url(base)
    assert url.join_all(page, raws) == [url.join(page, raw) for raw in raws]
