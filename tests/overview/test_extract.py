"""The default extractor on pages we wrote, and on pages nobody should write."""

from __future__ import annotations

import gc
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from resiliparse.parse.html import HTMLTree
from tests.overview.pages import article, news_page, persian_sentence, thai_sentence

from phasa.errors import InputError
from phasa.language.detectors import detect
from phasa.overview.evaluation import average, compare
from phasa.overview.extract import Method, extract, languages_of
from phasa.overview.extract.blocks import lay_out
from phasa.overview.extract.evidence import Evidence
from phasa.overview.extract.features import FEATURES, Draft, measure_pages
from phasa.overview.extract.judged import smooth
from phasa.overview.extract.page import MAX_DEPTH, MOST_TAGS, limit_depth, read_tree

METHODS = list(Method)


def test_easy_pages_are_extracted_nearly_whole_in_spaced_and_unspaced_scripts() -> None:
    random = Random(1)
    scores = []
    for number in range(12):
        paragraphs = article(random, thai=number % 2 == 0)
        content = extract(news_page(random, paragraphs, f"Title of story {number}"))
        scores.append(compare(content.text, paragraphs).scores())
    assert average(scores).f > 0.97


@pytest.mark.parametrize("sentence", [thai_sentence, persian_sentence])
def test_menus_comments_and_footers_are_left_out(sentence) -> None:  # type: ignore[no-untyped-def]
    random = Random(2)
    paragraphs = [" ".join(sentence(random) for _ in range(4)) for _ in range(8)]
    comments = [" ".join(sentence(random) for _ in range(2)) for _ in range(5)]
    html = (
        "<body><div class=navbar><ul>"
        + "".join(f"<li><a href=/{n}>{sentence(random)[:12]}</a></li>" for n in range(9))
        + "</ul></div><div class=content><h1>Title</h1>"
        + "".join(f"<p>{text}</p>" for text in paragraphs)
        + '</div><div class="comments"><ol class=comment-list>'
        + "".join(f"<li class=comment><div class=comment-body><p>{text}</p></div></li>" for text in comments)
        + "</ol></div><div class=footer>© 2012</div></body>"
    )
    text = extract(html).text
    assert all(paragraph in text for paragraph in paragraphs)
    assert not any(comment in text for comment in comments)
    assert "©" not in text


def test_a_text_that_stands_twice_in_different_places_is_given_once() -> None:
    random = Random(3)
    paragraphs = article(random)
    copy = "".join(f"<p>{paragraph}</p>" for paragraph in paragraphs)
    text = extract(f"<body><div class=desktop><h1>A title</h1>{copy}</div><div class=mobile>{copy}</div></body>").text
    assert all(text.count(paragraph) == 1 for paragraph in paragraphs)


def test_inline_tags_do_not_tear_words_and_line_breaks_are_kept() -> None:
    layout = lay_out(HTMLTree.parse("<p>un<b>break</b>able   word<br>next\nline<br><br>second</p><div>co\xadop</div>"))
    assert layout.texts == ["unbreakable word\nnext line", "second", "coop"]


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("one<!-- -->word", "oneword"),
        ("two <!-- no text --> words", "two words"),
        ("two  blanks", "two blanks"),
        ("a\u00a0firm\u2003blank", "a firm blank"),
        ("ends\n\tof lines ", "ends of lines"),
        ("soft\u00adhyphen", "softhyphen"),
        ("สวัสดี ครับ", "สวัสดี ครับ"),
    ],
)
def test_blanks_of_every_kind_are_one_blank_and_comments_none(html: str, text: str) -> None:
    assert lay_out(HTMLTree.parse(f"<p> {html}\n</p>")).texts == [text]


def test_a_menu_is_one_block_and_navigation_is_left_out() -> None:
    items = "".join(f"<li><a href=/{n}>Item {n}</a></li>" for n in range(5))
    layout = lay_out(HTMLTree.parse(f"<nav>Elsewhere</nav><ul>{items}</ul><p>Some text</p>"))
    assert layout.texts == ["Item 0\nItem 1\nItem 2\nItem 3\nItem 4", "Some text"]


def test_navigation_is_read_when_a_page_has_nothing_else() -> None:
    assert lay_out(HTMLTree.parse("<nav>Only this</nav>")).texts == ["Only this"]


def test_blocks_below_an_element_are_neighbours() -> None:
    layout = lay_out(HTMLTree.parse(news_page(Random(4), article(Random(4)), "Title")))
    for number, home in enumerate(layout.home):
        element = home
        while True:
            assert layout.first[element] <= number < layout.last[element]
            if element == 0:
                break
            element = layout.parent[element]


HTML = st.lists(
    st.sampled_from(
        ["<p>", "</p>", "<div class=x>", "</div>", "<a href=y>", "</a>", "<li>", "<br>", "<table><td>", "text "]
    )
    | st.text(max_size=8),
    max_size=30,
).map("".join)


@given(HTML)
@settings(max_examples=60)
def test_any_page_gives_one_finite_column_per_block(html: str) -> None:
    layout = lay_out(HTMLTree.parse(html))
    X = measure_pages([Draft(layout, Evidence("title", "a description", "a body"))])
    assert X.shape == (len(FEATURES), len(layout.texts))
    assert (abs(X) < 1e6).all()


@given(st.lists(HTML, min_size=2, max_size=5))
@settings(max_examples=40)
def test_pages_measured_together_are_measured_as_if_alone(pages: list[str]) -> None:
    evidence = Evidence("title", "a description", "a body")
    drafts = [Draft(lay_out(HTMLTree.parse(html)), evidence) for html in pages]
    alone = np.concatenate([measure_pages([draft]) for draft in drafts], axis=1)
    assert np.allclose(measure_pages(drafts), alone, atol=1e-5)


@given(st.lists(st.lists(st.floats(0, 1, width=32), max_size=6), min_size=1, max_size=5))
def test_chances_are_drawn_to_their_neighbours_on_the_same_page_only(pages: list[list[float]]) -> None:
    together = smooth(np.array([x for page in pages for x in page], dtype=np.float32), [len(page) for page in pages])
    alone = [smooth(np.array(page, dtype=np.float32), [len(page)]) for page in pages]
    assert np.allclose(together, np.concatenate(alone), atol=1e-5)
    assert np.all((together >= 0) & (together <= 1))


def test_a_doubtful_block_between_sure_ones_becomes_surer() -> None:
    chances = np.array([0.9, 0.5, 0.9, 0.1, 0.5, 0.1], dtype=np.float32)
    drawn = smooth(chances, [3, 3])
    assert drawn[1] > 0.5
    assert drawn[4] < 0.5


@given(HTML, st.sampled_from(METHODS))
@settings(max_examples=60)
def test_nothing_is_extracted_that_is_not_on_the_page(html: str, method: Method) -> None:
    everything = "".join("".join(node.split()) for node in [HTMLTree.parse(html).body.text])
    for element in extract(html, method=method).elements:
        for line in element.text.split("\n"):
            assert "".join(line.split()) in everything.replace("\xad", "") or "\x00" in html


@pytest.mark.parametrize("method", METHODS)
class TestPagesNobodyShouldWrite:
    """Must show 6: a clear result or a clear error, in time that does not grow faster than the page."""

    def test_an_empty_page_is_empty(self, method: Method) -> None:
        assert extract(b"", method=method).text == ""
        assert extract("<html><body></body></html>", method=method).elements == ()

    def test_a_page_with_one_leaf_gives_it(self, method: Method) -> None:
        assert extract("<p>All that there is to say here.</p>", method=method).text == "All that there is to say here."

    def test_a_hundred_thousand_nested_divs_do_not_hang(self, method: Method) -> None:
        assert extract("<div>" * 100_000 + "deep down", method=method).text == "deep down"

    def test_broken_markup_still_has_its_text(self, method: Method) -> None:
        html = "<html><body><p>First part of <b>the text<p>second part</i></table><div><<a href='x>third part"
        assert "First part of" in extract(html, method=method).text

    def test_five_megabytes_are_read(self, method: Method) -> None:
        paragraph = "<p>A sentence that is repeated very often, with a number. "
        html = "<body><div>" + "".join(f"{paragraph}{n}</p>" for n in range(70_000)) + "</div></body>"
        assert len(html) > 4_500_000
        assert extract(html, method=method).text.count("\n") > 60_000

    @pytest.mark.parametrize("body", [b"%PDF-1.7 \xff", b"\x89PNG\r\n\x1a\n", b"\x1f\x8b\x08", b"PK\x03\x04"])
    def test_what_is_no_page_is_refused_by_name(self, method: Method, body: bytes) -> None:
        with pytest.raises(InputError, match=r"not an HTML page|unpack"):
            extract(body, method=method)

    def test_noise_bytes_are_refused(self, method: Method) -> None:
        with pytest.raises(InputError, match="binary"):
            extract(bytes(Random(5).randrange(0, 32) for _ in range(5000)), method=method)

    def test_plain_text_is_its_own_content(self, method: Method) -> None:
        assert (
            extract("Just some words without any markup.", method=method).text == "Just some words without any markup."
        )


def test_a_page_that_is_one_form_has_content_by_the_default_method() -> None:
    random = Random(6)
    paragraphs = article(random)
    html = "<body><form id=aspnetForm>" + "".join(f"<p>{text}</p>" for text in paragraphs) + "</form></body>"
    assert compare(extract(html).text, paragraphs).scores().f > 0.99
    assert extract(html, method="thesis").text == ""  # as published: a form goes with all in it


def test_depth_is_limited_as_in_browsers_and_other_pages_are_untouched() -> None:
    deep = "<div>" * 15_000 + "x" + "</div>" * 15_000
    assert limit_depth(deep) == "<div>" * MAX_DEPTH + "x" + "</div>" * MAX_DEPTH
    flat = "<p>unclosed" * 10_000 + "<ul>" + "<li>item" * 10_000
    assert limit_depth(flat) == flat


def test_of_a_page_with_too_many_tags_the_first_part_is_read() -> None:
    tree = read_tree("<p>text" + "<b>x</b>" * MOST_TAGS + "<p>the end")
    assert tree.body is not None
    assert tree.body.text.startswith("text")
    assert "the end" not in tree.body.text


def test_what_is_opened_and_never_closed_does_not_multiply_the_page() -> None:
    html = "<b><i><p>text " * 40_000  # a browser repeats <b> and <i> in every paragraph
    for method in METHODS:
        assert 20_000 < extract(html, method=method).text.count("text") <= 40_000


def test_end_tags_in_attributes_do_not_hide_how_deep_a_page_is() -> None:
    limited = limit_depth('<div title="</div>">' * 20_000 + "x")
    assert limited.count("<div") <= MAX_DEPTH


def test_the_garbage_collector_is_as_it_was() -> None:
    for on in (True, False):
        (gc.enable if on else gc.disable)()
        try:
            extract("<p>All that there is to say here.</p>")
            assert gc.isenabled() is on
        finally:
            gc.enable()


def test_a_page_too_large_is_refused() -> None:
    with pytest.raises(InputError, match="20,000,000"):
        extract(b"x" * 20_000_001)


def test_thai_bytes_of_either_encoding_give_the_same_text() -> None:
    random = Random(7)
    html = "<meta charset={}><body>" + "".join(f"<p>{thai_sentence(random)}</p>" for _ in range(5)) + "</body>"
    old, new = extract(html.format("tis-620").encode("cp874")), extract(html.format("utf-8").encode())
    assert old.text == new.text
    assert old.language == "th"


THAI = "ประชาชนเดินทางไปตลาดน้ำในวันหยุดสุดสัปดาห์ที่ผ่านมา"
GERMAN = "Der Rat der Stadt hat am Montag über den neuen Haushalt beraten und ihn nicht beschlossen. " * 3
PERSIAN = "این یک متن فارسی است که برای آزمایش نوشته شده و چند کلمه دارد"


@pytest.mark.parametrize(
    ("text", "declared", "language"),
    [
        (THAI, "th", "th"),
        (THAI, "en-US", "th"),
        (GERMAN, "en", "de"),
        (GERMAN, "", "de"),
        (PERSIAN, "ar", "fa"),
        ("", "", "und"),
        ("2012", "en", "und"),  # templates declare English unasked
        ("2012", "th", "th"),
    ],
)
def test_the_text_tells_the_language_and_a_declaration_only_where_there_is_hardly_any(
    text: str, declared: str, language: str
) -> None:
    assert languages_of([(text, declared)]) == [language]


def test_the_language_of_a_page_is_that_of_the_detector_for_its_text() -> None:
    page = extract(f"<html lang=en><body><h1>Haushalt</h1><p>{GERMAN}</p><p>{GERMAN}</p></body></html>")
    assert page.language == detect(page.text).language == "de"


def test_a_language_that_the_caller_knows_is_not_asked_for_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("phasa.overview.extract.languages_of", lambda pages: pytest.fail("asked"))
    assert extract(f"<html><body><p>{GERMAN}</p></body></html>", language="gsw").language == "gsw"
