"""The protocol that all detectors share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from phasa.language.verdict import Document, Verdict


class Detector(Protocol):
    """Says in which language a text or page is. Never raises for what is in it; `und` when it cannot tell."""

    def detect(self, text: str) -> Verdict: ...

    def detect_many(self, texts: Sequence[str]) -> list[Verdict]:
        """A verdict per text, in order: the same as `detect` on each, only faster."""
        ...

    def judge(self, document: Document) -> Verdict:
        """The verdict on a page, with what it declares of itself as far as the method uses that."""
        ...

    def judge_many(self, documents: Sequence[Document]) -> list[Verdict]:
        """A verdict per page, in order: the same as `judge` on each, only faster."""
        ...


class OneByOne:
    """What a detector inherits that has no faster way for many texts and does not look at declarations."""

    def detect(self, text: str) -> Verdict:
        return self.judge(Document(text))

    def detect_many(self, texts: Sequence[str]) -> list[Verdict]:
        return [self.detect(text) for text in texts]

    def judge(self, document: Document) -> Verdict:
        return self.detect(document.text)

    def judge_many(self, documents: Sequence[Document]) -> list[Verdict]:
        return [self.judge(document) for document in documents]
