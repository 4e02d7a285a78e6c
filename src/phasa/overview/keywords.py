"""Keyword weights and the twenty lists of a page or of a set of pages (specs/content-overview.md §4.9–4.11).

A page is a sequence of key content elements, an element a sequence of terms from which stop words are gone
(`phasa.overview.terms`). Weights keep their terms in the order of first appearance.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from math import log
from typing import NamedTuple

ElementTerms = Sequence[str]
Weights = dict[str, float]

PERCENTS = tuple(range(5, 101, 5))
SMOOTHING = 0.4


class Keyword(NamedTuple):
    """A term that says what a text is about, and how much."""

    term: str
    weight: float


class KeywordLists:
    """The list for each percentage of the unique weights, in order of first appearance; equal weights stay together."""

    def __init__(self, lists: Mapping[int, Sequence[Keyword]]) -> None:
        self._lists = dict(lists)

    def __getitem__(self, percent: int) -> Sequence[Keyword]:
        return self._lists[percent]

    def __iter__(self) -> Iterator[int]:
        return iter(self._lists)

    def chart(self) -> list[tuple[int, int]]:
        """(percentage, number of keywords): the points of the line chart."""
        return [(percent, len(keywords)) for percent, keywords in self._lists.items()]


def amtf(
    elements: Iterable[ElementTerms], *, smoothing: float = SMOOTHING, scope: str = "element", average: str = "all"
) -> Weights:
    """Average normalised term frequency (5.1): a + (1−a)·tf/tfmax of each element that contains the term, averaged.

    `scope` says whose maximum divides: the element's own (as the published tables were made, §8.A6) or the page's.
    `average` says over what the average runs (§8.A8): `all` elements of the page, those `containing` the term, or
    `total`, the plain sum.
    """
    counts = [count for count in map(Counter, elements) if count]
    page_most = max((max(count.values()) for count in counts), default=1)
    values: dict[str, list[float]] = {}
    for count in counts:
        most = max(count.values()) if scope == "element" else page_most
        for term, number in count.items():
            values.setdefault(term, []).append(smoothing + (1 - smoothing) * number / most)
    if average == "containing":
        return _means(values)
    share = 1 if average == "total" else len(counts)
    return {term: sum(numbers) / share for term, numbers in values.items()}


def tf(elements: Iterable[ElementTerms]) -> Weights:
    """Plain term frequency in the page: what every other weight has to beat."""
    return {term: float(number) for term, number in Counter(term for element in elements for term in element).items()}


def tfidf(elements: Iterable[ElementTerms]) -> Weights:
    """tf · log(N/df) with each element as a document, averaged over the elements with the term (§4.10)."""
    counts = [count for count in map(Counter, elements) if count]
    holders = Counter(term for count in counts for term in count)
    values: dict[str, list[float]] = {}
    for count in counts:
        for term, number in count.items():
            values.setdefault(term, []).append(number * log(len(counts) / holders[term]))
    return _means(values)


def tltf(elements: Iterable[ElementTerms], *, aggregate: str = "total") -> Weights:
    """Term frequency times term length in characters (§4.10): over the page, or (`mean`) per element with the term."""
    counts = [count for count in map(Counter, elements) if count]
    values: dict[str, list[float]] = {}
    for count in counts:
        for term, number in count.items():
            values.setdefault(term, []).append(float(number * len(term)))
    return _means(values) if aggregate == "mean" else {term: sum(numbers) for term, numbers in values.items()}


METHODS: dict[str, Callable[[Iterable[ElementTerms]], Weights]] = {
    "amtf": amtf,
    "amtf-containing": partial(amtf, average="containing"),
    "amtf-total": partial(amtf, average="total"),
    "amtf-page": partial(amtf, scope="page"),
    "tltf": tltf,
    "tltf-mean": partial(tltf, aggregate="mean"),
    "tfidf": tfidf,
    "tf": tf,
}
"""The published weights in each of their readings, and plain frequency, by the names that options have."""


def keyword_lists(weights: Weights, *, least: int = 0) -> KeywordLists:
    """The twenty lists: the top p % of the *unique weights*, p = 5, 10 … 100, rounded to the nearest (§4.9 step 5).

    `least` is the smallest number of unique weights in a list: 0 where lists are scored, 1 where they are shown.
    """
    rounded = {term: round(weight, 9) for term, weight in weights.items()}  # equal rationals must tie
    unique = sorted(set(rounded.values()), reverse=True)
    lists: dict[int, list[Keyword]] = {}
    for percent in PERCENTS:
        admitted = min(len(unique), max(least, int(percent * len(unique) / 100 + 0.5)))
        floor = unique[admitted - 1] if admitted else float("inf")
        lists[percent] = [Keyword(term, weight) for term, weight in weights.items() if rounded[term] >= floor]
    return KeywordLists(lists)


def heaviest(weights: Weights, most: int) -> Weights:
    """The `most` heaviest terms, in the order that they had."""
    if len(weights) <= most:
        return weights
    floor = sorted(weights.values(), reverse=True)[most - 1]
    return {term: weight for term, weight in weights.items() if weight >= floor}


def kid(pages: Iterable[Weights], *, least: int = 0) -> KeywordLists:
    """Keyword Identification based on Individual Documents (§4.11): each page's own lists, merged per percentage.

    A term's weight is its average over the pages whose list holds it. Terms come in the order of the pages, then of
    first appearance.
    """
    merged: dict[int, dict[str, list[float]]] = {percent: {} for percent in PERCENTS}
    for weights in pages:
        lists = keyword_lists(weights, least=least)
        for percent in PERCENTS:
            values = merged[percent]
            for term, weight in lists[percent]:
                values.setdefault(term, []).append(weight)
    order: dict[str, int] = {term: place for place, term in enumerate(merged[100])}
    return KeywordLists(
        {
            percent: [
                Keyword(term, weight) for term, weight in sorted(_means(values).items(), key=lambda t: order[t[0]])
            ]
            for percent, values in merged.items()
        }
    )


def recommend(chart: Sequence[tuple[int, int]], target: int | None = None) -> int:
    """The percentage whose list is nearest to a sixth of all keywords, or to `target` (15); the smaller one on a tie.

    Percentages without any keyword are not recommended.
    """
    total = chart[-1][1]
    aim = total / 6 if target is None else target
    shown = [(abs(count - aim), percent) for percent, count in chart if count]
    return min(shown)[1] if shown else chart[-1][0]


def _means(values: Mapping[str, Sequence[float]]) -> Weights:
    return {term: sum(numbers) / len(numbers) for term, numbers in values.items()}
