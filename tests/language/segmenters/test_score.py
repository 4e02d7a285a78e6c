"""Scores by offsets."""

from __future__ import annotations

import numpy as np

from phasa.language.segmenters import load_segmenter
from phasa.language.segmenters.score import compare, evaluate, gold_of


def starts(*words: str) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    return np.cumsum([0, *(len(word) for word in words)])[:-1]


def test_a_word_is_right_when_both_its_ends_are() -> None:
    gold = gold_of([["ab", "c", " ", "de"]])
    score = compare(gold, starts("ab", "c", " ", "d", "e", "\n"))
    assert (score.correct, score.produced, score.original) == (2, 4, 3)
    assert (score.precision, score.recall) == (0.5, 2 / 3)
    assert abs(score.f1 - 4 / 7) < 1e-12


def test_blanks_count_only_when_asked() -> None:
    gold = gold_of([["a", " ", "b"]])
    assert compare(gold, starts("a", " ", "b", "\n")).original == 2
    assert compare(gold, starts("a", " ", "b", "\n"), blanks=True).original == 3


def test_cuts_are_counted_inside_lines_only() -> None:
    gold = gold_of([["a", "b"], ["c"]])
    score = compare(gold, starts("a", "b", "\n", "c", "\n"))
    assert (score.cuts_correct, score.cuts_produced, score.cuts_original) == (1, 1, 1)
    assert score.boundary_f1 == 1.0


def test_nothing_produced_scores_nothing() -> None:
    score = compare(gold_of([]), starts())
    assert (score.precision, score.recall, score.f1, score.boundary_f1) == (0, 0, 0, 0)


def test_an_engine_is_scored_and_timed() -> None:
    result = evaluate("spaced", load_segmenter("spaced"), "toy", gold_of([["a", " ", "b"]] * 100))
    assert result.score.f1 == 1.0
    assert result.megabytes_per_second > 0
