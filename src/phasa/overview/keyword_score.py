"""How well keywords meet an author's tags: CK, TK, DK, SWT, NI (specs/content-overview.md §4.9, 5.2–5.3)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from phasa.measures import f_measure


class KeywordScore(NamedTuple):
    """Counts and measures of one list of keywords; measures are fractions."""

    tk: int
    ck: int
    dk: int
    swt: int
    ni: int

    @property
    def precision(self) -> float:
        return self.ck / (self.tk + self.dk) if self.tk + self.dk else 0.0

    @property
    def recall(self) -> float:
        return self.ck / (self.swt - self.ni) if self.swt > self.ni else 0.0

    @property
    def f(self) -> float:
        return f_measure(self.precision, self.recall)


def score_keywords(keywords: Iterable[str], tag_words: Sequence[str], content_words: Iterable[str]) -> KeywordScore:
    """Score keywords against the segmented words of the tags; content words tell which tags could be found at all."""
    tags = Counter(tag_words)
    present = set(content_words)
    chosen = set(keywords)
    hits = [tags[term] for term in chosen]
    return KeywordScore(
        tk=len(chosen),
        ck=sum(hits),
        dk=sum(max(0, hit - 1) for hit in hits),
        swt=len(tag_words),
        ni=sum(number for word, number in tags.items() if word not in present),
    )
