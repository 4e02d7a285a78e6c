"""The cloud page as a person meets it, in headless Chromium."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page
from tests.conformance.test_overview_keywords import table_5_4

from phasa.overview.cloud_page import Look, PageText, render_cloud
from phasa.overview.keywords import KeywordLists, amtf, keyword_lists
from phasa.overview.terms import Terms

pytestmark = pytest.mark.browser

THAI = [
    "บัตรทอง 30 บาทรักษาทุกโรค กลับมาอีกครั้ง",
    "กระทรวงสาธารณสุขประกาศว่าผู้ถือบัตรทองเข้ารักษาที่โรงพยาบาลได้ทุกแห่ง ปี๊ป น้ำ ที่นี่ ญี่ปุ่น ฟื้นฟู กตัญญู",
    "โรงพยาบาลรัฐและเอกชนเข้าร่วมโครงการบัตรทอง โรงพยาบาลใหญ่มีผู้ป่วยมาก",
]
PERSIAN = ["دانشگاه تهران امروز نتایج آزمون را اعلام کرد", "دانشجویان دانشگاه تهران می‌توانند نتایج را ببینند"]


def cloud_of(texts: list[str], language: str, direction: str) -> str:
    terms = Terms(language)
    page = PageText("http://example.org/", [terms.passage(text) for text in texts])
    lists = keyword_lists(amtf(passage.terms for passage in page.passages))
    return render_cloud(lists, [page], Look(texts[0], language, direction))


def opened(browser: Browser, html: str, tmp_path: Path, asked: list[str] | None = None, **settings: object) -> Page:
    """The page in a new tab; the addresses it asks for are added to `asked`."""
    file = tmp_path / "cloud.html"
    file.write_text(html, encoding="utf-8")
    page = browser.new_page(**settings)  # type: ignore[arg-type]
    page.on("request", lambda request: None if asked is None else asked.append(request.url))
    page.on("pageerror", lambda problem: pytest.fail(str(problem)))
    page.goto(file.as_uri())
    return page


def published(lists: KeywordLists | None = None) -> str:
    return render_cloud(lists or table_5_4(), [PageText("page", [])], Look("Table 5.4"))


def tags(page: Page) -> list[tuple[str, int]]:
    return [(tag.inner_text(), int(str(tag.get_attribute("class"))[1:])) for tag in page.locator(".cloud button").all()]


def test_row_55_a_point_of_the_chart_chosen_with_the_mouse_shows_its_cloud(browser: Browser, tmp_path: Path) -> None:
    page = opened(browser, published(), tmp_path)
    assert len(tags(page)) == 19  # the recommended 50 %
    dots = page.locator(".chart .dot")
    assert dots.count() == 20
    box = dots.nth(8).bounding_box()
    assert box
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    assert len(tags(page)) == 12
    assert page.locator(".said").inner_text() == "12 keywords at 45 %"
    assert page.locator(".cloud").count() == 1


def test_dragging_along_the_chart_changes_the_cloud_on_the_way(browser: Browser, tmp_path: Path) -> None:
    page = opened(browser, published(), tmp_path)
    first, last = (page.locator(".chart .dot").nth(place).bounding_box() for place in (0, 19))
    assert first
    assert last
    page.mouse.move(first["x"] + 4, first["y"] + 4)
    page.mouse.down()
    counts = [len(tags(page))]
    page.mouse.move((first["x"] + last["x"]) / 2, 100, steps=5)
    counts.append(len(tags(page)))
    page.mouse.move(last["x"] + 4, 100, steps=5)
    counts.append(len(tags(page)))
    page.mouse.up()
    assert counts[0] == 1
    assert counts[1] in (19, 21)
    assert counts[2] == 116


def test_the_arrow_keys_move_the_chosen_point(browser: Browser, tmp_path: Path) -> None:
    page = opened(browser, published(), tmp_path)
    page.locator(".chart").focus()
    for key, percent, count in [
        ("ArrowLeft", 45, 12),
        ("ArrowLeft", 40, 10),
        ("ArrowRight", 45, 12),
        ("Home", 5, 1),
        ("ArrowLeft", 5, 1),
        ("End", 100, 116),
    ]:
        page.keyboard.press(key)
        assert page.locator(".chart").get_attribute("aria-valuenow") == str(percent)
        assert len(tags(page)) == count


def test_touch_chooses_a_point(browser: Browser, tmp_path: Path) -> None:
    page = opened(browser, published(), tmp_path, viewport={"width": 360, "height": 740}, has_touch=True)
    box = page.locator(".chart .dot").nth(3).bounding_box()
    assert box
    page.touchscreen.tap(box["x"] + 4, box["y"] + 4)
    assert len(tags(page)) == 5


def test_styles_on_the_page_follow_the_weights_of_the_shown_tags(browser: Browser, tmp_path: Path) -> None:
    page = opened(browser, published(), tmp_path)
    page.locator(".chart").focus()
    for _ in range(4):
        page.keyboard.press("ArrowRight")
        shown = tags(page)
        assert max(style for _, style in shown) == 7
        assert min(style for _, style in shown) == 1
    size = page.locator(".cloud .s7").first.evaluate("tag => getComputedStyle(tag).fontSize")
    assert size == "54px"


def test_row_56_no_network_request_is_made(browser: Browser, tmp_path: Path) -> None:
    asked: list[str] = []
    page = opened(browser, cloud_of(THAI, "th", "ltr"), tmp_path, asked)
    page.locator(".chart").focus()
    for _ in range(12):
        page.keyboard.press("ArrowRight")
    page.locator(".cloud button").first.click()
    assert len(asked) == 1
    assert asked[0].startswith("file:")


def test_thai_marks_are_not_torn(browser: Browser, tmp_path: Path) -> None:
    """No tag begins with a mark that belongs to the letter before it, and no tag is broken over two lines."""
    page = opened(browser, cloud_of(THAI, "th", "ltr"), tmp_path, viewport={"width": 360, "height": 740})
    page.locator(".chart").focus()
    page.keyboard.press("End")
    for text, _ in tags(page):
        assert not re.match("[\u0e31\u0e33-\u0e3a\u0e47-\u0e4e]", text)
    heights = page.locator(".cloud button").evaluate_all("all => all.map(tag => tag.getClientRects().length)")
    assert set(heights) == {1}


def test_a_tag_shows_where_it_stands(browser: Browser, tmp_path: Path) -> None:
    page = opened(browser, cloud_of(THAI, "th", "ltr"), tmp_path)
    page.locator(".chart").focus()
    page.keyboard.press("End")
    page.get_by_role("button", name="โรงพยาบาล", exact=True).click()
    marks = page.locator(".where mark").all_inner_texts()
    assert marks == ["โรงพยาบาล"] * 3
    page.get_by_role("button", name="โรงพยาบาล", exact=True).click()
    assert page.locator(".where").is_hidden()


def test_persian_runs_from_right_to_left(browser: Browser, tmp_path: Path) -> None:
    page = opened(browser, cloud_of(PERSIAN, "fa", "rtl"), tmp_path)
    page.locator(".chart").focus()
    page.keyboard.press("End")
    first, second = (page.locator(".cloud button").nth(place).bounding_box() for place in (0, 1))
    assert first
    assert second
    assert first["x"] > second["x"]


def test_nothing_overflows_a_phone(browser: Browser, tmp_path: Path) -> None:
    page = opened(browser, cloud_of(THAI, "th", "ltr"), tmp_path, viewport={"width": 360, "height": 740})
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_the_chosen_cloud_is_saved_as_svg_and_png(browser: Browser, tmp_path: Path) -> None:
    page = opened(browser, cloud_of(THAI, "th", "ltr"), tmp_path)
    count = len(tags(page))
    with page.expect_download() as svg:
        page.locator("#svg").click()
    text = Path(svg.value.path()).read_text(encoding="utf-8")
    assert text.count("<text") == count
    with page.expect_download() as png:
        page.locator("#png").click()
    assert Path(png.value.path()).read_bytes().startswith(b"\x89PNG")


def test_hostile_text_stays_text(browser: Browser, tmp_path: Path) -> None:
    evil = "</script><script>document.title='owned'</script><img src=x onerror=alert(1)>"
    lists = keyword_lists({evil: 1.0, "\u2028<!--": 0.5, "\ud800": 0.2})
    page = opened(browser, render_cloud(lists, [PageText(evil, [])], Look(evil)), tmp_path)
    page.locator(".chart").focus()
    page.keyboard.press("End")
    assert tags(page)[0][0] == evil
    assert page.title() == evil


def test_it_reads_as_a_slider_and_a_list_of_buttons(browser: Browser, tmp_path: Path) -> None:
    page = opened(browser, published(), tmp_path)
    slider = page.get_by_role("slider", name="Number of keywords")
    assert slider.get_attribute("aria-valuetext") == "19 keywords at 50 %"
    assert page.get_by_role("list").get_by_role("button").count() == 19


def test_without_scripts_the_recommended_cloud_is_there(browser: Browser, tmp_path: Path) -> None:
    page = opened(browser, published(), tmp_path, java_script_enabled=False)
    assert len(tags(page)) == 19


def test_an_empty_text_gives_an_empty_cloud(browser: Browser, tmp_path: Path) -> None:
    page = opened(browser, published(keyword_lists({})), tmp_path)
    assert tags(page) == []
