"""The default extractor: every block of the page judged by its features and those of the blocks around it."""

from __future__ import annotations

import math
from typing import Final

import numpy as np
import numpy.typing as npt
from resiliparse.parse.html import HTMLTree

from phasa.overview.extract.blocks import Layout, lay_out
from phasa.overview.extract.content import Element
from phasa.overview.extract.evidence import Evidence
from phasa.overview.extract.features import SIZE, Matrix, measure_blocks
from phasa.overview.extract.scorer import load_trees

WEIGHTS: Final = "blocks.npy"
# A long block must be surer than a short one: it does more harm when it is wrong.
_SHORT, _LONG = (6, 0.5), (50, 0.6)  # (words, threshold)
_WORTH_COMPARING: Final = 30  # characters; shorter texts may stand twice in an article


def extract_elements(tree: HTMLTree, evidence: Evidence) -> list[Element]:
    """The blocks of key content of a parsed page, in document order."""
    page = lay_out(tree)
    if not page.texts:
        return []
    chosen = choose_blocks(page, judge_blocks(page, evidence))
    addresses = _addresses(page, {page.home[number] for number in chosen})
    return [Element(addresses[page.home[number]], page.texts[number], number) for number in chosen]


def judge_blocks(page: Layout, evidence: Evidence) -> list[float]:
    """How sure we are of each block: above 0 it is key content."""
    X = measure_blocks(page, evidence)
    return margins_of(X, load_trees(WEIGHTS).judge(X))


def margins_of(X: Matrix, chances: npt.NDArray[np.float32]) -> list[float]:
    """By how much each block's chance of being key content passes the threshold for its length."""
    low, high = math.log1p(_SHORT[0]), math.log1p(_LONG[0])
    reach = np.clip((X[SIZE] - low) / (high - low), 0.0, 1.0)
    margins: list[float] = (chances - (_SHORT[1] + (_LONG[1] - _SHORT[1]) * reach)).tolist()
    return margins


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
    counts: dict[tuple[int, str], int] = {}
    steps: list[str] = []
    for key in zip(page.parent, page.tag, strict=True):
        counts[key] = place = counts.get(key, 0) + 1
        steps.append(f"/{key[1]}[{place}]")
    known = {0: "/html[1]/body[1]"}
    for element in sorted(wanted):
        chain = []
        while element not in known:
            chain.append(element)
            element = page.parent[element]
        for below in reversed(chain):
            known[below] = known[page.parent[below]] + steps[below]
    return known
