"""What documents need to be seen: every way in which HTML and CSS name it, and what is no requisite."""

from __future__ import annotations

import time

import pytest

from phasa.web.body import read_body, read_needs
from phasa.web.limits import Limits
from phasa.web.requisites import named_in_css, srcset
from phasa.web.url import Url

PAGE = Url("http://a.example/folder/page.html")
LIMITS = Limits()


def needs(html: str, limits: Limits = LIMITS) -> list[str]:
    read = read_body(html.encode(), "", PAGE, "text/html; charset=utf-8", None, limits, True, requisites=True)
    assert read.page is not None
    return [url.removeprefix("http://a.example/folder/") for url in read.page.needs]


@pytest.mark.parametrize(
    "html",
    [
        "<img src=x>",
        "<img srcset='x 2x'>",
        "<picture><source srcset='x 100w'><img></picture>",
        "<link rel=stylesheet href=x>",
        "<link rel='shortcut icon' href=x>",
        "<link rel=preload as=font href=x>",
        "<script src=x></script>",
        "<iframe src=x></iframe>",
        "<embed src=x>",
        "<object data=x></object>",
        "<video poster=x></video>",
        "<input type=image src=x>",
        "<body background=x>",
        "<table><tr><td background=x>",
        "<p style='background: url(x)'>",
        "<style>@import 'x'; </style>",
        '<style>@font-face { src: url( "x" ) }</style>',
        "<svg><image href=x /></svg>",
    ],
)
def test_every_way_to_name_a_requisite_is_found(html: str) -> None:
    assert needs(f"<html><body><p>words</p>{html}") == ["x"]


@pytest.mark.parametrize(
    "html",
    [
        "<a href=x>",
        "<link rel=next href=x>",
        "<link rel=alternate href=x>",
        "<img src='data:image/gif;base64,xx'>",
        "<img src=#here>",
        "<img src='javascript:x()'>",
        "<video src=x></video>",
        "<style>/* url(x) */</style>",
        "<template><img src=x></template>",
    ],
)
def test_what_is_no_requisite_is_not_taken_for_one(html: str) -> None:
    assert needs(f"<html><body><p>words</p>{html}") == []


def test_addresses_are_made_whole_with_the_base_and_named_once() -> None:
    assert needs("<base href=/other/><img src=x><img src=x><img src=../y>") == [
        "http://a.example/other/x",
        "http://a.example/y",
    ]


def test_requisites_are_not_looked_for_unless_they_are_wanted() -> None:
    read = read_body(b"<img src=x>", "", PAGE, "text/html", None, LIMITS, True)
    assert read.page is not None
    assert read.page.needs == []


def test_srcset_has_commas_inside_and_between_addresses() -> None:
    assert srcset("a,b.png 1x, c.png 2x,\n d.png") == ["a,b.png", "c.png", "d.png"]
    assert srcset("") == []


def test_a_style_sheet_names_sheets_pictures_and_fonts() -> None:
    sheet = b"""@import url("more.css"); @import 'print.css' print; /* url(no.png)
    */ body { background: URL( bg.png ) } @font-face { src: url('f.woff2') format('woff2'), url(data:x) }"""
    found = read_needs(sheet, "", Url("http://a.example/css/main.css"), "text/css; charset=utf-8", LIMITS)
    assert found == [f"http://a.example/css/{name}" for name in ("more.css", "print.css", "bg.png", "f.woff2")]


def test_pictures_and_scripts_need_nothing() -> None:
    assert read_needs(b"url(x)", "", PAGE, "image/png", LIMITS) == []
    assert read_needs(b"url(x)", "", PAGE, "text/javascript", LIMITS) == []


def test_so_many_requisites_and_no_more() -> None:
    many = "".join(f"<img src={number}>" for number in range(100))
    assert len(needs(many, Limits(links_per_page=10))) == 10


@pytest.mark.parametrize("bad", ["/*", "url(", "url( ", "url(' ", "@import ", "@import '", 'url("', " "])
def test_a_style_sheet_without_end_takes_time_in_proportion(bad: str) -> None:
    def spent(times: int) -> float:
        begun = time.process_time()
        named_in_css("url(" + bad * times, PAGE, LIMITS)
        return time.process_time() - begun

    # Quadratic work on the long one would take minutes; ten times is for a machine with other things to do.
    assert spent(200_000) < 5 + 10 * spent(20_000)
