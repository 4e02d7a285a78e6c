"""The default: script first, then whatever tells the languages of that script apart best.

A script that only one language uses decides alone; for the others the general model scores n-grams of a bounded
sample. Texts are judged in batches, so that the cost per text is a few table look-ups. A language of the user's own,
which the model cannot know, is recognised by its script and its dictionary.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from phasa.language.census import Census, take_census
from phasa.language.detectors import OneByOne
from phasa.language.detectors.dictionary import Dictionary, dictionary
from phasa.language.detectors.model import FOR_SCRIPTS, GeneralModel
from phasa.language.linear import Model
from phasa.language.profile import Profile
from phasa.language.sampling import sample
from phasa.language.scripts import SCRIPTS
from phasa.language.verdict import Document, Verdict, unknown

# Scripts whose letters name the language.
ONE_LANGUAGE: dict[str, str] = {
    "Thai": "th", "Laoo": "lo", "Khmr": "km", "Grek": "el", "Armn": "hy", "Geor": "ka", "Hang": "ko", "Kana": "ja",
    "Guru": "pa", "Gujr": "gu", "Orya": "or", "Taml": "ta", "Telu": "te", "Knda": "kn", "Mlym": "ml", "Sinh": "si",
    "Thaa": "dv", "Cher": "chr", "Olck": "sat", "Nkoo": "nqo", "Syrc": "syc", "Mtei": "mni", "Vaii": "vai",
    "Bugi": "bug", "Bali": "ban", "Java": "jv", "Sund": "su", "Mong": "mn", "Lana": "nod", "Tale": "tdd",
    "Talu": "khb", "Yiii": "ii", "Cans": "iu", "Bopo": "zh",
}  # fmt: skip
_AT_ONCE = 2000  # texts in one batch
_FEWEST_LETTERS = 2
_TOO_NOISY = 0.1


class Auto(OneByOne):
    """Script first, then the general model; `own` adds a language that the model does not know."""

    def __init__(self, model: Model | None = None, own: tuple[Profile, Dictionary] | None = None) -> None:
        self.model = GeneralModel(model)
        self._own = own

    @property
    def codes(self) -> frozenset[str]:
        """Every code its verdicts can carry."""
        return self.model.codes | frozenset(ONE_LANGUAGE.values()) | ({self._own[0].code} if self._own else set())

    def judge(self, document: Document) -> Verdict:
        return self._batch([document.text])[0]

    def detect_many(self, texts: Sequence[str]) -> list[Verdict]:
        verdicts: list[Verdict] = []
        for start in range(0, len(texts), _AT_ONCE):
            verdicts += self._batch(texts[start : start + _AT_ONCE])
        return verdicts

    def _batch(self, texts: Sequence[str]) -> list[Verdict]:
        samples = [sample(text, FOR_SCRIPTS) for text in texts]
        census = take_census(samples)
        shares = census.letters / np.maximum(census.counts.sum(axis=1), 1)
        verdicts: list[Verdict | None] = [None] * len(texts)
        waiting: dict[str, list[int]] = {}
        for number, (script_id, letters, share) in enumerate(
            zip(census.leading.tolist(), census.letters.tolist(), shares.tolist(), strict=True)
        ):
            script = SCRIPTS[script_id]
            verdicts[number] = _no_text(samples[number], census, number) or self._own_language(script, texts[number])
            if verdicts[number] is not None:
                continue
            if script in ONE_LANGUAGE:
                score = share * letters / (letters + 0.1)
                verdicts[number] = Verdict(ONE_LANGUAGE[script], round(score, 4), f"script {script}, {letters} letters")
            else:
                waiting.setdefault(script, []).append(number)
        for script, numbers in waiting.items():
            judged = self.model.among(script, [texts[number] for number in numbers])
            for number, verdict in zip(numbers, judged, strict=True):
                verdicts[number] = verdict
        return [verdict or unknown("no letters") for verdict in verdicts]

    def _own_language(self, script: str, text: str) -> Verdict | None:
        if self._own is None or script not in self._own[0].scripts:
            return None
        verdict = self._own[1].detect(text)
        return verdict if verdict.language == self._own[0].code else None


def _no_text(text: str, census: Census, number: int) -> Verdict | None:
    """`und` for what has too few letters, is not text, or is one character over and over; None for anything else."""
    letters = int(census.letters[number])
    if letters < _FEWEST_LETTERS:
        return unknown("no letters" if letters == 0 else "too little text")
    if census.noise[number] > _TOO_NOISY * len(text):
        return unknown("not text: control characters or undecoded bytes")
    if letters > 8 and census.changes[number] * 8 < letters:
        return unknown("one character repeated")
    return None


def auto(profile: Profile | None) -> Auto:
    """The default detector; a profile of a language that the model does not know adds that language."""
    plain = Auto()
    if profile is None or profile.code in plain.codes:
        return plain
    return Auto(own=(profile, dictionary(profile)))
