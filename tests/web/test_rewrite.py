"""Documents rewritten for replay: every address moves, and nothing else does."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from phasa.web.limits import Limits
from phasa.web.rewrite import rewrite_css, rewrite_html
from phasa.web.url import Url

PAGE = Url("http://a.example/folder/page.html")
AT = "/replay/2026~k/"
HERE = AT + "http://a.example/folder/"


def moved(html: str) -> str:
    return rewrite_html(html.encode(), PAGE, "text/html; charset=utf-8", AT, Limits())


@pytest.mark.parametrize(
    ("live", "replayed"),
    [
        ("<img src=x>", f'<img src="{HERE}x">'),
        ("<IMG SRC='x' alt=\"a > b\">", f'<IMG SRC="{HERE}x" alt="a &gt; b">'),
        ("<a href='//b.example/?q=1&amp;r=2'>", f'<a href="{AT}http://b.example/?q=1&amp;r=2">'),
        ("<a href='y#part'>", f'<a href="{HERE}y#part">'),
        ("<a href=#part>", '<a href="#part">'),
        ("<img src='data:image/png;base64,AA=='>", '<img src="data:image/png;base64,AA==">'),
        ("<img srcset='x 1x, y 2x'>", f'<img srcset="{HERE}x 1x, {HERE}y 2x">'),
        ("<p style='background:url(x)'>", f'<p style="background:url(&quot;{HERE}x&quot;)">'),
        ("<style>@import 'x'; p{b:url( y )}</style>", f'<style>@import "{HERE}x"; p{{b:url( "{HERE}y" )}}</style>'),
        ("<base href=/other/><img src=x>", f'<img src="{AT}http://a.example/other/x">'),
        ("<script src=x integrity=y crossorigin></script>", f'<script src="{HERE}x"></script>'),
        ("<br />", "<br />"),
    ],
)
def test_every_address_is_asked_for_in_the_archive(live: str, replayed: str) -> None:
    assert moved(live) == replayed


@pytest.mark.parametrize(
    "html",
    [
        "<link rel=preconnect href=//b.example/>",
        "<link rel='DNS-prefetch' href=//b.example/>",
        "<meta http-equiv=Refresh content='0; url=http://b.example/'>",
        "<meta http-equiv='Content-Security-Policy' content=\"default-src 'self'\">",
    ],
)
def test_what_reaches_out_or_was_meant_for_the_live_page_is_left_out(html: str) -> None:
    assert moved(f"a{html}b") == "ab"


def test_scripts_comments_and_text_stay_as_they_are() -> None:
    text = "<!-- <img src=x> --><script>var a = '<img src=x>';</script><textarea><a href=x></textarea>5 < 6 > 4"
    assert moved(text) == text


def test_thai_in_its_own_charset_becomes_utf_8() -> None:
    body = "<p>ภาษาไทย</p>".encode("cp874")
    assert rewrite_html(body, PAGE, "text/html; charset=windows-874", AT, Limits()) == "<p>ภาษาไทย</p>"


def test_a_style_sheet_is_rewritten_by_its_own_address() -> None:
    sheet = b"@import url(more.css); a { b: url('../x.png'); c: url(data:x) }"
    found = rewrite_css(sheet, Url("http://b.example/css/a.css"), "text/css", AT, Limits())
    assert found == (
        f'@import url("{AT}http://b.example/css/more.css"); '
        f'a {{ b: url("{AT}http://b.example/x.png"); c: url("data:x") }}'
    )


@given(st.text("<>a=\"' /-!srcimgstyle\n", max_size=300))
def test_any_text_gives_some_document(text: str) -> None:
    moved(text)
