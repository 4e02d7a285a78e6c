"""Single Page Extraction beside the published, plain form of its block detection."""

from __future__ import annotations

from random import Random

from hypothesis import given
from hypothesis import strategies as st
from resiliparse.parse.html import HTMLTree
from tests.overview.pages import article, news_page

from phasa.overview.evaluation import average, compare
from phasa.overview.extract import extract
from phasa.overview.extract.thesis import Rules, detect_blocks, extract_elements
from phasa.overview.match import Frequencies

WORDS = st.sampled_from(["some text", "ข้อความ", "a", "longer text that says something"])
TREES = st.recursive(
    WORDS,
    lambda inner: (
        st.builds(
            lambda tag, children: f"<{tag}>{''.join(children)}</{tag}>",
            st.sampled_from(["div", "span", "b", "ul", "section"]),
            st.lists(inner, max_size=4),
        )
        | st.builds(lambda text: f"<a href=x>{text}</a>", WORDS)
    ),
    max_leaves=25,
)


def plain_blocks(leaves: list[tuple[str, int, bool]]) -> dict[str, list[int]]:
    """Block detection by the XPath strings of the leaves, as §4.3 writes it."""
    blocks: dict[str, list[int]] = {}
    for xpath, length, is_anchor in leaves:
        path = xpath
        while path != "/html[1]/body[1]":
            path = path.rpartition("/")[0]
            block = blocks.setdefault(path, [0, 0, 0, 0])
            for place, amount in enumerate((1, int(is_anchor), length, length * is_anchor)):
                block[place] += amount
    return blocks


@given(TREES)
def test_running_sums_equal_the_published_form(tree: str) -> None:
    found = detect_blocks(HTMLTree.parse(f"<body>{tree}</body>"))
    plain = plain_blocks([(found.leaf_xpath(leaf), len(leaf.text), leaf.is_anchor) for leaf in found.leaves])
    assert {found.xpath(block.element): list(block[1:5]) for block in found.blocks} == plain


@given(TREES)
def test_the_group_of_a_leaf_is_its_deepest_block_with_two_leaves(tree: str) -> None:
    found = detect_blocks(HTMLTree.parse(f"<body>{tree}</body>"))
    for leaf, block in zip(found.leaves, found.group, strict=True):
        xpath = found.leaf_xpath(leaf)
        above = [b for b in found.blocks if b.all_elements > 1 and xpath.startswith(found.xpath(b.element) + "/")]
        assert block == max(above, key=lambda b: len(found.xpath(b.element)), default=None)


def test_a_page_with_one_leaf_keeps_it() -> None:
    assert [e.text for e in extract_elements(HTMLTree.parse("<body><div><p>All there is</p></div></body>"))] == [
        "All there is"
    ]


def test_an_empty_page_has_no_elements() -> None:
    assert extract_elements(HTMLTree.parse("")) == []


def test_easy_templates_reach_the_published_figure() -> None:
    random = Random(7)
    scores = []
    for number in range(20):
        title, paragraphs = f"Title of story number {number}", article(random, thai=number % 2 == 0)
        content = extract(news_page(random, paragraphs, title), method="thesis")
        scores.append(compare(content.text, [title, *paragraphs]).scores())
    site = average(scores)
    assert site.recall > 0.999
    assert site.f >= 0.96


def test_matching_lifts_pages_with_template_noise() -> None:
    random = Random(8)
    pages = []
    for number in range(15):
        title, paragraphs = f"Title of story number {number}", article(random, paragraphs=2)
        pages.append((news_page(random, paragraphs, title, template_noise=True), [title, *paragraphs]))
    extracted = [(list(extract(page, method="thesis").elements), gold) for page, gold in pages]
    single = average(compare("\n".join(e.text for e in elements), gold).scores() for elements, gold in extracted)
    frequencies = Frequencies()
    for elements, _ in extracted:
        frequencies.add(element.text for element in elements)
    matched = [(frequencies.clean(elements), gold) for elements, gold in extracted]
    multi = average(compare("\n".join(e.text for e in kept), gold).scores() for kept, gold in matched)
    assert multi.recall == single.recall
    assert multi.precision > single.precision
    assert multi.f > 0.99


@given(st.lists(st.lists(st.sampled_from("abcdef"), max_size=5), max_size=12))
def test_matching_never_adds_and_is_independent_of_page_order(pages: list[list[str]]) -> None:
    forward, backward = Frequencies(), Frequencies()
    for page in pages:
        forward.add(page)
    for page in reversed(pages):
        backward.add(page)
    assert [forward.is_noise(letter) for letter in "abcdef"] == [backward.is_noise(letter) for letter in "abcdef"]


def test_other_rules_are_taken_from_the_settings() -> None:
    html = "<body><p>abcd</p><p>abcdefgh</p></body>"
    assert [e.text for e in extract_elements(HTMLTree.parse(html), Rules(min_text_length_exclusive=5))] == ["abcdefgh"]
