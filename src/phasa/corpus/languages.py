"""In which language is a document, and each of its paragraphs: what is in others is left out, the rest is kept."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from phasa.corpus.document import Document, Paragraph, dropped
from phasa.language.census import take_census
from phasa.language.detectors import detector
from phasa.language.detectors.detector import sample
from phasa.language.profile import Profile
from phasa.language.scripts import SCRIPT_ID
from phasa.language.verdict import UNDETERMINED, Verdict
from phasa.language.verdict import Document as Seen

_LOOKED_AT = 1000
_SHORT = 40
"""Letters below which a paragraph goes with its document: n-grams of so few say little."""
_AGAINST = 0.9
"""The score that a paragraph needs in a document that is in another language of the same script."""


class Languages:
    """The step. A paragraph stays when it is in the language; when it is short, in a script of the language, and its
    document is in the language; or when it has no letters and comes after such a one. A document without any is
    dropped."""

    name = "language"

    def __init__(self, profile: Profile, min_score: float, *, only: bool = True) -> None:
        """`only` False: languages are told and nothing is left out."""
        self._profile = profile
        self._only = only
        self._min_score = min_score
        self._detector = detector("auto", profile)
        self._scripts = [SCRIPT_ID[script] for script in profile.scripts]

    def __call__(self, documents: Sequence[Document]) -> list[Document]:
        whole = self._detector.judge_many([Seen(one.text, declared=one.declared or None) for one in documents])
        texts = [paragraph.text for one in documents for paragraph in one.paragraphs]
        verdicts = self._detector.detect_many(texts)
        census = take_census([sample(text, _LOOKED_AT) for text in texts])
        letters = census.counts.sum(axis=1).tolist()
        own = census.counts[:, self._scripts].sum(axis=1).tolist()
        out, at = [], 0
        for document, verdict in zip(documents, whole, strict=True):
            end = at + len(document.paragraphs)
            out.append(self._judged(document, verdict, verdicts[at:end], letters[at:end], own[at:end]))
            at = end
        return out

    def _judged(
        self, document: Document, whole: Verdict, each: Sequence[Verdict], letters: Sequence[int], own: Sequence[int]
    ) -> Document:
        if not self._only:
            tagged = [
                replace(one, language=verdict.language) for one, verdict in zip(document.paragraphs, each, strict=True)
            ]
            return replace(document, paragraphs=tuple(tagged), language=whole.language, score=round(whole.score, 4))
        inside = whole.is_in(self._profile.code)
        kept: list[Paragraph | None] = []
        kept_letters, last = 0, False
        for paragraph, verdict, count, mine in zip(document.paragraphs, each, letters, own, strict=True):
            if count == 0:
                stays, language = last, UNDETERMINED
            else:
                stays = self._stays(verdict, inside, count, mine)
                language = self._profile.code if stays else verdict.language
                last = stays
            kept.append(replace(paragraph, language=language) if stays else None)
            kept_letters += mine if stays else 0
        total = sum(letters)
        paragraphs = tuple(paragraph for paragraph in kept if paragraph is not None)
        share = kept_letters / total if total else 0.0
        numbers = {"language_share": round(share, 4), "other_paragraphs": float(len(kept) - len(paragraphs))}
        if not kept_letters:
            detail = f"{whole.language}, score {whole.score:.2f}: {whole.evidence}"
            found = replace(document, language=whole.language, score=round(whole.score, 4))
            return dropped(found, self.name, "other_language", numbers | {"score": round(whole.score, 4)}, detail)
        score = whole.score if inside else share
        return replace(
            document,
            paragraphs=paragraphs,
            language=self._profile.code,
            score=round(score, 4),
            signals=document.signals | numbers,
        )

    def _stays(self, verdict: Verdict, inside: bool, letters: int, own: int) -> bool:
        if own * 2 < letters:  # mostly another script
            return False
        if verdict.is_in(self._profile.code):
            # In a script that other languages share a page in one of them has lines that look like this one.
            needed = self._min_score if inside else max(self._min_score, _AGAINST)
            return verdict.score >= needed or (inside and letters < _SHORT)
        if verdict.language == UNDETERMINED:
            return inside
        return inside and letters < _SHORT


class Normalise:
    """The step that brings spellings together, by the profile; capitals stay."""

    name = "normalise"

    def __init__(self, profile: Profile) -> None:
        self._profile = profile

    def __call__(self, documents: Sequence[Document]) -> list[Document]:
        from phasa.language.normalise import normalise_as

        out = []
        for document in documents:
            texts = [normalise_as(one.text, self._profile, keep_case=True) for one in document.paragraphs]
            paragraphs = tuple(
                replace(one, text=text) for one, text in zip(document.paragraphs, texts, strict=True) if text.strip()
            )
            title = normalise_as(document.title, self._profile, keep_case=True)
            changed = replace(document, paragraphs=paragraphs, title=title)
            out.append(changed if paragraphs else dropped(changed, self.name, "no_text"))
        return out
