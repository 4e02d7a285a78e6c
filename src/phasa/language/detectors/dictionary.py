"""Dictionary ratio Γ (crawling specification §5.2 method 4, §5.3): known words among all words of a text.

Γ = t / N with t = KNOWN tokens and N = all tokens but special characters; 0 when there are none. A page is in the
language when Γ ≥ Z. Languages without blanks are cut by LexTo's longest matching, the others at their blanks.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from pathlib import Path

from phasa.errors import SettingsError
from phasa.language.detectors.detector import OneByOne, sample
from phasa.language.normalise import normalise_all, normalise_as
from phasa.language.profile import Profile, load_profile, profile_for
from phasa.language.verdict import Document, Verdict, unknown
from phasa.language.wordlists import known_words, word_list

_LOOKED_AT = 20_000
_WORD = re.compile(r"[^\W_]+(?:[\u200c'’][^\W_]+)*")


class Dictionary(OneByOne):
    """Γ for one language, with these words or those of the profile's dictionary; then it raises as `words_of`."""

    def __init__(self, profile: Profile, words: Iterable[str] | None = None) -> None:
        self._profile = profile
        self._count, self._count_each = _counters(profile, words)

    def count(self, text: str) -> tuple[int, int]:
        """(known tokens, all tokens) of a text."""
        return self._count(normalise_as(text, self._profile))

    def gamma(self, text: str) -> float:
        """Γ(text): known tokens over all tokens, 0 for a text without tokens."""
        known, tokens = self.count(text)
        return known / tokens if tokens else 0.0

    def gammas(self, texts: Sequence[str]) -> list[float]:
        """Γ of each text; many short ones cost little more than one."""
        counts = self._count_each(normalise_all(texts, self._profile))
        return [known / tokens if tokens else 0.0 for known, tokens in counts]

    def judge(self, document: Document) -> Verdict:
        ratio = self.gamma(sample(document.text, _LOOKED_AT))
        evidence = f"Γ = {ratio:.3f}, Z = {self._profile.threshold:g}"
        if ratio > 0 and ratio >= self._profile.threshold:
            return Verdict(self._profile.code, round(ratio, 4), evidence)
        return unknown(evidence)


Counted = tuple[int, int]
"""Known tokens, all tokens."""


def _counters(
    profile: Profile, words: Iterable[str] | None
) -> tuple[Callable[[str], Counted], Callable[[Sequence[str]], list[Counted]]]:
    """The functions that count the tokens of a text, and of each of many texts."""
    if profile.segmenter == "spaced":
        known = frozenset(_known(profile, words))

        def count_words(text: str) -> Counted:
            tokens = _WORD.findall(text)
            return sum(token in known for token in tokens), len(tokens)

        return count_words, lambda texts: [count_words(text) for text in texts]
    from phasa.language.segmenters.lexto import Lexto, TokenType
    from phasa.language.segmenters.packed import read_packed

    shipped = words is None and profile == profile_for(profile.code)
    packed = read_packed("dictionary", profile.code, Lexto.from_bytes) if shipped else None
    lexto = packed or Lexto(_known(profile, words))

    def count_each(texts: Sequence[str]) -> list[Counted]:
        counts = lexto.count_types_of_each(texts)
        tokens = counts.sum(axis=1) - counts[:, TokenType.SPECIAL]
        return list(zip(counts[:, TokenType.KNOWN].tolist(), tokens.tolist(), strict=True))

    return lambda text: count_each([text])[0], count_each


def _known(profile: Profile, words: Iterable[str] | None) -> list[str]:
    return known_words(words_of(profile) if words is None else words, profile)


def words_of(profile: Profile) -> tuple[str, ...]:
    """The words of a profile's dictionary. Raises SettingsError when it names none or it cannot be read."""
    if not profile.dictionary:
        raise SettingsError(f'profile {profile.code!r} names no dictionary; add: dictionary = "words.txt"')
    own = profile.dictionary
    words = word_list(own) if "." not in own else _read_words(own)
    return (*words, *_read_words(profile.extra_words)) if profile.extra_words else words


def _read_words(path: str) -> tuple[str, ...]:
    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as problem:
        raise SettingsError(f"{path}: not a readable UTF-8 word list: {problem}") from None
    return tuple(word for line in text.splitlines() if (word := line.strip()))


@cache
def dictionary(profile: Profile | None) -> Dictionary:
    """Γ with the profile's own dictionary (Thai when none is given), and its `extra_words`."""
    chosen = profile or load_profile("th")
    return Dictionary(chosen)
