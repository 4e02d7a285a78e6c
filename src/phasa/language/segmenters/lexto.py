"""LexTo: left-to-right longest matching against a word list, with typed tokens (crawling specification §5.2, §12.2).

The types are those of the public LexTo program. The ratio Γ counts KNOWN tokens among all but SPECIAL ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import IntEnum
from itertools import chain
from typing import NamedTuple

import daachorse
import numpy as np
import numpy.typing as npt

from phasa.language.segmenters.breaks import word_starts
from phasa.language.segmenters.characters import (
    COMPLEX,
    DIGIT,
    LETTER,
    Codes,
    code_points,
    kinds_of,
    may_cut,
    without_surrogates,
)
from phasa.language.segmenters.cuts import CutSegmenter, Starts, no_starts


class TokenType(IntEnum):
    """What LexTo says of a token."""

    UNKNOWN = 0  # letters of the language that are no word of the list
    KNOWN = 1
    AMBIGUOUS = 2  # a word of the list whose end is in doubt: what follows it at once begins no known word
    FOREIGN = 3  # Latin letters, digits and other scripts
    SPECIAL = 4  # blanks, punctuation, symbols


class Token(NamedTuple):
    """A typed stretch of the text."""

    start: int
    end: int
    type: TokenType


class Lexto(CutSegmenter):
    """Left-to-right longest matching over `words`."""

    def __init__(self, words: Iterable[str]) -> None:
        entries = list(dict.fromkeys(sorted(filter(None, words))))
        self._automaton = (
            daachorse.CharwiseDoubleArrayAhoCorasick(entries, daachorse.MATCH_KIND_LEFTMOST_LONGEST)
            if entries
            else None
        )

    def to_bytes(self) -> bytes:
        """The automaton as bytes from which `from_bytes` makes it anew without building it; b"" for no words."""
        return bytes(self._automaton.serialize()) if self._automaton is not None else b""

    @classmethod
    def from_bytes(cls, data: bytes) -> Lexto:
        """The engine that `to_bytes` wrote. Raises ValueError when it was written by another version of daachorse."""
        engine = cls(())
        engine._automaton = daachorse.CharwiseDoubleArrayAhoCorasick.deserialize(data)
        return engine

    def piece_starts(self, text: str) -> Starts:
        return self._parse(text)[0]

    def tokens(self, text: str) -> list[Token]:
        """The tokens of the text with their types; they cover it."""
        if not text:
            return []
        starts, types = self._parse(text)
        begins = starts.tolist()
        return [
            Token(start, end, TokenType(kind))
            for start, end, kind in zip(begins, [*begins[1:], len(text)], types.tolist(), strict=True)
        ]

    def count_types_of_each(self, texts: Sequence[str]) -> npt.NDArray[np.int64]:
        """How many tokens of each type every text has, one row each: all that Γ needs, in one pass and without building
        tokens. No token goes past a line end; the line ends between texts count as SPECIAL tokens of those before."""
        starts, types = self._parse("\n".join(texts))
        ends = np.cumsum(np.fromiter(map(len, texts), np.int64, len(texts)) + 1)
        owner = np.searchsorted(ends, starts, side="right")
        kinds = len(TokenType)
        return np.bincount(owner * kinds + types, minlength=len(texts) * kinds).reshape(-1, kinds)

    def _parse(self, text: str) -> tuple[Starts, npt.NDArray[np.int64]]:
        if not text:
            return no_starts(), no_starts()
        codes = code_points(text)
        begins = word_starts(text, codes)
        known_start, known_end = self._known(text, codes)
        inside = np.zeros(len(codes) + 1, dtype=np.int32)
        inside[known_start + 1] += 1
        inside[known_end] -= 1
        begins &= np.cumsum(inside[:-1]) == 0
        begins[known_start] = True
        begins[known_end[known_end < len(codes)]] = True
        starts = np.flatnonzero(begins)
        first = kinds_of(codes[starts])
        types = np.full(len(starts), TokenType.SPECIAL, dtype=np.int64)
        types[(first == LETTER) | (first == DIGIT)] = TokenType.FOREIGN
        types[first == COMPLEX] = TokenType.UNKNOWN
        known = np.searchsorted(starts, known_start)
        types[known] = TokenType.KNOWN
        before_unknown = known[np.append(types, TokenType.SPECIAL)[known + 1] == TokenType.UNKNOWN]
        types[before_unknown] = TokenType.AMBIGUOUS
        return starts, types

    def _known(self, text: str, codes: Codes) -> tuple[Starts, Starts]:
        """Where the longest matches begin and end, without those whose edge would tear a character from its mark."""
        if self._automaton is None:
            return no_starts(), no_starts()
        matches = self._automaton.find(without_surrogates(text, codes))
        flat = np.fromiter(chain.from_iterable(matches), dtype=np.int64, count=3 * len(matches)).reshape(-1, 3)
        allowed = np.append(may_cut(codes), True)
        whole = allowed[flat[:, 0]] & allowed[flat[:, 1]]
        return flat[whole, 0], flat[whole, 1]
