"""The crawl in cycles of the Persian note."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from phasa.crawl.wire.cycle import WireSettings
from phasa.lab.seeds import seeds_of
from phasa.lab.world import World
from phasa.papers.persian_crawling.cycles import ACCEPTED, CycledCrawl, Indicator, detected, run_cycles
from phasa.strategy_settings import ScoreWeights
from phasa.web.url import authority, tld_of

SETTINGS = WireSettings(batch=40, domains=ACCEPTED)


def _run(world: World, cycles: int = 6, settings: WireSettings = SETTINGS) -> CycledCrawl:
    return run_cycles(world.graph, seeds_of(world, "set2"), cycles, settings)


@pytest.fixture(scope="module")
def persian_world() -> World:
    """The web of the note, which does not lie."""
    return World.from_name("7:6000", "fa", lies=0.0)


def test_figures_grow_from_cycle_to_cycle(persian_world: World) -> None:
    rows = _run(persian_world).cycles
    assert [row.number for row in rows] == [1, 2, 3, 4, 5, 6]
    assert all(a.parsed <= b.parsed and a.persian <= b.persian for a, b in pairwise(rows))
    assert all(row.persian <= row.parsed <= row.processed <= 40 * row.number for row in rows)


def test_no_page_is_parsed_twice(persian_world: World) -> None:
    parsed = _run(persian_world, cycles=20).parsed
    assert len(set(parsed.tolist())) == len(parsed)


def test_the_caps_hold(persian_world: World) -> None:
    capped = _run(persian_world, cycles=25, settings=WireSettings(batch=100, domains=ACCEPTED, pages_per_site=5))
    sites = persian_world.pages.site[capped.parsed[capped.parsed < len(persian_world.pages)]]
    # A redirect is counted where it stands, and may add one page to where it leads.
    assert np.bincount(sites).max() <= 5 + 3
    only = _run(persian_world, settings=WireSettings(batch=100, domains=("ir",)))
    planted = {seed.url for seed in seeds_of(persian_world, "set2")}  # seeds may be anywhere (§3.4)
    found = [url for url in map(persian_world.url, only.parsed.tolist()) if url not in planted]
    assert sum(tld_of(authority(url)) == "ir" for url in found) >= 0.9 * len(found) > 20


def test_combined_finds_what_either_finds(persian_world: World) -> None:
    graph = persian_world.graph
    meta, content, both = (detected(graph, mode) for mode in (Indicator.META, Indicator.CONTENT, Indicator.COMBINED))
    assert np.array_equal(both, meta | content)
    assert meta.sum() < content.sum() < both.sum()
    assert not (both & ~graph.wanted).any()


def test_the_links_of_the_graph_reach_the_ranks(persian_world: World) -> None:
    """With a weight on WLRank, anchors and positions of the graph's links decide, and the order is another one."""
    ranked = WireSettings(batch=40, domains=ACCEPTED, weights=ScoreWeights(random=0, depth=0, persian=0, wlscore=1))
    plain = WireSettings(batch=40, domains=ACCEPTED, weights=ScoreWeights(random=0, persian=0))
    first, second = (_run(persian_world, 6, settings).parsed.tolist() for settings in (ranked, plain))
    assert first != second
    assert first == _run(persian_world, 6, ranked).parsed.tolist()
