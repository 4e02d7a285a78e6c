"""Length-based precision, recall and F of extracted content (specs/content-overview.md §4.5).

Lengths are Unicode code points without blanks, so that languages written without spaces are scored like any other.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Final, NamedTuple

from phasa.measures import f_measure

_ANCHOR: Final = 8  # characters that must agree before two texts are held to say the same thing there
_BLANK = re.compile(r"\s+")


class Scores(NamedTuple):
    """Precision, recall and F, from 0 to 1."""

    precision: float
    recall: float
    f: float


@dataclass(frozen=True, slots=True)
class Lengths:
    """LEXT, LEXP and LM: the lengths of extracted, expected and missing content."""

    extracted: int
    expected: int
    missing: int

    @property
    def noise(self) -> int:
        """The length of what was extracted and not expected."""
        return self.extracted - self.expected + self.missing

    def scores(self) -> Scores:
        """(3.1), (3.2) and (3.3); 0 where a length is 0, all 1 where nothing was expected and nothing extracted."""
        if not self.extracted and not self.expected:
            return Scores(1.0, 1.0, 1.0)
        found = self.expected - self.missing
        precision = found / self.extracted if self.extracted else 0.0
        recall = found / self.expected if self.expected else 0.0
        return Scores(precision, recall, f_measure(precision, recall))


def compare(extracted: str, expected: str | Sequence[str]) -> Lengths:
    """The lengths for one page. `expected` is the key content, as a text or as its fragments.

    A fragment is missing where its characters do not stand in the extracted text: whole when it is short, otherwise
    by runs of characters, each of which the extracted text must hold as often as the expected one.
    """
    got = _squeeze(extracted)
    fragments = [expected] if isinstance(expected, str) else expected
    wanted = [piece for fragment in fragments for line in fragment.split("\n") if (piece := _squeeze(line))]
    supply = Counter(got[at : at + _ANCHOR] for at in range(len(got) - _ANCHOR + 1))
    missing = sum(_missing(piece, got, supply) for piece in wanted)
    return Lengths(len(got), sum(map(len, wanted)), missing)


def average(scores: Iterable[Scores]) -> Scores:
    """The mean of every figure, F included: how the source scores a site (§4.5)."""
    rows = list(scores)
    if not rows:
        return Scores(0.0, 0.0, 0.0)
    return Scores(*(fmean(column) for column in zip(*rows, strict=True)))


def _missing(piece: str, got: str, supply: Counter[str]) -> int:
    if len(piece) < _ANCHOR:
        return 0 if piece in got else len(piece)
    covered = 0  # the end of what is known to be there
    there = 0
    for at in range(len(piece) - _ANCHOR + 1):
        run = piece[at : at + _ANCHOR]
        if supply[run] > 0:
            supply[run] -= 1
            there += at + _ANCHOR - max(covered, at)
            covered = at + _ANCHOR
    return len(piece) - there


def _squeeze(text: str) -> str:
    return _BLANK.sub("", text)
