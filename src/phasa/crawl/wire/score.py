"""WIRE's priority of a document: nine weighted terms and the added one for the language (persian-crawling §4.3)."""

from __future__ import annotations

from typing import Annotated, NamedTuple

from msgspec import Meta

from phasa.settings import Settings

DYNAMIC = (".asp", ".aspx", ".php", ".jsp", ".cgi")
STATIC = (".html", ".htm")


class ScoreWeights(Settings, frozen=True, kw_only=True):
    """The weights of the ten terms. The published experiments use depth 95, random 5, the language 0 to 1000."""

    pagerank: Annotated[float, Meta(description="Weight of PageRank.")] = 0.0
    wlscore: Annotated[float, Meta(description="Weight of WLRank, PageRank with weighted links.")] = 0.0
    hub: Annotated[float, Meta(description="Weight of the HITS hub score.")] = 0.0
    authority: Annotated[float, Meta(description="Weight of the HITS authority score.")] = 0.0
    siterank: Annotated[float, Meta(description="Weight of the rank of the site.")] = 0.0
    queuesize: Annotated[float, Meta(description="Weight of the site's queue length.")] = 0.0
    depth: Annotated[float, Meta(description="Weight of nearness to the seeds.")] = 95.0
    static: Annotated[float, Meta(description="Weight of not being made by a program (.php, .asp …).")] = 0.0
    random: Annotated[float, Meta(description="Weight of chance.")] = 5.0
    persian: Annotated[
        float,
        Meta(description="Weight of being linked from a page in the language (CONF_MANAGER_SCORE_PERSIAN_WEIGHT)."),
    ] = 500.0


class Terms(NamedTuple):
    """The ten terms of one document, each 0..1."""

    pagerank: float = 0.0
    wlrank: float = 0.0
    hub: float = 0.0
    authority: float = 0.0
    siterank: float = 0.0
    queuesize: float = 0.0
    depth: float = 0.0
    static: float = 0.0
    random: float = 0.0
    persian: float = 0.0


def score(terms: Terms, weights: ScoreWeights) -> float:
    """URL_Weight: the weighted sum."""
    return (
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
