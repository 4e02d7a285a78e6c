"""The protocol that all detectors share, and the bounded piece of a text that they look at."""

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


_WINDOWS = 4


def sample(text: str, size: int) -> str:
    """The text itself when it has at most `size` characters, else windows from its start, middle parts and end."""
    if len(text) <= size:
        return text
    width = size // _WINDOWS
    step = (len(text) - width) // (_WINDOWS - 1)
    return " ".join([text[i * step : i * step + width] for i in range(_WINDOWS)])
