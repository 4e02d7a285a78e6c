"""What visits of some pages say about their neighbours."""

from __future__ import annotations

import numpy as np
import pytest

from phasa.schedule.busy import DAY
from phasa.schedule.together import Together, kinds_of_groups, number_groups

PAGES = [f"site/{folder}/a/b/{number}" for folder in ("x", "y") for number in range(20)]
X, Y = np.arange(20), np.arange(20, 40)
# Twice the whole folder x changed at one moment, y only page by page.
TOLD = np.concatenate((X, X, Y)), np.concatenate((np.full(20, 5.0), np.full(20, 9.0), np.arange(100.0, 120.0)))


def beliefs(rate: float = 1 / (50 * DAY)) -> Together:
    groups = number_groups(kinds_of_groups(PAGES, *TOLD), *TOLD)
    return Together(np.full(40, rate), groups, DAY, 400, 8.0)


def test_without_visits_time_alone_makes_changes_expected() -> None:
    assert beliefs().expected(10.0) == pytest.approx(np.full(40, 10 / 50))


def test_a_page_found_changed_raises_what_is_expected_of_its_folder_and_not_of_others() -> None:
    known = beliefs()
    known.saw(10.0, np.array([0, 1, 2]), np.ones(3, bool))
    expected = known.expected(10.0)
    assert expected[:3] == pytest.approx(np.zeros(3))
    assert expected[3:20].min() > 2 * expected[20:].max()


def test_pages_found_unchanged_calm_the_folder() -> None:
    known = beliefs(rate=1 / (5 * DAY))
    known.saw(10.0, X[:10], np.zeros(10, bool))
    expected = known.expected(10.0)
    assert expected[10:20].max() < expected[20:].min()


def test_a_burst_is_dated_by_who_was_seen_before_it() -> None:
    """Page 3 was seen on the ninth day: what others show on the tenth must have happened to it since, or not at all."""
    known = beliefs()
    known.saw(9.0, np.array([3]), np.zeros(1, bool))
    known.saw(10.0, np.array([0, 1, 2]), np.ones(3, bool))
    expected = known.expected(10.0)
    assert 0 < expected[3] < expected[4]


def test_a_page_that_changes_at_every_visit_has_a_higher_rate() -> None:
    known = beliefs()
    for day in range(1, 30):
        known.saw(float(day), np.array([25, 30]), np.array([True, False]))
    assert known.rates[25] > 2 * known.rates[30]


def test_what_a_page_did_before_the_beginning_counts() -> None:
    groups = number_groups(kinds_of_groups(PAGES, *TOLD), *TOLD)
    had = np.where(np.arange(40) == 25, 12.0, 0.0)
    known = Together(np.full(40, 1 / (50 * DAY)), groups, DAY, 400, 4.0, had, np.full(40, 200 * DAY))
    assert known.rates[25] == pytest.approx((4 + 12) / (4 + 4) / (50 * DAY))
    assert known.rates[26] == pytest.approx(4 / (4 + 4) / (50 * DAY))


def test_nothing_is_shared_by_pages_that_have_no_neighbours() -> None:
    alone = ["a/1", "b/2"]
    none = np.zeros(0, np.int64), np.zeros(0)
    known = Together(np.full(2, 1 / DAY), number_groups(kinds_of_groups(alone, *none), *none), DAY, 10, 8.0)
    known.saw(2.0, np.array([0]), np.array([True]))
    assert known.expected(2.0)[1] == pytest.approx(2.0)
