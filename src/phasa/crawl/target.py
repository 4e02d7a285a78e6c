"""The target language of a crawl, as far as a strategy needs to know it: in texts, host names and countries."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, cast

from phasa.language.detectors.chance import chance
from phasa.language.detectors.dictionary import dictionary
from phasa.language.profile import Profile
from phasa.language.scripts import BLOCKS

Similarity = Callable[[str], float]


class OfEach(Protocol):
    """A similarity that is quicker when it is asked about many texts together."""

    def of_each(self, texts: Sequence[str]) -> list[float]:
        """The similarity of each text."""
        ...


def _nothing(text: str) -> float:
    return 0.0


@dataclass(frozen=True, slots=True)
class Target:
    """The target language of a crawl. A second language is another Aim, never other code."""

    language: str
    """BCP 47 code."""
    tlds: frozenset[str] = frozenset()
    """Top-level domains of the language without the dot: {'th'}."""
    countries: frozenset[str] = frozenset()
    """ISO 3166 codes."""
    similarity: Similarity = _nothing
    """Γ of a text, 0..1: how much of it is in the language (language-specific-crawling Eq. 18)."""
    threshold: float = 0.1
    """Z: from this similarity on a text counts as being in the language (Eq. 19)."""

    def similarities(self, texts: Sequence[str]) -> list[float]:
        """The similarity of each text, 0 for an empty one."""
        similarity = self.similarity
        # Asked for every page: an instance check of a protocol would look up its members each time.
        if hasattr(similarity, "of_each"):
            return cast(OfEach, similarity).of_each(texts)
        return [similarity(text) if text else 0.0 for text in texts]


def target_of(profile: Profile) -> Target:
    """The target that a language profile describes."""
    tlds, countries = frozenset(profile.tlds), frozenset(profile.countries)
    return Target(profile.code, tlds, countries, LanguageSimilarity(profile), profile.threshold)


def gammas_of(profile: Profile) -> Callable[[Sequence[str]], list[float]]:
    """Γ of each of some texts: by the profile's dictionary, or what stands in for it where there is none."""
    return dictionary(profile).gammas if profile.dictionary else chance(profile).of_each


class LanguageSimilarity:
    """Γ (specs/language-specific-crawling.md Eq. 18) of a text in the language, the same as `gammas_of`.

    A text without a letter of the language's scripts has no word of it, so Γ is 0; menus repeat, so what was asked
    last is remembered; the texts of a page are asked about together, since a dictionary reads many short texts in the
    time of one. The dictionary is read when it is needed first.
    """

    REMEMBERED = 32_768

    def __init__(self, profile: Profile) -> None:
        self._profile = profile
        self._any_letter = _letters(profile)
        # Two generations: when the young one is full it becomes the old one, and the old one is forgotten.
        self._young: dict[str, float] = {"": 0.0}
        self._old: dict[str, float] = {}

    def __call__(self, text: str) -> float:
        return self.of_each([text])[0]

    def of_each(self, texts: Sequence[str]) -> list[float]:
        """Γ of each text."""
        young, old = self._young, self._old
        fresh = {text for text in texts if text not in young}
        if fresh:
            for text in fresh:
                young[text] = old.get(text, 0.0)
            if asked := [text for text in fresh if text not in old and self._any_letter(text)]:
                young.update(zip(asked, gammas_of(self._profile)(asked), strict=True))
        found = [young[text] for text in texts]
        if len(young) > self.REMEMBERED:
            self._old, self._young = young, {"": 0.0}
        return found


def traces_of(profile: Profile, most: int = 8_000) -> Callable[[str], float]:
    """Γ of the first `most` characters of a page, nothing remembered: for pages that are in another language."""
    any_letter = _letters(profile)
    return lambda text: gammas_of(profile)([text])[0] if any_letter(text := text[:most]) else 0.0


def _letters(profile: Profile) -> Callable[[str], object]:
    """Finds a letter of the language's scripts."""
    letters = "".join(
        f"{re.escape(chr(first))}-{re.escape(chr(last))}"
        for script, first, last in BLOCKS
        if script in profile.scripts and last < 0x10000
    )
    search = re.compile(f"[{letters}]").search
    if search("".join(map(chr, range(128)))):
        return search
    return lambda text: None if text.isascii() else search(text)
