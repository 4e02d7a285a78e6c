"""Strategies compared: each crawls every ground, a generated world or a graph, from the same seeds."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from phasa.crawl.learn.knowledge import KnowledgeBase, read_knowledge
from phasa.crawl.run.assembly import BY_GAMMA
from phasa.crawl.seeds import read_seeds
from phasa.crawl.strategies import STRATEGIES, Circumstances, make_strategy, needs_knowledge
from phasa.crawl.strategy import Seed, Strategy
from phasa.crawl.target import Target
from phasa.crawl.target import target_of as crawl_target
from phasa.errors import InputError
from phasa.lab.curves import MIXED, SHARES, Curve, Ground, curve_of
from phasa.lab.graph import OK, Graph
from phasa.lab.handmade import HandMade
from phasa.lab.knowledge import (
    learn,
    learn_from_graph,
    mark_trained,
    rows_of,
    trained_beside,
    without_trained,
)
from phasa.lab.links import depth_from
from phasa.lab.page_judge import PageJudge, ReadWeb
from phasa.lab.replay import Crawl, replay
from phasa.lab.seeds import mixed_seeds, seeds_of
from phasa.lab.store import read_graph
from phasa.lab.targets import target_of
from phasa.lab.world import World
from phasa.language.profile import load_profile
from phasa.strategy_settings import StrategySettings, with_options

log = logging.getLogger(__name__)
Task = tuple[Ground, Sequence[str], int, int]
"""A ground, the strategies that crawl it, how many pages, and pages between two values of a curve."""
Mapped = Callable[[Callable[[Task], list[Curve]], Sequence[Task]], Iterator[list[Curve]]]


@dataclass(frozen=True)
class Setup:
    """What a crawl on a ground is given: the graph, where to start, and what was learned from a web before."""

    graph: Graph
    seeds: list[Seed]
    knowledge: KnowledgeBase | None = None


@lru_cache(maxsize=2)
def _world_of(name: str, language: str, lies: float) -> World:
    return World.from_name(name, language, lies)


@lru_cache(maxsize=2)
def _learned(name: str, language: str, lies: float) -> tuple[Graph, KnowledgeBase]:
    return learn(_world_of(name, language, lies))


@lru_cache(maxsize=2)
def _page_judge(name: str, language: str, lies: float, one_scale: bool) -> PageJudge:
    return PageJudge(_world_of(name, language, lies), one_scale=one_scale)


@lru_cache(maxsize=2)
def _stored(path: Path, language: str) -> Graph:
    return read_graph(path, language)


def setup_of(ground: Ground) -> Setup:
    """The graph, the seeds and the knowledge base of a ground."""
    if ground.graph is not None:
        return _setup_of_graph(ground, ground.graph)
    world = _world_of(ground.world, ground.language, ground.lies)
    if ground.kb is not None:  # it may have been learned from this web, served
        graph = mark_trained(world.graph, trained_beside(ground.kb))
        return Setup(_left_out(graph, ground.trained), seeds_of(world, ground.seeds), read_knowledge(ground.kb))
    if ground.knowing:
        graph, knowledge = _learned(ground.world, ground.language, ground.lies)
        return Setup(_left_out(graph, ground.trained), seeds_of(world, ground.seeds), knowledge)
    return Setup(world.graph, seeds_of(world, ground.seeds))


def _setup_of_graph(ground: Ground, path: Path) -> Setup:
    """On a stored graph: seeds of a file or drawn ones; a knowledge base of a file, or learned from the graph itself,
    from other seeds."""
    graph = _stored(path, ground.language)
    seeds = (
        mixed_seeds(graph, ground.language, ground.draw) if ground.seeds == MIXED else _seeds_in(graph, ground.seeds)
    )
    if ground.kb is not None:
        graph = mark_trained(graph, trained_beside(ground.kb))
        return Setup(_left_out(graph, ground.trained), seeds, read_knowledge(ground.kb))
    if not ground.knowing:
        return Setup(graph, seeds)
    graph, knowledge = learn_from_graph(graph, mixed_seeds(graph, ground.language, draw=0), rows_of(len(graph)))
    return Setup(_left_out(graph, ground.trained), seeds, knowledge)


def _seeds_in(graph: Graph, file: str) -> list[Seed]:
    """The seeds of a file that the graph has. Raises InputError when there are none."""
    path = Path(file)
    if not path.is_file():
        raise InputError(f"--seeds {file}: no such file; on a graph, name a file of addresses, or leave it out")
    seeds = [seed for seed in read_seeds(path).seeds if graph.find(seed.url) >= 0]
    if not seeds:
        raise InputError(f"{file}: none of its addresses is in the graph; seeds must be pages of the graph")
    return seeds


def _left_out(graph: Graph, trained: str) -> Graph:
    """The graph as pages that a knowledge base was learned from are treated: links pass through them, or they are not
    there at all (language-specific-crawling §9.2, A13). They are never measured."""
    return graph if trained == "pass" else without_trained(graph)


def crawl_on(ground: Ground, strategy: str, pages: int) -> tuple[Graph, Crawl]:
    """One crawl by a strategy of the registry."""
    setup = setup_of(ground)
    by_web = ground.judge == "web"
    target = target_of(setup.graph) if by_web else crawl_target(load_profile(setup.graph.target))
    made = lab_strategy(strategy, Circumstances(target, seed=ground.draw, knowledge=setup.knowledge))
    if by_web:
        return setup.graph, replay(setup.graph, made, setup.seeds, pages, pace=ground.pace, draw=ground.draw)
    one_scale = strategy.partition(":")[0] in BY_GAMMA or setup.knowledge is not None
    judge = _page_judge(ground.world, ground.language, ground.lies, one_scale)
    web = ReadWeb(setup.graph, _world_of(ground.world, ground.language, ground.lies))
    crawl = replay(setup.graph, made, setup.seeds, pages, judge=judge, pace=ground.pace, draw=ground.draw, web=web)
    return judge.labelled(setup.graph, crawl.pages), crawl


def lab_strategy(name: str, around: Circumstances) -> Strategy:
    """A strategy of the crawl, or a yardstick that only the lab has. Raises SettingsError for an unknown name."""
    return HandMade(around.target) if name == HandMade.name else make_strategy(name, around)


def run_one(ground: Ground, strategy: str, pages: int, every: int = 100) -> Curve:
    """One crawl as its curves."""
    if ground.graph is None:
        graph, crawl = crawl_on(ground, strategy, pages)
        return curve_of(graph, crawl, ground, every)
    setup = setup_of(ground)
    reachable = reachable_from(setup.graph, setup.seeds)
    # It goes on to half of the web, for what was found after so much of it; at a pace no longer than was asked for.
    half = 0 if ground.pace is not None else -(-int(reachable.sum()) // 2)
    graph, crawl = crawl_on(ground, strategy, max(pages, half))
    found = np.cumsum(graph.wanted[crawl.pages])
    if not len(found):
        return curve_of(graph, crawl, ground, every)
    reachable &= graph.measured
    marks = [min(len(found), max(1, round(share * int(reachable.sum())))) for share in SHARES]
    total = max(1, int((graph.wanted & reachable).sum()))
    found_after = tuple(float(found[mark - 1]) / total for mark in marks)
    return replace(curve_of(graph, crawl.first(pages), ground, every), found_after=found_after)


def reachable_from(graph: Graph, seeds: Sequence[Seed]) -> NDArray[np.bool_]:
    """Which pages links and redirects lead to from the seeds."""
    places = [graph.find(seed.url) for seed in seeds]
    starts = np.array(sorted({graph.page_behind(place) for place in places if place >= 0}), dtype=np.int64)
    behind = np.arange(len(graph), dtype=np.int32)
    for address in np.flatnonzero(graph.moved >= 0).tolist():
        behind[address] = graph.page_behind(address)
    reached = depth_from(graph.offsets, behind[graph.targets], starts) >= 0
    return np.asarray(reached & (graph.status == OK))


def compare(
    grounds: Sequence[Ground],
    strategies: Sequence[str],
    pages: int,
    every: int = 100,
    workers: int = 1,
    show: Callable[[int, int], None] = lambda done, of: None,
    mapped: Mapped | None = None,
) -> list[Curve]:
    """Every strategy on every ground, in this order whatever the number of workers. `mapped` does a task for each
    ground in place of processes of this machine, and gives their curves in order.

    `show` is called after each crawl with how many are done, of how many.
    Raises SettingsError for an unknown strategy or option before anything runs.
    """
    for name in strategies:
        kind, *options = name.split(":")
        if kind in STRATEGIES:
            with_options(StrategySettings(), kind, options)
        elif name != HandMade.name:
            make_strategy(name, Circumstances(Target("")))  # says what is wrong with it, if anything
    if any(needs_knowledge(name) for name in strategies):
        # What was learned must not be measured, by any of those that are compared.
        grounds = [replace(ground, knowing=ground.kb is None) for ground in grounds]
    tasks = [(ground, strategies, pages, every) for ground in grounds]
    curves: list[Curve] = []
    with ProcessPoolExecutor(workers) if workers > 1 and mapped is None else nullcontext() as pool:
        several: Mapped | None = mapped or (pool.map if pool else None)
        # One by one as they come, so that somebody who waits sees it: a world's crawls in turn, or a world at a time.
        runs: Iterator[Curve] = (
            chain.from_iterable(several(_run_ground, tasks))
            if several
            else (run_one(ground, strategy, pages, every) for ground in grounds for strategy in strategies)
        )
        for curve in runs:
            curves.append(curve)
            where = curve.ground.world or f"{curve.ground.graph}, draw {curve.ground.draw}"
            log.info("%s on %s: %d pages, mean harvest %.4f", curve.strategy, where, curve.pages, curve.mean_harvest)
            show(len(curves), len(tasks) * len(strategies))
    return curves


def _run_ground(task: Task) -> list[Curve]:
    ground, strategies, pages, every = task
    return [run_one(ground, strategy, pages, every) for strategy in strategies]
