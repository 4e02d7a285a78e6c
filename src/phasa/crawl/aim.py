"""What a crawl is after, as far as a strategy needs to know it: the language as seen in texts, names and places."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, cast

Likeness = Callable[[str], float]


class OfEach(Protocol):
    """A likeness that is quicker when it is asked about many texts together."""

    def of_each(self, texts: Sequence[str]) -> list[float]:
        """The likeness of each text."""
        ...


def _nothing(text: str) -> float:
    return 0.0


@dataclass(frozen=True, slots=True)
class Aim:
    """The target language of a crawl. A second language is another Aim, never other code."""

    language: str
    """BCP 47 code."""
    tlds: frozenset[str] = frozenset()
    """Top-level domains of the language without the dot: {'th'}."""
    countries: frozenset[str] = frozenset()
    """ISO 3166 codes."""
    likeness: Likeness = _nothing
    """Γ of a text, 0..1: how much of it is in the language (language-specific-crawling Eq. 18)."""
    threshold: float = 0.1
    """Z: from this likeness on a text counts as being in the language (Eq. 19)."""

    def likenesses(self, texts: Sequence[str]) -> list[float]:
        """The likeness of each text, 0 for an empty one."""
        likeness = self.likeness
        # Asked for every page: an instance check of a protocol would look up its members each time.
        if hasattr(likeness, "of_each"):
            return cast(OfEach, likeness).of_each(texts)
        return [likeness(text) if text else 0.0 for text in texts]
