"""An engine says where words begin; everything else about spans and words follows from that."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Protocol

import numpy as np
import numpy.typing as npt

from phasa.language.segmenters.characters import code_points, from_code_points

Starts = npt.NDArray[np.int64]
Span = tuple[int, int]

SEPARATOR = "|"
_PIECE = 500_000  # characters: enough to keep arrays busy, little enough to keep them small


class Segmenter(Protocol):
    """Cuts a text into words. The words, joined, are the text: nothing added, nothing lost."""

    def segment(self, text: str) -> list[Span]:
        """The words as (start, end) offsets that follow each other and cover the whole text; [] for an empty text."""
        ...

    def words(self, text: str) -> list[str]:
        """The words themselves, blanks and punctuation included."""
        ...


class CutSegmenter(ABC):
    """A segmenter that is known by the offsets at which words begin."""

    @abstractmethod
    def starts(self, text: str) -> Starts:
        """The ascending offsets at which words begin; the first is 0; empty for an empty text."""

    def segment(self, text: str) -> list[Span]:
        starts = self.starts(text).tolist()
        return list(zip(starts, [*starts[1:], len(text)], strict=True)) if starts else []

    def words(self, text: str) -> list[str]:
        starts = self.starts(text).tolist()
        return [text[start:end] for start, end in zip(starts, [*starts[1:], len(text)], strict=True)] if starts else []

    def separated(self, text: str, separator: str = SEPARATOR) -> str:
        """The text with `separator` between the words of each line; line ends stay alone and get none."""
        starts = self.starts(text)[1:]
        codes = code_points(text)
        at_line_end = (codes[starts - 1] == 0x0A) | (codes[starts] == 0x0A)
        at_line_end |= (codes[starts] == 0x0D) & (np.append(codes, 0)[starts + 1] == 0x0A)
        inside = starts[~at_line_end]
        return from_code_points(np.insert(codes, inside, ord(separator)))


def no_starts() -> Starts:
    """The starts of an empty text."""
    return np.zeros(0, dtype=np.int64)


def pieces(text: str, size: int = _PIECE) -> Iterator[str]:
    """The text in pieces of about `size` characters, cut after line ends only."""
    start = 0
    while start < len(text):
        end = text.find("\n", start + size - 1) + 1 if start + size < len(text) else len(text)
        end = end or len(text)
        yield text[start:end]
        start = end
