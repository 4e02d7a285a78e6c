"""The general model as a detector: hashed n-grams against all languages of the text's leading script."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from phasa.language.census import take_census
from phasa.language.detectors.detector import OneByOne, sample
from phasa.language.linear import Group, Model, shipped_model
from phasa.language.profile import Profile, is_mentioned, is_shipped, profile_for
from phasa.language.scripts import SCRIPTS
from phasa.language.verdict import Document, Verdict, unknown

FOR_SCRIPTS = 1000  # characters looked at to find the script
FOR_MODEL = 256  # and to tell its languages apart
_UNSURE = 0.15  # below this chance the best language is not named


class GeneralModel(OneByOne):
    """About 250 languages. The score is the model's chance for its answer among the languages of the script."""

    def __init__(self, model: Model | None = None) -> None:
        self._model = model or shipped_model()
        self._classes_of: dict[tuple[str, str], list[int]] = {}

    @property
    def codes(self) -> frozenset[str]:
        """Every code its verdicts can carry."""
        return frozenset(map(self.code_of, self._model.languages))

    def code_of(self, name: str) -> str:
        """The code that verdicts print for a class of the model."""
        return _printed(name)

    def judge(self, document: Document) -> Verdict:
        return self.detect_many([document.text])[0]

    def detect_many(self, texts: Sequence[str]) -> list[Verdict]:
        if not texts:
            return []
        leading = take_census([sample(text, FOR_SCRIPTS) for text in texts]).leading
        verdicts = [unknown("no letters")] * len(texts)
        for script_id in np.unique(leading[leading > 0]).tolist():
            numbers = np.flatnonzero(leading == script_id).tolist()
            judged = self.among(SCRIPTS[script_id], [texts[number] for number in numbers])
            for number, verdict in zip(numbers, judged, strict=True):
                verdicts[number] = verdict
        return verdicts

    def among(self, script: str, texts: Sequence[str]) -> list[Verdict]:
        """Verdicts on texts that are known to be mostly in this script."""
        group = self._model.group_of(script)
        if group is None:
            return [unknown(f"script {script}, no language of it is known")] * len(texts)
        candidates, raised = self._raised(group, script, texts)
        best = raised.argmax(axis=1)
        scores = 1 / raised.sum(axis=1)
        verdicts = []
        for choice, score in zip(candidates[best].tolist(), scores.tolist(), strict=True):
            name = group.classes[choice]
            if score < _UNSURE:
                verdicts.append(unknown(f"script {script}, n-grams fit no language well"))
            else:
                verdicts.append(Verdict(_printed(name), round(score, 4), f"script {script}, n-grams of {name}"))
        return verdicts

    def tells_apart(self, script: str) -> bool:
        """Whether it knows languages of this script."""
        return self._model.group_of(script) is not None

    def chances(self, script: str, texts: Sequence[str], language: str) -> NDArray[np.float64] | None:
        """The chance that each text, mostly in this script, is in the language or a variety of it; None when the model
        knows neither in this script."""
        group = self._model.group_of(script)
        if group is None:
            return None
        # Asked for every page of a crawl: the classes of a language are looked for once.
        wanted = self._classes_of.get((script, language))
        if wanted is None:
            names = [group.classes[choice] for choice in group.seen[script].tolist()]
            wanted = [place for place, name in enumerate(names) if Verdict(_printed(name), 1.0, "").is_in(language)]
            self._classes_of[script, language] = wanted
        if not wanted:
            return None
        _, raised = self._raised(group, script, texts)
        return np.asarray(raised[:, wanted].sum(axis=1) / raised.sum(axis=1), np.float64)

    def _raised(self, group: Group, script: str, texts: Sequence[str]) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """The classes of the script, and e to the power of each text's logits, the largest 1."""
        candidates = group.seen[script]
        logits = group.logits([sample(text, FOR_MODEL) for text in texts], FOR_MODEL + 4)[:, candidates]
        return candidates, np.exp(logits - logits.max(axis=1, keepdims=True))


@cache
def _printed(name: str) -> str:
    """The code a verdict prints for a class: that of the profile that has its name, else its own."""
    if is_shipped(name) or not is_mentioned(name):  # mostly so: then no profile need be parsed
        return name
    profile = profile_for(name)
    return profile.code if profile is not None and name.lower() in profile.names else name


def model(profile: Profile | None) -> GeneralModel:
    """The shipped model; it answers with any of its languages, whichever is asked for."""
    return GeneralModel()
