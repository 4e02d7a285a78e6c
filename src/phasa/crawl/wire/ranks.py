"""The link scores of WIRE: PageRank, WLRank, HITS and SiteRank, linearised for scheduling (persian-crawling §2.2)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from phasa.crawl.strategy import Floats

Ids = NDArray[np.int64]


def linearised(scores: Floats) -> Floats:
    """Evenly spaced values 1/N … 1 in the order of the scores; equal scores by their place."""
    ranks = np.empty(len(scores))
    ranks[np.argsort(scores, kind="stable")] = np.arange(1, len(scores) + 1) / max(1, len(scores))
    return ranks


def linearised_some(scores: Floats) -> Floats:
    """The same over the scores that are not 0, which stay 0 (HITS, §2.2)."""
    ranks = np.zeros(len(scores))
    some = scores > 0
    ranks[some] = linearised(scores[some])
    return ranks


def of_site_where_unknown(scores: Floats, sources: Ids, sites: Ids) -> Floats:
    """Hub scores where those of pages without a known link, which were not fetched yet, are those of the best page of
    their site: their own would always be 0, and a weight on it would do nothing before a second visit."""
    best = np.zeros(int(sites.max(initial=-1)) + 1)
    np.maximum.at(best, sites, scores)
    known = np.zeros(len(scores), dtype=bool)
    known[sources] = True
    return np.asarray(np.where(known, scores, best[sites]))


def page_rank(
    count: int, sources: Ids, targets: Ids, weights: Floats | None = None, damping: float = 0.85, error: float = 1e-6
) -> Floats:
    """q/N + (1 − q)·Σ PR(i)·w/Σw over the in-links, renormalised to sum 1 every round. Self-links do not count.

    With `weights` it is WLRank.
    """
    if not count:
        return np.zeros(0)
    kept = sources != targets
    sources, targets = sources[kept], targets[kept]
    weights = np.ones(len(sources)) if weights is None else weights[kept]
    out = np.bincount(sources, weights, minlength=count)
    share = weights / np.maximum(out[sources], 1e-12)
    rank = np.full(count, 1.0 / count)
    for _ in range(100):
        new = (1 - damping) / count + damping * np.bincount(targets, rank[sources] * share, minlength=count)
        new /= new.sum()
        moved = float(np.abs(new - rank).mean())
        rank = new
        if moved <= error:
            break
    return np.asarray(rank)


def link_weights(anchor_lengths: Floats, positions: Floats) -> Floats:
    """w of WLRank: 1 + relative position/100 + anchor length/100 (emphasis is not recorded)."""
    return np.asarray(1.0 + positions / 100.0 + anchor_lengths / 100.0)


def hits(count: int, sources: Ids, targets: Ids, sites: Ids, error: float = 1e-6) -> tuple[Floats, Floats]:
    """(hubs, authorities) over links between different hosts; each page shares its weight among its links."""
    if not count:
        return np.zeros(0), np.zeros(0)
    outside = sites[sources] != sites[targets]
    sources, targets = sources[outside], targets[outside]
    out = np.maximum(np.bincount(sources, minlength=count), 1)
    into = np.maximum(np.bincount(targets, minlength=count), 1)
    hub = np.full(count, 1.0 / count)
    authority = hub.copy()
    for _ in range(100):
        authority = _share_one(np.bincount(targets, hub[sources] / out[sources], minlength=count))
        new = _share_one(np.bincount(sources, authority[targets] / into[targets], minlength=count))
        moved = float(np.abs(new - hub).mean())
        hub = new
        if moved <= error:
            break
    return np.asarray(hub), np.asarray(authority)


def site_rank(sites: Ids, sources: Ids, targets: Ids) -> Floats:
    """PageRank on the graph of sites, as a value per document."""
    count = int(sites.max()) + 1 if len(sites) else 0
    pairs = np.unique(np.column_stack([sites[sources], sites[targets]]), axis=0) if len(sources) else np.zeros((0, 2))
    rank = page_rank(count, pairs[:, 0].astype(np.int64), pairs[:, 1].astype(np.int64))
    return np.asarray(linearised(rank)[sites]) if count else np.zeros(0)


def _share_one(values: NDArray[Any]) -> Floats:
    return np.asarray(values / max(float(values.sum()), 1e-12))
