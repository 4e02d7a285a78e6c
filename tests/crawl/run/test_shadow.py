"""The two estimates: breadth-first beside us, and how much is still out there."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from phasa.crawl.run.shadow import Level, coverage, shadow

_level = st.tuples(st.integers(0, 500), st.integers(0, 400), st.integers(0, 300), st.integers(0, 200)).map(
    lambda n: (n[0] + n[1] + n[2] + n[3], n[1] + n[2] + n[3], n[2] + n[3], n[3])
)


def levels(*rows: tuple[int, int, int, int]) -> list[Level]:
    return [Level(depth, *row) for depth, row in enumerate(rows)]


def test_breadth_first_takes_whole_levels_with_what_we_left_waiting() -> None:
    # One seed, then a level of which we took 10 good ones of 100, then a level of 50 that is all good.
    curve = shadow(levels((1, 1, 1, 1), (100, 10, 10, 5), (50, 50, 50, 50)), 61)
    assert curve[-1].pages == 61
    assert curve[-1].harvest == pytest.approx((1 + 60 * 0.5) / 61)


def test_a_crawl_that_fetched_everything_ends_where_breadth_first_ends() -> None:
    curve = shadow(levels((1, 1, 1, 1), (9, 9, 9, 3), (90, 90, 90, 60)), 100)
    assert curve[-1] == pytest.approx(curve[-1].__class__(100, 0.64))


def test_what_is_no_page_does_not_count() -> None:
    # Half of the tried URLs of the second level were redirects: 40 known URLs are 20 pages.
    curve = shadow(levels((1, 1, 1, 0), (40, 20, 10, 10)), 1000)
    assert curve[-1].pages == 21
    assert curve[-1].harvest == pytest.approx(20 / 21)


def test_nothing_fetched_gives_no_curve() -> None:
    assert shadow([], 10) == []
    assert shadow(levels((5, 0, 0, 0)), 10) == []
    assert shadow(levels((5, 1, 1, 1)), 0) == []


@given(st.lists(_level, max_size=12), st.integers(0, 10_000), st.integers(1, 200))
def test_the_curve_is_short_ascending_and_made_of_shares(rows: list[tuple[int, ...]], pages: int, points: int) -> None:
    curve = shadow([Level(depth, *row) for depth, row in enumerate(rows)], pages, points)
    assert len(curve) <= points + 1
    assert [point.pages for point in curve] == sorted({point.pages for point in curve})
    assert all(0.0 <= point.harvest <= 1.0 + 1e-9 for point in curve)
    assert all(point.pages <= pages for point in curve)


def test_coverage_of_what_is_in_sight() -> None:
    seen = coverage(wanted=900, waiting=2000, latest_harvest=0.1, latest_pages_of_urls=0.5, hosts=40, once=10, twice=4)
    assert seen.wanted_waiting == 100
    assert seen.pages == pytest.approx(0.9)
    assert seen.hosts_at_least == 49.0  # Chao1, bias-corrected: 40 + 10·9 / (2·5)
    assert seen.hosts == pytest.approx(40 / 49)


def test_coverage_of_nothing_is_not_a_number() -> None:
    seen = coverage(wanted=0, waiting=0, latest_harvest=0.0, latest_pages_of_urls=0.0, hosts=0, once=0, twice=0)
    assert (seen.pages, seen.hosts) == (None, None)
