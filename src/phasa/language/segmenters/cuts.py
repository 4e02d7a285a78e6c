"""An engine says where words begin; everything else about spans and words follows from that."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt

from phasa.errors import InputError
from phasa.language.segmenters.characters import code_points, from_code_points

Starts = npt.NDArray[np.int64]
Span = tuple[int, int]

SEPARATOR = "|"
_UNLIKELY = "\x1f\x1e\ufdd0\ufdd1"  # one of these stands between words while they are cut apart
_WORDS = 1 << 14  # words that are cut out at a time
_PIECE = 1 << 17  # characters: enough to keep arrays busy, little enough to keep them small


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

    def starts(self, text: str) -> Starts:
        """The ascending offsets at which words begin; the first is 0; empty for an empty text."""
        found, offset = [no_starts()], 0
        for piece in pieces(text):
            found.append(self.piece_starts(piece) + offset)
            offset += len(piece)
        return np.concatenate(found)

    @abstractmethod
    def piece_starts(self, text: str) -> Starts:
        """The starts of words in some whole lines, which do not depend on the lines around them; never empty."""

    def segment(self, text: str) -> list[Span]:
        starts = self.starts(text).tolist()
        return list(zip(starts, [*starts[1:], len(text)], strict=True)) if starts else []

    def words(self, text: str) -> list[str]:
        return _cut(text, self.starts(text))

    def words_of_each(self, texts: Sequence[str]) -> list[list[str]]:
        """The words of each text: the same as `words` of it, only faster where an engine has a way for many."""
        return [self.words(text) for text in texts]

    def separated(self, text: str, separator: str = SEPARATOR) -> str:
        """The text with `separator` between the words of each line; line ends stay alone and get none."""
        starts = self.starts(text)[1:]
        codes = code_points(text)
        at_line_end = (codes[starts - 1] == 0x0A) | (codes[starts] == 0x0A)
        at_line_end |= (codes[starts] == 0x0D) & (np.append(codes, 0)[starts + 1] == 0x0A)
        return _with_separator(text, starts[~at_line_end], separator)


class WordList(CutSegmenter):
    """A segmenter made of a function that gives the words of a text. Raises InputError when they are not the text."""

    def __init__(self, words: Callable[[str], Sequence[str]]) -> None:
        self._words = words

    def piece_starts(self, text: str) -> Starts:
        words = [word for word in self._words(text) if word]
        if "".join(words) != text:
            raise InputError("segmenter: the words, joined, are not the text that was cut; add nothing, lose nothing")
        return np.cumsum([0, *map(len, words[:-1])], dtype=np.int64)


def words_of_lines(engine: CutSegmenter, texts: Sequence[str]) -> list[list[str]]:
    """The words of each text, all of them cut in one go: what a line is cut into does not depend on others."""
    lengths = np.fromiter(map(len, texts), np.int64, len(texts))
    begins = np.cumsum(lengths + 1) - lengths - 1
    joined = "\n".join(texts)
    borders = np.concatenate((begins, begins[1:] - 1))  # the texts, and the line ends between them
    starts = np.union1d(engine.starts(joined), borders[borders < len(joined)])
    words = _cut(joined, starts)
    first, end = np.searchsorted(starts, begins), np.searchsorted(starts, begins + lengths)
    return [words[start:stop] for start, stop in zip(first.tolist(), end.tolist(), strict=True)]


def _cut(text: str, starts: Starts) -> list[str]:
    """The text cut at these places, of which the first is its beginning."""
    separator = next((sign for sign in _UNLIKELY if sign not in text), None)
    if separator is None:
        begins = starts.tolist()
        return [text[start:end] for start, end in zip(begins, [*begins[1:], len(text)], strict=True)]
    found: list[str] = []
    same: dict[str, str] = {}  # a word that comes again is the same object: a long text has few different ones
    for first in range(0, len(starts), _WORDS):
        part = starts[first : first + _WORDS]
        end = int(starts[first + _WORDS]) if first + _WORDS < len(starts) else len(text)
        words = _with_separator(text[part[0] : end], part[1:] - part[0], separator).split(separator)
        found += map(same.setdefault, words, words)
    return found


def _with_separator(text: str, places: Starts, separator: str) -> str:
    """The text with the separator, one character, before each of the places, which ascend."""
    codes = code_points(text)
    spread = np.empty(len(codes) + len(places), dtype=codes.dtype)
    is_text = np.ones(len(spread), dtype=np.bool_)
    at = places + np.arange(len(places))
    spread[at] = ord(separator)
    is_text[at] = False
    spread[is_text] = codes
    return from_code_points(spread)


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
