"""A breadth-first crawl of a graph with the features that every page had before it was fetched (§4.5).

Vectorised enough for 40,000 pages in a second; used for calibration, the single-feature study and the knowledge base.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from phasa.crawl.strategy import Seed
from phasa.lab.graph import OK, Graph
from phasa.lab.targets import target_of
from phasa.web.url import authority, tld_of

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Discovery:
    """Pages in the order of a breadth-first crawl, each with a1..a4 as its first finder saw it, and its class."""

    pages: NDArray[np.int64]
    features: Floats
    """Rows (a1 parent language, a2 anchor language, a3 domain, a4 path)."""
    wanted: NDArray[np.bool_]


def discover(graph: Graph, seeds: Sequence[Seed], limit: int) -> Discovery:
    """Breadth-first from the seeds to `limit` pages. A redirect is followed; addresses without a page are skipped."""
    offsets, targets = graph.offsets.tolist(), graph.targets.tolist()
    similarity, wanted = graph.similarity.tolist(), graph.wanted.tolist()
    anchor = _anchor_similarity(graph)
    tlds = target_of(graph).tlds
    status, moved = graph.status.tolist(), graph.moved.tolist()
    queue: list[tuple[int, float, float, float, int]] = []
    known: set[int] = set()
    for seed in seeds:
        page = graph.find(seed.url)
        known.add(page)
        queue.append((page, seed.parent, seed.anchor, seed.distance, round(np.expm1(seed.distance))))
    pages: list[int] = []
    rows: list[tuple[float, float, float, float]] = []
    done: set[int] = set()
    for page, parent, words, path, distance in queue:
        if len(pages) >= limit:
            break
        final = page if status[page] == OK else moved[page]
        if final < 0 or final in done:
            continue
        done.add(final)
        pages.append(final)
        domain = float(tld_of(authority(graph.url(page))) in tlds)
        rows.append((parent, words, domain, path))
        steps = distance + 1 if wanted[final] else 0
        a1, a4 = similarity[final], float(np.log1p(steps))
        for link in range(offsets[final], offsets[final + 1]):
            if targets[link] not in known:
                known.add(targets[link])
                queue.append((targets[link], a1, anchor[link], a4, steps))
    chosen = np.array(pages, dtype=np.int64)
    return Discovery(chosen, np.array(rows, dtype=np.float64).reshape(-1, 4), graph.wanted[chosen])


def _anchor_similarity(graph: Graph) -> list[float]:
    if graph.phrases is None or graph.phrase is None:
        return [0.0] * len(graph.targets)
    return list(graph.phrases.similarity[graph.phrase].tolist())
