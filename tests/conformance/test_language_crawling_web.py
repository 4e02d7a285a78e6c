"""specs/language-specific-crawling.md §10, the rows that concern addresses, extraction, robots, names and charsets."""

from __future__ import annotations

import pytest
from tests.hostile.server import HostileServer

from phasa.crawl.live import out_links
from phasa.frontier.scope import Scope, ScopeSettings
from phasa.web import robots, url
from phasa.web.charset import decode
from phasa.web.fetch import Fetcher
from phasa.web.html import read_page
from phasa.web.url import Url


@pytest.mark.parametrize(
    ("raw", "protocol", "server", "port", "path"),
    [
        ("http://www.ku.ac.th", "http", "www.ku.ac.th", 80, "/"),
        ("http://www.ku.ac.th/index.html", "http", "www.ku.ac.th", 80, "/index.html"),
        ("http://www.ku.ac.th:8080/", "http", "www.ku.ac.th", 8080, "/"),
        ("https://ftp.ku.ac.th/pub/boot.im", "https", "ftp.ku.ac.th", 443, "/pub/boot.im"),
    ],
)
def test_row_04_url_splitter(raw: str, protocol: str, server: str, port: int, path: str) -> None:
    parsed = url.parse(raw)
    assert parsed
    assert url.split(parsed) == (protocol, server, port, path)


def test_row_05_five_link_tags() -> None:
    html = (
        '<META http-equiv="refresh" content="5;url=meta.html"><A href="a.html">a</A><IMG src="img.gif">'
        '<MAP><AREA href="area.html"></MAP>'
    )
    frames = '<FRAMESET><FRAME src="frame.html"></FRAMESET>'
    base = Url("http://www.ku.ac.th/")
    found = [link.url[20:] for document in (html, frames) for link in read_page(document, base).links]
    assert sorted(found) == ["a.html", "area.html", "frame.html", "img.gif", "meta.html"]


@pytest.mark.parametrize(
    ("raw", "normal"),
    [
        ("HTTP://www.KU.ac.th", "http://www.ku.ac.th/"),
        ("http://www.ku.ac.th/faq.html#what", "http://www.ku.ac.th/faq.html"),
        ("http://www.ku.ac.th/~user1", "http://www.ku.ac.th/%7Euser1"),
        ("http://www.ku.ac.th", "http://www.ku.ac.th/"),
        ("http://www.ku.ac.th/index.html", "http://www.ku.ac.th/"),
        ("http://www.ku.ac.th/index.htm", "http://www.ku.ac.th/"),
        ("http://www.ku.ac.th/pub/.../index.html", "http://www.ku.ac.th/pub/"),
        ("http://www.ku.ac.th/pub/.../page.html", "http://www.ku.ac.th/pub/page.html"),
        ("http://www.ku.ac.th:80", "http://www.ku.ac.th/"),
        ("http://www.ku.ac.th:8080", "http://www.ku.ac.th:8080/"),
    ],
)
def test_row_06_seven_normalisation_rules(raw: str, normal: str) -> None:
    """As a collection with `scope.form = "thesis"` spells the links of a page."""
    for spelled in (raw, normal):
        page = read_page(f'<a href="{spelled}">x</a>', Url("http://other.example/"))
        assert out_links(page, url.thesis_form).urls == [normal]


# The settings of §4.3, as a collection.toml may have them.
THESIS = ScopeSettings(
    form="thesis", url_length=200, extensions="html htm xhtml shtml asp aspx php php3 jsp cgi pl cfm"
)


def test_row_07_url_filter() -> None:
    scope = Scope(THESIS)
    start = "http://www.ku.ac.th/"
    assert scope.refuses(Url(start + "a" * (200 - len(start)))) == ""
    assert scope.refuses(Url(start + "a" * (201 - len(start)))) == "longer than 200 characters"
    assert scope.refuses(Url(start + "file.zip")) == "file name extension .zip"
    assert scope.refuses(Url(start + "file.xyz")) == "file name extension .xyz"
    for page in ("page.php", "dir/", "dir", "a.HTML?x=1", "about.our-school"):
        assert scope.refuses(Url(start + page)) == ""


def test_row_09_trap_protection() -> None:
    """A page that links to itself one directory deeper ends at the length rule, at the latest."""
    scope = Scope(THESIS)
    address = Url("http://www.ku.ac.th/trap/")
    steps = 0
    while True:
        (link,) = read_page(f'<a href="d{steps}/">deeper</a>', address).links
        if scope.refuses(link.url):
            break
        address = link.url
        steps += 1
        assert steps < 200
    assert steps > 5


async def test_row_13_dns_cache() -> None:
    asked: list[str] = []

    async def names(host: str) -> list[str]:
        asked.append(host)
        return ["127.0.0.1"]

    async with HostileServer() as server, Fetcher(allow_private=True, resolver=names) as fetcher:
        for path in ("/one", "/two"):
            assert (await fetcher.fetch(server.url(path, host="www.ku.example"))).ok
        assert await fetcher.address("www.ku.example") == "127.0.0.1"
    assert asked == ["www.ku.example"]


def test_row_14_robots_txt() -> None:
    rules = robots.parse(b"User-agent: *\nDisallow: /tmp/\n")
    assert not rules.allowed(Url("http://www.ku.ac.th/tmp/x"), "phasa")
    assert rules.allowed(Url("http://www.ku.ac.th/x"), "phasa")


def test_row_17_charset_from_meta_else_detector() -> None:
    text = "มหาวิทยาลัยเกษตรศาสตร์เป็นมหาวิทยาลัยของรัฐ"
    with_meta = f'<meta http-equiv="content-type" content="text/html; charset=TIS-620"><p>{text}'
    assert decode(with_meta.encode("tis-620"))[:2] == (with_meta, "windows-874")
    assert decode(with_meta.encode("tis-620")).evidence.startswith("meta")
    without = f"<p>{text}"
    assert decode(without.encode("tis-620"))[:2] == (without, "windows-874")
    assert decode(without.encode("tis-620")).evidence.startswith("byte statistics")


def test_row_18_html_split_into_title_text_and_links() -> None:
    page = read_page(
        "<title>หน้าแรก</title><p>ยินดีต้อนรับ <a href=/a>ข่าว<b>วันนี้</b></a> และ <a href=/b>English</a></p>",
        Url("http://www.ku.ac.th/"),
    )
    assert page.title == "หน้าแรก"
    assert page.text == "ยินดีต้อนรับ ข่าววันนี้ และ English"
    assert [(link.url, link.anchor) for link in page.links] == [
        ("http://www.ku.ac.th/a", "ข่าววันนี้"),
        ("http://www.ku.ac.th/b", "English"),
    ]
