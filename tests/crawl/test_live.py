"""The live web as a crawl of the loopback sees it: sitemaps, the spelling of links, near duplicates."""

from __future__ import annotations

import gzip
from collections.abc import Mapping
from pathlib import Path

import pytest
from aiohttp import web
from tests.durability.small_web import THAI, SmallWeb, collection_for

from phasa.collection import CollectionSettings
from phasa.crawl.run.assembly import pool_of
from phasa.crawl.run.runs import Run, run_collection
from phasa.frontier.scope import ScopeSettings
from phasa.frontier.sqlite import SqliteFrontier
from phasa.web.body import read_body
from phasa.web.html import unpack
from phasa.web.url import Url

HOST = "http://h0.example"


def small_web(files: Mapping[str, str | bytes]) -> SmallWeb:
    def answer(host: str, path: str) -> web.Response:
        content = files.get(path)
        if content is None:
            return web.Response(status=404, text="not here")
        kind = "application/xml" if path.endswith(".xml") else "text/plain" if path.endswith(".txt") else "text/html"
        kind = "application/x-gzip" if path.endswith(".gz") else kind
        return web.Response(body=content.encode() if isinstance(content, str) else content, content_type=kind)

    return SmallWeb(1, hosts=1, handler=answer)


def crawl(path: Path, small: SmallWeb, seeds: tuple[str, ...] = ("/",), **changes: object) -> Run:
    with small.serving():
        collection = collection_for(path / "c", small, seeds=[HOST + seed for seed in seeds], **changes)
        with collection.locked():
            return run_collection(collection)


def asked(small: SmallWeb) -> list[str]:
    return [arrival.path for arrival in small.arrivals]


def urlset(*paths: str) -> str:
    return "<urlset>" + "".join(f"<url><loc>{HOST}{path}</loc></url>" for path in paths) + "</urlset>"


FILES: dict[str, str | bytes] = {
    "/robots.txt": "User-agent: *\nDisallow: /closed/\nSitemap: /index.xml\nSitemap: http://h0.example/more.xml.gz\n",
    "/index.xml": f"<sitemapindex><sitemap><loc>{HOST}/pages.xml</loc></sitemap></sitemapindex>",
    "/pages.xml": urlset("/only-listed", "/closed/x", "/picture.jpg", "/"),
    "/more.xml.gz": gzip.compress(urlset("/from-gzip").encode()),
    "/": f"<p>{THAI}</p>",
    "/only-listed": f"<p>{THAI} ก</p>",
    "/from-gzip": f"<p>{THAI} ข</p>",
}


def test_the_sitemaps_that_robots_txt_names_are_read_through_the_ordinary_loop(tmp_path: Path) -> None:
    small = small_web(FILES)
    result = crawl(tmp_path, small, scope=ScopeSettings(sitemaps=True))
    pages = {"/", "/only-listed", "/from-gzip"}
    assert set(asked(small)) == {"/robots.txt", "/index.xml", "/pages.xml", "/more.xml.gz"} | pages
    assert len(asked(small)) == 7, "each once; robots.txt and the scope hold for what a sitemap lists"
    assert result.metrics.pages == 3, "a sitemap is no page"
    frontier = SqliteFrontier(tmp_path / "c" / "frontier.db")
    story = frontier.story(Url(HOST + "/pages.xml"))
    frontier.close()
    assert story is not None
    assert story.reason == "sitemap of 4 addresses"


def test_without_the_setting_sitemaps_are_left_alone(tmp_path: Path) -> None:
    small = small_web(FILES)
    crawl(tmp_path, small)
    assert asked(small) == ["/robots.txt", "/"]


def test_a_sitemap_among_the_seeds_is_read_as_one(tmp_path: Path) -> None:
    small = small_web(FILES)
    crawl(tmp_path, small, seeds=("/pages.xml",))
    assert sorted(asked(small)) == sorted(["/robots.txt", "/pages.xml", "/only-listed", "/"])


def test_the_thesis_form_makes_one_address_of_several_spellings(tmp_path: Path) -> None:
    links = "".join(f'<a href="{path}">x</a>' for path in ("/~user/", "/%7Euser/index.html", "/%7Euser/.../"))
    for form, paths in (("standard", 3), ("thesis", 1)):
        files = dict.fromkeys(("/~user/", "/%7Euser/", "/%7Euser/index.html", "/%7Euser/.../"), f"<p>{THAI}</p>")
        small = small_web({"/robots.txt": "", "/": f"<p>{THAI}</p>{links}", **files})
        crawl(tmp_path / form, small, scope=ScopeSettings(form=form))  # type: ignore[arg-type]
        assert len(asked(small)) == 2 + paths


@pytest.mark.parametrize(("setting", "followed"), [("off", True), ("count", True), ("skip", False)])
def test_a_near_duplicate_is_counted_and_on_request_not_followed(tmp_path: Path, setting: str, followed: bool) -> None:
    text = THAI * 8
    other = "นี่คือหน้าอื่นที่ไม่มีอะไรเหมือนกันเลยแม้แต่น้อย " * 8
    small = small_web(
        {
            "/robots.txt": "",
            "/": f'<p>{text}</p><a href="/print">พิมพ์</a><a href="/other">อื่น</a>',
            "/print": f'<p>{text}</p><a href="/print">พิมพ์</a><a href="/behind">อื่น</a>',
            "/other": f"<p>{other}</p>",
            "/behind": f"<p>{other[::-1]}</p>",
        }
    )
    result = crawl(tmp_path, small, near_duplicates=setting)
    assert ("/behind" in asked(small)) is followed
    assert result.metrics.outcomes.get("near duplicate", 0) == (setting != "off")
    assert sum(result.metrics.outcomes.values()) == result.metrics.fetches
    log = (tmp_path / "c" / "crawl.log").read_text()
    assert (f"near duplicate of {HOST}/" in log.replace("_", " ")) is (setting != "off")
    assert (tmp_path / "c" / "duplicates.db").exists() is (setting != "off")


def test_a_resumed_crawl_knows_the_pages_of_the_one_before(tmp_path: Path) -> None:
    files = {"/robots.txt": "", "/": f"<p>{THAI * 8}</p>", "/copy": f"<p>{THAI * 8} 2026</p>"}
    small = small_web(files)
    with small.serving():
        collection = collection_for(tmp_path / "c", small, seeds=[HOST + "/"], near_duplicates="count")
        with collection.locked():
            assert "near duplicate" not in run_collection(collection).metrics.outcomes
        (collection.path / collection.SEEDS).write_text(f"{HOST}/copy\n")
        with collection.locked():
            assert run_collection(collection).metrics.outcomes["near duplicate"] == 1


async def test_a_page_that_declares_no_encoding_ends_no_process() -> None:
    # The tables that tell encodings apart are loaded before the memory of a worker is bounded.
    settings = CollectionSettings()
    page = f"<p>{THAI * 5}</p>".encode("cp874")
    async with pool_of(settings) as pool:
        for number in range(6):
            url = Url(f"http://h{number}.example/")
            read = await pool.call_for(f"h{number}", read_body, page, "", url, "text/html", "th", settings.limits, True)
            assert read.page is not None
            assert unpack(read.page).charset == "windows-874"
        assert pool._nursery is not None
        assert pool._nursery._numbers == settings.limits.parsers, "a worker was replaced"
