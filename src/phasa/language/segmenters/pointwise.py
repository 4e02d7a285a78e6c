"""The default engine: at every open place a linear model says whether a word begins there (KyTea's pointwise idea).

The whole text is scored at once with array operations, in blocks that fit the processor's cache. Most places are clear
after a part of the templates (`Model.early`); only the others are looked at with all of them. Lines are independent of
each other, so that a text cut at line ends gives the same words piece by piece.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from phasa.language.segmenters.alphabet import END, Letters, letters_of
from phasa.language.segmenters.characters import Codes, Mask, code_points
from phasa.language.segmenters.cuts import CutSegmenter, Starts, no_starts, pieces
from phasa.language.segmenters.features import MARGIN, TEMPLATES, Places, View, slots_of, view_of
from phasa.language.segmenters.frame import Frame, frame_of
from phasa.language.segmenters.model import Model, Weights, read_model
from phasa.language.segmenters.style import style_of

AUTO = "auto"
_BLOCK = 1 << 15
_HALO = 32  # a block sees this many characters beyond its edges: more than the longest word and the widest window

Sums = npt.NDArray[np.int16]


class Padded(NamedTuple):
    """A text spread out so that no window reaches from one line into another."""

    letters: Letters
    edges: Mask  # where words may begin or end
    places: Places  # where the open places of the text are here


class Pointwise(CutSegmenter):
    """The model as an engine. `style` is a style of the model, "general" for none, "auto" to choose by the text."""

    def __init__(self, model: Model, style: str = AUTO) -> None:
        self._model = model
        self._style = style
        self._tables: dict[str, Weights] = {}
        if style != AUTO:
            self._table(style)

    def style_for(self, text: str) -> str:
        """The style in which this text will be cut."""
        return style_of(self._model, text) if self._style == AUTO else self._style

    def with_style(self, style: str) -> Pointwise:
        """The same engine with a fixed style: what a worker needs who sees only a part of the text."""
        return Pointwise(self._model, style)

    def starts(self, text: str) -> Starts:
        if not text:
            return no_starts()
        table = self._table(self.style_for(text))
        found, offset = [], 0
        for piece in pieces(text):
            found.append(self._starts(piece, table) + offset)
            offset += len(piece)
        return np.concatenate(found)

    def _starts(self, text: str, table: Weights) -> Starts:
        codes = code_points(text)
        frame = frame_of(text, codes)
        begins = frame.begins
        begins[np.flatnonzero(frame.open)] = self.sums(codes, frame, table) > 0
        return np.flatnonzero(begins)

    def sums(self, codes: Codes, frame: Frame, table: Weights) -> Sums:
        """The sum of weights at every open place, in order; positive: a word begins there."""
        early = [TEMPLATES[number] for number in self._model.early]
        late = [template for number, template in enumerate(TEMPLATES) if number not in self._model.early]
        parts = []
        for view, places in views(pad(codes, frame), self._model):
            total = np.zeros(len(places), dtype=np.int16)
            for template in early:
                total += table.take(slots_of(view, places, template, self._model.bits))
            unsure = np.flatnonzero(np.abs(total) < self._model.margin)
            rest = np.zeros(len(unsure), dtype=np.int16)
            unsure_places = places[unsure]
            for template in late:
                rest += table.take(slots_of(view, unsure_places, template, self._model.bits))
            total[unsure] += rest
            parts.append(total)
        return np.concatenate(parts) if parts else np.zeros(0, dtype=np.int16)

    def _table(self, style: str) -> Weights:
        if style not in self._tables:
            self._tables[style] = self._model.table(style)
        return self._tables[style]


def pad(codes: Codes, frame: Frame) -> Padded:
    """Spread a text out: MARGIN line ends after every line end, `_HALO` before and after the whole."""
    line_ends = codes == 0x0A
    where = np.arange(_HALO, _HALO + len(codes))
    where[1:] += MARGIN * np.cumsum(line_ends[:-1])
    size = int(where[-1]) + 1 + _HALO
    letters = np.full(size, END, dtype=np.uint8)
    letters[where] = letters_of(codes)
    edges = np.zeros(size, dtype=np.bool_)
    edges[where] = frame.begins | frame.open
    edges[where[-1] + 1] = True
    return Padded(letters, edges, where[frame.open])


def views(padded: Padded, model: Model) -> Iterator[tuple[View, Places]]:
    """The padded text block by block: its view, and the open places of the block as offsets into that view."""
    for first in range(_HALO, len(padded.letters) - _HALO, _BLOCK):
        window = slice(first - _HALO, first + _BLOCK + _HALO)
        begin, end = np.searchsorted(padded.places, (first, first + _BLOCK))
        if begin == end:
            continue
        view = view_of(padded.letters[window], padded.edges[window], model.words)
        yield view, padded.places[begin:end] - (first - _HALO)


@cache
def shipped_model(language: str = "th") -> Model:
    """The model that comes with phasa."""
    name = f"model-{language}.zst"
    return read_model((files("phasa.language") / "data" / name).read_bytes(), name)
