"""The crawl in cycles of the Persian note."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from phasa.crawl.strategies import Circumstances, make_strategy
from phasa.lab.aims import aim_of
from phasa.lab.cycles import Indicator, Limits, detected, run_cycles
from phasa.lab.seeds import seeds_of
from phasa.lab.world import World


def _strategy(world: World, weight: int) -> object:
    return make_strategy(f"persian:persian={weight}", Circumstances(aim_of(world.graph), seed=1))


def _run(world: World, weight: int = 500, cycles: int = 6, limits: Limits | None = None):  # type: ignore[no-untyped-def]
    seeds = seeds_of(world, "set2")
    return run_cycles(world.graph, _strategy(world, weight), seeds, cycles, limits or Limits(batch=40))  # type: ignore[arg-type]


def test_figures_grow_from_cycle_to_cycle(persian_world: World) -> None:
    rows = _run(persian_world).cycles
    assert [row.number for row in rows] == [1, 2, 3, 4, 5, 6]
    assert all(a.parsed <= b.parsed and a.persian <= b.persian for a, b in pairwise(rows))
    assert all(row.persian <= row.parsed <= row.processed <= 40 * row.number for row in rows)


def test_no_page_is_parsed_twice(persian_world: World) -> None:
    parsed = _run(persian_world, cycles=20).parsed
    assert len(set(parsed.tolist())) == len(parsed)


def test_the_caps_hold(persian_world: World) -> None:
    capped = _run(persian_world, cycles=25, limits=Limits(batch=100, pages_per_site=5))
    sites = persian_world.pages.site[capped.parsed[capped.parsed < len(persian_world.pages)]]
    # A redirect is counted where it stands, and may add one page to where it leads.
    assert np.bincount(sites).max() <= 5 + 3
    only = _run(persian_world, limits=Limits(batch=100, domains=frozenset({"ir"})))
    hosts = {persian_world.url(int(page)).split("/")[2] for page in only.parsed}
    assert sum(host.endswith(".ir") for host in hosts) >= 0.9 * len(hosts)


def test_combined_finds_what_either_finds(persian_world: World) -> None:
    graph = persian_world.graph
    meta, content, both = (detected(graph, mode) for mode in (Indicator.META, Indicator.CONTENT, Indicator.COMBINED))
    assert np.array_equal(both, meta | content)
    assert meta.sum() < content.sum() < both.sum()
    assert not (both & ~graph.wanted).any()
