"""The manager of a crawl in cycles: scores all that waits and assigns the best as the batch of a cycle (§3.4, §4.3).

A document that was found and not assigned waits in the frontier with its priority lowered by `HELD_BACK`, below `BAR`;
assigned, it has its score. So the frontier itself says what is assigned, and a crawl that is killed goes on with it.
"""

from __future__ import annotations

import math
from collections import Counter
from typing import NamedTuple

import numpy as np

from phasa.crawl.strategy import Floats
from phasa.crawl.wire.document import Document, Scoring, document_of
from phasa.crawl.wire.score import ScoreTerms, depth_score, is_dynamic, queue_sizes, score
from phasa.frontier.protocol import Frontier, Visited
from phasa.strategy_settings import CycleSettings, ScoreWeights
from phasa.web.url import Url, authority

HELD_BACK = 1e9
BAR = -HELD_BACK / 2
"""What is assigned has a priority above this."""
DAY = 86_400.0


class Candidate(NamedTuple):
    """A document that a batch may take."""

    url: Url
    document: Document
    in_language: bool
    """Of a fetched page its own flag, of another one that of the pages that link to it (§4.4)."""
    freshness: float = 0.0
    """How likely it is as it was; 0 for one never fetched."""
    ignored: bool = False
    """A copy of another, or nothing that could be read: its score is 0."""


def assign(frontier: Frontier, scoring: Scoring, settings: CycleSettings, cycle: int, now: float) -> int:
    """Assign the batch of a cycle; how many documents it has. What was assigned already, by a manager that was killed
    while it worked, belongs to it."""
    visited = list(frontier.visited())
    sites = {authority(one.url) for one in visited}
    candidates: list[Candidate] = []
    taken: Counter[str] = Counter()
    for one in frontier.queue():
        if one.priority > BAR:
            taken[authority(one.url)] += 1
            continue
        document = document_of(one.note, one.depth, scoring.distance)
        if document.depth <= scoring.max_depth:
            candidates.append(Candidate(one.url, document, document.from_persian))
    first_revisit = len(candidates)
    if settings.revisit:
        candidates += _revisits(visited, scoring, settings, now)
    priorities = priorities_of(candidates, scoring, settings, cycle)
    sites |= set(taken)
    count = sum(taken.values())
    chosen: list[tuple[Url, float]] = []
    for place in np.argsort(-priorities, kind="stable").tolist():
        if count >= settings.batch:
            break
        url, host = candidates[place].url, authority(candidates[place].url)
        if taken[host] >= settings.per_site or (settings.sites and host not in sites and len(sites) >= settings.sites):
            continue
        if place >= first_revisit:
            if priorities[place] <= 0 or not frontier.requeue(url, float(priorities[place])):
                continue
        else:
            chosen.append((url, float(priorities[place])))
        sites.add(host)
        taken[host] += 1
        count += 1
    frontier.reprioritise(chosen)
    frontier.commit()
    return count


def priorities_of(candidates: list[Candidate], scoring: Scoring, settings: CycleSettings, cycle: int) -> Floats:
    """future_score − current_score of each document, where current = future × freshness^age_exponent (§4.3)."""
    weights = scoring.weights
    urls = [one.url for one in candidates]
    pagerank, wlrank, hub, authorities, siterank = scoring.links.terms(urls, weights)
    # Chance is drawn per document and cycle; a weight of nothing must not change what the others draw.
    chance = np.random.default_rng([scoring.seed, cycle])
    terms = ScoreTerms(
        pagerank,
        wlrank,
        hub,
        authorities,
        siterank,
        queue_sizes(urls),
        np.array([depth_score(one.document.depth, scoring.max_depth) for one in candidates], dtype=np.float64),
        np.array([not is_dynamic(url) for url in urls], dtype=np.float64),
        chance.random(len(urls)),
        np.array([one.in_language for one in candidates], dtype=np.float64),
    )
    future = score(terms, weights)
    if settings.front_pages:
        all_weights = sum(getattr(weights, name) for name in ScoreWeights.__struct_fields__)
        future = np.where([one.document.depth == 1 for one in candidates], all_weights, future)
    future = np.where([one.ignored for one in candidates], 0.0, future)
    freshness = np.array([one.freshness for one in candidates], dtype=np.float64)
    return np.asarray(future * (1 - np.where(freshness > 0, freshness**settings.age_exponent, 0.0)))


def _revisits(visited: list[Visited], scoring: Scoring, settings: CycleSettings, now: float) -> list[Candidate]:
    """The fetched pages as candidates."""
    seen: set[int] = set()
    found = []
    for url, depth, note, visit in visited:
        copy = visit.digest in seen
        seen.add(visit.digest)
        freshness = math.exp(-max(0.0, now - visit.at) / (settings.change_days * DAY))
        document = document_of(note, depth, scoring.distance)
        ignored = visit.wanted is None or (copy and bool(visit.digest))
        found.append(Candidate(url, document, bool(visit.wanted), freshness, ignored))
    return found
