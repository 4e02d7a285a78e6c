"""What is known of a link, as it goes with the link to another worker: the one whose site it leads to."""

from __future__ import annotations

import numpy as np

from phasa.crawl.strategies.hybrid.candidates import WIDTH, Candidates, Feature

_PASSED = int(Feature.DOMAIN)
"""The features before this one; those from there on are the receiver's own knowledge of the site."""
_COUNTS = 2
_MOST = 60_000
SIZE = 2 * (_PASSED + _COUNTS)
"""Bytes of the evidence of a link: features and counts of those who link to it, two bytes each."""


def pack(table: Candidates, row: int) -> bytes:
    """The evidence of a row."""
    cells = np.array(table.cells[row * WIDTH : row * WIDTH + _PASSED], dtype="<f2")
    counts = np.minimum([table.parents[row], table.wanted_parents[row]], _MOST).astype("<u2")
    return cells.tobytes() + counts.tobytes()


def merge(table: Candidates, row: int, evidence: bytes) -> None:
    """Add to a row what another worker knows. It may tell the same of a link several times, each time with all that it
    has seen: so the stronger evidence counts, not the sum."""
    start = row * WIDTH
    theirs = np.frombuffer(evidence, dtype="<f2", count=_PASSED).astype(float).tolist()
    parents, wanted = np.frombuffer(evidence, dtype="<u2", offset=2 * _PASSED).tolist()
    cells = table.cells
    for feature, value in enumerate(theirs):
        mine = cells[start + feature]
        if feature == Feature.DISTANCE:
            cells[start + feature] = min(mine, value)
        elif value and feature != Feature.ADDRESS:  # 0: nothing is known
            cells[start + feature] = max(mine, value) if mine else value
    if cells[start + Feature.ANCHOR_YES]:
        cells[start + Feature.ANCHOR_NO] = 0.0
    table.parents[row] = max(table.parents[row], parents)
    table.wanted_parents[row] = max(table.wanted_parents[row], wanted)
