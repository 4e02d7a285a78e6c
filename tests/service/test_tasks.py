"""What each user came for, from start to end, in three languages. Every page on the way is looked at on a desk and on a
phone, in light and in dark: nothing scrolls sideways, and axe-core, where it is there, finds nothing."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect
from tests.service.conftest import client_of, findings, serving
from tests.service.feed_stock import fill
from tests.service.stock import mixed, stock

from phasa.collection import Collection
from phasa.service.catalogue import Words, words
from phasa.service.people import FILE, People

pytestmark = pytest.mark.browser
LOCALES = ("en-GB", "th-TH", "fa-IR")
WIDTHS = (1280, 390)
SCHEMES = ("light", "dark")
PASSWORD = "ann-has-a-long-password"


@pytest.fixture(scope="module")
def collection(tmp_path_factory: pytest.TempPathFactory) -> Collection:
    """A collection with pages, feeds, a search index, a start page and a report, as the upkeep job leaves it."""
    made = stock(tmp_path_factory.mktemp("tasks") / "thai-web", mixed(60))
    fill(made.path / "feeds.db", days=9)
    claim = {"source": "Table 3", "text": "the crawl finds more", "holds": True, "detail": "0.41 ± 0.02"}
    table = {"section": "E1", "text": "", "title": "Harvest", "header": ["", "published", "here"]}
    report = {"experiment": "persian", "title": "Persian", "summary": "In small.", "claims": [claim]}
    report["tables"] = [table | {"rows": [["LSWC", 0.25, 0.27], ["hybrid", None, 0.4]]}]
    made.reports_folder.mkdir(exist_ok=True)
    (made.reports_folder / "persian.json").write_text(json.dumps(report))
    with client_of(made) as client:
        service = client.app.state.service  # type: ignore[attr-defined]
        service.log_reader.catch_up()
        assert service.jobs.wait(client.post("/api/collection/index", json={}).json()["id"], 120).state == "done"
    return made


@pytest.fixture(scope="module")
def link(collection: Collection) -> Iterator[str]:
    with serving(collection) as where:
        yield where


@dataclass
class User:
    """Somebody before a browser, who reads one language."""

    page: Page
    say: Words
    axe: str
    seen: int = 0

    def text(self, key: str) -> str:
        return str(self.say(key))

    def goes(self, key: str) -> None:
        """Choose a page of the menu, and look at it."""
        self.page.get_by_role("navigation").get_by_role("link", name=self.text(f"base.{key}"), exact=True).click()
        expect(self.page.locator("[aria-current=page]")).to_have_text(self.text(f"base.{key}"))
        self.looks()

    def presses(self, key: str) -> None:
        self.page.get_by_role("button", name=self.text(key)).first.click()

    def follows(self, key: str) -> None:
        self.page.get_by_role("link", name=self.text(key)).first.click()

    def looks(self) -> None:
        """Look at the page as it stands, in both widths and both schemes; axe looks at two of the four."""
        page, path = self.page, self.page.url
        assert page.locator("html").get_attribute("lang") == self.say.code, path
        assert page.locator("html").evaluate("node => getComputedStyle(node).direction") == self.say.direction, path
        assert page.locator("h1").count() == 1, path
        self.seen += 1
        for number, (width, scheme) in enumerate(product(WIDTHS, SCHEMES)):
            page.set_viewport_size({"width": width, "height": 900})
            page.emulate_media(color_scheme=scheme, reduced_motion="reduce")  # type: ignore[arg-type]
            assert page.evaluate("document.documentElement.scrollWidth") <= width, f"{path}: wider than {width}"
            paper = page.evaluate("getComputedStyle(document.body).backgroundColor")
            bright = sum(map(int, paper[4:-1].split(", ")))
            assert bright > 600 if scheme == "light" else bright < 150, f"{path}: {paper} in {scheme}"
            # Two of the four each time, so that after two looks every combination had its turn.
            if self.axe and number in ((0, 3), (1, 2))[self.seen % 2]:
                page.wait_for_timeout(50)
                assert findings(page, self.axe) == [], f"{path} at {width}, {scheme}"


@pytest.fixture(params=LOCALES)
def user(request: pytest.FixtureRequest, browser: Browser, axe_or_nothing: str) -> Iterator[User]:
    context = browser.new_context(locale=request.param, viewport={"width": 1280, "height": 900}, accept_downloads=True)
    page = context.new_page()
    page.on("pageerror", lambda problem: pytest.fail(str(problem)))
    page.on("console", lambda message: pytest.fail(message.text) if "Security Policy" in message.text else None)
    yield User(page, words(request.param[:2]), axe_or_nothing)
    context.close()


def test_an_archivist_finds_a_page_and_sees_it_as_it_was(user: User, link: str) -> None:
    page = user.page
    page.goto(link)
    expect(page.locator(".words a").first).to_be_visible()
    expect(page.get_by_role("heading", name=user.text("start.sites"))).to_be_visible()
    user.looks()
    user.goes("crawl")
    user.goes("collection")
    page.locator("#language .shares a", has_text=user.say.language("th")).first.click()
    expect(page.locator("h1")).to_contain_text(user.say.language("th"))
    user.looks()
    page.locator("td.name a").first.click()
    expect(page.locator(".evidence")).to_contain_text(user.text("common.wanted"))
    expect(page.locator(".near a").first).to_be_visible()
    user.looks()
    page.locator(".near a").first.click()
    expect(page.locator("article")).to_contain_text("โรงพยาบาล")
    address = page.locator("main > p:not(.crumbs) bdi.url").inner_text()
    assert page.get_by_role("link", name=user.text("page.original")).get_attribute("href") == address
    user.follows("page.looked")
    expect(page.frame_locator("iframe").locator("body")).to_contain_text("โรงพยาบาล")
    user.looks()


def test_a_newsroom_reads_posts_searches_and_stars(user: User, link: str) -> None:
    page = user.page
    page.goto(link)
    user.goes("feeds")
    # What is new stands above what the scheduler does.
    above, below = (
        page.locator("h2", has_text=user.text(key)).first.bounding_box() for key in ("feeds.latest", "feeds.list")
    )
    assert above
    assert below
    assert above["y"] < below["y"]
    user.follows("feeds.read")
    user.looks()
    page.get_by_label(user.text("posts.search"), exact=True).fill("น้ำท่วม")
    user.presses("common.show")
    expect(page.locator("li.post").first).to_contain_text("น้ำท่วม")
    star = page.locator("[data-mark=star]").first
    before = star.get_attribute("aria-pressed")
    star.click()
    expect(star).to_have_attribute("aria-pressed", "false" if before == "true" else "true")
    user.looks()
    page.goto(f"{link}/collection/search")
    page.get_by_label(user.text("search.words")).fill("โรงพยาบาล")
    user.presses("search.search")
    expect(page.locator(".found li").first).to_contain_text("โรงพยาบาล")
    expect(page.locator(".trend svg a").first).to_be_attached()
    user.looks()


def test_a_corpus_builder_sees_the_size_and_takes_a_corpus_away(user: User, link: str) -> None:
    page = user.page
    page.goto(link)
    user.goes("collection")
    form = page.locator("form[action='/api/collection/corpus']")
    said = form.locator(".size:visible")
    expect(said).to_have_count(1)
    with_repeats_before = said.inner_text()
    form.get_by_label(user.text("exports.repeats")).check()
    assert said.inner_text() != with_repeats_before
    form.get_by_role("button").click()
    page.wait_for_url("**/jobs/*")
    download = page.get_by_role("link", name=".zip")
    download.wait_for(timeout=90_000)
    user.looks()
    with page.expect_download() as saved:
        download.click()
    assert saved.value.suggested_filename == "thai-web-corpus.zip"
    assert saved.value.path().read_bytes()[:2] == b"PK"


def test_a_researcher_compares_strategies_and_reads_the_report(user: User, link: str) -> None:
    page = user.page
    page.goto(link)
    user.goes("lab")
    page.get_by_label(user.text("lab.strategies")).fill("bfs,lswc")
    page.get_by_label(user.text("lab.size")).fill("1000")
    page.get_by_label(user.text("lab.pages")).fill("50")
    page.locator("form[action='/api/lab/compare'] button").click()
    page.wait_for_url("**/jobs/*")
    report = page.get_by_role("link", name=user.text("lab.report"), exact=True)
    report.wait_for(timeout=90_000)
    report.click()
    expect(page.frame_locator("iframe").locator("body")).to_contain_text("LSWC")
    user.looks()
    page.get_by_role("link", name=user.text("lab.p_persian")).click()
    expect(page.locator("tbody").first).to_contain_text(user.text("lab.holds"))
    user.looks()


def test_a_steward_adds_an_operator_and_finds_it_in_the_audit(user: User, tmp_path: Path) -> None:
    staffed = stock(tmp_path / "web", mixed(5))
    People(staffed.path / FILE).add("ann", "administer", PASSWORD)
    page = user.page
    with serving(staffed) as where:
        page.goto(f"{where}/people")
        user.looks()
        page.locator("input[name=name]").fill("ann")
        page.locator("input[name=password]").fill(PASSWORD)
        user.presses("login.title")
        page.wait_for_url("**/people")
        form = page.locator("form[action='/api/people']")
        form.get_by_label(user.text("login.name")).fill("ประภา")
        form.get_by_label(user.text("people.role")).select_option("steer")
        form.get_by_label(user.text("login.password")).fill("a-password-of-hers")
        form.get_by_role("button").click()
        expect(page.get_by_role("cell", name="ประภา").first).to_be_visible()
        audit = page.locator("table").last
        expect(audit).to_contain_text("POST /api/people")
        expect(audit).not_to_contain_text("a-password-of-hers")
        user.looks()
        user.goes("start")
