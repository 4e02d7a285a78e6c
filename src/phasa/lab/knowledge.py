"""The knowledge base of a web: Algorithm 1 on its replay, with the pages it used marked as trained (§4.6)."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from phasa.crawl.learn.extraction import KnowledgeExtraction
from phasa.crawl.learn.knowledge import KnowledgeBase
from phasa.crawl.learn.lesson import TRAINED
from phasa.crawl.strategy import Seed
from phasa.lab.graph import Graph
from phasa.lab.replay import replay
from phasa.lab.seeds import seeds_of
from phasa.lab.targets import target_of
from phasa.lab.world import World

log = logging.getLogger(__name__)
# The thesis took 10,000 rows from a web of 103,734 pages.
ROWS, OF_PAGES = 10_000, 103_734


def rows_of(pages: int) -> int:
    """Rows of the knowledge base of a web of so many pages in the proportion of the thesis; at least a few hundred."""
    return max(300, round(pages * ROWS / OF_PAGES))


def learn(world: World, rows: int | None = None) -> tuple[Graph, KnowledgeBase]:
    """The graph of a world with its trained pages marked, and the knowledge base that was learned from them."""
    return learn_from_graph(world.graph, seeds_of(world, "knowledge"), rows or rows_of(len(world.pages)))


def learn_from_graph(graph: Graph, seeds: Sequence[Seed], rows: int) -> tuple[Graph, KnowledgeBase]:
    """The same on any graph, from these seeds."""
    extraction = KnowledgeExtraction(target_of(graph), rows)
    replay(graph, extraction, seeds, len(graph))
    log.info("knowledge base of a graph of %d pages: learned from %d of them", len(graph), len(extraction.trained))
    return mark_trained(graph, extraction.trained), extraction.knowledge(
        "thai" if graph.target == "th" else graph.target
    )


def mark_trained(graph: Graph, urls: Iterable[str]) -> Graph:
    """The graph with those of its pages marked that a knowledge base was learned from; addresses it has not are
    passed over."""
    trained = np.zeros(len(graph), dtype=bool)
    trained[[place for place in map(graph.find, urls) if place >= 0]] = True
    return replace(graph, trained=trained)


def trained_beside(kb: Path) -> list[str]:
    """The pages that a knowledge base was learned from, as `phasa learn` lists them beside it; none when it did not."""
    file = kb.with_name(TRAINED)
    return file.read_text(encoding="utf-8").split() if file.is_file() else []


def without_trained(graph: Graph) -> Graph:
    """The graph as if the trained pages were not on the web at all (reading A13)."""
    if graph.trained is None:
        return graph
    status, moved = graph.status.copy(), graph.moved.copy()
    status[graph.trained], moved[graph.trained] = 404, -1
    return replace(graph, status=status, moved=moved)
