"""The default engine: at every open place a linear model says whether a word begins there (KyTea's pointwise idea).

The whole text is scored at once with array operations, in blocks that fit the processor's cache. Most places are clear
after a part of the templates (`Model.early`); only the others are looked at with all of them. Lines are independent of
each other, so that a text cut at line ends gives the same words piece by piece.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

import numpy as np
import numpy.typing as npt

from phasa.language.segmenters.alphabet import COMMA, POINT
from phasa.language.segmenters.characters import DIGIT, Mask
from phasa.language.segmenters.cuts import CutSegmenter, Starts, words_of_lines
from phasa.language.segmenters.features import (
    BUNDLES,
    GROUP,
    LENGTHS,
    REACH,
    SINGLES,
    Bundle,
    View,
    bundle_slots,
    single_slots,
    view_of,
)
from phasa.language.segmenters.frame import BEGINS
from phasa.language.segmenters.known import KnownWords
from phasa.language.segmenters.model import Model, Weights
from phasa.language.segmenters.style import style_of
from phasa.language.segmenters.syllables import own_syllables
from phasa.language.segmenters.units import HALO, Places, Spread, spread_out, stretch_of

AUTO = "auto"
_BLOCK = 1 << 16  # units that are looked at together: what is computed of them fits the processor's cache
# The templates that are tried first. Most places are clear after them.
_EARLY_BUNDLES, _EARLY_SINGLES = BUNDLES[:5], range(LENGTHS, LENGTHS + 5)

# Numbers on which a style is asked whether it cuts them.
_NUMBERS = "ราคา " + " บาท\nราคา ".join(
    ("12,500", "3.5", "1,200", "250.75", "80,000", "0.5", "45,678", "99.9", "7,000")
)

Sums = npt.NDArray[np.int16]


class Pointwise(CutSegmenter):
    """The model as an engine. `style` is a style of the model, "general" for none, "auto" to choose by the text."""

    def __init__(self, model: Model, style: str = AUTO) -> None:
        self._model = model
        self._style = style
        self._styled: dict[str, Pointwise] = {}
        self._weights = model.table(style) if style != AUTO else None

    def style_for(self, text: str) -> str:
        """The style in which this text will be cut."""
        return style_of(self._model, text) if self._style == AUTO else self._style

    def with_style(self, style: str) -> Pointwise:
        """The same engine with a fixed style: what a worker needs who sees only a part of the text."""
        if style not in self._styled:
            self._styled[style] = Pointwise(self._model, style)
        return self._styled[style]

    def starts(self, text: str) -> Starts:
        if self._style == AUTO:
            return self.with_style(self.style_for(text)).starts(text)
        return super().starts(text)

    def words_of_each(self, texts: Sequence[str]) -> list[list[str]]:
        return super().words_of_each(texts) if self._style == AUTO else words_of_lines(self, texts)

    def piece_starts(self, text: str) -> Starts:
        if self._weights is None:
            return self.with_style(self.style_for(text)).piece_starts(text)
        spread = spread_out(text)
        is_open = spread.is_open()
        scores = np.zeros(len(is_open), dtype=np.int16)
        scores[is_open] = self.sums(spread, self._weights)
        inside = _inside_numbers(spread, is_open)
        if len(inside):
            scores[inside] = scores[inside + 1] = 1 if self._cuts_numbers else -1
        begins = spread.verdicts == BEGINS
        begins[spread.starts[:-1][is_open]] = scores[is_open] > 0
        return np.flatnonzero(own_syllables(text, spread.give_back(begins)))

    @cached_property
    def _cuts_numbers(self) -> bool:
        """Whether this style cuts a number at its point or comma: it does so with all numbers or with none."""
        if self._weights is None:
            return False
        spread = spread_out(_NUMBERS)
        is_open = spread.is_open()
        scores = np.zeros(len(is_open), dtype=np.int16)
        scores[is_open] = self.sums(spread, self._weights)
        inside = _inside_numbers(spread, is_open)
        return int(np.sum(scores[inside] + scores[inside + 1] > 0)) * 2 > len(inside)

    def sums(self, spread: Spread, table: Weights) -> Sums:
        """The sum of weights at every open place, in order; positive: a word begins there."""
        bits = self._model.bits
        parts = []
        for view, places, wanted in views(spread, self._model.words):
            total = np.zeros(view.size, dtype=np.int16)
            for bundle in _EARLY_BUNDLES:
                _add_bundle(total, view, bundle, table, bits)
            asked = slice(HALO, HALO + view.size)
            for number in _EARLY_SINGLES:
                total += table.take(single_slots(view, number, asked, bits))
            total = total[wanted]
            unsure = np.flatnonzero(np.abs(total) < self._model.margin)
            total[unsure] += _late(view, places[unsure], table, bits)
            parts.append(total)
        return np.concatenate(parts) if parts else np.zeros(0, dtype=np.int16)


def views(spread: Spread, words: KnownWords) -> Iterator[tuple[View, Places, Mask]]:
    """The text block by block: its view, the open places as offsets into the view, and which of its units they are."""
    is_open = spread.is_open()
    last = len(is_open) - HALO
    for first in range(HALO, last, _BLOCK):
        end = min(first + _BLOCK, last)
        wanted = is_open[first:end]
        if wanted.any():
            yield view_of(stretch_of(spread, first, end), words), np.flatnonzero(wanted) + HALO, wanted


def _inside_numbers(spread: Spread, is_open: Mask) -> Places:
    """The units that are a point or comma between digits, where both sides are open."""
    first = spread.letters.take(spread.starts[:-1])
    digits = first == DIGIT
    between: Places = np.flatnonzero((first[1:-1] == POINT) | (first[1:-1] == COMMA)) + 1
    numbers = digits[between - 1] & digits[between + 1] & is_open[between] & is_open[between + 1]
    inside: Places = between[numbers]
    return inside


def _add_bundle(total: Sums, view: View, bundle: Bundle, table: Weights, bits: int) -> None:
    """Add the weights of a bundle's templates at every unit that is asked about: one look into the table for all."""
    groups = bundle.groups(view, bits)[HALO - REACH : HALO + view.size + REACH]
    weights = table.view(np.uint64).take(groups).view(np.int8).reshape(-1, GROUP)
    for column, offset in enumerate(bundle.offsets):
        total += weights[REACH + offset : REACH + offset + view.size, column]


def _late(view: View, places: Places, table: Weights, bits: int) -> Sums:
    total = np.zeros(len(places), dtype=np.int16)
    for bundle in BUNDLES[len(_EARLY_BUNDLES) :]:
        for column in range(len(bundle.offsets)):
            total += table.take(bundle_slots(view, bundle, column, places, bits))
    for number in range(len(_EARLY_SINGLES), SINGLES):
        total += table.take(single_slots(view, number, places, bits))
    return total
