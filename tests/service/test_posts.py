"""The page of posts and its API: a cursor that loses nothing, search, marks, pause; then as a person uses it."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect
from tests.service.conftest import client_of, serving
from tests.service.feed_stock import fill
from tests.service.test_feeds_page import opened

from phasa.collection import Collection
from phasa.feeds.parse import read_feed
from phasa.feeds.store import FeedStore


@pytest.fixture
def watched(tmp_path: Path) -> Collection:
    collection = Collection.create(tmp_path / "thai-web")
    fill(collection.path / "feeds.db", hostile=True, days=9)
    return collection


def test_a_cursor_gives_every_post_once(watched: Collection) -> None:
    with client_of(watched) as client:
        cursor, seen = 0, []
        while (answer := client.get(f"/api/posts?since={cursor}&count=40").json())["posts"]:
            seen += [post["number"] for post in answer["posts"]]
            cursor = answer["cursor"]
        assert client.get(f"/api/posts?since={cursor}").json() == {"posts": [], "cursor": cursor}
    assert seen == sorted(set(seen))
    with FeedStore(watched.path / "feeds.db", read_only=True) as store:
        news = [post.number for post in store.latest(10_000) if not post.past]
    assert sorted(news) == seen


def test_posts_are_searched_starred_and_read(watched: Collection) -> None:
    with client_of(watched) as client:
        found = client.get("/api/posts/search", params={"q": "notes"}).json()["posts"]
        assert found
        assert all("notes" in post["title"].lower() for post in found)
        number = found[0]["number"]
        assert client.post("/api/posts/mark", json={"number": number, "star": True, "read": True}).status_code == 200
        starred = client.get("/api/posts/search?starred=true").json()["posts"]
        assert [(post["number"], post["read"] > 0) for post in starred] == [(number, True)]
        unread = client.get("/api/posts/search?unread=true&count=500").json()["posts"]
        assert number not in [post["number"] for post in unread]
        assert client.post("/api/posts/mark", json={"number": 99999999, "star": True}).status_code == 404
        thai = client.get("/api/posts/search", params={"category": "ข่าว"}).json()
        assert {post["category"] for post in thai["posts"]} == {"ข่าว"}
        assert "ข่าว" in thai["categories"]


def test_everything_new_is_one_feed(watched: Collection) -> None:
    with client_of(watched) as client:
        for path in ("/api/posts/atom", "/api/posts/feed"):
            answer = client.get(path, params={"category": "ข่าว"})
            assert answer.status_code == 200
            assert len(read_feed(answer.content).posts) > 10


def test_a_feed_rests_comes_back_and_goes(watched: Collection) -> None:
    with client_of(watched) as client:
        assert client.post("/api/feeds/pause", json={"id": 1}).status_code == 200
        assert client.get("/api/feeds/1").json()["feed"]["paused"] > 0
        assert client.get("/feeds/1").text.count("Resume") == 1
        assert client.post("/api/feeds/resume", json={"id": 1}).status_code == 200
        assert client.get("/api/feeds/1").json()["feed"]["paused"] == 0
        assert client.post("/api/feeds/remove", json={"id": 1}).status_code == 200
        assert client.post("/api/feeds/remove", json={"id": 1}).status_code == 404
        assert client.get("/api/feeds/1").json()["feed"]["retired"] == "removed by you"


def test_posts_are_links_and_hostile_ones_are_not(watched: Collection) -> None:
    with client_of(watched) as client:
        for path in ("/posts", "/feeds"):
            page = client.get(path).text
            assert page.count('rel="noreferrer noopener"') > 5
            assert 'href="javascript:' not in page


@pytest.fixture
def link(watched: Collection) -> Iterator[str]:
    with serving(watched) as where:
        yield where


@pytest.mark.browser
@pytest.mark.parametrize("width", [1280, 390])
def test_a_newsroom_reads_searches_stars_and_pauses(link: str, browser: Browser, width: int, tmp_path: Path) -> None:
    page = opened(browser, f"{link}/feeds", viewport={"width": width, "height": 900})
    page.get_by_role("link", name="Read and search posts").click()
    page.get_by_label("Search").fill("notes")
    page.get_by_role("button", name="Show").click()
    expect(page.locator("li.post").first).to_contain_text("otes")
    star = page.locator("[data-mark=star]").first
    star.click()
    expect(star).to_have_attribute("aria-pressed", "true")
    page.screenshot(path=str(tmp_path / "posts.png"), full_page=True)
    page.goto(f"{link}/posts?starred=true")
    expect(page.locator("li.post")).to_have_count(1)
    page.goto(f"{link}/posts")
    page.get_by_label("Category").select_option("ข่าว")
    page.get_by_role("button", name="Show").click()
    expect(page.locator("li.post").first).to_contain_text("ข่าวเช้า")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.screenshot(path=str(tmp_path / "category.png"), full_page=True)
    page.goto(f"{link}/feeds/1?zone=UTC")
    page.get_by_role("button", name="Pause").click()
    expect(page.get_by_role("button", name="Resume")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.goto(f"{link}/feeds")
    expect(page.get_by_text("rests").first).to_be_visible()
    page.screenshot(path=str(tmp_path / "feeds.png"), full_page=True)
    page.close()


TITLES = ("น้ำท่วมกรุงเทพหลังฝนตกหนัก", "นายกเปิดตลาดน้ำแห่งใหม่", "ทีมชาติไทยชนะสามประตู")


class Paper(BaseHTTPRequestHandler):
    """A newspaper whose front page announces its feed."""

    def do_GET(self) -> None:
        if self.path == "/":
            kind, text = "text/html", "<link rel=alternate type=application/rss+xml href=/rss.xml><h1>ข่าวไทย</h1>"
        else:
            items = "".join(
                f"<item><guid>{k}</guid><title>{title}</title><link>http://paper.example/{k}</link>"
                f"<pubDate>{formatdate(time.time() - 3600 * (k + 1))}</pubDate></item>"
                for k, title in enumerate(TITLES)
            )
            kind = "application/rss+xml"
            text = f"<rss version='2.0'><channel><title>หนังสือพิมพ์ไทย</title>{items}</channel></rss>"
        self.send_response(200)
        self.send_header("Content-Type", f"{kind}; charset=utf-8")
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, format: str, *args: object) -> None:
        return


@pytest.fixture
def paper() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Paper)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}/"
    server.shutdown()
    server.server_close()


@pytest.mark.browser
@pytest.mark.parametrize("width", [1280, 390])
def test_a_site_is_added_and_its_posts_are_read_in_thai(
    paper: str, browser: Browser, width: int, tmp_path: Path
) -> None:
    collection = Collection.create(tmp_path / "newsroom", language="th")
    settings = collection.path / "collection.toml"
    settings.write_text(settings.read_text().replace("allow_private = false", "allow_private = true"))
    pictures = Path(os.environ.get("PHASA_PICTURES", tmp_path))
    watch = [sys.executable, "-m", "phasa", "feeds", "watch", str(collection.path), "--seconds", "4", "--no-crawl"]
    with serving(Collection.open(collection.path)) as link:
        page = opened(browser, f"{link}/feeds", viewport={"width": width, "height": 900})
        page.get_by_label("Address of the feed").fill(paper)
        page.get_by_label("Category, if you like").fill("ข่าว/กรุงเทพ")
        page.get_by_role("button", name="Add", exact=True).click()
        expect(page.locator("table.feeds")).to_contain_text(paper)
        subprocess.run([*watch, "--spacing", "0"], check=True, timeout=120, capture_output=True)
        page.goto(f"{link}/feeds")
        expect(page.locator("table.feeds")).to_contain_text("หนังสือพิมพ์ไทย")
        page.screenshot(path=str(pictures / f"added-{width}.png"), full_page=True)
        page.get_by_role("link", name="Read and search posts").click()
        expect(page.locator("li.post")).to_have_count(len(TITLES))
        read = page.locator("[data-mark=read]").last
        read.click()
        expect(read).to_have_attribute("aria-pressed", "true")
        page.get_by_label("Search").fill("น้ำท่วม")
        page.get_by_role("button", name="Show").click()
        expect(page.locator("li.post")).to_have_count(1)
        expect(page.locator("li.post")).to_contain_text(TITLES[0])
        page.locator("[data-mark=star]").click()
        expect(page.locator("[data-mark=star]")).to_have_attribute("aria-pressed", "true")
        page.screenshot(path=str(pictures / f"searched-{width}.png"), full_page=True)
        page.get_by_label("Search").fill("")
        page.get_by_label("starred").check()
        page.get_by_role("button", name="Show").click()
        expect(page.locator("li.post")).to_have_count(1)
        page.get_by_label("starred").uncheck()
        page.get_by_label("unread").check()
        # The category above that of the feed.
        page.get_by_label("Category").select_option("ข่าว")
        page.get_by_role("button", name="Show").click()
        expect(page.locator("li.post")).to_have_count(len(TITLES) - 1)
        page.screenshot(path=str(pictures / f"filtered-{width}.png"), full_page=True)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        page.goto(f"{link}/feeds")
        page.get_by_role("link", name="หนังสือพิมพ์ไทย").first.click()
        page.get_by_role("button", name="Pause").click()
        expect(page.get_by_role("button", name="Resume")).to_be_visible()
        page.screenshot(path=str(pictures / f"paused-{width}.png"), full_page=True)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        page.close()
    asked = subprocess.run([*watch, "--json"], check=False, timeout=120, capture_output=True, text=True)
    assert "watching 0 feeds" in asked.stderr, "what rests is not asked"
