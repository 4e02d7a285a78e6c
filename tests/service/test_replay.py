"""Replay inside the application: captures as they looked, from the archive alone, and kept apart from everything."""

from __future__ import annotations

import base64
import re
import struct
import zlib
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from aiohttp import web
from playwright.sync_api import Browser, Page
from starlette.testclient import TestClient
from tests.durability.small_web import THAI, SmallWeb, collection_for, command, finish
from tests.service.conftest import client_of, serving

from phasa.archive.capture import Capture
from phasa.archive.cdxj import merge
from phasa.archive.warc import WarcWriter
from phasa.archive_settings import ArchiveSettings
from phasa.collection import Collection

HOME = "http://h0.example/p/0.html"
HOSTILE = (
    "<script>fetch('http://out.example/f').catch(() => 0); new Image().src = 'http://out.example/i';"
    "try { parent.document.body.innerHTML = 'taken' } catch (e) { window.kept = 1 }"
    "try { localStorage.x = 1; window.kept = 0 } catch (e) {}"
    "</script>"
    "<link rel=preconnect href=http://out.example/><form action=http://out.example/><iframe src=http://out.example/fr>"
)


def picture() -> bytes:
    """A PNG file of 120 × 80 points, red and green."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = b"".join(b"\0" + b"\xc8\x1e\x1e" * 60 + b"\x14\xa0\x3c" * 60 for _ in range(80))
    head = struct.pack(">IIBBBBB", 120, 80, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


class Site(SmallWeb):
    """A page with a picture, two style sheets, a script that draws, and a frame."""

    def answer(self, host: str, path: str) -> web.Response:
        name = path.rpartition("/")[2]
        if name == "0.html":
            text = (
                "<html><head><link rel=stylesheet href=../style.css><script defer src=/draw.js></script></head>"
                f"<body><h1>{THAI}</h1><img src=/red.png><div id=drawn></div><p>{THAI * 3}</p>"
                "<iframe src=/frame.html width=200 height=60></iframe><a href=/p/1.html>1</a><a href=/p/2.html>2</a>"
            )
            return web.Response(text=text, content_type="text/html")
        if name == "1.html":
            return web.Response(text=f"<html><body><p>{THAI * 9}</p>{HOSTILE}</body></html>", content_type="text/html")
        if name == "2.html":
            go = "<script>location = 'http://out.example/l'</script>"
            return web.Response(text=f"<html><body><p>{THAI * 9}</p>{go}</body></html>", content_type="text/html")
        if name == "frame.html":
            return web.Response(text="<body style='background:#abc'><p>frame</p>", content_type="text/html")
        if name == "style.css":
            sheet = "@import 'more.css'; body { background: #eef; font-family: serif; margin: 30px }"
            return web.Response(text=sheet, content_type="text/css", headers={"Set-Cookie": "a=b"})
        if name == "more.css":
            return web.Response(text="h1 { color: #a00; background: url(red.png) }", content_type="text/css")
        if name == "draw.js":
            code = "document.getElementById('drawn').innerHTML = '<b style=\"font-size:40px\">' + (6 * 7) + '</b>'"
            return web.Response(text=code, content_type="text/javascript")
        if name == "red.png":
            return web.Response(body=picture(), content_type="image/png")
        return web.Response(status=404)


@pytest.fixture(scope="module")
def site() -> Iterator[SmallWeb]:
    with Site(1, 1).serving() as small:
        yield small


@pytest.fixture(scope="module")
def collection(site: SmallWeb, tmp_path_factory: pytest.TempPathFactory) -> Collection:
    made = collection_for(
        tmp_path_factory.mktemp("replay") / "c", site, archive=ArchiveSettings(requisites=True), seeds=[HOME]
    )
    finish(command("crawl", made.path, "--quiet"))
    return made


@pytest.fixture(scope="module")
def client(collection: Collection) -> Iterator[TestClient]:
    with client_of(collection) as made:
        yield made


def frame_of(client: TestClient, url: str) -> str:
    found = re.search(r'<iframe[^>]* src="([^"]+)"[^>]*>', client.get("/replay", params={"url": url}).text)
    assert found
    assert 'sandbox="allow-scripts"' in found[0]
    return found[1]


def test_a_capture_is_shown_in_a_frame_without_an_origin(client: TestClient) -> None:
    answer = client.get(frame_of(client, HOME))
    assert answer.status_code == 200
    policy = answer.headers["content-security-policy"]
    assert policy.startswith("sandbox allow-scripts; default-src 'none'")
    assert "same-origin" not in policy
    assert "'self'" not in policy
    assert "http://127.0.0.1/replay/" in policy
    assert "set-cookie" not in answer.headers
    assert re.search(r'<img src="/replay/\d{14}~\w+/http://h0.example/red.png">', answer.text)


def test_what_the_page_needs_comes_from_the_archive_with_its_type(client: TestClient) -> None:
    at = frame_of(client, HOME).removesuffix(HOME)
    style = client.get(f"{at}http://h0.example/style.css")
    assert style.headers["content-type"].startswith("text/css")
    assert "set-cookie" not in style.headers
    assert f'@import "{at}http://h0.example/more.css"' in style.text
    red = client.get(f"{at}http://h0.example/red.png")
    assert red.content == picture()
    assert red.headers["content-type"] == "image/png"
    assert client.get(f"{at}http://h0.example/never.png").status_code == 404


def test_without_the_key_of_this_process_nothing_of_a_capture_is_given(client: TestClient) -> None:
    for address in (f"/replay/20260101000000/{HOME}", f"/replay/20260101000000~wrong/{HOME}"):
        answer = client.get(address)
        assert answer.status_code == 303
        assert answer.headers["location"].startswith("/replay?url=http%3A%2F%2Fh0.example")


def test_a_capture_opened_alone_leads_to_the_page_with_the_frame(client: TestClient) -> None:
    answer = client.get(frame_of(client, HOME), headers={"sec-fetch-dest": "document"})
    assert answer.status_code == 303


def test_with_a_token_the_frame_needs_no_cookie_and_others_need_the_token(collection: Collection) -> None:
    token = "a token of twenty letters"
    with client_of(collection, token=token) as client:
        assert client.get("/replay", params={"url": HOME}).status_code in (303, 401)
        page = client.get("/replay", params={"url": HOME}, headers={"authorization": f"Bearer {token}"})
        found = re.search(r'<iframe[^>]* src="([^"]+)"', page.text)
        assert found
        assert client.get(found[1]).status_code == 200
        assert client.get(f"/replay/20260101000000~wrong/{HOME}").status_code in (303, 401)
        assert client.get("/api/collection").status_code == 401


@pytest.mark.parametrize("bad", ["ftp://a/", "x", "http://h0.example/none.html"])
def test_what_is_no_capture_is_said_plainly(client: TestClient, bad: str) -> None:
    answer = client.get("/replay", params={"url": bad})
    assert answer.status_code in (400, 404)
    assert "Traceback" not in answer.text


def test_times_out_of_range_show_the_nearest_capture(client: TestClient) -> None:
    for time in ("", "0", "99999999999999", "20260231996199"):
        assert client.get("/replay", params={"url": HOME, "time": time}).status_code == 200


def test_captures_stand_on_a_line_over_time_and_each_shows_its_own_content(tmp_path: Path) -> None:
    collection = Collection.create(tmp_path / "c")
    with WarcWriter(collection.archive_folder) as writer:
        for month in (1, 2, 7):
            started = datetime(2026, month, 1, tzinfo=UTC)
            headers = (("Content-Type", "text/html"),)
            body = f"<p>month {month}</p>".encode()
            writer.write(Capture(HOME, 200, "OK", headers=headers, body=body, started=started))
    merge(collection.archive_folder)
    with client_of(collection) as client:
        page = client.get("/replay", params={"url": HOME, "time": "20260210"}).text
        assert [float(x) for x in re.findall(r'<circle cx="([\d.]+)" cy="20"', page)] == [0.0, 171.3, 1000.0]
        assert re.search(r'rel="prev" href="[^"]*time=20260101000000"', page)
        assert re.search(r'rel="next" href="[^"]*time=20260701000000"', page)
        for time, month in (("20260101", 1), ("20260210", 2), ("20270101", 7)):
            shown = client.get("/replay", params={"url": HOME, "time": time}).text
            found = re.search(r'<iframe[^>]* src="([^"]+)"', shown)
            assert found
            assert client.get(found[1]).text == f"<p>month {month}</p>"


# ── in a browser ─────────────────────────────────────────────────────────────────────────────────


@pytest.fixture(scope="module")
def link(collection: Collection) -> Iterator[str]:
    with serving(collection) as where:
        yield where


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    made = browser.new_page(viewport={"width": 1200, "height": 1400})
    yield made
    made.close()


COMPARE = """async ([one, other]) => {
    const points = async (data) => {
        const image = new Image();
        image.src = 'data:image/png;base64,' + data;
        await image.decode();
        const canvas = document.createElement('canvas');
        [canvas.width, canvas.height] = [image.width, image.height];
        const drawing = canvas.getContext('2d');
        drawing.drawImage(image, 0, 0);
        return drawing.getImageData(0, 0, image.width, image.height);
    };
    const [a, b] = [await points(one), await points(other)];
    if (a.width !== b.width || a.height !== b.height) return [1, 0];
    let differ = 0, colours = new Set();
    for (let at = 0; at < a.data.length; at += 4) {
        colours.add((a.data[at] << 16) | (a.data[at + 1] << 8) | a.data[at + 2]);
        if ([0, 1, 2].some(n => Math.abs(a.data[at + n] - b.data[at + n]) > 40)) differ++;
    }
    return [differ / (a.data.length / 4), colours.size];
}"""


def compared(page: Page, one: bytes, other: bytes) -> tuple[float, int]:
    """The share of points that differ, and the colours of the first picture."""
    page.goto("about:blank")
    share, colours = page.evaluate(COMPARE, [base64.b64encode(data).decode() for data in (one, other)])
    return share, colours


@pytest.mark.browser
def test_the_replayed_page_looks_like_the_live_one(page: Page, site: SmallWeb, link: str) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(f"{link}/replay?url={HOME}", wait_until="networkidle")
    frame = page.locator("iframe")
    sizes = "one => [one.clientWidth, one.clientHeight, one.clientLeft, one.clientTop]"
    wide, high, left, top = frame.evaluate(sizes)
    box = frame.bounding_box()
    assert box
    clip = {"x": box["x"] + left, "y": box["y"] + top, "width": wide, "height": high}
    replayed = page.screenshot(clip=clip, full_page=True)  # type: ignore[arg-type]
    assert all(url.startswith(link) for url in asked), asked
    assert any(url.endswith("/http://h0.example/red.png") for url in asked)

    page.set_viewport_size({"width": wide, "height": high})
    here = f"127.0.0.1:{site.port}"
    page.route(
        "http://h0.example/**",
        lambda route: route.fulfill(response=route.fetch(url=route.request.url.replace("h0.example", here))),
    )
    page.goto(HOME, wait_until="networkidle")
    live = page.screenshot()
    page.unroute_all()
    differing, colours = compared(page, live, replayed)
    assert colours > 20  # a page with letters and pictures, and no blank one
    assert differing < 0.002


@pytest.mark.browser
@pytest.mark.parametrize("number", [1, 2])
def test_a_hostile_capture_asks_for_nothing_outside_and_cannot_touch_us(page: Page, link: str, number: int) -> None:
    asked: list[str] = []
    failed: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("requestfailed", lambda request: failed.append(request.url))
    page.goto(f"{link}/replay?url=http://h0.example/p/{number}.html", wait_until="networkidle")
    page.wait_for_timeout(500)
    assert any("~" in url and url.endswith(f"/http://h0.example/p/{number}.html") for url in asked)
    assert [url for url in asked if not url.startswith(link) and url not in failed] == []
    assert "taken" not in page.locator("body").inner_text()
    if number == 1:
        frame = next(one for one in page.frames if "~" in one.url)
        assert frame.evaluate("window.origin") == "null"
        assert frame.evaluate("window.kept") == 1
