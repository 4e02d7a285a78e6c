"""Γ of the short texts around links, quickly: most need no look into the dictionary."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

from phasa.language.detectors.dictionary import dictionary
from phasa.language.profile import Profile
from phasa.language.scripts import BLOCKS

CACHED = 65_536


def likeness_of(profile: Profile) -> Callable[[str], float]:
    """Γ (specs/language-specific-crawling.md Eq. 18) of a text in the language, the same as the dictionary's.

    A text without a letter of the language's scripts has no word of it, so Γ is 0; menus repeat, so what was asked
    last is remembered. The dictionary is read when it is needed first.
    """
    any_letter = _letters(profile)

    @lru_cache(maxsize=CACHED)
    def gamma(text: str) -> float:
        return dictionary(profile).gamma(text)

    return lambda text: gamma(text) if any_letter(text) else 0.0


def traces_of(profile: Profile, most: int = 8_000) -> Callable[[str], float]:
    """Γ of the first `most` characters of a page, nothing remembered: for pages that are in another language."""
    any_letter = _letters(profile)
    return lambda text: dictionary(profile).gamma(text) if any_letter(text := text[:most]) else 0.0


def _letters(profile: Profile) -> Callable[[str], object]:
    """Finds a letter of the language's scripts."""
    letters = "".join(
        f"{re.escape(chr(first))}-{re.escape(chr(last))}"
        for script, first, last in BLOCKS
        if script in profile.scripts and last < 0x10000
    )
    return re.compile(f"[{letters}]").search
