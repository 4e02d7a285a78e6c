"""Judges: is this page wanted? By language here; by topic through the same protocol (topics/)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol, runtime_checkable

from phasa.crawl.answer import Answer
from phasa.language.detectors import Detector
from phasa.language.segmenters import segmenter_for
from phasa.language.stopwords import stop_words_for
from phasa.language.verdict import UNDETERMINED, Document, Verdict
from phasa.web.html import Page


class Judgement(NamedTuple):
    """What a judge says of one page."""

    wanted: bool
    score: float
    """How much the page is of the wanted kind, 0..1: Γ for a dictionary, a probability for a model."""
    language: str = "und"
    """BCP 47 code of the page's language."""
    evidence: str = ""


class Judge(Protocol):
    """Is this page wanted?"""

    def judge(self, answer: Answer) -> Judgement:
        """The judgement of a page that came."""
        ...


@runtime_checkable
class BatchJudge(Protocol):
    """A judge that is quicker with several pages together."""

    def judge_many(self, answers: Sequence[Answer]) -> list[Judgement]:
        """The judgement of each page."""
        ...


NOTHING = Judgement(False, 0.0, UNDETERMINED, "no text")

Further = Callable[[Answer, Judgement, Sequence[str]], Judgement]
"""A look at the words of a page in the language, without its stop words; the judgement that it makes of it."""


class LanguageJudge:
    """Wanted is what the detector says is in the language.

    `traces` gives the score of a page in another language: how much of the wanted one is on it all the same (Γ), which
    tells a strategy that its links may lead there. With `one_scale` it gives that of every page, whatever the detector:
    what a knowledge base is learned from and used with (specs/language-specific-crawling.md §10 row 29). A page without
    text is judged by what it declares, if anything. `further` is where a topic, a thesaurus or feedback comes in after
    the detection (specs/persian-crawling.md §10 row 30); `word_model` finds its words.
    """

    def __init__(
        self,
        detector: Detector,
        language: str,
        traces: Callable[[str], float] | None = None,
        further: Further | None = None,
        word_model: str = "default",
        *,
        one_scale: bool = False,
    ) -> None:
        self._detector = detector
        self._language = language
        self._traces = traces
        self._further = further
        self._word_model = word_model
        self._one_scale = one_scale and traces is not None

    def judge(self, answer: Answer) -> Judgement:
        return self.judge_many([answer])[0]

    def judge_many(self, answers: Sequence[Answer]) -> list[Judgement]:
        """The judgements of some pages, in order: several together are quicker than one by one."""
        judgements = [NOTHING] * len(answers)
        places = [place for place, answer in enumerate(answers) if answer.page is not None and _says(answer.page)]
        verdicts = self._detector.judge_many([_document(answers[place].page) for place in places])
        for place, verdict in zip(places, verdicts, strict=True):
            judgements[place] = self._judgement(answers[place], verdict)
        return judgements

    def _judgement(self, answer: Answer, verdict: Verdict) -> Judgement:
        text = answer.page.text if answer.page is not None else ""
        wanted = verdict.is_in(self._language)
        if wanted and not self._one_scale:
            score = verdict.score
        else:
            score = self._traces(text) if self._traces is not None else 0.0
        judgement = Judgement(wanted, score, verdict.language, verdict.evidence)
        if not wanted:
            return judgement
        if self._further is None:
            return judgement
        plain = stop_words_for(self._language)
        words = [word for word in segmenter_for(self._language, self._word_model).words(text) if word not in plain]
        return self._further(answer, judgement, words)


def _says(page: Page) -> bool:
    """Whether there is anything to judge: text, or a language tag (specs/persian-crawling.md §10 row 4)."""
    return bool(page.text or page.lang or page.languages)


def _document(page: Page | None) -> Document:
    assert page is not None
    declared = page.lang or (page.languages[0] if page.languages else None)
    return Document(page.text, page.charset, declared)
