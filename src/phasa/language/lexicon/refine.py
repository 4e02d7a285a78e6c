"""Frequency Based Corpus Refinement: make a corpus cut the same string the same way (overview spec. §4.7.4).

Where a string stands both as one word and as a sequence of two or three words, the more frequent form is kept and the
other is rewritten; on equal counts the joined form wins.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

from phasa.language.lexicon.corpus import Line, Word

Gram = tuple[str, ...]
_MOST_RUNS = 20  # two forms that rewrite each other would never settle; BEST needs two runs


class Inconsistency(NamedTuple):
    """A string that the corpus cuts in two ways."""

    split: Gram
    split_count: int
    joined_count: int

    @property
    def joined(self) -> str:
        return "".join(self.split)

    @property
    def keeps_split(self) -> bool:
        return self.split_count > self.joined_count


def find_inconsistencies(lines: Iterable[Line]) -> list[Inconsistency]:
    """Every pair of forms, two-word sequences before three-word ones, in code-point order within each.

    Sequences do not cross line ends, blanks or tagged spans. A word that lost to a two-word form is not compared again.
    """
    stretches = [stretch for line in lines for stretch in _stretches(line)]
    single = Counter(word for stretch in stretches for word in stretch)
    found: list[Inconsistency] = []
    pairs = Counter(pair for stretch in stretches for pair in pairwise(stretch) if pair[0] + pair[1] in single)
    triples = Counter(
        triple
        for stretch in stretches
        for triple in zip(stretch, stretch[1:], stretch[2:], strict=False)
        if triple[0] + triple[1] + triple[2] in single
    )
    grams: Counter[Gram]
    for grams in (pairs, triples):  # type: ignore[assignment]
        for gram, count in sorted(grams.items()):
            if (joined := single.get("".join(gram))) is not None:
                case = Inconsistency(gram, count, joined)
                found.append(case)
                if case.keeps_split:
                    del single[case.joined]
    return found


def settle(lines: Iterable[Line]) -> list[list[Inconsistency]]:
    """The pairs of run after run of the refinement, until one finds nothing: what a run rewrites can be cut in two ways
    itself. Give each run to `refine` in turn."""
    lines = list(lines)
    runs: list[list[Inconsistency]] = []
    while (cases := find_inconsistencies(lines)) and len(runs) < _MOST_RUNS:
        runs.append(cases)
        lines = refine(lines, cases)
    return runs


def refine(lines: Iterable[Line], cases: Sequence[Inconsistency]) -> list[Line]:
    """The lines with every losing form rewritten, longest patterns first."""
    to_split: dict[str, Gram] = {}
    to_join: dict[int, dict[Gram, str]] = {2: {}, 3: {}}
    for case in cases:
        if case.keeps_split:
            to_split[case.joined] = case.split
        else:
            to_join[len(case.split)][case.split] = case.joined
    refined = []
    for line in lines:
        for size in (3, 2):
            line = _join(line, size, to_join[size])
        refined.append([part for word in line for part in _split(word, to_split)])
    return refined


def _stretches(line: Line) -> list[list[str]]:
    stretches: list[list[str]] = [[]]
    for word in line:
        if word.tag or word.text.isspace():
            stretches.append([])
        else:
            stretches[-1].append(word.text)
    return [stretch for stretch in stretches if stretch]


def _join(line: Line, size: int, patterns: dict[Gram, str]) -> Line:
    if not patterns or len(line) < size:
        return line
    joined: Line = []
    i = 0
    while i < len(line):
        window = line[i : i + size]
        whole = patterns.get(tuple(word.text for word in window))
        if whole is not None and not any(word.tag for word in window):
            joined.append(Word(whole))
            i += size
        else:
            joined.append(line[i])
            i += 1
    return joined


def _split(word: Word, patterns: dict[str, Gram]) -> Line:
    parts = None if word.tag else patterns.get(word.text)
    return [word] if parts is None else [Word(part) for part in parts]
