"""The pages as a person meets them, in headless Chromium."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect
from tests.service.conftest import serving
from tests.service.stock import mixed, stock

from phasa.collection import Collection

pytestmark = pytest.mark.browser
PAGES = ("/", "/collection/search", "/overview", "/crawl", "/feeds", "/collection", "/collection/hosts", "/lab")


@pytest.fixture(scope="module")
def thai(tmp_path_factory: pytest.TempPathFactory) -> Collection:
    return stock(tmp_path_factory.mktemp("thai") / "thai-web", mixed(120))


@pytest.fixture(scope="module")
def link(thai: Collection) -> Iterator[str]:
    with serving(thai) as where:
        yield where


@pytest.fixture(scope="module")
def persian_link(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with serving(stock(tmp_path_factory.mktemp("fa") / "fa-web", mixed(40, first="fa"), language="fa")) as where:
        yield where


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    made = browser.new_page()
    made.on("pageerror", lambda problem: pytest.fail(str(problem)))
    made.on("console", lambda message: pytest.fail(message.text) if "Security Policy" in message.text else None)
    yield made
    made.close()


def counted(page: Page, link: str) -> None:
    """Wait until the ledger has read the log."""
    page.goto(f"{link}/collection")
    for _ in range(100):
        if page.locator(".shares li").count():
            return
        page.wait_for_timeout(100)
        page.reload()
    pytest.fail("the log was never counted")


def test_the_menu_leads_to_every_page(page: Page, link: str) -> None:
    page.goto(link)
    assert page.url == f"{link}/"
    for name in ("Crawl", "Feeds", "Collection", "Lab", "Overview", "Start"):
        page.get_by_role("navigation").get_by_role("link", name=name, exact=True).click()
        assert page.locator("[aria-current=page]").inner_text() == name
        expect(page.locator("h1").first).to_be_visible()


def test_the_cloud_of_a_host_is_made_controlled_and_shared(page: Page, link: str) -> None:
    counted(page, link)
    page.goto(f"{link}/overview")
    page.get_by_label("Host", exact=True).fill("news.example.th")
    page.get_by_role("button", name="Make the cloud").nth(1).click()
    page.wait_for_selector(".cloud button", timeout=60_000)
    slider = page.get_by_role("slider")
    slider.focus()
    page.keyboard.press("Home")
    few = page.locator(".cloud button").count()
    page.keyboard.press("End")
    assert page.locator(".cloud button").count() > few
    box = page.locator(".chart .dot").nth(0).bounding_box()
    assert box
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    assert page.locator(".cloud button").count() == few
    tag = page.locator(".cloud button").first
    tag.click()
    expect(page.locator(".where li").first).to_contain_text(tag.inner_text(), ignore_case=True)
    with page.expect_download() as saved:
        page.get_by_role("link", name="Save as a file to share").click()
    text = saved.value.path().read_text(encoding="utf-8")
    assert saved.value.suggested_filename == "cloud.html"
    assert "<script>" in text
    assert "http://127.0.0.1" not in text
    with page.expect_download() as picture:
        page.get_by_role("button", name="PNG").click()
    assert picture.value.suggested_filename == "cloud.png"


def test_a_cloud_opened_alone_runs_in_a_sandbox(page: Page, link: str) -> None:
    page.goto(f"{link}/overview")
    page.get_by_label("Month").select_option("2026-11")
    page.get_by_role("button", name="Make the cloud").nth(1).click()
    page.wait_for_selector(".cloud button", timeout=60_000)
    page.get_by_role("link", name="Open alone").click()
    page.wait_for_selector(".chart .dot")
    assert page.evaluate("self.origin") == "null"


def test_an_address_of_this_machine_is_not_fetched(page: Page, link: str) -> None:
    page.goto(f"{link}/overview")
    page.get_by_label("Address").fill(f"{link}/collection")
    page.get_by_role("button", name="Make the cloud").first.click()
    expect(page.get_by_role("alert")).to_contain_text("blocked_address", timeout=60_000)


def test_from_a_language_to_a_page_and_why_it_was_judged_so(page: Page, link: str) -> None:
    counted(page, link)
    page.locator(".shares a", has_text="Thai").first.click()
    expect(page.locator("h1")).to_have_text("Language Thai")
    page.locator("td.name a").first.click()
    expect(page.locator(".evidence")).to_contain_text("wanted")
    expect(page.locator(".evidence")).to_contain_text("model: 0.99 of the letters")
    assert page.locator(".keywords li").count() > 5
    expect(page.locator("article")).to_contain_text("โรงพยาบาล")
    with page.expect_download() as saved:
        page.get_by_role("link", name="WARC record").click()
    assert saved.value.suggested_filename.endswith(".warc.gz")
    assert saved.value.path().read_bytes()[:2] == b"\x1f\x8b"


def test_hosts_are_sorted_and_found_by_domain(page: Page, link: str) -> None:
    counted(page, link)
    page.goto(f"{link}/collection/hosts")
    page.get_by_role("link", name="Host", exact=True).click()
    names = page.locator("td.name").all_inner_texts()
    # By domain: the hosts of one organisation stand together.
    thai = ["health.example.th", "www.ku.example.th", "news.example.th"]
    assert names == ["old.example.com", "tehran.example.ir", *thai]
    page.get_by_label("Domain").fill("example.th")
    page.get_by_role("button", name="Find").click()
    assert page.locator("td.name").all_inner_texts() == thai


def test_an_export_runs_in_the_background_and_is_downloaded(page: Page, link: str) -> None:
    page.goto(f"{link}/collection")
    page.locator("form", has_text="JSON lines").get_by_role("button").click()
    page.wait_for_url("**/jobs/*")
    button = page.get_by_role("link", name="Download")
    button.wait_for(timeout=60_000)
    with page.expect_download() as saved:
        button.click()
    lines = saved.value.path().read_text(encoding="utf-8").splitlines()
    assert saved.value.suggested_filename == "thai-web.jsonl"
    assert len(lines) > 100


def test_an_export_that_cannot_be_made_says_why(page: Page, link: str) -> None:
    page.goto(f"{link}/collection")
    page.locator("form", has_text="OPML").get_by_role("button").click()
    expect(page.locator(".state")).to_contain_text("no feed is watched yet", timeout=60_000)


def test_dark_and_light_follow_the_system_until_the_reader_chooses(browser: Browser, link: str) -> None:
    def paper(page: Page) -> str:
        return str(page.evaluate("getComputedStyle(document.body).backgroundColor"))

    context = browser.new_context(color_scheme="dark")
    page = context.new_page()
    page.goto(f"{link}/collection")
    dark = paper(page)
    page.get_by_role("button", name="Light or dark").click()
    light = paper(page)
    assert sum(map(int, dark[4:-1].split(", "))) < 120 < 600 < sum(map(int, light[4:-1].split(", ")))
    page.goto(f"{link}/lab")
    assert paper(page) == light
    context.close()


# What scrolls sideways but cannot be reached with the keyboard.
UNREACHABLE = """[...document.querySelectorAll("main *")].filter(node =>
  /auto|scroll/.test(getComputedStyle(node).overflowX) && node.scrollWidth > node.clientWidth && node.tabIndex < 0
).map(node => node.outerHTML.slice(0, 80))"""


@pytest.mark.parametrize("width", [360, 768, 1280])
def test_no_page_is_wider_than_its_window(browser: Browser, link: str, width: int) -> None:
    page = browser.new_page(viewport={"width": width, "height": 740})
    counted(page, link)
    url = "/collection/page?url=http://www.ku.example.th/news/0.html"
    for path in (*PAGES, "/collection/pages?by=host&key=news.example.th", url, "/nothing", "/login"):
        page.goto(link + path)
        assert page.evaluate("document.documentElement.scrollWidth") <= width, path
        assert page.locator("h1").count() == 1, path
        assert page.evaluate(UNREACHABLE) == [], path
        nav = page.locator(".top nav")
        if nav.count():
            assert nav.evaluate("node => node.scrollWidth <= node.clientWidth"), f"{path}: the menu is cut off"
    page.close()


def test_persian_runs_from_right_to_left_within_a_page_that_does_not(page: Page, persian_link: str) -> None:
    counted(page, persian_link)
    page.goto(f"{persian_link}/collection/page?url=http://www.ku.example.th/news/0.html")
    text = page.locator("article [lang=fa]")
    assert text.evaluate("node => getComputedStyle(node).direction") == "rtl"
    assert text.locator("p").first.evaluate("node => getComputedStyle(node).textAlign") in ("start", "right")
    assert page.locator("html").get_attribute("dir") == "ltr"
    assert page.locator("h1 bdi").get_attribute("lang") == "fa"


def test_pages_work_without_script(browser: Browser, link: str) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    for path in PAGES:
        page.goto(link + path)
        assert page.locator("h1").first.is_visible()
    page.goto(f"{link}/overview")
    page.get_by_label("Host", exact=True).fill("news.example.th")
    page.get_by_role("button", name="Make the cloud").nth(1).click()
    assert "/overview/" in page.url
    context.close()


def test_a_browser_of_another_machine_logs_in(browser: Browser, thai: Collection) -> None:
    token = "a-token-of-enough-letters"
    with serving(thai, token=token) as where:
        context = browser.new_context()
        page = context.new_page()
        page.goto(f"{where}/collection/hosts?order=name")
        assert "/login" in page.url
        page.get_by_label("Token").fill("wrong wrong wrong")
        page.get_by_role("button", name="Log in").click()
        expect(page.get_by_role("alert")).to_have_text("That is not the token.")
        page.get_by_label("Token").fill(token)
        page.get_by_role("button", name="Log in").click()
        assert page.url == f"{where}/collection/hosts?order=name"
        page.get_by_role("button", name="Leave").click()
        assert page.url == f"{where}/login"
        context.close()
