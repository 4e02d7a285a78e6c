"""Rows 3, 7 and 44 of specs/content-overview.md §9 where a user meets them besides: sites, WARC files, collections."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest
from aiohttp import web
from tests.cli.test_crawl import phasa
from tests.durability.small_web import SmallWeb, collection_for

from phasa.crawl.run.runs import run_collection
from phasa.overview.making import making_of
from phasa.overview.site import gather
from phasa.overview_choices import Scope, Weigh
from phasa.overview_settings import OverviewSettings
from phasa.web.fetch import Fetcher
from phasa.web.robots import RobotsCache, robots_fetch
from phasa.web.url import parse

GERMAN = "Straße Größe "


def german(host: str, path: str) -> web.Response:
    """Pages in the encoding of old DOS machines: nobody guesses it from their bytes, only the server says it."""
    if path == "/robots.txt":
        return web.Response(text="")
    html = f'<p>{GERMAN * 3}{path}</p><p>{GERMAN}</p><a href="/two">x</a>'
    return web.Response(body=html.encode("cp437"), headers={"Content-Type": "text/html; charset=cp437"})


def test_row_03_the_charset_of_the_server_is_heard_for_a_whole_site(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    small, out = SmallWeb(1, 1, german), tmp_path / "cloud.html"
    with small.serving():
        address = f"http://127.0.0.1:{small.port}/one"
        code, _, err = phasa(capsys, "overview", address, "--multi", "--allow-private", "-o", out)
    assert code == 0, err
    assert "straße" in out.read_text(encoding="utf-8").lower()


def test_row_03_and_that_a_warc_file_has_of_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    small = SmallWeb(1, 1, german)
    with small.serving():
        collection = collection_for(tmp_path / "c", small)
        with collection.locked():
            run_collection(collection)
    for source in (collection.path, *sorted(collection.archive_folder.glob("*.warc.gz"))):
        code, out, err = phasa(capsys, "keywords", source, "--json", "--weigh", "tf", "--lang", "de")
        assert code == 0, err
        assert "straße" in {row["term"].lower() for row in json.loads(out)["keywords"]}


async def test_row_07_pages_of_a_site_are_fetched_side_by_side() -> None:
    """The server answers no linked page before two of them were asked for."""
    together, waiting = asyncio.Event(), 0

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal waiting
        path = (await reader.readuntil(b"\r\n\r\n")).split()[1].decode()
        if path.startswith("/page"):
            waiting += 1
            if waiting == 2:
                together.set()
            await asyncio.wait_for(together.wait(), 20)
        body = "".join(f"<a href='/page{number}'>{number}</a>" for number in range(4)).encode()
        head = f"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\nContent-Length: {len(body)}\r\n\r\n"
        writer.write(head.encode() + body)
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    async with server, Fetcher(user_agent="test", allow_private=True) as fetcher:
        start = parse(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/")
        assert start
        pages = await gather(fetcher, RobotsCache(robots_fetch(fetcher), "phasa"), start)
    assert together.is_set()
    assert [page.url.rsplit("/", 1)[1] for page in pages] == ["", "page0", "page1", "page2", "page3"]


def test_row_44_scope_is_a_setting_of_a_collection(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def answer(host: str, path: str) -> web.Response:
        if path == "/robots.txt":
            return web.Response(text="")
        html = "<html lang=en><p>harbour harbour lantern</p><p>lantern market</p>"
        return web.Response(text=html, content_type="text/html")

    small = SmallWeb(1, 1, answer)
    found = {}
    with small.serving():
        for scope in Scope:
            settings = OverviewSettings(weigh=Weigh.AMTF, scope=scope)
            collection = collection_for(tmp_path / scope, small, overview=settings)
            with collection.locked():
                run_collection(collection)
            assert making_of(collection).weigh == (Weigh.AMTF_PAGE if scope is Scope.PAGE else Weigh.AMTF)  # the page's
            code, out, err = phasa(capsys, "keywords", collection.path, "--json", "--top", "9", "--lang", "en")
            assert code == 0, err
            found[scope] = {row["term"]: row["weight"] for row in json.loads(out)["keywords"]}
    assert found[Scope.ELEMENT] == pytest.approx({"harbour": 0.5, "lantern": 0.85, "market": 0.5})
    assert found[Scope.PAGE] == pytest.approx({"harbour": 0.5, "lantern": 0.7, "market": 0.35})
