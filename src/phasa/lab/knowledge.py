"""The knowledge base of a world: Algorithm 1 on the replayed web, with the pages it used marked as trained (§4.6)."""

from __future__ import annotations

import logging
from dataclasses import replace

import numpy as np

from phasa.crawl.learn.extraction import KnowledgeExtraction
from phasa.crawl.learn.knowledge import KnowledgeBase
from phasa.lab.graph import Graph
from phasa.lab.replay import replay
from phasa.lab.seeds import seeds_of
from phasa.lab.targets import target_of
from phasa.lab.world import World

log = logging.getLogger(__name__)
# The thesis took 10,000 rows from a web of 103,734 pages.
ROWS, OF_PAGES = 10_000, 103_734


def rows_for(world: World) -> int:
    """Rows of the knowledge base in the proportion of the thesis; at least a few hundred."""
    return max(300, round(len(world.pages) * ROWS / OF_PAGES))


def learn(world: World, rows: int | None = None) -> tuple[Graph, KnowledgeBase]:
    """The graph of a world with its trained pages marked, and the knowledge base that was learned from them."""
    graph = world.graph
    extraction = KnowledgeExtraction(target_of(graph), rows_for(world) if rows is None else rows)
    replay(graph, extraction, seeds_of(world, "knowledge"), len(graph))
    log.info("knowledge base of world %d: learned from %d pages", world.seed, len(extraction.trained))
    trained = np.zeros(len(graph), dtype=bool)
    trained[[graph.find(url) for url in extraction.trained]] = True
    return replace(graph, trained=trained), extraction.knowledge("thai" if graph.target == "th" else graph.target)
