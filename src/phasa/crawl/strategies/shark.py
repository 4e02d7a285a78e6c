"""Shark search (Hersovici 1998), Eqs. 9–11, with similarity to the language in the place of a query."""

from __future__ import annotations

import struct
from collections.abc import Sequence

import numpy as np

from phasa.crawl.learn.features import anchor_values
from phasa.crawl.strategy import Floats, JudgedPage, Offers, Plain, Seed, same_priority
from phasa.crawl.target import Target

_NOTE = struct.Struct("<f")


class SharkSearch(Plain):
    """score = γ·inherited + (1 − γ)·neighbourhood; the note is what the links of the page inherit.

    inherited = δ·Γ(page) when that is above 0, else δ·inherited(page); neighbourhood = β·Γ(anchor) + (1 − β)·context;
    context = 1 where Γ(anchor) > 0, else Γ of the text around the link.
    """

    name = "shark"

    def __init__(self, target: Target, decay: float = 0.5, anchor: float = 0.8, inherited: float = 0.5) -> None:
        self.target = target
        self.decay = decay
        """δ"""
        self.anchor = anchor
        """β"""
        self.inherited = inherited
        """γ"""

    def start(self, seeds: Sequence[Seed]) -> Offers:
        return same_priority(1.0, len(seeds), _NOTE.pack(0.0))

    def page(self, page: JudgedPage) -> Offers:
        before = _NOTE.unpack(page.note)[0] if len(page.note) == _NOTE.size else 0.0
        passed = self.decay * (page.judgement.score if page.judgement.score > 0 else before)
        anchors = anchor_values(page.links, self.target)
        neighbourhood = self.anchor * anchors + (1 - self.anchor) * self._contexts(page, anchors)
        return Offers(
            self.inherited * passed + (1 - self.inherited) * neighbourhood, [_NOTE.pack(passed)] * len(page.links)
        )

    def _contexts(self, page: JudgedPage, anchors: Floats) -> Floats:
        context = np.where(anchors > 0, 1.0, 0.0)
        texts = page.links.contexts
        if len(texts):
            without = np.flatnonzero(anchors <= 0)
            context[without] = self.target.similarities([texts[i] for i in without.tolist()])
        return context
