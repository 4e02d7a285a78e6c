"""Words that belong together: a pair that stands side by side again and again is one keyword, as New York is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from phasa.overview.keywords import Weights
from phasa.overview.terms import Occurrence, Passage

LEAST_TIMES = 2
LEAST_SHARE = 0.5
"""Of the occurrences of the rarer word, how many must be beside the other."""
LEAST_OF_THE_OTHER = 0.25
"""The same for the more frequent word: the glass of `rear glass`, `side glass`, `front glass` stays a word."""
LONGEST = 4
"""Words in a phrase, at most."""

Pair = tuple[str, str]


def join_phrases(pages: Sequence[Sequence[Passage]]) -> list[list[Passage]]:
    """The same passages with every phrase as one occurrence, found over all pages together; longer ones by joining
    again."""
    joined = [list(page) for page in pages]
    length = 1
    while length < LONGEST:
        pairs = _phrases(passage for page in joined for passage in page)
        if not pairs:
            break
        joined = [[_with_pairs(passage, pairs) for passage in page] for page in joined]
        length *= 2
    return joined


def phrase_weights(single: Sequence[Passage], joined: Sequence[Passage], weights: Weights) -> Weights:
    """The weights of a page's terms after its words were joined: a phrase has nearly that of its heaviest word, and a
    word less by what is left of it when the phrases have taken their part. Words without a weight have none."""
    words = Counter(term for passage in single for term in passage.terms)
    left = Counter(term for passage in joined for term in passage.terms)
    out: Weights = {}
    for before, after in zip(single, joined, strict=True):
        remaining = iter(before.occurrences)
        for one in after.occurrences:
            parts = []
            for word in remaining:
                parts.append(word.term)
                if word.end == one.end:
                    break
            heaviest = max(parts, key=lambda term: weights.get(term, 0.0))
            if one.term not in out and heaviest in weights:
                mean = sum(weights.get(term, 0.0) for term in parts) / len(parts)
                # The other words count a little, so that two phrases with the same heaviest word differ.
                of_all = 0.9 * weights[heaviest] + 0.1 * mean
                out[one.term] = of_all * (left[one.term] / words[heaviest]) ** 0.5
    return out


def _phrases(passages: Iterable[Passage]) -> set[Pair]:
    words: Counter[str] = Counter()
    pairs: Counter[Pair] = Counter()
    for passage in passages:
        words.update(passage.terms)
        pairs.update((one.term, other.term) for one, other in _neighbours(passage))
    return {
        pair
        for pair, times in pairs.items()
        if times >= LEAST_TIMES
        and pair[0] != pair[1]
        and times >= LEAST_SHARE * min(words[pair[0]], words[pair[1]])
        and times >= LEAST_OF_THE_OTHER * max(words[pair[0]], words[pair[1]])
    }


def _neighbours(passage: Passage) -> Iterator[tuple[Occurrence, Occurrence]]:
    """Occurrences with nothing between them, or one blank where words of both are written between blanks."""
    for one, other in zip(passage.occurrences, passage.occurrences[1:], strict=False):
        gap = passage.text[one.end : other.start]
        if not gap or (gap == " " and _is_spaced(passage.text, one, other)):
            yield one, other


def _is_spaced(text: str, one: Occurrence, other: Occurrence) -> bool:
    """Whether both words are of a script that parts words by blanks: elsewhere a blank ends a phrase."""
    return not any(_without_blanks(letter) for letter in text[one.start : one.end] + text[other.start : other.end])


def _without_blanks(letter: str) -> bool:
    return (
        "\u0e00" <= letter <= "\u0eff"
        or "\u1000" <= letter <= "\u109f"
        or "\u1780" <= letter <= "\u17ff"
        or ("\u3040" <= letter <= "\u9fff")
    )


def _with_pairs(passage: Passage, pairs: set[Pair]) -> Passage:
    found: list[Occurrence] = []
    beside = {one.start: other for one, other in _neighbours(passage) if (one.term, other.term) in pairs}
    skip = -1
    for one in passage.occurrences:
        if one.start < skip:
            continue
        if (other := beside.get(one.start)) is not None:
            # The last word as it is counted: Phil Foden's is Phil Foden.
            term = " ".join((passage.text[one.start : other.start] + other.term).split()).lower()
            found.append(Occurrence(one.start, other.end, term))
            skip = other.end
        else:
            found.append(one)
    return Passage(passage.text, tuple(found))
