"""What a detector says of a text or page, and what it is given of a page."""

from __future__ import annotations

from typing import NamedTuple

UNDETERMINED = "und"


class Verdict(NamedTuple):
    """A language as BCP 47 code (`und` when unknown), how sure (0..1), and on what evidence, in a few words."""

    language: str
    score: float
    evidence: str

    def is_in(self, language: str) -> bool:
        """Whether this says a language or a variety of it: a verdict of `zh-Hant` is in `zh`."""
        return self.language == language or self.language.startswith(f"{language}-")


class Document(NamedTuple):
    """A page as detectors see it: its visible text, and what it says of itself."""

    text: str
    charset: str | None = None  # as declared or found, any spelling
    declared: str | None = None  # language of the html lang attribute, meta tag or header


def unknown(why: str) -> Verdict:
    """The verdict of a detector that cannot tell."""
    return Verdict(UNDETERMINED, 0.0, why)
