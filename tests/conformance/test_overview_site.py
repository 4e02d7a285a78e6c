"""Rows of specs/content-overview.md §9 about the crawler, both modes and the experiments."""

from __future__ import annotations

import asyncio
import gzip
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

from phasa.cli.overview import app as overview_command
from phasa.overview.extract import extract
from phasa.overview.overview import overview_of
from phasa.overview.reading import match_readings, read_content
from phasa.overview.site import Fetched, gather, same_site_links
from phasa.papers import EXPERIMENTS, reproduce
from phasa.papers.options import Options
from phasa.web.fetch import Fetcher
from phasa.web.robots import RobotsCache, robots_fetch
from phasa.web.url import Url, parse

THAI = "โรงพยาบาลรัฐและเอกชนเข้าร่วมโครงการบัตรทอง โรงพยาบาลใหญ่มีผู้ป่วยมากขึ้นทุกปี"
PAGES = {
    "/": "<a href='/one'>1</a><a href='two'>2</a><a href='http://other.example/'>o</a>",
    "/one": f"<title>หนึ่ง</title><article><p>{THAI}</p></article><a href='/deep'>d</a>",
    "/two": f"<title>สอง</title><article><p>กระทรวงสาธารณสุข {THAI} แม่น้ำ</p></article>",
}


class Site:
    """PAGES over real HTTP on loopback; remembers what it was asked for, and with which headers."""

    def __init__(self) -> None:
        self.paths: list[str] = []
        self.headers: list[str] = []

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while line := await reader.readline():
            self.paths.append(line.split()[1].decode())
            while header := (await reader.readline()).strip():
                self.headers.append(header.decode().lower())
            found = PAGES.get(self.paths[-1])
            body = gzip.compress((found or "").encode())
            status = b"200 OK" if found is not None else b"404 Not Found"
            writer.write(
                b"HTTP/1.1 %s\r\nContent-Type: text/html; charset=utf-8\r\nContent-Encoding: gzip\r\n"
                b"Content-Length: %d\r\n\r\n%s" % (status, len(body), body)
            )
            await writer.drain()
        writer.close()


def visit(use: Callable[[Fetcher, RobotsCache, Url], Awaitable[None]]) -> Site:
    site = Site()

    async def run() -> None:
        server = await asyncio.start_server(site.answer, "127.0.0.1", 0)
        async with server, Fetcher(user_agent="test", allow_private=True) as fetcher:
            start = parse(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/")
            assert start
            await use(fetcher, RobotsCache(robots_fetch(fetcher), "phasa"), start)

    asyncio.run(run())
    return site


def gathered(at_once: int = 8) -> tuple[list[Fetched], Site]:
    found: list[Fetched] = []

    async def use(fetcher: Fetcher, robots: RobotsCache, start: Url) -> None:
        found.extend(await gather(fetcher, robots, start, at_once=at_once))

    site = visit(use)
    return found, site


def test_row_01_and_58_one_address_gives_a_cloud_in_single_and_in_multi_mode(tmp_path: Path) -> None:
    single, multi = tmp_path / "single.html", tmp_path / "multi.html"

    async def use(fetcher: Fetcher, robots: RobotsCache, start: Url) -> None:
        for words in ([f"{start}one", "-o", str(single)], [start, "--multi", "-o", str(multi)]):
            result = await asyncio.to_thread(CliRunner().invoke, overview_command, [*words, "--allow-private"])
            assert result.exit_code == 0, result.output

    visit(use)
    assert "โรงพยาบาล" in single.read_text()
    assert "แม่น้ำ" not in single.read_text()
    assert "แม่น้ำ" in multi.read_text()


def test_row_02_compression_is_asked_for_and_undone() -> None:
    pages, site = gathered()
    assert any(header.startswith("accept-encoding:") and "gzip" in header for header in site.headers)
    assert THAI in pages[1].body.decode()


def test_row_03_tis_620_and_utf_8_give_the_same_thai_text() -> None:
    html = f"<meta charset={{}}><body><p>{THAI}</p></body>"
    assert extract(html.format("tis-620").encode("cp874")).text == extract(html.format("utf-8").encode()).text == THAI


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("index.cfm", "http://a.th/dir/index.cfm"),
        ("/index.cfm", "http://a.th/index.cfm"),
        ("../index.cfm", "http://a.th/index.cfm"),
    ],
)
def test_row_04_relative_links_are_resolved(written: str, meant: str) -> None:
    url = parse("http://a.th/dir/page.html")
    assert url
    assert same_site_links(f"<a href='{written}'>x</a>".encode(), url) == [meant]


def test_row_05_no_page_beyond_one_link_is_fetched() -> None:
    assert "/deep" not in gathered()[1].paths


def test_row_06_another_domain_is_never_fetched() -> None:
    pages, site = gathered()
    assert all("127.0.0.1" in page.url for page in pages)
    assert not any("other.example" in header for header in site.headers)


def test_row_07_the_result_does_not_depend_on_the_number_of_workers() -> None:
    def lists(at_once: int) -> list[tuple[int, list[str]]]:
        pages, _ = gathered(at_once)
        readings = match_readings([read_content(page.body, "page") for page in pages])
        made = overview_of(readings)
        return [(percent, [word.term for word in made.lists[percent]]) for percent in made.lists]

    assert lists(1) == lists(8)


def test_row_59_every_experiment_prints_its_table() -> None:
    result = reproduce("overview", Options(seeds=(1,), quick=True))
    titles = " ".join(section.title for section in result.sections)
    for experiment in ("E1", "E2", "E3", "E4", "E5", "E11", "E13", "E14", "E15"):
        assert experiment in titles
    assert all(table.rows for section in result.sections for table in section.tables)
    assert "E6–E10" in EXPERIMENTS["segmentation"][1]
