"""Everybody can use the pages: axe-core finds nothing, in three languages, on phones and desks, light and dark; nothing
moves for who wants no motion; rows of tables are cards on a phone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser
from tests.service.conftest import findings, serving
from tests.service.feed_stock import fill
from tests.service.stock import mixed, stock
from tests.service.test_start import keep

from phasa.collection import Collection
from phasa.service.people import FILE, People
from phasa.service.search_index import FILE as SEARCH
from phasa.service.search_index import SearchIndex

pytestmark = pytest.mark.browser
PAGES = (
    *("/", "/crawl", "/crawl?url=http://news.example.th/about/1.html", "/collection", "/collection/search?q=railway"),
    *(
        "/collection/hosts",
        "/collection/pages?by=host&key=news.example.th",
        "/feeds",
        "/feeds/1",
        "/posts",
        "/overview",
    ),
    *("/collection/page?url=http://www.ku.example.th/news/0.html", "/lab", "/people", "/nothing", "/login"),
)


@pytest.fixture(scope="module")
def collection(tmp_path_factory: pytest.TempPathFactory) -> Collection:
    made = stock(tmp_path_factory.mktemp("all") / "thai-web", mixed(60))
    keep(made, up_to_date=0.75, low=0.7, high=0.8, watched=50, visits_last_day=9, late=2)
    index = SearchIndex(made.path / "service" / SEARCH)
    index.update(made.archive_folder)
    index.close()
    fill(made.path / "feeds.db")
    return made


@pytest.fixture(scope="module")
def link(collection: Collection) -> Iterator[str]:
    with serving(collection) as where:
        yield where


@pytest.mark.parametrize(
    ("locale", "width", "scheme"), [("en-GB", 1280, "light"), ("fa-IR", 390, "dark"), ("th-TH", 390, "light")]
)
def test_axe_finds_nothing_and_nothing_scrolls_sideways(
    browser: Browser, link: str, axe: str, locale: str, width: int, scheme: str
) -> None:
    context = browser.new_context(
        locale=locale,
        viewport={"width": width, "height": 800},
        color_scheme=scheme,  # type: ignore[arg-type]
        reduced_motion="reduce",
    )
    page = context.new_page()
    wrong: dict[str, list[str]] = {}
    for path in PAGES:
        page.goto(link + path)
        page.wait_for_load_state("load")
        page.wait_for_timeout(150)
        if found := findings(page, axe):
            wrong[path] = found
        assert page.evaluate("document.documentElement.scrollWidth") <= width, path
        assert page.evaluate("document.getAnimations().length") == 0, path
        assert page.locator("html").get_attribute("lang") == locale[:2]
    context.close()
    assert wrong == {}


def test_axe_would_have_found_something(browser: Browser, link: str, axe: str) -> None:
    page = browser.new_page()
    page.goto(f"{link}/collection")
    page.evaluate("document.querySelector('main').append(new Image())")
    page.evaluate("document.querySelector('h1').style.color = '#ccc'")
    kinds = {found.partition(":")[0] for found in findings(page, axe)}
    assert kinds >= {"image-alt", "color-contrast"}
    page.close()


def test_rows_are_cards_on_a_phone_and_rows_on_a_desk(browser: Browser, link: str) -> None:
    page = browser.new_page(viewport={"width": 390, "height": 800})
    page.goto(f"{link}/collection/hosts")
    row = page.locator("tbody tr").first
    assert row.evaluate("node => getComputedStyle(node).display") == "block"
    assert row.locator("td").nth(1).evaluate("node => getComputedStyle(node, '::before').content") == '"Pages"'
    assert page.evaluate(
        "[...document.querySelectorAll('.scroll')].every(node => node.scrollWidth <= node.clientWidth)"
    )
    page.set_viewport_size({"width": 1280, "height": 800})
    assert row.evaluate("node => getComputedStyle(node).display") == "table-row"
    page.close()


def test_operators_see_the_page_of_people_without_findings(browser: Browser, tmp_path: Path, axe: str) -> None:
    made = stock(tmp_path / "web", mixed(5))
    people = People(made.path / FILE)
    people.add("ann", "administer", "ann-has-a-long-password")
    people.make_token("ann", "look", 30.0, "backup")
    with serving(made, token="a-token-of-enough-letters") as where:
        context = browser.new_context(
            extra_http_headers={"authorization": "Bearer a-token-of-enough-letters"},
            viewport={"width": 390, "height": 800},
            locale="fa-IR",
        )
        page = context.new_page()
        page.goto(f"{where}/people")
        assert findings(page, axe) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        page.goto(f"{where}/login")
        assert findings(page, axe) == []
        context.close()
