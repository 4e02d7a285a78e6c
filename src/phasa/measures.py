"""Figures that several parts of phasa score with."""

from __future__ import annotations


def f_measure(precision: float, recall: float) -> float:
    """The harmonic mean of precision and recall (or of harvest and coverage); 0 where both are 0."""
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def f_of_counts(correct: int, produced: int, expected: int) -> float:
    """The same from counts: how many were right, how many there are, how many there should be; 0 without any."""
    return 2 * correct / (produced + expected) if produced + expected else 0.0
