"""The page of posts and its API: a cursor that loses nothing, search, marks, pause; then as a person uses it."""

from __future__ import annotations

from collections.abc import Iterator
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
