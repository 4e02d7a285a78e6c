"""Worlds that change: their truth is exact, and their pages show it."""

from __future__ import annotations

import numpy as np
import pytest

from phasa.crawl.record import content_digest
from phasa.errors import InputError
from phasa.lab.changes import DAY, ChangingWorld

WORLD = ChangingWorld(1, 2000)


def test_the_same_seed_gives_the_same_world() -> None:
    again = ChangingWorld(1, 2000)
    assert all(
        one.name == other.name and np.array_equal(one.changes, other.changes)
        for one, other in zip(WORLD.pages, again.pages, strict=True)
    )
    assert not np.array_equal(WORLD.pages[0].changes, ChangingWorld(2, 2000).pages[0].changes)


def test_rates_have_a_heavy_tail() -> None:
    counts = np.sort([len(page.changes) for page in WORLD.pages])
    assert counts[-len(counts) // 10 :].sum() > 0.3 * counts.sum()
    assert (counts <= 3).mean() > 0.1


def test_a_third_of_the_sites_changes_at_work_only_but_for_releases() -> None:
    quiet = 0
    for first in range(0, 2000, 40):
        pages = WORLD.pages[first : first + 40]
        times, counts = np.unique(np.concatenate([page.changes for page in pages]), return_counts=True)
        own = times[counts == 1]
        night = (own % DAY / 3600 < 6) | (own // DAY % 7 >= 5)
        quiet += night.mean() < 0.1
    assert 8 < quiet < 26


def test_releases_touch_many_pages_of_a_site_at_one_moment() -> None:
    times = np.concatenate([page.changes for page in WORLD.pages[:40]])
    assert np.unique(times, return_counts=True)[1].max() > 8


def test_content_differs_exactly_where_the_truth_says_so() -> None:
    page = next(page for page in WORLD.pages if len(page.changes) > 3 and not page.restless)
    at = float(page.changes[1])
    assert page.text(at - 1) == page.text(float(page.changes[0]))
    assert page.text(at) != page.text(at - 1)


def test_a_clock_and_an_advert_are_no_content() -> None:
    page = next(page for page in WORLD.pages if page.restless)
    assert page.text(0.0, 1) != page.text(0.0, 2)
    assert content_digest(page.text(0.0, 1)) == content_digest(page.text(0.0, 2))


def test_pages_that_are_gone_or_have_moved_change_no_more() -> None:
    ended = [page for page in WORLD.pages if min(page.gone, page.moved) < 365 * DAY]
    assert 40 < len(ended) < 140
    assert all(len(page.changes) == 0 or page.changes[-1] < min(page.gone, page.moved) for page in ended)


@pytest.mark.parametrize("name", ["", "1", "a:5", "1:0", "1:99999999999"])
def test_a_name_that_is_none_is_refused(name: str) -> None:
    with pytest.raises(InputError, match="SEED:PAGES"):
        ChangingWorld.from_name(name)
