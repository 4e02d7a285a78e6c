"""The judge by language, as the loop asks it: a page that came → is it in the language of the collection?"""

from __future__ import annotations

from phasa.crawl.answer import Answer
from phasa.crawl.judge import Judgement
from phasa.language.detectors import Detector
from phasa.language.verdict import UNDETERMINED, Document

NOTHING = Judgement(False, 0.0, UNDETERMINED, "no text")


class LanguageJudge:
    """Wanted is what the detector says is in the language."""

    def __init__(self, detector: Detector, language: str) -> None:
        self._detector = detector
        self._language = language

    def judge(self, answer: Answer) -> Judgement:
        page = answer.page
        if page is None or not page.text:
            return NOTHING
        declared = page.lang or (page.languages[0] if page.languages else None)
        verdict = self._detector.judge(Document(page.text, page.charset, declared))
        wanted = verdict.language == self._language
        return Judgement(wanted, verdict.score if wanted else 0.0, verdict.language, verdict.evidence)
