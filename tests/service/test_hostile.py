"""Hostile content in a collection shows as text: over the API, and in a real browser."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
from playwright.sync_api import Browser
from tests.service.conftest import serving
from tests.service.hostile import MARK, hostile_pieces
from tests.service.stock import stock

from phasa.collection import Collection
from phasa.feeds.store import FeedStore
from phasa.service.audit import Audit
from phasa.service.search_index import FILE, SearchIndex
from phasa.service.who import ANYBODY

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Collection:
    made = stock(tmp_path_factory.mktemp("hostile") / "web", hostile_pieces())
    (made.path / "service").mkdir(exist_ok=True)
    made.reports_folder.mkdir(exist_ok=True)
    report = f"<title><script>{MARK}</script></title><script>{MARK}</script><img src=x onerror={MARK!r}>"
    (made.reports_folder / "evil.html").write_text(report, encoding="utf-8")
    with FeedStore(made.path / "feeds.db") as feeds:
        feeds.add(f"http://feed.example.th/?{MARK}", 1.0, title=f'"><script>{MARK}</script>\u202etfel', publisher=MARK)
    index = SearchIndex(made.path / "service" / FILE)
    index.update(made.archive_folder)
    assert index.pages()
    index.close()
    Audit(made.path / "audit.jsonl").write(ANYBODY, MARK, f"POST /<script>{MARK}</script>", {MARK: f"<b>{MARK}"}, 200)
    return made


@pytest.fixture(scope="module")
def link(hostile: Collection) -> Iterator[str]:
    with serving(hostile) as where:
        yield where


def paths(hostile: Collection) -> Iterator[str]:
    """Every page that shows something of the collection."""
    yield from ("/overview", "/crawl", "/feeds", "/collection", "/collection/hosts", "/lab", "/lab?report=evil.html")
    yield "/lab/file/evil.html"
    for piece in hostile_pieces():
        yield f"/collection/page?url={quote(piece.url)}"
        yield f"/collection/pages?by=language&key={quote(piece.language)}"
        yield f"/collection/pages?by=charset&key={quote(piece.charset)}"
        yield f"/crawl?url={quote(piece.url)}"
    for number in range(7):
        yield f"/collection/pages?by=host&key=evil{number}.example.th"
    yield f"/collection/hosts?domain={quote('<script>' + MARK)}"
    yield f"/collection/page?url={quote('javascript:' + MARK)}"
    yield f"/{quote('<script>' + MARK + '</script>')}"
    for code in ("th", "fa", "en"):
        for path in ("/", "/collection/search", "/crawl", "/collection", "/feeds", "/people"):
            yield f"{path}?ui={code}"
        yield f"/collection/search?ui={code}&q={quote('<script>' + MARK)}"
        yield f"/collection/page?url={quote(hostile_pieces()[0].url)}&ui={code}"


def test_no_page_runs_or_draws_what_a_page_of_the_web_says(browser: Browser, link: str, hostile: Collection) -> None:
    page = browser.new_page()
    asked: list[str] = []
    refused: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: refused.append(page.url) if "Content Security" in message.text else None)
    page.on("dialog", lambda dialog: pytest.fail(dialog.message))
    for path in paths(hostile):
        page.goto(link + path)
        assert page.title() != "OWNED", path
        text = page.locator("html").inner_text()
        assert not any("\u202a" <= letter <= "\u202e" or "\u2066" <= letter <= "\u2069" for letter in text), path
        assert len(text) < 200_000, path
        if not path.startswith("/lab/file"):
            # Nothing became an element: our pages hold no image, and no script but ours (data is none).
            assert (
                page.locator(
                    "img, script:not([src^='/static/'], [type='application/json']), [onerror], [onmouseover]"
                ).count()
                == 0
            ), path
            assert page.locator("h1").count() == 1, path
    assert all(url.startswith(link) for url in asked)
    # Only the report that holds a foreign script had to be stopped: our own pages never tried.
    assert refused
    assert all("/lab" in url for url in refused)
    page.close()


def test_titles_show_as_they_are_written(browser: Browser, link: str) -> None:
    page = browser.new_page()
    first, _, third = hostile_pieces()[:3]
    page.goto(f"{link}/collection/page?url={quote(first.url)}")
    assert page.locator("h1").inner_text() == f"<script>{MARK}</script>"
    page.goto(f"{link}/collection/page?url={quote(third.url)}")
    assert page.locator("h1").inner_text() == "invoice⟨RLO⟩fdp.exe"
    page.goto(f"{link}/collection/page?url={quote(hostile_pieces()[4].url)}")
    assert len(page.locator("h1").inner_text()) == 200
    assert "Only the beginning" in page.locator("article").inner_text()
    page.close()


def test_a_cloud_of_hostile_pages_is_a_cloud(browser: Browser, link: str) -> None:
    page = browser.new_page()
    page.on("pageerror", lambda problem: pytest.fail(str(problem)))
    page.goto(f"{link}/overview")
    page.get_by_label("Language").select_option(value="th")
    page.get_by_role("button", name="Make the cloud").nth(1).click()
    page.wait_for_selector(".cloud button", timeout=60_000)
    assert page.title() != "OWNED"
    assert page.locator("main img, main script:not([type='application/json'])").count() == 0
    page.locator(".cloud button").first.click()
    assert page.locator(".where li").count() > 0
    page.close()


def test_a_report_with_a_foreign_script_cannot_run_it(browser: Browser, link: str) -> None:
    page = browser.new_page()
    answer = page.goto(f"{link}/lab/file/evil.html")
    assert answer is not None
    assert answer.headers["content-security-policy"].startswith("sandbox ")
    assert page.title() != "OWNED"
    page.close()


def test_a_report_cannot_be_used_to_read_other_files(link: str, hostile: Collection) -> None:
    import httpx2

    for name in ("..%2Fcollection.toml", "..%2f..%2fetc%2fpasswd", "%2Fetc%2Fpasswd", "collection.toml", "."):
        answer = httpx2.get(f"{link}/lab/file/{name}")
        assert answer.status_code == 404, name
    secret = hostile.path / "secret.html"
    secret.write_text("secret", encoding="utf-8")
    (Path(hostile.reports_folder) / "link.html").symlink_to(secret)
    assert httpx2.get(f"{link}/lab/file/link.html").status_code == 404
