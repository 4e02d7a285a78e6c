"""The engine of the thesis: global longest-first matching, CName before the Reference Corpus (overview spec. §4.8).

Not the classical left-to-right match: every occurrence of a longer entry in the whole line is claimed before a shorter
entry is tried, and the whole of CName before the Reference Corpus. What no entry claims stays as residual runs, cut at
blanks only. This is the fast form of §4.8: all occurrences at once, claimed length by length with arrays.
The plain form stands in the tests and gives the same words.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from phasa.language.lexicon import Lexicon, longest_first
from phasa.language.segmenters.characters import BLANK, LINE_END, Mask, code_points, kinds_of
from phasa.language.segmenters.cuts import CutSegmenter, Starts, no_starts
from phasa.language.segmenters.trie import Ints, Numbers, Trie


class Claimed(NamedTuple):
    """The stretches of a text that entries claimed."""

    starts: Ints
    ends: Ints
    from_cname: Mask


class LongestFirst(CutSegmenter):
    """Global longest-first matching over a lexicon."""

    def __init__(self, lexicon: Lexicon) -> None:
        cname = longest_first(set(lexicon.cname) - {""})
        reference = longest_first(set(lexicon.reference) - {"", *cname})
        self._entries = Trie([*cname, *reference])
        self._cname_size = len(cname)

    @classmethod
    def of_trie(cls, entries: Trie) -> LongestFirst:
        """The engine over a Reference Corpus whose trie is at hand, longest first, without CName."""
        engine = cls.__new__(cls)
        engine._entries, engine._cname_size = entries, 0
        return engine

    @property
    def entries(self) -> Trie:
        """The entries of both lists."""
        return self._entries

    def piece_starts(self, text: str) -> Starts:
        kinds = kinds_of(code_points(text))
        claimed = self.claim(text)
        begins = np.zeros(len(text) + 1, dtype=np.bool_)
        begins[1:-1] = (kinds[1:] == BLANK) != (kinds[:-1] == BLANK)
        begins[1:-1] |= (kinds[1:] == LINE_END) | (kinds[:-1] == LINE_END)
        inside = np.zeros(len(text) + 1, dtype=np.int32)
        inside[claimed.starts + 1] += 1
        inside[claimed.ends] -= 1
        begins &= np.cumsum(inside) == 0
        begins[claimed.starts] = True
        begins[claimed.ends] = True
        begins[0] = True
        return np.flatnonzero(begins[:-1])

    def claim(self, text: str, *, early_stop: bool = True) -> Claimed:
        """What the entries claim, in no particular order. With `early_stop` no entry is tried once fewer characters are
        free than the shortest entry has: the outcome is the same (§4.8)."""
        found = list(self._entries.find(code_points(text)))[::-1]
        taken = np.zeros(len(text), dtype=np.bool_)
        claims: list[tuple[Ints, int, bool]] = []
        shortest = found[-1][0] if found and early_stop else 0
        if self._cname_size:
            for length, starts, entries in found:
                if len(taken) - np.count_nonzero(taken) < shortest:
                    break
                mine = entries < self._cname_size
                claims.append((_claim_length(starts[mine], entries[mine], length, taken), length, True))
        # Only claims of the other list can lie strictly inside a candidate: those of the same list are longer.
        inside = np.concatenate([[0], np.cumsum(taken)]) if taken.any() else None
        for length, starts, entries in found:
            if len(taken) - np.count_nonzero(taken) < shortest:
                break
            if self._cname_size:
                mine = entries >= self._cname_size
                starts, entries = starts[mine], entries[mine]
            if inside is not None:
                clear = inside[starts] == inside[starts + length]
                starts, entries = starts[clear], entries[clear]
            claims.append((_claim_length(starts, entries, length, taken), length, False))
        if not claims:
            return Claimed(no_starts(), no_starts(), np.zeros(0, dtype=np.bool_))
        return Claimed(
            np.concatenate([won for won, _, _ in claims]),
            np.concatenate([won + length for won, length, _ in claims]),
            np.concatenate([np.full(len(won), cname) for won, _, cname in claims]),
        )


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
