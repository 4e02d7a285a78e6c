"""The text of a page is never longer than its source, whatever is nested in what and never closed."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from phasa.web.html import read_page
from phasa.web.url import Url

HERE = Url("http://a.example/")
SHAPES = {
    "anchors that are never closed": '<p><a name="x"><span class="m">คำ ',
    "links in links": '<a href="/x">word <p>',
    "formatting that is carried on": "<p>text <b><i><u>",
    "tables in tables": "<table><tr><td>word ",
    "lists in lists": "<ul><li>word ",
    "notes in notes": '<span class="note"><sup><a href="#n" title="a title">1</a></sup>',
    "headings in headings": "<h1><h2>word ",
    "pictures": '<img alt="a picture of something">',
    "choices": "<select><option>word ",
    "ruby": "<ruby>word<rt>ก",
}


@pytest.mark.parametrize("shape", SHAPES)
def test_what_is_never_closed_is_not_read_twice(shape: str) -> None:
    html = "<html><title>t</title><body>" + SHAPES[shape] * 2000
    page = read_page(html, HERE)
    assert len(page.text) <= len(html)
    assert sum(len(link.anchor) for link in page.links) <= len(html)


_NAMES = "p a b i div span table tr td ul li h1 font details summary section br nobr form option select svg math"
_TAGS = st.sampled_from(_NAMES.split())
_PIECE = st.one_of(
    _TAGS.map("<{}>".format),
    _TAGS.map("</{}>".format),
    st.sampled_from(["word ", "คำ", "&amp;", "&nbsp;", '<a href="/x">', '<img alt="x">', "<!-- -->"]),
)


@settings(max_examples=150, deadline=None)
@given(st.lists(_PIECE, max_size=12), st.integers(1, 40))
def test_no_markup_makes_a_page_longer(pieces: list[str], times: int) -> None:
    html = "".join(pieces) * times
    assert len(read_page(html, HERE).text) <= len(html)
