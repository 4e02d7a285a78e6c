"""The default: script first, then whatever tells the languages of that script apart best.

A script that only one language uses decides alone; for the others the general model scores n-grams of a bounded
sample. Texts are judged in batches, so that the cost per text is a few table look-ups. A language of the user's own,
which the model cannot know, is recognised as `own.py` says.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from phasa.language.census import Census, take_census
from phasa.language.detectors.detector import OneByOne, sample
from phasa.language.detectors.model import FOR_SCRIPTS, GeneralModel
from phasa.language.linear import Model
from phasa.language.profile import Profile, profile_for
from phasa.language.scripts import SCRIPTS
from phasa.language.verdict import Document, Verdict, unknown

if TYPE_CHECKING:
    from phasa.language.detectors.own import OwnLanguage

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
_TOO_NOISY = 0.05
_DECLARED = 0.5  # the score of a declaration without text


class Auto(OneByOne):
    """Script first, then the general model; `own` adds a language that the model does not know."""

    def __init__(self, model: Model | None = None, own: OwnLanguage | None = None) -> None:
        self.model = GeneralModel(model)
        self._own = own

    @property
    def codes(self) -> frozenset[str]:
        """Every code its verdicts can carry."""
        return self.model.codes | frozenset(ONE_LANGUAGE.values()) | ({self._own.profile.code} if self._own else set())

    def judge(self, document: Document) -> Verdict:
        """As `detect`; a page with too little text is taken at its word when it declares a language."""
        return self.judge_many([document])[0]

    def judge_many(self, documents: Sequence[Document]) -> list[Verdict]:
        verdicts = self._batch(
            [document.text for document in documents], [document.declared or "" for document in documents]
        )
        return [_heard(verdict, document) for verdict, document in zip(verdicts, documents, strict=True)]

    def detect_many(self, texts: Sequence[str]) -> list[Verdict]:
        verdicts: list[Verdict] = []
        for start in range(0, len(texts), _AT_ONCE):
            verdicts += self._batch(texts[start : start + _AT_ONCE])
        return verdicts

    def _batch(self, texts: Sequence[str], declared: Sequence[str] = ()) -> list[Verdict]:
        samples = [sample(text, FOR_SCRIPTS) for text in texts]
        census = take_census(samples)
        shares = census.letters / np.maximum(census.counts.sum(axis=1), 1)
        flaws = _flaws(census)
        verdicts: list[Verdict | None] = [None] * len(texts)
        waiting: dict[str, list[int]] = {}
        for number, (script_id, letters, share, flaw) in enumerate(
            zip(census.leading.tolist(), census.letters.tolist(), shares.tolist(), flaws.tolist(), strict=True)
        ):
            script = SCRIPTS[script_id]
            if flaw:
                verdicts[number] = unknown(_FLAWS[flaw])
            elif script in ONE_LANGUAGE:
                score = share * letters / (letters + 0.1)
                verdicts[number] = Verdict(ONE_LANGUAGE[script], round(score, 4), f"script {script}, {letters} letters")
            else:
                waiting.setdefault(script, []).append(number)
        for script, numbers in waiting.items():
            judged = self.model.among(script, [texts[number] for number in numbers])
            for number, verdict in zip(numbers, judged, strict=True):
                verdicts[number] = verdict
        found = [verdict or unknown("no letters") for verdict in verdicts]
        if self._own is None:
            return found
        for number in np.flatnonzero(flaws == 0).tolist():
            script = SCRIPTS[census.leading[number]]
            told_apart = script not in ONE_LANGUAGE and self.model.tells_apart(script)
            said = declared[number] if declared else ""
            found[number] = self._own.claim(texts[number], script, said, found[number], told_apart)
        return found


_FLAWS = (
    "",
    "no letters",
    "too little text",
    "not text: control characters or undecoded bytes",
    "one character repeated",
)


def _heard(verdict: Verdict, document: Document) -> Verdict:
    """A page with too little text is taken at its word when it declares a language."""
    if verdict.evidence not in _FLAWS[1:3] or not document.declared:
        return verdict
    profile = profile_for(document.declared.strip())
    # English is what page templates declare unasked: of such pages only one in seven is in English.
    if profile is None or profile.code == "en":
        return verdict
    return Verdict(profile.code, _DECLARED, f"declared, {verdict.evidence}")


def _flaws(census: Census) -> NDArray[np.int64]:
    """Per text the number of the flaw for which it is undetermined, 0 for none; the first of _FLAWS that holds."""
    letters = census.letters
    flaws = np.zeros(len(letters), np.int64)
    flaws[(letters > 8) & (census.changes * 8 < letters)] = 4
    flaws[census.noise > _TOO_NOISY * census.units] = 3
    flaws[letters < _FEWEST_LETTERS] = 2
    flaws[letters == 0] = 1
    return flaws


def auto(profile: Profile | None) -> Auto:
    """The default detector; a profile of a language that nothing in it knows adds that language."""
    plain = Auto()
    if profile is None or profile.code in plain.codes:
        return plain
    from phasa.language.detectors.own import OwnLanguage  # word lists, which few languages need here

    return Auto(own=OwnLanguage(profile))
