"""The start page: what is seen first."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest
from playwright.sync_api import Browser, expect
from tests.service.conftest import client_of, serving
from tests.service.stock import mixed, stock

from phasa.collection import Collection
from phasa.service.upkeep import is_behind
from phasa.service.upkeep_job import DIGEST, Digest, Word, read_digest


def keep(collection: Collection, **more: object) -> None:
    """A digest as the upkeep job would leave it."""
    words = [Word(f"คำ{number}", 1 + number % 7) for number in range(40)]
    digest = Digest(made=time.time(), pages=60, words=words, language="th", **more)  # type: ignore[arg-type]
    folder = collection.path / "service"
    folder.mkdir(exist_ok=True)
    (folder / DIGEST).write_bytes(msgspec.json.encode(digest))


@pytest.fixture(scope="module")
def thai(tmp_path_factory: pytest.TempPathFactory) -> Collection:
    return stock(tmp_path_factory.mktemp("thai") / "thai-web", mixed(60))


def test_an_empty_collection_shows_three_steps_to_a_crawl(empty: Collection) -> None:
    with client_of(empty) as client:
        page = client.get("/").text
        assert page.count('<li class="card">') == 3
        assert "pages in Thai" in page
        persian = client.get("/", headers={"accept-language": "fa"}).text
        assert "با سه گام" in persian
        assert "تایلندی" in persian


def test_the_collection_at_a_glance(thai: Collection) -> None:
    keep(thai, up_to_date=0.75, low=0.7, high=0.8, watched=50, visits_last_day=9, late=2)
    with client_of(thai) as client:
        client.app.state.service.log_reader.catch_up()  # type: ignore[attr-defined]
        page = client.get("/").text
        assert page.count('<a class="w') == 40
        for said in ("news.example.th", "Thai", "English", "75 % of 50 watched pages", "Pages by day", "Not running"):
            assert said in page.replace("\N{NO-BREAK SPACE}", " "), said
        at_a_glance = client.get("/api/start").json()
        assert at_a_glance["status"]["pages"] == 60
        assert at_a_glance["sites"][0]["wanted"] >= at_a_glance["sites"][1]["wanted"]
        assert sum(bar["count"] for bar in at_a_glance["growth"]["bars"]) == 60
        assert at_a_glance["attention"] == []


def test_what_needs_attention_is_named_and_leads_there(tmp_path: Path) -> None:
    failing = stock(tmp_path / "bad-web", [replace(piece, status=500) for piece in mixed(60)])
    with client_of(failing) as client:
        client.app.state.service.log_reader.catch_up()  # type: ignore[attr-defined]
        found = client.get("/api/start").json()["attention"]
        assert [(one["kind"], one["figure"], one["where"]) for one in found] == [("failing", 1.0, "/collection#status")]
        assert "100 % of the fetches failed" in client.get("/").text.replace("\N{NO-BREAK SPACE}", " ")


def test_upkeep_is_due_when_pages_came_and_not_before(empty: Collection, thai: Collection) -> None:
    with client_of(empty) as client:
        assert not is_behind(client.app.state.service)  # type: ignore[attr-defined]
    with client_of(thai) as client:
        assert is_behind(client.app.state.service)  # type: ignore[attr-defined]


def test_a_digest_that_is_broken_is_no_digest(tmp_path: Path) -> None:
    (tmp_path / DIGEST).write_bytes(b'{"made": "x"')
    assert read_digest(tmp_path / DIGEST) is None
    assert read_digest(tmp_path / "none") is None


@pytest.mark.browser
@pytest.mark.parametrize(("locale", "width"), [("th-TH", 390), ("fa-IR", 390), ("en-GB", 1280)])
def test_the_start_page_in_three_languages_leads_from_a_word_to_its_pages(
    browser: Browser, thai: Collection, locale: str, width: int
) -> None:
    keep(thai)
    with serving(thai) as link:
        context = browser.new_context(locale=locale, viewport={"width": width, "height": 800})
        page = context.new_page()
        page.goto(link)
        html = page.locator("html")
        assert html.get_attribute("lang") == locale[:2]
        assert html.evaluate("node => getComputedStyle(node).direction") == ("rtl" if locale == "fa-IR" else "ltr")
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        page.locator(".words a").first.click()
        expect(page.locator("input[name=q]")).to_have_value("คำ0")
        page.locator(".tongues a[lang=en]").click()
        expect(page.locator("h1")).to_have_text("Search")
        assert page.locator("input[name=q]").input_value() == "คำ0"
        context.close()
