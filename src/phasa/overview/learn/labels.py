"""Which blocks of a page are key content, found by comparing them with its gold."""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from phasa.overview.extract.blocks import Layout, lay_out
from phasa.overview.extract.evidence import Evidence
from phasa.overview.extract.features import SIZE, Draft, Matrix, measure_pages
from phasa.overview.extract.front import front_blocks
from phasa.overview.extract.judged import choose_blocks, margins_of
from phasa.overview.extract.metadata import read_metadata
from phasa.overview.extract.page import read_text, read_tree
from phasa.overview.learn.benchmarks import Page

Floats = npt.NDArray[np.float64]

_RUN = 12  # characters compared at a time
_NOT_LETTERS = re.compile(r"[\W_]+")
_PAGE_WEIGHT = 25.0  # so that a long page does not outweigh a short one
_FRAGMENT_WEIGHT = 1.5


class Example(NamedTuple):
    """A page measured and labelled: columns of X are blocks, y is 1 for key content, w how much a block counts."""

    page: Page
    layout: Layout
    evidence: Evidence
    X: Matrix
    y: Floats
    w: Floats

    def text(self, chances: npt.NDArray[np.float32]) -> str:
        """What is extracted when the blocks have these chances of being key content."""
        if not self.layout.texts:
            return ""
        margins = margins_of(self.X, chances, [len(self.layout.texts)])
        chosen = choose_blocks(self.layout, margins)
        chosen = front_blocks(self.layout, chosen, margins, self.evidence) or chosen
        return "\n".join(self.layout.texts[number] for number in chosen)


def make_example(page: Page) -> Example:
    """Measure a page and label its blocks."""
    tree = read_tree(read_text(page.body))
    layout = lay_out(tree)
    evidence = read_metadata(tree).evidence
    X = measure_pages([Draft(layout, evidence)])
    if page.must or page.partial:
        y, trust = _by_fragments(page, layout.texts)
    else:
        y, trust = _by_text(page.gold, layout.texts)
    # A long block matters more to a reader, a short one still counts.
    w = trust * (0.4 + np.minimum(X[SIZE], 5.0) / 4.0)
    w *= _FRAGMENT_WEIGHT if page.must or page.partial else _PAGE_WEIGHT / max(float(w.sum()), 1.0)
    return Example(page, layout, evidence, X, y, w)


def _by_fragments(page: Page, texts: list[str]) -> tuple[Floats, Floats]:
    """Only blocks that hold a fragment are labelled."""
    wanted = [key for piece in page.must or page.gold.split("\n") if (key := _key(piece))]
    unwanted = [key for piece in page.must_not if (key := _key(piece))]
    y, trust = np.zeros(len(texts)), np.zeros(len(texts))
    for number, text in enumerate(texts):
        key = _key(text)
        yes = any(piece in key or (len(key) > 15 and key in piece) for piece in wanted)
        no = any(piece in key for piece in unwanted)
        if yes != no:
            y[number], trust[number] = yes, 1.0
    return y, trust


def _by_text(gold: str, texts: list[str]) -> tuple[Floats, Floats]:
    """A block is content when most of its runs of characters stand in the gold; short ones must be a line of it."""
    whole = _key(gold)
    runs = {whole[at : at + _RUN] for at in range(max(len(whole) - _RUN + 1, 1))}
    lines = {_key(line) for line in gold.split("\n")}
    y, trust = np.zeros(len(texts)), np.ones(len(texts))
    for number, text in enumerate(texts):
        key = _key(text)
        if key in lines:
            y[number] = 1.0
        elif _RUN <= len(key) < 2 * _RUN + 1:
            y[number], trust[number] = key in whole, 0.5
        elif len(key) > 2 * _RUN:
            share = np.mean([key[at : at + _RUN] in runs for at in range(len(key) - _RUN + 1)])
            y[number], trust[number] = share > 0.5, 0.5 if 0.2 < share < 0.8 else 1.0
    return y, trust


def _key(text: str) -> str:
    lowered = text.lower()
    return _NOT_LETTERS.sub("", lowered) or "".join(lowered.split())
