"""N-gram ranks after Cavnar and Trenkle 1994 (crawling specification §5.2 method 2, §12.3): the out-of-place measure.

A language's profile is its most frequent n-grams, n = 1..5, in order. A text gets the same kind of profile; the
language whose ranks differ least wins.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cache
from heapq import nsmallest
from importlib.resources import files
from pathlib import Path

import zstandard

from phasa.errors import SettingsError
from phasa.language.detectors.detector import OneByOne, sample
from phasa.language.profile import Profile
from phasa.language.verdict import Document, Verdict, unknown

LONGEST = 5
KEPT = 400
BLANK = "_"
_LOOKED_AT = 4000
# Letters with their marks: the vowel signs of Indic and Southeast Asian scripts are no letters to Python's \\w.
_MARKS = (
    r"\u0300-\u036f\u0591-\u05c7\u064b-\u0652\u0900-\u0dff\u0e31\u0e34-\u0e3a\u0e47-\u0e4e"
    r"\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ece\u0f71-\u0f84\u102b-\u103e\u17b4-\u17d3"
)
_WORD = re.compile(rf"(?:[^\W\d_]|[{_MARKS}])+")


def ngrams(word: str, n: int) -> list[str]:
    """The n-grams of a word with blanks after it: n - 1 of them, one for n = 1 (`CRAWL`, 3: CRA RAW AWL WL_ L__)."""
    padded = word + BLANK * max(1, n - 1)
    return [padded[start : start + n] for start in range(len(padded) - n + 1)]


def ranked_ngrams(text: str, kept: int = KEPT, longest: int = LONGEST) -> list[str]:
    """The most frequent n-grams of a text, most frequent first; ties in order of length, then of letters."""
    counts: Counter[str] = Counter()
    for word, times in Counter(_WORD.findall(text.lower())).items():
        for n in range(1, longest + 1):
            for gram in ngrams(word, n):
                counts[gram] += times
    return nsmallest(kept, counts, key=lambda gram: (-counts[gram], len(gram), gram))


def out_of_place(document: Iterable[str], ranks: Mapping[str, int], penalty: int = KEPT) -> int:
    """Sum over the document's n-grams of how far each is from its rank in the profile; `penalty` when it is absent."""
    return sum(abs(rank - ranks[gram]) if gram in ranks else penalty for rank, gram in enumerate(document))


class NgramRanks(OneByOne):
    """The language with the least distance wins. `profiles`: language -> n-grams, most frequent first."""

    def __init__(self, profiles: Mapping[str, Iterable[str]]) -> None:
        self._ranks = {
            language: {gram: rank for rank, gram in enumerate(grams)} for language, grams in profiles.items()
        }

    def distances(self, text: str) -> dict[str, int]:
        """The out-of-place distance of a text to every language."""
        document = ranked_ngrams(text)
        return {language: out_of_place(document, ranks) for language, ranks in self._ranks.items()}

    def judge(self, document: Document) -> Verdict:
        grams = ranked_ngrams(sample(document.text, _LOOKED_AT))
        if not grams:
            return unknown("no letters")
        distances = {language: out_of_place(grams, ranks) for language, ranks in self._ranks.items()}
        best = min(distances, key=distances.__getitem__)
        # 1 for equal profiles, 0 when no n-gram of the text is known.
        score = 1 - distances[best] / (KEPT * len(grams))
        if score <= 0:
            return unknown("no n-gram of the text is in any profile")
        return Verdict(best, round(score, 4), f"n-gram distance {distances[best]} over {len(grams)} n-grams")


@cache
def shipped_profiles() -> dict[str, tuple[str, ...]]:
    """The n-gram profiles inside the package."""
    packed = (files("phasa.language") / "data" / "ngrams.txt.zst").read_bytes()
    lines = zstandard.ZstdDecompressor().decompress(packed).decode().splitlines()
    return {language: tuple(grams.split(" ")) for language, grams in (line.split("\t") for line in lines)}


def ngram(profile: Profile | None) -> NgramRanks:
    """All shipped languages, and the user's own when its profile names sample text."""
    profiles = dict(shipped_profiles())
    if profile is not None and profile.samples:
        try:
            text = Path(profile.samples).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as problem:
            raise SettingsError(f"{profile.samples}: not readable UTF-8 sample text: {problem}") from None
        profiles[profile.code] = tuple(ranked_ngrams(text))
    return NgramRanks(profiles)
