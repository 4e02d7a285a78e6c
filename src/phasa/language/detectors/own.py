"""A language of the user's own, which the general model does not know: by its dictionary, or by its script alone."""

from __future__ import annotations

from phasa.language.detectors.dictionary import dictionary
from phasa.language.profile import Profile
from phasa.language.scripts import count_scripts
from phasa.language.verdict import Verdict

_SURE = 0.5  # more likely than all others together
_LOOKED_AT = 1000


class OwnLanguage:
    """Decides whether a text that is mostly in a script of the language is in the language.

    With a dictionary Γ decides. Without one a page that declares the language is in it, and so is a text that the
    general model calls by the name of what this is a variety of (`pt` for a profile of pt-BR). For the rest there is
    the script: it decides alone where the model knows at most one language of it, else when the model is unsure.
    """

    def __init__(self, profile: Profile) -> None:
        self.profile = profile
        self._dictionary = dictionary(profile) if profile.dictionary else None
        self._primary = profile.code.partition("-")[0]

    def claim(self, text: str, script: str, declared: str, verdict: Verdict, told_apart: bool) -> Verdict:
        """The verdict on a text, given what is said without this language.

        `script` leads in the text; `declared` is what the page says of itself, or ""; `told_apart`: the general model
        knows several languages of the script.
        """
        profile = self.profile
        if script not in profile.scripts:
            return verdict
        if self._dictionary is not None:
            mine = self._dictionary.detect(text)
            return mine if mine.language == profile.code else verdict
        if declared.strip().lower().replace("_", "-") in profile.names:
            return Verdict(profile.code, self._share(text), f"declared, script {script}")
        if verdict.language == self._primary:
            return verdict._replace(language=profile.code)
        if told_apart and verdict.score >= _SURE:
            return verdict
        return Verdict(profile.code, self._share(text), f"script {script}, without a dictionary")

    def _share(self, text: str) -> float:
        counts = count_scripts(text[:_LOOKED_AT])
        return round(sum(counts.get(script, 0) for script in self.profile.scripts) / max(1, sum(counts.values())), 4)
