"""Length-based scoring."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from phasa.overview.evaluation import Lengths, Scores, average, compare

THAI = "ประชาชนเดินทางไปตลาดน้ำในวันหยุดสุดสัปดาห์ที่ผ่านมา"


def test_the_same_text_scores_one() -> None:
    assert compare(THAI, THAI).scores() == Scores(1.0, 1.0, 1.0)


def test_noise_lowers_precision_only() -> None:
    scores = compare(f"เมนูหลัก\n{THAI}", THAI).scores()
    assert scores.recall == 1.0
    assert scores.precision == len(THAI) / (len(THAI) + 8)


def test_missing_text_lowers_recall_only() -> None:
    scores = compare(THAI[:25], THAI).scores()
    assert scores.precision == 1.0
    assert scores.recall == 25 / len(THAI)


def test_a_fragment_extracted_once_does_not_answer_for_two() -> None:
    assert compare(THAI, [THAI, THAI]).missing == len(THAI)


def test_short_fragments_must_be_there_whole() -> None:
    assert compare("one two three", ["two", "six"]) == Lengths(11, 6, 3)


def test_nothing_expected_and_nothing_extracted_is_right() -> None:
    assert compare("", "").scores().f == 1.0
    assert compare("noise", "").scores() == Scores(0.0, 0.0, 0.0)
    assert average([]) == Scores(0.0, 0.0, 0.0)


@given(st.text(), st.text())
def test_figures_stay_between_zero_and_one(extracted: str, expected: str) -> None:
    lengths = compare(extracted, expected)
    assert 0 <= lengths.missing <= lengths.expected
    assert all(0.0 <= figure <= 1.0 for figure in lengths.scores())
