"""The rows of specs/content-overview.md §9 and the golden tests of §10 that concern extraction and matching."""

from __future__ import annotations

from random import Random

import pytest
from resiliparse.parse.html import HTMLTree
from tests.overview.pages import article, news_page

from phasa.overview.evaluation import Lengths, Scores, average, compare
from phasa.overview.extract import extract
from phasa.overview.extract.content import Element
from phasa.overview.extract.thesis import (
    Block,
    Blocks,
    Rules,
    detect_blocks,
    extract_elements,
    select,
)
from phasa.overview.match import Frequencies
from phasa.overview_choices import FormPolicy, Logic


def texts(html: str, rules: Rules | None = None) -> list[str]:
    return [element.text for element in extract_elements(HTMLTree.parse(html), rules or Rules())]


def block_at(found: Blocks, xpath: str) -> Block:
    return next(block for block in found.blocks if found.xpath(block.element) == xpath)


def leaf_texts(html: str, rules: Rules | None = None) -> list[str]:
    return [leaf.text for leaf in detect_blocks(HTMLTree.parse(html), rules or Rules()).leaves]


def test_row_08_only_the_body_is_used() -> None:
    assert texts("<title>Never this</title><body><p>Only this text</p><p>and this</p></body>") == [
        "Only this text",
        "and this",
    ]


@pytest.mark.parametrize("style", ["display:none", "DISPLAY : NONE", "color:red; display: none;"])
def test_row_09_hidden_elements_go_with_all_below_them(style: str) -> None:
    html = f'<body><p>seen text</p><div style="{style}"><p>hidden <b>deep</b></p></div><p>more text</p></body>'
    assert leaf_texts(html) == ["seen text", "more text"]


@pytest.mark.parametrize(
    "node",
    [
        "<script>var noise = 1</script>",
        "<noscript>noise</noscript>",
        "<embed src=noise>",
        "<object>noise</object>",
        "<img alt=noise src=x>",
        "<style>noise {}</style>",
        "<!-- noise -->",
        "<form>noise<input value=noise></form>",
        "<p> \n\t </p>",
    ],
)
def test_row_10_excluded_nodes_and_blank_text_leave_nothing(node: str) -> None:
    assert leaf_texts(f"<body><p>kept one</p>{node}<p>kept two</p></body>") == ["kept one", "kept two"]


def test_row_10_form_policy_tag_only_keeps_what_stands_in_the_form() -> None:
    html = "<body><form><p>inside the form</p></form><p>outside it</p></body>"
    assert leaf_texts(html, Rules(form_policy=FormPolicy.TAG_ONLY)) == ["inside the form", "outside it"]
    assert leaf_texts(html, Rules(form_policy=FormPolicy.SUBTREE)) == ["outside it"]


def test_row_11_and_golden_11_xpath_counts_from_one_per_name() -> None:
    html = "<html><body><p>before <a href=x>first</a> <a href=y>second</a></p><p>next</p></body></html>"
    found = detect_blocks(HTMLTree.parse(html))
    assert [found.leaf_xpath(leaf) for leaf in found.leaves] == [
        "/html[1]/body[1]/p[1]/#text[1]",
        "/html[1]/body[1]/p[1]/a[1]/#text[1]",
        "/html[1]/body[1]/p[1]/a[2]/#text[1]",
        "/html[1]/body[1]/p[2]/#text[1]",
    ]


def test_row_12_entities_are_decoded() -> None:
    assert leaf_texts("<body><p>Marks &amp; Spencer &copy; &#3585;</p></body>") == ["Marks & Spencer © ก"]


@pytest.mark.parametrize("footer", ["Copyright 2012 us", "© us", "Powered by us", "COPYRIGHT us", "&copy; us"])
def test_row_13_footers_are_dropped(footer: str) -> None:
    assert texts(f"<body><p>key content</p><p>{footer}</p><p>more content</p></body>") == [
        "key content",
        "more content",
    ]


def test_row_14_text_deep_inside_a_link_is_anchor_text() -> None:
    leaves = detect_blocks(HTMLTree.parse("<body><a href=x><b>bold link</b></a><b>bold</b></body>")).leaves
    assert [leaf.is_anchor for leaf in leaves] == [True, False]


FOUR_LEAVES = (
    f"<body><div><a href=1>{'a' * 10}</a><a href=2>{'b' * 10}</a><i>{'c' * 20}</i><p>{'d' * 60}</p></div>"
    "<p>outside!</p></body>"
)


def test_row_15_four_counts_per_block_up_to_the_body() -> None:
    found = detect_blocks(HTMLTree.parse(FOUR_LEAVES))
    table = {found.xpath(block.element): block[1:5] for block in found.blocks}
    assert table == {
        "/html[1]/body[1]": (5, 2, 108, 20),
        "/html[1]/body[1]/div[1]": (4, 2, 100, 20),
        "/html[1]/body[1]/div[1]/a[1]": (1, 1, 10, 10),
        "/html[1]/body[1]/div[1]/a[2]": (1, 1, 10, 10),
        "/html[1]/body[1]/div[1]/i[1]": (1, 0, 20, 0),
        "/html[1]/body[1]/div[1]/p[1]": (1, 0, 60, 0),
        "/html[1]/body[1]/p[1]": (1, 0, 8, 0),
    }


def test_row_16_and_golden_14_anchor_ratio() -> None:
    block = block_at(detect_blocks(HTMLTree.parse(FOUR_LEAVES)), "/html[1]/body[1]/div[1]")
    assert block.anr == 0.5
    assert block.atr == 0.2
    assert block.ar == pytest.approx(0.275, abs=1e-12)


def test_row_17_every_leaf_has_the_lowest_block_above_it() -> None:
    found = detect_blocks(HTMLTree.parse("<body><div><p>alone</p><p>two <b>parts</b></p></div><p>last</p></body>"))
    assert [
        (leaf.text, block and found.xpath(block.element)) for leaf, block in zip(found.leaves, found.group, strict=True)
    ] == [
        ("alone", "/html[1]/body[1]/div[1]"),
        ("two", "/html[1]/body[1]/div[1]/p[2]"),
        ("parts", "/html[1]/body[1]/div[1]/p[2]"),
        ("last", "/html[1]/body[1]"),
    ]


def test_row_18_text_must_be_longer_than_two_characters() -> None:
    assert texts("<body><p>ab</p><p>abc</p><p>กา</p><p>กาก</p></body>") == ["abc", "กาก"]


def test_row_19_an_anchor_ratio_of_exactly_sixty_percent_is_too_much() -> None:
    # ATR = 0.6 and ANR = 0.6 give AR = 0.6: three of five leaves of ten characters are links.
    links = "".join(f"<a href={n}>{'x' * 10}</a>" for n in range(3))
    html = f"<body><div>{links}<b>{'y' * 10}</b><i>{'z' * 10}</i></div><p>tail text</p></body>"
    found = detect_blocks(HTMLTree.parse(html))
    block = block_at(found, "/html[1]/body[1]/div[1]")
    assert block.ar == pytest.approx(0.6, abs=1e-12)
    assert "y" * 10 not in [element.text for element in select(found)]
    assert "y" * 10 in [element.text for element in select(found, Rules(max_anchor_ratio=0.61))]


def test_row_20_the_title_rule_under_both_connectives() -> None:
    # Two links and a short text: AR is high, but with fewer than three links among three leaves it may be a title.
    title = "<div><a href=1>long linked title words</a><b>by me</b><a href=2>long linked section words</a></div>"
    paragraph = "<div>" + "".join(f"<a href={n}>ln{n}</a>" for n in range(4)) + f"<p>{'word ' * 60}</p></div>"
    html = f"<body>{title}{paragraph}</body>"
    either, both = texts(html), texts(html, Rules(logic=Logic.AND))
    assert "by me" in either
    assert any(text.startswith("word") for text in either)
    assert both == []


def test_row_21_document_order_is_kept() -> None:
    elements = extract_elements(HTMLTree.parse(news_page(Random(3), article(Random(3)), "A title of words")))
    assert [element.order for element in elements] == sorted(element.order for element in elements)


TABLE_3_1 = [
    ((2739, 2697, 0), (98.47, 100.0, 99.23)),
    ((1944, 1902, 0), (97.84, 100.0, 98.91)),
    ((1627, 1585, 0), (97.42, 100.0, 98.69)),
]


@pytest.mark.parametrize(("lengths", "published"), TABLE_3_1)
def test_row_22_and_golden_01_table_3_1(lengths: tuple[int, int, int], published: tuple[float, float, float]) -> None:
    page = Lengths(*lengths)
    assert tuple(round(100 * figure, 2) for figure in page.scores()) == published
    assert page.noise == 42


def test_golden_02_a_site_is_the_mean_of_its_pages() -> None:
    site = average(Lengths(*lengths).scores() for lengths, _ in TABLE_3_1)
    assert (round(100 * site.precision, 2), round(100 * site.f, 2)) == (97.91, 98.94)


def test_row_22_lengths_are_without_blanks() -> None:
    assert compare("a b\nc d e f g h i j", "abcdefghij") == Lengths(10, 10, 0)


TABLE_3_3 = [
    (94.50, 97.17, 100, 100),
    (82.11, 90.18, 98.75, 99.37),
    (77.50, 87.32, 100, 100),
    (77.37, 87.24, 100, 100),
    (91.52, 95.57, 100, 100),
    (83.45, 90.98, 100, 100),
    (86.16, 92.56, 100, 100),
    (90.43, 94.97, 100, 100),
    (91.55, 95.59, 100, 100),
    (66.38, 79.79, 100, 100),
    (61.35, 76.04, 100, 100),
    (77.84, 87.54, 100, 100),
    (78.80, 88.15, 100, 100),
    (86.19, 92.58, 99.08, 99.54),
    (77.51, 87.33, 100, 100),
]


def test_golden_03_table_3_3_averages() -> None:
    single = average(Scores(p / 100, 1.0, f / 100) for p, f, _, _ in TABLE_3_3)
    multi = average(Scores(p / 100, 1.0, f / 100) for _, _, p, f in TABLE_3_3)
    assert (round(100 * single.precision, 2), round(100 * single.f, 2)) == (81.51, 89.53)
    assert (round(100 * multi.precision, 2), round(100 * multi.f, 2)) == (99.86, 99.93)


SANOOK = [
    (20.77, 100.00, 34.39, 44.97, 100.00, 62.04),
    (55.29, 100.00, 71.21, 86.10, 100.00, 92.53),
    (21.56, 100.00, 35.47, 36.45, 100.00, 53.43),
    (32.19, 100.00, 48.71, 49.82, 100.00, 66.50),
    (14.20, 100.00, 24.86, 34.17, 100.00, 50.94),
    (16.79, 100.00, 28.76, 31.01, 100.00, 47.34),
    (96.30, 100.00, 98.12, 98.73, 100.00, 99.36),
    (13.35, 100.00, 23.55, 37.75, 100.00, 54.81),
    (24.58, 82.56, 37.88, 90.13, 82.56, 86.18),
    (27.80, 100.00, 43.50, 76.52, 100.00, 86.70),
]
MTHAI = [
    (83.85, 100.00, 91.22, 93.62, 99.02, 96.25),
    (14.95, 100.00, 26.01, 29.10, 99.01, 44.98),
    (26.18, 100.00, 41.50, 31.67, 98.93, 47.98),
    (84.19, 100.00, 91.41, 95.20, 99.02, 97.07),
    (15.40, 100.00, 26.69, 21.36, 98.76, 35.12),
    (14.69, 100.00, 25.62, 22.49, 98.78, 36.64),
    (14.68, 100.00, 25.61, 44.76, 99.37, 61.72),
    (29.45, 100.00, 45.50, 77.37, 99.12, 86.91),
    (21.09, 100.00, 34.83, 33.82, 99.20, 50.44),
    (80.14, 100.00, 88.98, 96.71, 95.20, 95.95),
]


@pytest.mark.parametrize(
    ("rows", "single", "multi"),
    [
        (SANOOK, (32.28, 98.26, 44.65), (58.57, 98.26, 69.98)),
        (MTHAI, (38.46, 100.00, 49.74), (54.61, 98.64, 65.31)),
    ],
)
def test_golden_04_and_row_60_appendix_b_averages_of_the_portals(
    rows: list[tuple[float, ...]], single: tuple[float, ...], multi: tuple[float, ...]
) -> None:
    # abs=0.006: the mean of the printed F of Sanook is 44.645
    assert tuple(average(Scores(*row[:3]) for row in rows)) == pytest.approx(single, abs=0.006)
    assert tuple(average(Scores(*row[3:]) for row in rows)) == pytest.approx(multi, abs=0.006)


def elements_of(*texts: str) -> list[Element]:
    return [Element(f"/p[{number}]", text, number) for number, text in enumerate(texts)]


def test_row_23_an_element_counts_once_per_page() -> None:
    frequencies = Frequencies()
    frequencies.add(["vote", "vote", "vote"])
    assert frequencies.of("vote") == 1


def test_row_24_a_unique_element_is_kept_and_a_shared_one_dropped_among_five_pages() -> None:
    frequencies = Frequencies()
    for number in range(5):
        frequencies.add([f"story {number}", "vote"] if number < 2 else [f"story {number}"])
    assert frequencies.clean(elements_of("story 1", "vote")) == elements_of("story 1")


def test_row_24_two_of_a_hundred_pages_are_below_three_percent() -> None:
    frequencies = Frequencies()
    for number in range(100):
        frequencies.add(["two", "three"] if number < 2 else ["three"] if number < 3 else ["other"])
    assert not frequencies.is_noise("two")
    assert frequencies.is_noise("three")


def test_row_25_matching_only_removes() -> None:
    random = Random(5)
    pages = [news_page(random, article(random), f"Title number {n}", template_noise=True) for n in range(6)]
    single = [extract(page, method="thesis").elements for page in pages]
    frequencies = Frequencies()
    for elements in single:
        frequencies.add(element.text for element in elements)
    for elements in single:
        kept = frequencies.clean(elements)
        assert set(kept) < set(elements)
