"""How well an engine cuts: word precision, recall and F (overview spec. §4.8, the BEST 2009 metric), cuts, speed.

A produced word is right when the gold has a word with the same start and end. Blanks are counted on neither side
unless asked for.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from phasa.language.segmenters.characters import BLANK, Mask, code_points, kinds_of
from phasa.language.segmenters.cuts import CutSegmenter, Starts
from phasa.measures import f_of_counts


@dataclass(frozen=True, slots=True)
class Score:
    """Counts of words and of cuts inside lines, and what they amount to."""

    correct: int = 0
    produced: int = 0
    original: int = 0
    cuts_correct: int = 0
    cuts_produced: int = 0
    cuts_original: int = 0

    @property
    def precision(self) -> float:
        return self.correct / self.produced if self.produced else 0.0

    @property
    def recall(self) -> float:
        return self.correct / self.original if self.original else 0.0

    @property
    def f1(self) -> float:
        return f_of_counts(self.correct, self.produced, self.original)

    @property
    def boundary_f1(self) -> float:
        return f_of_counts(self.cuts_correct, self.cuts_produced, self.cuts_original)


@dataclass(frozen=True, slots=True)
class Gold:
    """A gold standard: the running text, lines ended by a line feed, and where its words begin."""

    text: str
    starts: Starts


@dataclass(frozen=True, slots=True)
class Evaluation:
    """An engine's score on a gold standard, and its speed there."""

    engine: str
    gold: str
    score: Score
    megabytes_per_second: float  # of UTF-8 text, per second of processor time, loading left out


def gold_of(lines: Iterable[Sequence[str]]) -> Gold:
    """The gold standard that lines of words make."""
    pieces: list[str] = []
    for line in lines:
        pieces += line
        pieces.append("\n")
    lengths = np.array([len(piece) for piece in pieces], dtype=np.int64)
    return Gold("".join(pieces), np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(lengths)])[:-1])


def compare(gold: Gold, starts: Starts, *, blanks: bool = False) -> Score:
    """The score of an engine that cut the gold's text at `starts`."""
    codes = code_points(gold.text)
    kinds = kinds_of(codes)
    size = len(codes)
    skipped: Mask = codes == 0x0A
    if not blanks:
        skipped |= _blank_words(kinds == BLANK, gold.starts, starts, size)
    ours, theirs = (np.append(s, size) for s in (starts, gold.starts))
    # A word is a pair (start, end): one number, so that sets are array operations.
    our_words = (ours[:-1] * (size + 1) + ours[1:])[~skipped[ours[:-1]]]
    gold_words = (theirs[:-1] * (size + 1) + theirs[1:])[~skipped[theirs[:-1]]]
    inner = np.ones(size + 1, dtype=np.bool_)
    inner[0] = False
    inner[:-1] &= codes != 0x0A
    inner[1:] &= codes != 0x0A
    our_cuts, gold_cuts = ours[inner[ours]], theirs[inner[theirs]]
    return Score(
        len(np.intersect1d(our_words, gold_words, assume_unique=True)),
        len(our_words),
        len(gold_words),
        len(np.intersect1d(our_cuts, gold_cuts, assume_unique=True)),
        len(our_cuts),
        len(gold_cuts),
    )


def evaluate(name: str, engine: CutSegmenter, gold_name: str, gold: Gold) -> Evaluation:
    """Score one engine on one gold standard."""
    begun = time.process_time()
    starts = engine.starts(gold.text)
    spent = max(time.process_time() - begun, 1e-9)
    return Evaluation(name, gold_name, compare(gold, starts), len(gold.text.encode()) / 1e6 / spent)


def _blank_words(blank: Mask, gold: Starts, ours: Starts, size: int) -> Mask:
    """Characters at which a word of blanks alone begins, on either side."""
    skipped = np.zeros(size, dtype=np.bool_)
    letters = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(~blank)])
    for starts in (gold, ours):
        ends = np.append(starts, size)[1:]
        only_blanks = letters[starts] == letters[ends]
        skipped[starts[only_blanks]] = True
    return skipped
