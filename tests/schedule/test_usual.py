"""The prior of a page: its host, its segment, its kind and depth."""

from __future__ import annotations

import pytest

from phasa.schedule.usual import FIRST, Place, Usual, drawn, place_of

DAY = 86_400.0


@pytest.mark.parametrize(
    ("url", "place"),
    [
        ("http://a.example/", Place("a.example", "a.example", "home")),
        ("https://a.example/news/", Place("a.example", "a.example/news", "list 1")),
        ("http://a.example/news/index.html", Place("a.example", "a.example/news", "list 1")),
        ("http://a.example/x.html", Place("a.example", "a.example", "page 0")),
        ("http://a.example/a/b/c/d/e/x", Place("a.example", "a.example/a", "page 3")),
        ("http://a.example/show?p=1/2/", Place("a.example", "a.example", "query 0")),
        ("http://a.example/?p=1", Place("a.example", "a.example", "query 0")),
    ],
)
def test_what_an_address_says(url: str, place: Place) -> None:
    assert place_of(url) == place


def test_before_anything_is_known_a_page_changes_once_a_month() -> None:
    assert Usual().rate("http://a.example/") == FIRST


def test_a_page_seen_once_has_the_rate_of_its_host_and_segment() -> None:
    often = [(f"http://news.example/live/{n}", 300.0, 300 * DAY) for n in range(20)]
    rarely = [(f"http://news.example/about/{n}", 0.0, 300 * DAY) for n in range(20)]
    never = [(f"http://law.example/act/{n}", 0.0, 300 * DAY) for n in range(20)]
    usual = Usual([*often, *rarely, *never])
    live, about, new, law = (
        usual.rate(f"http://{name}") * DAY
        for name in ("news.example/live/x", "news.example/about/x", "news.example/y/x", "law.example/act/x")
    )
    assert live == pytest.approx(1.0, rel=0.2)
    assert about < 0.2
    assert 0.3 < new < 0.7
    assert law < 0.001


def test_a_kind_of_page_counts_on_a_host_of_which_nothing_is_known() -> None:
    homes = [(f"http://h{n}.example/", 20.0, 20 * DAY) for n in range(30)]
    deep = [(f"http://h{n}.example/a/b/c/{m}", 0.2, 20 * DAY) for n in range(30) for m in range(5)]
    usual = Usual([*homes, *deep])
    home, page = (usual.rate(f"http://new.example/{path}") for path in ("", "a/b/c/1"))
    assert home > 9 * page


def test_a_kind_is_no_more_than_ten_times_as_quick() -> None:
    usual = Usual([("http://a.example/", 1e6, DAY), *((f"http://a.example/x/{n}", 0.0, 1e4 * DAY) for n in range(99))])
    new = usual.at(Place("b.example", "b.example", "home"))
    assert new == pytest.approx(10 * usual.mean)


def test_what_a_page_showed_counts_more_and_more() -> None:
    assert drawn(1.0, 0.0, 0.0) == 1.0
    assert drawn(1.0, 0.0, 9.0) == pytest.approx(0.1)
    assert drawn(1.0, 900.0, 90.0) == pytest.approx(10.0, rel=0.02)
