"""Rows of specs/content-overview.md §9 about the crawler, both modes and the experiments."""

from __future__ import annotations

import asyncio
import csv
import gzip
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from tests.cli.test_crawl import phasa
from tests.conformance.test_overview_keywords import TABLE_5_4
from typer.testing import CliRunner

from phasa.cli.overview import app as overview_command
from phasa.lab.result import Result
from phasa.overview.extract import extract
from phasa.overview.keywords import PERCENTS
from phasa.overview.reading import RawPage, Reading, Recipe, read_pages
from phasa.overview.site import Fetched, gather, same_site_links
from phasa.papers import EXPERIMENTS, reproduce
from phasa.papers.options import Options
from phasa.sandbox.pool import Pool
from phasa.web import charset
from phasa.web.fetch import Fetcher
from phasa.web.robots import RobotsCache, robots_fetch
from phasa.web.url import Url, parse

THAI = "โรงพยาบาลรัฐและเอกชนเข้าร่วมโครงการบัตรทอง โรงพยาบาลใหญ่มีผู้ป่วยมากขึ้นทุกปี"
PAGES = {
    "/": "<a href='/one'>1</a><a href='two'>2</a><a href='http://localhost:PORT/two'>o</a><a href='/away'>a</a>",
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
            port = str(writer.get_extra_info("sockname")[1])
            if self.paths[-1] == "/away":
                writer.write(f"HTTP/1.1 302 Found\r\nLocation: http://localhost:{port}/one\r\n\r\n".encode())
                break
            found = found and found.replace("PORT", port)
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


@pytest.mark.parametrize("command", ["keywords", "overview", "extract"])
def test_row_03_what_the_server_says_of_its_charset_is_heard(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A Greek page whose bytes would be read as Cyrillic or Latin letters by themselves."""
    body = ("<p>" + "θάλασσα λιμάνι " * 3).encode("iso8859-7")

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        head = f"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=iso-8859-7\r\nContent-Length: {len(body)}\r\n\r\n"
        writer.write(head.encode() + body)
        await writer.drain()
        writer.close()

    async def run() -> None:
        server = await asyncio.start_server(answer, "127.0.0.1", 0)
        async with server:
            address = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/"
            words = ["-o", str(tmp_path / "cloud.html")] if command == "overview" else []
            code, _, _ = await asyncio.to_thread(phasa, capsys, command, address, "--allow-private", *words)
            assert code == 0

    read = []
    monkey = pytest.MonkeyPatch()
    with monkey.context() as patch:
        decode = charset.decode

        def heard(body: bytes, header: str | None = None, hint: str | None = None) -> charset.Decoded:
            read.append(header)
            return decode(body, header, hint)

        patch.setattr(charset, "decode", heard)
        asyncio.run(run())
    assert read == ["text/html; charset=iso-8859-7"]
    said = decode(body, read[0]).text
    assert "θάλασσα" in said


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
    """`localhost` is another name of the same server: a link to it is not followed, and what `/away` led to is not
    kept."""
    pages, site = gathered()
    assert [page.url.rsplit("/", 1)[1] for page in pages] == ["", "one", "two"]
    assert all("127.0.0.1" in page.url for page in pages)
    assert site.paths.count("/two") == 1


def test_row_07_the_result_does_not_depend_on_the_number_of_workers() -> None:
    assert [page.url.rsplit("/", 1)[1] for page in gathered(1)[0]] == ["", "one", "two"]
    assert [page.url.rsplit("/", 1)[1] for page in gathered(8)[0]] == ["", "one", "two"]


def test_row_07_pages_are_extracted_side_by_side_and_come_in_their_order(monkeypatch: pytest.MonkeyPatch) -> None:
    hired: list[int] = []
    hire = Pool._hire

    async def counted(self: Pool, **options: bool) -> None:
        hired.append(1)
        await hire(self, **options)

    monkeypatch.setattr(Pool, "_hire", counted)
    pages = [RawPage(f"<p>{THAI} {number}</p>" * (1 + number % 7), f"page {number}") for number in range(100)]
    pages[40] = RawPage(b"%PDF-1.4 not a page", "page 40")

    def read(workers: int) -> list[tuple[str, Reading | None]]:
        hired.clear()
        found = [(raw.name, reading) for raw, reading in read_pages(pages, Recipe(language="th"), workers=workers)]
        assert len(hired) == workers
        return found

    one = read(1)
    assert [name for name, _ in one] == [f"page {number}" for number in range(100)]
    assert [name for name, reading in one if reading is None] == ["page 40"]
    assert read(3) == one
    assert all(reading.texts[0].startswith(f"{THAI} {name[5:]}") for name, reading in one if reading)


@pytest.fixture(scope="module")
def result() -> Result:
    return reproduce("overview", Options(seeds=(1,), quick=True))


def test_row_59_every_experiment_prints_its_table(result: Result) -> None:
    titles = " ".join(section.title for section in result.sections)
    for experiment in ("E1", "E2", "E3", "E4", "E5", "E11", "E12", "E13", "E14", "E15"):
        assert f"{experiment} " in titles or f"{experiment}," in titles
    assert all(table.rows for section in result.sections for table in section.tables)
    assert "E6–E10" in EXPERIMENTS["segmentation"][1]
    _curves_of_appendix_e(result.csv["keywords-sites.csv"])
    for name in ("cloud-e12.html", "cloud-e14-1.html"):
        assert '<section class="overview published"' in result.csv[name]
    e12 = next(section for section in result.sections if section.title.startswith("E12"))
    assert [row[1] for row in e12.tables[0].rows] == TABLE_5_4
    here = [int(str(row[2])) for row in e12.tables[0].rows]
    assert here == sorted(here, reverse=here[0] > here[-1])
    assert max(here) > 20
    assert 'class="s' in result.csv["cloud-e12.html"]
    _readings_and_what_was_shaped(result)


def _curves_of_appendix_e(text: str) -> None:
    rows = list(csv.DictReader(text.splitlines()))
    assert [(row["method"], int(row["percent"])) for row in rows] == [
        (method, percent) for method in ("amtf", "tltf", "tfidf") for percent in PERCENTS
    ]
    for method in ("amtf", "tltf", "tfidf"):
        sizes = [int(row["tk"]) for row in rows if row["method"] == method]
        assert sizes == sorted(sizes)
        assert sizes[-1] > sizes[0]


def _readings_and_what_was_shaped(result: Result) -> None:
    assert result.sections[0].title == "Readings"
    assert any("--scope page" in row for row in result.sections[0].tables[0].rows)
    said = [section.title for section in result.sections if "Shaped after the published numbers" in section.text]
    assert [title.split()[0] for title in said] == ["E1", "E2", "E3", "E4,"]


def test_row_60_the_portals_stand_by_themselves(result: Result) -> None:
    """The hard sets have their own rows, page by page too, and their F is not lifted by the easy ones."""
    portals = next(section for section in result.sections if section.title.startswith("E4, E5"))
    rows = {(row[0], row[1]): row for row in portals.tables[0].rows}
    for name, published in (("sanook", (44.65, 69.98)), ("mthai", (49.74, 65.31))):
        single, multi = rows[name, "single"], rows[name, "multi"]
        assert (single[-2], multi[-2]) == published
        by_page = next(table for table in portals.tables if table.title == f"{name} page by page")
        assert len(by_page.rows) == 10
        for row, column in ((single, 2), (multi, 4)):
            mean = sum(float(str(page[column])) for page in by_page.rows) / 10
            assert float(str(row[-1])) == pytest.approx(mean, abs=0.01)
        assert float(str(single[-1])) < float(str(multi[-1])) < 96
        assert any(claim.text.startswith(f"{name}:") for claim in result.claims)
