"""How links follow language in a drawn web, measured as Table 12 does, before the web is taken."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from phasa.lab.links import Flaw, Links
from phasa.lab.recipe import Expected, Recipe
from phasa.lab.sites import Pages, Sites


def misfit(expected: Expected, recipe: Recipe, sites: Sites, pages: Pages, links: Links) -> float:
    """The largest relative difference between what is expected and what a breadth-first crawl finds."""
    order, path = _breadth_first(sites, pages, links, round(len(pages) * expected.pages))
    wanted = pages.target[order]
    domain = (np.array(sites.tlds) == recipe.home)[sites.tld[pages.site[order]]]
    pairs = [
        (float(wanted.mean()), expected.share),
        *zip(_scores(path >= 1, wanted), (expected.parent_precision, expected.parent_recall), strict=True),
        *zip(_scores(domain, wanted), (expected.domain_precision, expected.domain_recall), strict=True),
        *zip(_scores(path >= 2, wanted), (expected.path_precision, expected.path_recall), strict=True),
    ]
    return max(abs(here / there - 1) for here, there in pairs)


def _scores(predicted: NDArray[np.bool_], wanted: NDArray[np.bool_]) -> tuple[float, float]:
    hits = int((predicted & wanted).sum())
    return hits / max(1, int(predicted.sum())), hits / max(1, int(wanted.sum()))


def _breadth_first(sites: Sites, pages: Pages, links: Links, limit: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Pages in order, with the number of target pages in a row that led to each."""
    offsets, targets, target = links.offsets.tolist(), links.targets.copy(), pages.target.tolist()
    lost = np.flatnonzero((links.flaws != Flaw.NONE) & (links.flaws != Flaw.MOVED))
    targets[lost] = links.sources()[lost]
    queue = sites.first[sites.level == 0].tolist()
    path = dict.fromkeys(queue, 0)
    for page in queue:
        if len(queue) >= limit:
            break
        steps = path[page] + 1 if target[page] else 0
        for goal in targets[offsets[page] : offsets[page + 1]].tolist():
            if goal not in path:
                path[goal] = steps
                queue.append(goal)
    order = np.array(queue[:limit], dtype=np.int64)
    return order, np.array([path[page] for page in queue[:limit]], dtype=np.int64)
