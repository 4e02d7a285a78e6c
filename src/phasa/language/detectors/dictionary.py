"""Dictionary ratio Γ (crawling specification §5.2 method 4, §5.3): known words among all words of a text.

Γ = t / N with t = KNOWN tokens and N = all tokens but special characters; 0 when there are none. A page is in the
language when Γ ≥ Z. Languages without blanks are cut by LexTo's longest matching, the others at their blanks.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path

from phasa.errors import SettingsError
from phasa.language.detectors import OneByOne
from phasa.language.normalise import normalise_as
from phasa.language.profile import Profile, load_profile
from phasa.language.sampling import sample
from phasa.language.verdict import Document, Verdict, unknown
from phasa.language.wordlists import word_list

_LOOKED_AT = 20_000
_WORD = re.compile(r"[^\W_]+(?:[\u200c'’][^\W_]+)*")


class Dictionary(OneByOne):
    """Γ for one language."""

    def __init__(self, profile: Profile, words: Iterable[str]) -> None:
        self._profile = profile
        prepared = {normalise_as(word, profile) for word in words}
        self._count = _counter(profile, _without_derived(prepared, profile.prefixes))

    def count(self, text: str) -> tuple[int, int]:
        """(known tokens, all tokens) of a text."""
        return self._count(normalise_as(text, self._profile))

    def gamma(self, text: str) -> float:
        """Γ(text): known tokens over all tokens, 0 for a text without tokens."""
        known, tokens = self.count(text)
        return known / tokens if tokens else 0.0

    def judge(self, document: Document) -> Verdict:
        ratio = self.gamma(sample(document.text, _LOOKED_AT))
        evidence = f"Γ = {ratio:.3f}, Z = {self._profile.threshold:g}"
        if ratio > 0 and ratio >= self._profile.threshold:
            return Verdict(self._profile.code, round(ratio, 4), evidence)
        return unknown(evidence)


def _without_derived(words: set[str], prefixes: tuple[str, ...]) -> set[str]:
    """The words but those that are a prefix plus another word: LEXiTRON lists การ and ท่องเที่ยว, not both in one."""
    return {
        word
        for word in words
        if not any(word.startswith(prefix) and word.removeprefix(prefix) in words for prefix in prefixes)
    }


def _counter(profile: Profile, words: set[str]) -> Callable[[str], tuple[int, int]]:
    """The function text -> (known tokens, all tokens)."""
    if profile.segmenter == "spaced":

        def count_words(text: str) -> tuple[int, int]:
            tokens = _WORD.findall(text)
            return sum(token in words for token in tokens), len(tokens)

        return count_words
    from phasa.language.segmenters.lexto import Lexto, TokenType

    lexto = Lexto(words)

    def count_tokens(text: str) -> tuple[int, int]:
        counts = lexto.count_types(text)
        return counts[TokenType.KNOWN], sum(counts.values()) - counts[TokenType.SPECIAL]

    return count_tokens


def words_of(profile: Profile) -> tuple[str, ...]:
    """The words of a profile's dictionary. Raises SettingsError when it names none or it cannot be read."""
    if not profile.dictionary:
        raise SettingsError(f'profile {profile.code!r} names no dictionary; add: dictionary = "words.txt"')
    if "." not in profile.dictionary:
        return word_list(profile.dictionary)
    try:
        text = Path(profile.dictionary).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as problem:
        raise SettingsError(f"{profile.dictionary}: not a readable UTF-8 word list: {problem}") from None
    return tuple(word for line in text.splitlines() if (word := line.strip()))


@cache
def dictionary(profile: Profile | None, extra: tuple[str, ...] = ()) -> Dictionary:
    """Γ with the profile's own dictionary (Thai when none is given), extended by `extra` words."""
    chosen = profile or load_profile("th")
    return Dictionary(chosen, (*words_of(chosen), *extra))
