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
    return render_cloud(lists or table_5_4(), [PageText("page", [])], Look("Table 5.4", theme="published"))


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
    assert marks == ["โรงพยาบาล"] * 2
    page.get_by_role("button", name="โรงพยาบาล", exact=True).click()
    assert page.locator(".where mark").count() == 0
    assert page.locator(".where").inner_text() == "เลือกคำเพื่อดูว่าอยู่ที่ใดในเนื้อหา"


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
    assert tags(page)[0][0] == evil
    assert page.title() == evil


def test_it_reads_as_a_slider_and_a_list_of_buttons(browser: Browser, tmp_path: Path) -> None:
    page = opened(browser, published(), tmp_path)
    slider = page.get_by_role("slider", name="Number of words")
    assert slider.get_attribute("aria-valuetext") == "19 keywords at 50 %"
    assert page.get_by_role("list").get_by_role("button").count() == 19


def test_without_scripts_the_recommended_cloud_is_there(browser: Browser, tmp_path: Path) -> None:
    page = opened(browser, published(), tmp_path, java_script_enabled=False)
    assert len(tags(page)) == 19


@pytest.mark.parametrize("theme", ["calm", "published"])
def test_an_empty_text_gives_an_empty_cloud(browser: Browser, tmp_path: Path, theme: str) -> None:
    html = render_cloud(keyword_lists({}), [PageText("page", [])], Look("Nothing", theme=theme))
    assert tags(opened(browser, html, tmp_path)) == []


# ---- the calm theme

MANY = {f"word{chr(97 + n // 26)}{chr(97 + n % 26)}": 1 / (n + 1) for n in range(600)}


def calm(language: str = "en", direction: str = "ltr") -> str:
    """Six hundred words, on pages of two sites in two months."""
    terms = Terms("en")
    pages = [
        PageText("http://one.example/a", [terms.passage(" ".join(MANY))], "2026-01-04"),
        PageText("http://two.example/b", [terms.passage("wordaa wordaa wordab")], "2026-02"),
        PageText("http://two.example/c", [terms.passage("wordab")], "2026-02-11"),
    ]
    return render_cloud(keyword_lists(MANY), pages, Look("Many", language, direction))


def places(page: Page) -> dict[str, tuple[str, str]]:
    """Size and colour of every word that is shown."""
    look = "all => all.map(b => [b.textContent, getComputedStyle(b).fontSize, getComputedStyle(b).color])"
    return {name: (size, colour) for name, size, colour in page.locator(".cloud button").evaluate_all(look)}


def test_a_calm_cloud_opens_with_fifty_words_of_many_sizes(browser: Browser, tmp_path: Path) -> None:
    page = opened(browser, calm(), tmp_path)
    shown = places(page)
    assert len(shown) == 50
    assert len({size for size, _ in shown.values()}) >= 8
    assert page.locator(".said").inner_text() == "50 words"
    assert page.locator(".share").inner_text() == "the top 8 % of all weights"


def test_a_word_keeps_size_colour_and_order_when_the_control_moves(browser: Browser, tmp_path: Path) -> None:
    page = opened(browser, calm(), tmp_path)
    before = places(page)
    page.locator(".chart").focus()
    page.keyboard.press("ArrowRight")
    after = places(page)
    assert len(after) == 60
    assert {name: after[name] for name in before} == before
    assert [name for name in after if name in before] == list(before)


def luminance(colour: str) -> float:
    parts = [int(part) / 255 for part in re.findall(r"\d+", colour)[:3]]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_tone_is_readable_on_light_and_dark(browser: Browser, tmp_path: Path, scheme: str) -> None:
    page = opened(browser, calm(), tmp_path, color_scheme=scheme)
    page.locator(".chart").focus()
    page.keyboard.press("End")
    paper = luminance(page.locator(".overview").evaluate("it => getComputedStyle(it).backgroundColor"))
    tones = {colour for _, colour in places(page).values()}
    assert len(tones) == 5
    for tone in map(luminance, tones):
        assert (max(tone, paper) + 0.05) / (min(tone, paper) + 0.05) >= 4.5


def test_a_word_tells_its_pages_sites_and_months_beside_the_cloud(browser: Browser, tmp_path: Path) -> None:
    page = opened(browser, calm(), tmp_path, viewport={"width": 1280, "height": 900})
    page.get_by_role("button", name="wordaa", exact=True).click()
    beside, cloud = page.locator(".where").bounding_box(), page.locator(".cloud").bounding_box()
    assert beside
    assert cloud
    assert beside["x"] >= cloud["x"] + cloud["width"]
    assert page.locator(".where .times").inner_text() == "occurrences: 3, pages: 2, sites: 2"
    assert page.locator(".where .sites li").all_inner_texts() == ["two.example 2", "one.example 1"]
    assert page.locator(".where .course").get_attribute("aria-label") == "2026-01: 1, 2026-02: 2"
    assert page.locator(".where mark").count() == 3
    page.keyboard.press("Escape")
    assert page.locator(".where mark").count() == 0


def test_a_long_word_is_set_smaller_and_never_broken(browser: Browser, tmp_path: Path) -> None:
    word = "พระราชกำหนดการบริหารราชการในสถานการณ์ฉุกเฉิน"
    lists = keyword_lists({word: 1.0, "บ้าน": 0.5})
    page = opened(
        browser,
        render_cloud(lists, [PageText("p", [])], Look("ยาว", "th")),
        tmp_path,
        viewport={"width": 390, "height": 800},
    )
    button = page.locator(".cloud button").first
    assert len(button.evaluate("b => [...b.getClientRects()]")) == 1
    assert button.evaluate("b => b.scrollWidth <= b.clientWidth + 1 && b.clientHeight < 60")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_persian_numbers_are_written_in_persian_digits(browser: Browser, tmp_path: Path) -> None:
    page = opened(browser, calm("fa", "rtl"), tmp_path)
    assert page.locator(".said").inner_text() == "۵۰ واژه"
    assert "۶۰۰" in page.locator(".facts").inner_text()
    assert "۵۰" in page.locator(".chart text").all_text_contents()


def test_a_context_does_not_begin_within_a_letter(browser: Browser, tmp_path: Path) -> None:
    text = "ที่" * 40 + " โรงพยาบาล"
    passage = Terms("th").passage(text)
    lists = keyword_lists({"โรงพยาบาล": 1.0})
    page = opened(browser, render_cloud(lists, [PageText("p", [passage])], Look("t", "th")), tmp_path)
    page.locator(".cloud button").first.click()
    assert re.match("…[ก-ฮ]", page.locator(".where li").first.inner_text())


def test_a_dark_cloud_is_saved_on_its_own_paper_and_printed_on_white(browser: Browser, tmp_path: Path) -> None:
    page = opened(browser, calm(), tmp_path, color_scheme="dark")
    with page.expect_download() as svg:
        page.locator("#svg").click()
    assert 'fill="rgb(20, 24, 31)"' in Path(svg.value.path()).read_text(encoding="utf-8")
    page.emulate_media(media="print")
    paper = page.locator(".overview").evaluate("it => getComputedStyle(it).backgroundColor")
    assert paper == "rgb(255, 255, 255)"
    assert all(luminance(colour) < 0.2 for _, colour in places(page).values())
    assert page.locator(".chart").is_hidden()


@pytest.mark.parametrize("theme", ["calm", "published"])
def test_a_word_that_no_font_can_show_is_left_out(browser: Browser, tmp_path: Path, theme: str) -> None:
    lists = keyword_lists({"harbour": 3.0, "\u0378\u0379": 2.0, "lantern": 1.0}, least=1)
    page = opened(browser, render_cloud(lists, [PageText("page", [])], Look("Words", theme=theme, target=3)), tmp_path)
    assert page.locator(".cloud button").all_inner_texts() == ["harbour", "lantern"]


def test_numbers_beside_a_persian_word_are_persian(browser: Browser, tmp_path: Path) -> None:
    page = opened(browser, cloud_of(PERSIAN, "fa", "rtl"), tmp_path)
    page.locator(".cloud button").first.click()
    style = page.locator(".where ol").evaluate("list => getComputedStyle(list).listStyleType")
    assert style == "persian"
    assert "%" not in page.locator(".chart").inner_text()
