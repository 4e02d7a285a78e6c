"""The engine of the thesis: global longest-first matching, CName before the Reference Corpus (overview spec. §4.8).

Not the classical left-to-right match: every occurrence of a longer entry in the whole line is claimed before a shorter
entry is tried, and the whole of CName before the Reference Corpus. What no entry claims stays as residual runs, cut at
blanks only. This is the fast form of §4.8: all occurrences at once, claimed length by length with arrays.
The plain form stands in the tests and gives the same words. Two rules that the source does not state, but that the
engines of its time had (§4.7.4), can be switched on: `Rules`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from phasa.language.lexicon import Lexicon, longest_first
from phasa.language.segmenters.characters import (
    BLANK,
    COMPLEX,
    COMPLEX_MARK,
    DIGIT,
    LETTER,
    LINE_END,
    Codes,
    Kinds,
    Mask,
    code_points,
    kinds_of,
    may_cut,
)
from phasa.language.segmenters.cuts import CutSegmenter, Starts, no_starts
from phasa.language.segmenters.trie import Found, Ints, Numbers, Trie


class Rules(NamedTuple):
    """What the published engine leaves open; both off is the text of the source."""

    clusters: bool = False
    """No entry begins or ends inside a character cluster (เ|ท่าน|ั้น)."""
    classes: bool = False
    """What no entry claims is cut where the class of characters changes, not at blanks alone."""


PUBLISHED, MENDED = Rules(), Rules(clusters=True, classes=True)


class Claimed(NamedTuple):
    """The stretches of a text that entries claimed."""

    starts: Ints
    ends: Ints
    from_cname: Mask
    lengths_tried: int
    """Lengths of entries that were tried before too few characters were left for any further one (§8.A9)."""


class LongestFirst(CutSegmenter):
    """Global longest-first matching over a lexicon."""

    def __init__(self, lexicon: Lexicon, rules: Rules = PUBLISHED) -> None:
        # Dictionaries, not sets: lists that come in order are sorted in a moment.
        names = dict.fromkeys(filter(None, lexicon.cname))
        cname = longest_first(names)
        reference = longest_first(word for word in dict.fromkeys(filter(None, lexicon.reference)) if word not in names)
        self._entries = Trie([*cname, *reference])
        self._cname_size = len(cname)
        self._rules = rules

    @classmethod
    def of_trie(cls, entries: Trie, rules: Rules = PUBLISHED) -> LongestFirst:
        """The engine over a Reference Corpus whose trie is at hand, longest first, without CName."""
        engine = cls.__new__(cls)
        engine._entries, engine._cname_size, engine._rules = entries, 0, rules
        return engine

    @property
    def entries(self) -> Trie:
        """The entries of both lists."""
        return self._entries

    def piece_starts(self, text: str) -> Starts:
        codes = code_points(text)
        claimed = self.claim(text)
        begins = np.zeros(len(text) + 1, dtype=np.bool_)
        begins[:-1] = _class_starts(codes) if self._rules.classes else _blank_starts(kinds_of(codes))
        inside = np.zeros(len(text) + 1, dtype=np.int32)
        inside[claimed.starts + 1] += 1
        inside[claimed.ends] -= 1
        begins &= np.cumsum(inside) == 0
        begins[claimed.starts] = True
        begins[claimed.ends] = True
        begins[0] = True
        return np.flatnonzero(begins[:-1])

    def claim(self, text: str) -> Claimed:
        """What the entries claim, in no particular order."""
        found = self._occurrences(text)[::-1]
        taken = np.zeros(len(text), dtype=np.bool_)
        claims: list[tuple[Ints, int, bool]] = []
        left = len(text)
        if self._cname_size:
            for length, starts, entries in found:
                mine = entries < self._cname_size
                claims.append((_claim_length(starts[mine], entries[mine], length, taken), length, True))
                left -= length * len(claims[-1][0])
        # Only claims of the other list can lie strictly inside a candidate: those of the same list are longer.
        inside = np.concatenate([[0], np.cumsum(taken)]) if taken.any() else None
        shortest = found[-1].length if found else 0
        tried = 0
        for length, starts, entries in found:
            if left < shortest:
                break
            tried += 1
            if self._cname_size:
                mine = entries >= self._cname_size
                starts, entries = starts[mine], entries[mine]
            if inside is not None:
                clear = inside[starts] == inside[starts + length]
                starts, entries = starts[clear], entries[clear]
            claims.append((_claim_length(starts, entries, length, taken), length, False))
            left -= length * len(claims[-1][0])
        if not claims:
            return Claimed(no_starts(), no_starts(), np.zeros(0, dtype=np.bool_), tried)
        return Claimed(
            np.concatenate([won for won, _, _ in claims]),
            np.concatenate([won + length for won, length, _ in claims]),
            np.concatenate([np.full(len(won), cname) for won, _, cname in claims]),
            tried,
        )

    def _occurrences(self, text: str) -> list[Found]:
        """All that the entries could claim, shortest first."""
        codes = code_points(text)
        found = list(self._entries.find(codes))
        if not self._rules.clusters:
            return found
        whole = np.append(may_cut(codes), True)
        fitting = ((place, whole[place.starts] & whole[place.starts + place.length]) for place in found)
        return [Found(place.length, place.starts[fits], place.words[fits]) for place, fits in fitting]


def _blank_starts(kinds: Kinds) -> Mask:
    """Where runs of blanks begin and end, and line ends."""
    begins = np.zeros(len(kinds), dtype=np.bool_)
    begins[1:] = (kinds[1:] == BLANK) != (kinds[:-1] == BLANK)
    begins[1:] |= (kinds[1:] == LINE_END) | (kinds[:-1] == LINE_END)
    return begins


def _class_starts(codes: Codes) -> Mask:
    """Where the class changes: letters, digits, letters of scripts without blanks, blanks; a sign stands alone."""
    kinds = kinds_of(codes)
    kinds[kinds == COMPLEX_MARK] = COMPLEX
    begins = np.ones(len(kinds), dtype=np.bool_)
    begins[1:] = (kinds[1:] != kinds[:-1]) | ~np.isin(kinds[1:], (LETTER, DIGIT, COMPLEX, BLANK))
    return begins & may_cut(codes)


def _claim_length(starts: Ints, entries: Numbers, length: int, taken: Mask) -> Ints:
    """Claim what is free among occurrences of one length, entry by entry and from the left; marks `taken`."""
    free = ~(taken[starts] | taken[starts + length - 1])
    starts, entries = starts[free], entries[free]
    if not len(starts):
        return starts
    close = np.diff(starts) < length
    rivals = np.zeros(len(starts), dtype=np.bool_)
    rivals[1:] |= close
    rivals[:-1] |= close
    won = starts[~rivals]
    if rivals.any():
        claimed: set[int] = set()
        winners = []
        for _, start in sorted(zip(entries[rivals].tolist(), starts[rivals].tolist(), strict=True)):
            if claimed.isdisjoint((start, start + length - 1)):
                claimed.update(range(start, start + length))
                winners.append(start)
        won = np.concatenate([won, np.array(winners, dtype=np.int64)])
    for offset in range(length):
        taken[won + offset] = True
    return won
