"""The value that goes through the steps: one page as paragraphs, with what was measured and why it was dropped."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import msgspec


class Paragraph(msgspec.Struct, frozen=True):
    """A paragraph, heading, list item, line of a table, quotation, code, or a headline or lead of a front page."""

    text: str
    kind: str = "paragraph"
    level: int = 0
    language: str = ""
    links: float = 0.0
    """Share of its characters that are inside links."""


class Drop(msgspec.Struct, frozen=True):
    """Which step dropped a document, the reason in a word, the numbers that decided, and a detail (an address, a name)
    where numbers do not say it."""

    step: str
    reason: str
    numbers: dict[str, float] = {}
    detail: str = ""


class Document(msgspec.Struct, frozen=True):
    """One record on its way: what is known of it so far. `drop` says that it goes no further."""

    url: str
    host: str
    time: str
    file: str
    offset: int
    title: str = ""
    author: str = ""
    date: str = ""
    declared: str = ""
    charset: str = ""
    page: str = ""
    """front: a home, portal or list page; article; text: it was no HTML."""
    paragraphs: tuple[Paragraph, ...] = ()
    language: str = "und"
    score: float = 0.0
    signals: dict[str, float] = {}
    licence: str = ""
    opt_out: str = ""
    masked: dict[str, int] = {}
    words: tuple[str, ...] = ()
    """Its words in lower case, punctuation left out, once they were found."""
    before: str = ""
    """The beginning of all visible text of the page, to be shown next to what was kept."""
    drop: Drop | None = None

    @property
    def text(self) -> str:
        return "\n".join(paragraph.text for paragraph in self.paragraphs)


class Step(Protocol):
    """Documents in, the same documents out, in order, changed or with their `drop` set. No step sees a dropped one,
    and none has an effect beyond what it returns."""

    name: str

    def __call__(self, documents: Sequence[Document]) -> list[Document]: ...


def dropped(
    document: Document, step: str, reason: str, numbers: dict[str, float] | None = None, detail: str = ""
) -> Document:
    """The document with the reason why it goes no further."""
    return msgspec.structs.replace(document, drop=Drop(step, reason, numbers or {}, detail))


def run_steps(documents: Sequence[Document], steps: Sequence[Step]) -> list[Document]:
    """The documents after all steps, in their order; whoever is dropped is given to no further step."""
    out = list(documents)
    for step in steps:
        alive = [number for number, document in enumerate(out) if document.drop is None]
        if not alive:
            break
        for number, document in zip(alive, step([out[number] for number in alive]), strict=True):
            out[number] = document
    return out
