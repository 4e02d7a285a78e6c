"""WIRE's priority of a document: nine weighted terms and the added one for the language (persian-crawling §4.3)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from phasa.crawl.strategy import Floats
from phasa.strategy_settings import ScoreWeights
from phasa.web.url import authority

DYNAMIC = (".asp", ".aspx", ".php", ".jsp", ".cgi")


class ScoreTerms(NamedTuple):
    """The ten terms, each 0..1: a column with one value per document."""

    pagerank: Floats
    wlrank: Floats
    hub: Floats
    authority: Floats
    siterank: Floats
    queuesize: Floats
    depth: Floats
    static: Floats
    random: Floats
    persian: Floats


def score(terms: ScoreTerms, weights: ScoreWeights) -> Floats:
    """URL_Weight of each document: the weighted sum."""
    return np.asarray(
        weights.pagerank * terms.pagerank
        + weights.wlscore * terms.wlrank
        + weights.hub * terms.hub
        + weights.authority * terms.authority
        + weights.siterank * terms.siterank
        + weights.queuesize * terms.queuesize
        + weights.depth * terms.depth
        + weights.static * terms.static
        + weights.random * terms.random
        + weights.persian * terms.persian
    )


def depth_score(depth: int, max_depth: int) -> float:
    """1 for a seed (depth 1), falling evenly; 0 beyond `max_depth`."""
    return 0.0 if depth > max_depth else (max_depth - (depth - 1)) / max_depth


def is_dynamic(url: str) -> bool:
    """Whether the address looks like one that a program answers (§5.4)."""
    path, question, _ = url.partition("?")
    return bool(question) or path.lower().endswith(DYNAMIC)


def queue_sizes(urls: Sequence[str]) -> Floats:
    """How many of these waiting URLs the site of each has, as a share of the site that has most."""
    hosts = [authority(url) for url in urls]
    counts = Counter(hosts)
    most = max(counts.values(), default=1)
    return np.array([counts[host] / most for host in hosts], dtype=np.float64)
