"""Documents that repeat another one: found by keys, decided by their shingles; the first one stays.

A document is a duplicate when a document that was kept, of this corpus or of one it is made `against`, has the same
words or a Jaccard similarity of at least the threshold. So every document that is dropped names one that is there.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from phasa.corpus.kept_index import KeptIndex
from phasa.corpus.near import KeyIndex
from phasa.corpus.numbering import Numbering
from phasa.corpus.shingles import BANDS, jaccard
from phasa.corpus.workspace import Plan, UnitFiles, Workspace
from phasa.files import whole_file

DECISION = np.dtype([("source", "<i2"), ("doc", "<u4"), ("similarity", "<f4"), ("exact", "?")])
"""`source`: -1 for a document that stays, 0 for one that repeats document `doc` of this corpus, n for one that repeats
one of the n-th corpus it is made against."""
KEPT = -1
Decisions = NDArray[np.void]
Candidate = tuple[int, int]
"""Source and document."""


def deduplicate(workspace: Workspace, plan: Plan, progress: Callable[[int], None]) -> None:
    """Decide unit after unit, beginning after the last one that was committed."""
    numbering = Numbering(workspace, plan)
    index = KeyIndex(workspace.keys)
    others = [KeptIndex(Path(name)) for name in plan.options.against]
    for unit in plan.units[index.manifest.units :]:
        files = UnitFiles(workspace.unit(unit.number))
        keys = files.keys()
        base = numbering.bases[unit.number]
        if plan.options.has("duplicates"):
            decisions = _decide(keys, base, index, others, numbering, plan.options.jaccard)
        else:
            decisions = np.zeros(len(keys), DECISION)
            decisions["source"] = KEPT
        with whole_file(workspace.decisions(unit.number)) as part, part.open("wb") as file:
            np.save(file, decisions)
        stays = np.flatnonzero(decisions["source"] == KEPT)
        index.add(keys[stays], (base + stays).astype(np.uint32))
        progress(unit.number + 1)


def _decide(
    keys: NDArray[np.uint64],
    base: int,
    index: KeyIndex,
    others: list[KeptIndex],
    numbering: Numbering,
    least: float,
) -> Decisions:
    decisions = np.zeros(len(keys), DECISION)
    candidates: list[dict[Candidate, None]] = [{} for _ in range(len(keys))]
    for number, other in enumerate(others, 1):
        for hit in sorted(set(other.find(keys))):
            candidates[hit.row][number, hit.doc] = None
    for hit in sorted(set(index.find(keys))):
        candidates[hit.row][0, hit.doc] = None
    here: dict[int, list[int]] = {}  # keys of the documents of this unit that stay
    for row, own in enumerate(keys.tolist()):
        doc = base + row
        for key in own:
            for known in here.get(key, ()):
                candidates[row][0, known] = None
        exact = set(here.get(own[BANDS], ()))
        best = _best(doc, candidates[row], numbering, others, least)
        if best is None:
            decisions[row] = (KEPT, 0, 0.0, False)
            for key in own:
                here.setdefault(key, []).append(doc)
        else:
            source, original, similarity = best
            decisions[row] = (source, original, similarity, similarity == 1.0 or original in exact)
    return decisions


def _best(
    doc: int, candidates: dict[Candidate, None], numbering: Numbering, others: list[KeptIndex], least: float
) -> tuple[int, int, float] | None:
    """The candidate that is most alike, the older one on a tie, when it is alike enough."""
    if not candidates:
        return None
    mine = numbering.shingles(doc)
    found: tuple[int, int, float] | None = None
    for source, known in candidates:
        theirs = others[source - 1].shingles(known) if source else numbering.shingles(known)
        if min(len(mine), len(theirs)) < least * max(len(mine), len(theirs)):
            continue  # sets of such different size cannot be alike
        similarity = jaccard(mine, theirs)
        if similarity >= least and (found is None or similarity > found[2]):
            found = (source, known, similarity)
            if similarity == 1.0:
                break
    return found


def read_decisions(workspace: Workspace, unit: int) -> Decisions:
    return np.asarray(np.load(workspace.decisions(unit)))


def cluster_sizes(workspace: Workspace, plan: Plan, total: int) -> NDArray[np.uint32]:
    """By document, how many documents it stands for: itself and those of this corpus that repeat it."""
    sizes = np.ones(total, np.uint32)
    for unit in plan.units:
        decisions = read_decisions(workspace, unit.number)
        np.add.at(sizes, decisions["doc"][decisions["source"] == 0], 1)
    return sizes
