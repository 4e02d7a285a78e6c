"""The crawl in cycles of the Persian note (`phasa.crawl.wire`) on a web graph, with its figures per cycle."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from phasa.crawl.strategy import Seed
from phasa.crawl.wire.cycle import Cycle, Fetched, WireSettings, run_cycle, seeded
from phasa.lab.graph import OK, Graph
from phasa.lab.replay import ReplayWeb

ACCEPTED = (*WireSettings().domains, "es")
"""Domains that the note's crawls accept; .es for its Spanish seeds (§8, item 12)."""


class Indicator(StrEnum):
    """What the detector of the note looks at (E5)."""

    META = "meta"
    CONTENT = "content"
    COMBINED = "combined"


@dataclass(frozen=True)
class CycledCrawl:
    """What a crawl in cycles found."""

    cycles: list[Cycle]
    persian: NDArray[np.int64]
    """Pages marked as Persian, in the order of their fetch."""
    parsed: NDArray[np.int64]


def detected(graph: Graph, indicator: Indicator) -> NDArray[np.bool_]:
    """Which pages the detector marks as being in the language."""
    if graph.declared is None or graph.content is None:
        return graph.wanted
    by_mode = {
        Indicator.META: graph.declared,
        Indicator.CONTENT: graph.content,
        Indicator.COMBINED: graph.declared | graph.content,
    }
    return np.asarray(by_mode[indicator] & (graph.status == OK))


def run_cycles(
    graph: Graph,
    seeds: Sequence[Seed],
    cycles: int,
    settings: WireSettings,
    indicator: Indicator = Indicator.COMBINED,
) -> CycledCrawl:
    """Crawl in cycles. The links of a cycle's pages are scheduled from the next cycle on."""
    web, marks = ReplayWeb(graph), detected(graph, indicator).tolist()
    parsed: dict[int, None] = {}

    def fetch(url: str) -> Fetched | None:
        page = graph.find(url)
        if page >= 0 and graph.status[page] != OK and graph.moved[page] >= 0:
            page = int(graph.moved[page])
        # A page that came before under another address is not parsed again.
        if page < 0 or graph.status[page] != OK or page in parsed:
            return None
        parsed[page] = None
        return Fetched(str(page).encode(), web.out_links(page), marks[page])

    store = seeded([seed.url for seed in seeds], settings)
    for _ in range(cycles):
        run_cycle(store, settings, fetch)
    order = np.array(list(parsed), dtype=np.int64)
    return CycledCrawl(store.cycles, order[[marks[page] for page in parsed]], order)
