"""Judges: is this page wanted? By language here; by topic through the same protocol."""

from __future__ import annotations

from typing import NamedTuple


class Judgement(NamedTuple):
    """What a judge says of one page."""

    wanted: bool
    score: float
    """How much the page is of the wanted kind, 0..1: Γ for a dictionary, a probability for a model."""
    language: str = "und"
    """BCP 47 code of the page's language."""
    evidence: str = ""
