"""Bursts of changes in a folder, as the visits of its pages show them."""

from __future__ import annotations

from phasa.schedule.bursts import DAY, Bursts, folders_of

HERE = folders_of("http://a.example/docs/one/page.html")
QUIET = 0.05  # changes expected of a page in its gap


def test_pages_of_a_folder_share_its_number_and_others_do_not() -> None:
    sister, cousin = folders_of("http://a.example/docs/one/other.html"), folders_of("http://a.example/docs/two/x.html")
    assert sister == HERE
    assert len(set(HERE) & set(cousin)) == 1  # the first directory
    assert not set(HERE) & set(folders_of("http://b.example/docs/one/page.html"))
    assert all(0 <= number < 1 << 63 for number in HERE)


def test_changes_of_several_pages_make_a_burst_likely_for_the_others() -> None:
    bursts = Bursts()
    expected = []
    for number in range(3):
        bursts.saw(HERE, 0.0, (10 + number) * DAY, True, QUIET)
        expected.append(bursts.expected(HERE, 0.0))
    assert 0 < expected[0] < expected[1] < expected[2]
    assert expected[2] > 0.5


def test_a_page_that_was_seen_after_the_burst_is_not_concerned() -> None:
    bursts = Bursts()
    for number in range(3):
        bursts.saw(HERE, 0.0, (10 + number) * DAY, True, QUIET)
    assert bursts.expected(HERE, 12 * DAY) < 0.05


def test_pages_found_unchanged_calm_it_again() -> None:
    bursts = Bursts()
    for number in range(2):
        bursts.saw(HERE, 0.0, (10 + number) * DAY, True, QUIET)
    believed = bursts.expected(HERE, 0.0)
    for number in range(6):
        bursts.saw(HERE, 0.0, (12 + number) * DAY, False, QUIET)
    assert bursts.expected(HERE, 0.0) < 0.5 * believed


def test_a_page_that_always_changes_is_no_burst() -> None:
    bursts = Bursts()
    for number in range(10):
        bursts.saw(HERE, number * DAY, (number + 1) * DAY, True, 5.0)
    assert bursts.expected(HERE, 0.0) < 0.2


def test_folders_that_stir_are_told_of_once_and_what_nobody_asked_for_is_kept() -> None:
    bursts = Bursts()
    for number in range(3):
        bursts.saw(HERE, 0.0, (10 + number) * DAY, True, QUIET)
    assert list(bursts.stirred(lambda: False)) == []
    told = list(bursts.stirred())
    assert {folder for folder, _ in told} == set(HERE)
    assert all(until <= 12 * DAY for _, until in told)
    assert list(bursts.stirred()) == []


def test_memory_is_bounded_and_old_visits_are_forgotten() -> None:
    bursts = Bursts()
    for number in range(bursts.FOLDERS + 50):
        bursts.saw((number,), 0.0, 10 * DAY, True, QUIET)
    assert len(bursts._folders) == bursts.FOLDERS
    for _ in range(3 * bursts.VISITS):
        bursts.saw((1_000_000,), 0.0, 10 * DAY, True, QUIET)
    assert len(bursts._folders[1_000_000].visits) == bursts.VISITS
    bursts.saw((1_000_000,), 200 * DAY, 201 * DAY, False, QUIET)
    assert bursts.expected((1_000_000,), 0.0) == 0.0
