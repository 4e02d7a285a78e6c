"""Script ratio: the share of a text's letters that are of the language's scripts."""

from __future__ import annotations

from phasa.language.detectors.detector import OneByOne, sample
from phasa.language.profile import Profile, known_languages, load_profile
from phasa.language.scripts import count_scripts
from phasa.language.verdict import Document, Verdict, unknown

_LOOKED_AT = 100_000


class ScriptRatio(OneByOne):
    """With one profile: yes when at least its threshold Z of the letters are of its scripts.

    With several: the first language whose usual script leads. Neighbours that share a script are not told apart.
    """

    def __init__(self, profiles: list[Profile]) -> None:
        self._profiles = profiles

    def judge(self, document: Document) -> Verdict:
        counts = count_scripts(sample(document.text, _LOOKED_AT))
        letters = sum(counts.values())
        if not letters:
            return unknown("no letters")
        if len(self._profiles) == 1:
            profile = self._profiles[0]
            ratio = sum(counts.get(script, 0) for script in profile.scripts) / letters
            if ratio > 0 and ratio >= profile.threshold:
                return Verdict(profile.code, round(ratio, 4), f"{ratio:.1%} of letters in {'/'.join(profile.scripts)}")
            return unknown(f"only {ratio:.1%} of letters in {'/'.join(profile.scripts)}")
        leading = max(counts, key=counts.__getitem__)
        for profile in self._profiles:
            if leading == profile.scripts[0]:
                ratio = counts[leading] / letters
                return Verdict(profile.code, round(ratio, 4), f"{ratio:.1%} of letters in {leading}")
        return unknown(f"most letters in {leading}, which no profile names")


# Where several languages share a script, the one that most pages in it are written in.
_FIRST = ("th", "fa", "en", "ru")


def script_ratio(profile: Profile | None) -> ScriptRatio:
    """For one language, or for all that have a profile."""
    rest = [code for code in known_languages() if code not in _FIRST]
    return ScriptRatio([profile] if profile else [load_profile(code) for code in (*_FIRST, *rest)])
