"""What the visits of a crawl say about the pages beside those visited, as pages come and go."""

from __future__ import annotations

import numpy as np
import pytest

from phasa.schedule.busy import DAY
from phasa.schedule.neighbours import Neighbours, groups_of, slot_of
from phasa.schedule.trust import Trust

X = [f"http://a.example/x/one/two/{n}.html" for n in range(20)]
Y = [f"http://a.example/y/one/two/{n}.html" for n in range(20)]
RATE = 1 / (50 * DAY)


def known(start: float = 0.0) -> Neighbours:
    found = Neighbours(start, 28 * DAY)
    found.count(X + Y)
    found.settle()
    return found


def passed(of: Neighbours, url: str, since: float, now: float) -> float:
    return float(of.passed([url], np.asarray([since]), now)[0])


def test_pages_share_the_groups_of_their_folders_and_no_others() -> None:
    here, sister, cousin = groups_of(X[0]), groups_of(X[1]), groups_of(Y[0])
    assert here == sister
    assert [a == b for a, b in zip(here, cousin, strict=True)] == [True, False, False, False]
    assert not set(here) & set(groups_of("http://b.example/x/one/two/0.html"))
    assert groups_of("http://a.example/x/one/two/0.html?page=2") == here


def test_slots_follow_the_gap_within_bounds() -> None:
    assert [slot_of(gap * DAY) / DAY for gap in (1, 14, 28, 300)] == [0.25, 0.5, 1.0, 1.0]


def test_where_nothing_was_visited_time_passes_as_it_is() -> None:
    assert passed(known(), X[0], 0.0, 10 * DAY) == pytest.approx(10 * DAY)
    assert passed(known(50 * DAY), X[0], 3 * DAY, 60 * DAY) == pytest.approx(57 * DAY)


def test_changes_of_a_folder_count_for_its_pages_and_calm_ones_are_left_alone() -> None:
    beliefs = known()
    for url in X[:4]:
        beliefs.saw(url, 0.0, 10 * DAY, True, RATE)
    for url in Y[:4]:
        beliefs.saw(url, 0.0, 10 * DAY, False, RATE)
    assert passed(beliefs, X[10], 0.0, 10 * DAY) > 20 * DAY
    assert passed(beliefs, Y[10], 0.0, 10 * DAY) < passed(beliefs, X[10], 0.0, 10 * DAY) / 2
    assert passed(beliefs, X[10], 9.9 * DAY, 10 * DAY) < DAY, "who was seen after it is hardly concerned"


def test_a_group_of_two_is_none() -> None:
    beliefs = Neighbours(0.0, 28 * DAY)
    beliefs.count(X[:2])
    beliefs.settle()
    beliefs.saw(X[0], 0.0, 10 * DAY, True, RATE)
    assert passed(beliefs, X[1], 0.0, 10 * DAY) == pytest.approx(10 * DAY)


def test_only_the_groups_of_most_pages_are_followed() -> None:
    beliefs = Neighbours(0.0, 28 * DAY)
    beliefs.GROUPS = 3  # the host has most pages
    small = [f"http://a.example/z/one/two/{n}.html" for n in range(5)]
    beliefs.count(X + Y + small)
    beliefs.settle()
    for url in small[:3]:
        beliefs.saw(url, 0.0, 10 * DAY, True, RATE)
    assert len(beliefs._numbers) == 3
    assert groups_of(X[0])[0] in beliefs._numbers
    assert not set(groups_of(small[0])[1:]) & set(beliefs._numbers)


def test_what_was_learned_survives_when_groups_come_and_go() -> None:
    beliefs = known()
    for url in X[:4]:
        beliefs.saw(url, 0.0, 10 * DAY, True, RATE)
    before = passed(beliefs, X[10], 0.0, 10 * DAY)
    beliefs.count([*X, *(f"http://new.example/{n}" for n in range(50))])  # y is gone
    beliefs.settle()
    assert passed(beliefs, X[10], 0.0, 10 * DAY) == pytest.approx(before)
    beliefs.saw(X[5], 0.0, 11 * DAY, True, RATE)  # earlier visits are thought over again
    assert passed(beliefs, X[10], 0.0, 11 * DAY) > before
    assert passed(beliefs, "http://new.example/0", 0.0, 11 * DAY) == pytest.approx(11 * DAY)


def test_old_slots_are_forgotten_and_later_ones_kept() -> None:
    beliefs, months = known(), known(70 * DAY)
    for one in (beliefs, months):
        for url in X[:4]:
            one.saw(url, 80 * DAY, 90 * DAY, True, RATE)
    late = 149 * DAY  # the first thirty slots of `beliefs` are gone
    assert passed(beliefs, X[10], 80 * DAY, late) == pytest.approx(passed(months, X[10], 80 * DAY, late))
    assert beliefs._origin == 30 * DAY
    assert passed(beliefs, X[10], 10 * DAY, 30 * DAY) == pytest.approx(20 * DAY)
    for one in (beliefs, months):
        one.saw(X[6], 80 * DAY, late, True, RATE)
    assert passed(beliefs, X[10], 80 * DAY, late) == pytest.approx(passed(months, X[10], 80 * DAY, late))


def test_a_long_life_takes_no_more_memory() -> None:
    beliefs = known()
    sizes = []
    for day in range(0, 900, 3):
        beliefs.saw(X[day % 20], (day - 40) * DAY, day * DAY, day % 2 == 0, RATE)
        beliefs.passed(X, np.full(20, (day - 40.0) * DAY), day * DAY)
        sizes.append(sum(len(found.cells.visit) for found in beliefs._busy._recent))
    assert max(sizes[150:]) <= max(sizes[:150])
    assert beliefs._busy._activity.shape == (len(beliefs._numbers) + 1, Neighbours.SLOTS + 1)


def test_slots_to_come_begin_as_usual() -> None:
    beliefs = known()
    for url in X[:4]:
        beliefs.saw(url, 100 * DAY, 110 * DAY, True, RATE)
    assert passed(beliefs, X[10], 100 * DAY, 110 * DAY) > 20 * DAY
    assert passed(beliefs, X[10], 125 * DAY, 149 * DAY) == pytest.approx(24 * DAY)


def test_a_new_group_knows_nothing_of_pages_that_had_none() -> None:
    late, fresh = Neighbours(0.0, 28 * DAY), known()
    for number in range(20):
        late.saw(f"http://h{number}.example/", 0.0, 5 * DAY, True, RATE)
    late.count(X + Y)
    late.settle()
    for one in (late, fresh):
        one._brought, one._found = np.zeros(4), 0
        one.trust = Trust()
        one.saw(X[0], 4 * DAY, 6 * DAY, False, RATE)
    assert passed(late, X[1], 0.0, 6 * DAY) == pytest.approx(passed(fresh, X[1], 0.0, 6 * DAY))


def test_visits_from_before_the_first_slot_count_as_usual_time() -> None:
    beliefs = known(50 * DAY)
    for url in X[:4]:
        beliefs.saw(url, 20 * DAY, 60 * DAY, True, RATE)
    recent = passed(beliefs, X[10], 50 * DAY, 60 * DAY)
    assert recent > 10 * DAY
    assert passed(beliefs, X[10], 20 * DAY, 60 * DAY) == pytest.approx(30 * DAY + recent)
