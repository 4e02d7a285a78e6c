"""The default extractor: every block of the page judged by its features and those of the blocks around it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import islice
from typing import Final

import numpy as np
import numpy.typing as npt

from phasa.overview.extract.blocks import Layout
from phasa.overview.extract.content import Element
from phasa.overview.extract.evidence import Evidence
from phasa.overview.extract.features import SIZE, Draft, Matrix, measure_pages
from phasa.overview.extract.front import front_blocks, on_front
from phasa.overview.extract.scorer import load_trees
from phasa.overview.extract.structure import places_of

WEIGHTS: Final = "blocks.npy"
# A long block must be surer than a short one: it does more harm when it is wrong.
_SHORT, _LONG = (6, 0.5), (50, 0.6)  # (words, threshold)
_PULL: Final = 0.2  # how much the neighbours' odds count beside a block's own
_SUREST: Final = 4.0  # odds beyond this say no more
_OUTSIDE: Final = -2.0  # the odds of what lies before the first block and after the last
_WORTH_COMPARING: Final = 30  # characters; shorter texts may stand twice in an article


def ready() -> None:
    """Load the weights."""
    load_trees(WEIGHTS)


def extract_elements(drafts: Sequence[Draft]) -> list[list[Element]]:
    """The blocks of key content of each page, in document order. Several pages at once take less time for each."""
    return [_chosen(*draft, margins) for draft, margins in zip(drafts, judge_pages(drafts), strict=True)]


def judge_pages(drafts: Sequence[Draft]) -> list[list[float]]:
    """How sure we are of each block of each page: above 0 it is key content."""
    X = measure_pages(drafts)
    sizes = [len(page.texts) for page, _ in drafts]
    margins = iter(margins_of(X, load_trees(WEIGHTS).judge(X), sizes))
    return [list(islice(margins, size)) for size in sizes]


def _chosen(page: Layout, evidence: Evidence, margins: list[float]) -> list[Element]:
    if not margins:
        return []
    chosen = choose_blocks(page, margins)
    front = front_blocks(page, chosen, margins, evidence)
    numbers = front or chosen
    homes = {page.home[number] for number in numbers}
    addresses, places = _addresses(page, homes), places_of(page, homes)
    return [
        Element(
            addresses[page.home[number]],
            page.texts[number],
            number,
            on_front(page, number, places[page.home[number]]) if front else places[page.home[number]],
        )
        for number in numbers
    ]


def margins_of(X: Matrix, chances: npt.NDArray[np.float32], sizes: Sequence[int]) -> list[float]:
    """By how much each block's chance of being key content, seen with its neighbours', passes the threshold for its
    length. `sizes` are the numbers of blocks of the pages that the columns of X belong to."""
    low, high = math.log1p(_SHORT[0]), math.log1p(_LONG[0])
    reach = np.clip((X[SIZE] - low) / (high - low), 0.0, 1.0)
    margins: list[float] = (smooth(chances, sizes) - (_SHORT[1] + (_LONG[1] - _SHORT[1]) * reach)).tolist()
    return margins


def smooth(chances: npt.NDArray[np.float32], sizes: Sequence[int]) -> npt.NDArray[np.float32]:
    """Chances drawn a little towards those of the blocks before and after: content comes in runs."""
    if not len(chances):
        return chances
    inside = np.clip(chances, 1e-4, 1.0 - 1e-4)
    odds = np.clip(np.log(inside / (1.0 - inside)), -_SUREST, _SUREST)
    before, after = np.append(_OUTSIDE, odds[:-1]), np.append(odds[1:], _OUTSIDE)
    ends = np.cumsum([size for size in sizes if size])
    before[ends[:-1]] = _OUTSIDE
    after[ends - 1] = _OUTSIDE
    drawn = (odds + _PULL * (before + after) / 2) / (1.0 + _PULL / 2)
    smoothed: npt.NDArray[np.float32] = (1.0 / (1.0 + np.exp(-drawn))).astype(np.float32)
    return smoothed


def choose_blocks(page: Layout, margins: list[float]) -> list[int]:
    """The numbers of the blocks to keep: those judged key content, without copies of them elsewhere on the page."""
    # A page without an article still has something that is most like one.
    bar = min(0.0, max(margins) - 0.1)
    first_seen: dict[str, int] = {}
    out = []
    for number, margin in enumerate(margins):
        if margin <= bar:
            continue
        text = page.texts[number]
        if len(text) > _WORTH_COMPARING:
            # the same text in another place: for another screen size, or a quotation pulled out
            place = page.parent[page.home[number]]
            if first_seen.setdefault(text, place) != place:
                continue
        out.append(number)
    return out


def _addresses(page: Layout, wanted: set[int]) -> dict[int, str]:
    """The paths of the wanted elements among the block-level elements of the page."""
    known = {0: "/html[1]/body[1]"}
    parent, tag = page.parent, page.tag
    chains = set(wanted)
    for element in wanted:
        while element not in known and parent[element] not in chains:
            element = parent[element]
            chains.add(element)
    steps: dict[int, str] = {}
    parents = {parent[element] for element in chains}
    counts: dict[tuple[int, str], int] = {}
    for element, up in enumerate(parent):
        if up in parents and element:
            key = (up, tag[element])
            counts[key] = place = counts.get(key, 0) + 1
            if element in chains:
                steps[element] = f"/{tag[element]}[{place}]"
    for element in sorted(chains - {0}):  # a parent comes before its children
        known[element] = known[parent[element]] + steps[element]
    return known
