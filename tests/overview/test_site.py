"""The Initial Page and its site, over real HTTP on loopback (specs/content-overview.md §4.1)."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

from phasa.cli.keywords import app as keywords_command
from phasa.cli.overview import app as overview_command
from phasa.errors import InputError
from phasa.overview.reading import Reading, read_content
from phasa.overview.site import Fetched, gather, same_site_links, site_readings
from phasa.web.fetch import Fetcher
from phasa.web.robots import RobotsCache, robots_fetch
from phasa.web.url import Url, parse

TEXT = "โรงพยาบาลรัฐและเอกชนเข้าร่วมโครงการบัตรทอง โรงพยาบาลใหญ่มีผู้ป่วยมากขึ้นทุกปี ผู้ป่วยต้องรอนานหลายชั่วโมง"
PAGES = {
    "/": "".join(
        f"<a href='{where}'>x</a>" for where in ("/slow", "b", "/b#part", "http://other.example/", "/secret", "/")
    ),
    "/slow": f"<title>ช้า</title><article><p>{TEXT}</p><p>{TEXT} อีกครั้ง</p></article><a href='/deep'>d</a>",
    "/b": f"<title>เร็ว</title><article><p>กระทรวงสาธารณสุข {TEXT}</p></article>",
    "/deep": "<p>too deep",
    "/secret": "<p>refused",
}


async def with_site(use: Callable[[Fetcher, RobotsCache, Url], Awaitable[object]]) -> list[str]:
    """Serve PAGES on loopback while `use` runs; the paths that were asked for."""
    asked: list[str] = []

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while line := await reader.readline():
            while (await reader.readline()).strip():
                pass
            path = line.split()[1].decode()
            asked.append(path)
            if path == "/slow":
                await asyncio.sleep(0.2)
            kind, body = "text/html; charset=utf-8", PAGES.get(path, "")
            if path == "/robots.txt":
                kind, body = "text/plain", "User-agent: *\nDisallow: /secret\n"
            data = body.encode()
            writer.write(
                b"HTTP/1.1 200 OK\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n" % (kind.encode(), len(data))
            )
            writer.write(data)
            await writer.drain()
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    async with server, Fetcher(user_agent="test", allow_private=True) as fetcher:
        start = parse(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/")
        assert start
        await use(fetcher, RobotsCache(robots_fetch(fetcher), "phasa"), start)
    return asked


def paths(pages: list[Fetched]) -> list[str]:
    return ["/" + page.url.split("/", 3)[3] for page in pages]


def test_relative_links_resolve_and_other_hosts_are_left_out() -> None:
    url = parse("http://a.th/dir/page.html")
    assert url
    html = "<a href='index.cfm'>1</a><a href='/index.cfm'>2</a><a href='../index.cfm'>3</a><a href='http://b.th/'>4</a>"
    assert same_site_links(html.encode(), url) == ["http://a.th/dir/index.cfm", "http://a.th/index.cfm"]


@pytest.mark.parametrize("at_once", [1, 8])
async def test_pages_come_in_the_order_of_links_whatever_the_number_of_workers(at_once: int) -> None:
    found: list[list[str]] = []

    async def use(fetcher: Fetcher, robots: RobotsCache, start: Url) -> None:
        found.append(paths(await gather(fetcher, robots, start, at_once=at_once)))

    asked = await with_site(use)
    assert found == [["/", "/slow", "/b"]]
    assert "/deep" not in asked
    assert "/secret" not in asked


async def test_no_initial_page_gives_nothing() -> None:
    async with Fetcher(user_agent="test", allow_private=True) as fetcher:
        assert await gather(fetcher, RobotsCache(robots_fetch(fetcher), "x"), Url("http://127.0.0.1:9/")) == []


def readings_of_the_site(most: int = 300) -> tuple[list[Reading], list[tuple[int, int]]]:
    found: list[Reading] = []
    progress: list[tuple[int, int]] = []

    async def use(fetcher: Fetcher, robots: RobotsCache, start: Url) -> None:
        def read() -> list[Reading]:
            mine = Fetcher(user_agent="test", allow_private=True)
            return site_readings(mine, start, progress=lambda done, of: progress.append((done, of)), most=most)

        found.extend(await asyncio.to_thread(read))

    asyncio.run(with_site(use))
    return found, progress


def test_a_site_is_read_page_by_page_and_says_how_far_it_is() -> None:
    readings, progress = readings_of_the_site()
    assert [reading.title for reading in readings[1:]] == ["ช้า", "เร็ว"]
    assert [reading.language for reading in readings[1:]] == ["th", "th"]
    assert progress[-1] == (3, 3)  # /secret counts as done, robots.txt refused it


def test_one_page_of_a_site_is_the_initial_one() -> None:
    readings, progress = readings_of_the_site(most=1)
    assert len(readings) == 1
    assert progress == []


def test_a_site_that_does_not_answer_is_named_with_the_reason() -> None:
    with pytest.raises(InputError, match=r"127.0.0.1:9/: no page came: .*check the address"):
        site_readings(Fetcher(user_agent="test", allow_private=True), Url("http://127.0.0.1:9/"))


def test_single_and_multi_overview_of_the_same_address(tmp_path: Path) -> None:
    """Rows 1 and 58: one call with a URL yields a cloud, single and multiple."""
    single, multi = tmp_path / "single.html", tmp_path / "multi.html"

    async def use(fetcher: Fetcher, robots: RobotsCache, start: Url) -> None:
        for words in ([f"{start}slow", "-o", str(single)], [start, "--multi", "-o", str(multi)]):
            result = await asyncio.to_thread(CliRunner().invoke, overview_command, [*words, "--allow-private"])
            assert result.exit_code == 0, result.output

    asyncio.run(with_site(use))
    assert "โรงพยาบาล" in single.read_text()
    assert "กระทรวง" in multi.read_text()


def test_keywords_of_a_file_as_json(tmp_path: Path) -> None:
    import json

    file = tmp_path / "page.html"
    file.write_text(PAGES["/slow"], encoding="utf-8")
    result = CliRunner().invoke(keywords_command, ["--json", str(file)])
    assert result.exit_code == 0, result.output
    row = json.loads(result.output)
    assert row["file"] == str(file)
    weights = [word["weight"] for word in row["keywords"]]
    assert weights == sorted(weights, reverse=True)
    assert any(word["term"] == "โรงพยาบาล" for word in row["keywords"])


def test_keywords_go_on_after_a_file_that_is_not_there(tmp_path: Path) -> None:
    file = tmp_path / "page.html"
    file.write_text(PAGES["/slow"], encoding="utf-8")
    result = CliRunner().invoke(keywords_command, [str(tmp_path / "none.html"), str(file), "--top", "1"])
    assert result.exit_code == 1
    assert "none.html: no such file" in result.stderr
    assert result.stdout.startswith(f"{file}\n")


def test_a_page_of_links_alone_is_read_as_a_whole_and_a_fuller_reading_is_never_given_up() -> None:
    links = "".join(f"<li><a href=/{n}>ข่าวการศึกษา ทุนการศึกษา {n}</a></li>" for n in range(30))
    portal = read_content(f"<body><ul>{links}</ul></body>", "portal", language="th")
    assert sum(map(len, portal.texts)) > 400
    short = "<html><body><article><p>โรงพยาบาลรัฐและเอกชนเข้าร่วมโครงการบัตรทอง</p></article></body></html>"
    assert any("โครงการบัตรทอง" in text for text in read_content(short, "short", language="th").texts)
