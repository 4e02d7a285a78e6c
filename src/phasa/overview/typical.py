"""The default weight of keywords: how likely an author would have given a page this word as a tag.

A word is judged by how often and in how many elements it stands, how early, whether the title and the page's own
description have it, how rare it is in the language at large, whether blanks or marks are around it, and by its form.
The judgement is a logistic model of fifteen features; `bench/training/keywords_model.py` learns it from pages whose
publishers gave them tags. Its weights are below: for languages whose word frequencies are shipped, for languages in
Latin letters (capitals tell names), and for the others. `typical.md` is their card.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from math import exp, log
from typing import Final, NamedTuple

from phasa.language.profile import profile_for
from phasa.overview.furniture import is_furniture
from phasa.overview.keywords import Weights
from phasa.overview.terms import Passage

RAREST = 14.0
"""No word counts as rarer than one in e to the power of this."""
_LONGEST = 12  # letters; beyond it a word is not more telling


class Model(NamedTuple):
    """What each feature adds; see `features` for what they are."""

    spread: float
    frequent: float
    times: float
    early: float
    title: float
    description: float
    both: float
    rare: float
    length: float
    foreign: float
    capital: float
    digit: float
    begins: float
    ends: float
    alone: float
    base: float


MODELS: Final[dict[str, Model]] = {
    "counted": Model(0.75, -0.0, 1.76, 2.0, 0.19, 1.9, 1.21, 1.42, 0.75, -0.32, -0.31, -1.37, 0.73, 1.36, -2.67, -6.59),
    "latin": Model(0.72, 1.3, 1.13, 1.25, 0.81, 1.7, -0.76, 0.0, -0.99, 0.0, 1.77, 0.32, -1.9, -1.9, 0.63, -1.9),
    "other": Model(-0.87, 2.21, 1.0, 0.29, 2.1, 3.82, -1.02, 0.0, -0.1, 0.22, 0.01, -0.04, 0.87, 0.29, 0.99, -6.08),
}
"""By the kind of language, see `kind_of`."""


class PageTerms(NamedTuple):
    """A page as its weights are made: its passages, the terms of its title and of its own description."""

    passages: Sequence[Passage]
    language: str
    title: frozenset[str] = frozenset()
    description: frozenset[str] = frozenset()


def typical(page: PageTerms, model: Model | None = None) -> Weights:
    """The weight of a page's terms, between 0 and 1, in the order of first appearance; the web's own words are left
    out. `model` is the language's own by default."""
    model = model or MODELS[kind_of(page.language)]
    return {
        term: 1 / (1 + exp(-sum(weight * value for weight, value in zip(model, row, strict=True))))
        for term, row in features(page).items()
        if not is_furniture(term)
    }


def typical_of_all(pages: Iterable[Weights]) -> Weights:
    """The weights of several pages together: the mean over all pages, so that words of many pages come first."""
    total: Weights = {}
    number = 0
    for weights in pages:
        number += 1
        for term, weight in weights.items():
            total[term] = total.get(term, 0.0) + weight
    return {term: weight / number for term, weight in total.items()}


def features(page: PageTerms) -> dict[str, tuple[float, ...]]:
    """The features of every term in the order of `Model`, each about between 0 and 1."""
    times: Counter[str] = Counter()
    spread: Counter[str] = Counter()
    capitals: Counter[str] = Counter()
    begins: Counter[str] = Counter()
    ends: Counter[str] = Counter()
    alone: dict[str, float] = {}
    first: dict[str, int] = {}
    place = 0
    for passage in page.passages:
        spread.update(set(passage.terms))
        text, share = passage.text, 1 / max(1, len(passage.occurrences))
        for start, end, term in passage.occurrences:
            times[term] += 1
            capitals[term] += text[start].isupper()
            begins[term] += not text[start - 1 : start].isalpha()
            ends[term] += not text[end : end + 1].isalpha()
            alone[term] = max(alone.get(term, 0.0), share)
            first.setdefault(term, place)
            place += 1
    most_times = log(1 + max(times.values(), default=1))
    most_spread = log(1 + max(spread.values(), default=1))
    bits, latin = background(page.language), _writes_latin(page.language)
    rows: dict[str, tuple[float, ...]] = {}
    for term, number in times.items():
        titled, told = term in page.title, term in page.description
        rows[term] = (
            log(1 + spread[term]) / most_spread,
            log(1 + number) / most_times,
            log(1 + number) / 3,
            1 - log(1 + first[term]) / log(2 + place),
            float(titled),
            float(told),
            float(titled and told),
            min(bits(term), RAREST) / RAREST if bits else 0.0,
            min(len(term), _LONGEST) / 10,
            float(not latin and term.isascii() and term.isalpha()),
            capitals[term] / number,
            float(any(letter.isdigit() for letter in term)),
            begins[term] / number,
            ends[term] / number,
            alone[term],
            1.0,
        )
    return rows


def kind_of(language: str) -> str:
    """Which model judges a language: `counted` where it is known how often its words are used, else by its letters."""
    return "counted" if background(language) else "latin" if _writes_latin(language) else "other"


@cache
def background(language: str) -> Callable[[str], float] | None:
    """How rare a word is in the language at large, as the logarithm of one in so many; None where nobody counted."""
    from phasa.language.segmenters import frequencies_of

    counts = frequencies_of(language)
    if counts is None:
        return None
    total = sum(counts.values())
    return lambda term: -log((counts.get(term, 0) + 3) / total)


def _writes_latin(language: str) -> bool:
    profile = profile_for(language)
    return profile is None or "Latn" in profile.scripts
