"""Strategies side by side on worlds or graphs: harvest and coverage curves, their means and their uncertainty."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import chain
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from phasa.crawl.learn.knowledge import KnowledgeBase
from phasa.crawl.strategies import Circumstances, known_strategies, make_strategy, needs_knowledge
from phasa.crawl.strategy import Seed, Strategy
from phasa.crawl.target import Target
from phasa.lab.graph import Graph
from phasa.lab.handmade import HandMade
from phasa.lab.learning import learn
from phasa.lab.linking import depth_from
from phasa.lab.replay import Crawl, replay
from phasa.lab.seeds import mixed_seeds, seeds_of
from phasa.lab.store import read_graph
from phasa.lab.targets import target_of
from phasa.lab.world import World
from phasa.strategy_settings import StrategySettings, with_options

Floats = NDArray[np.float64]
SHARES = (0.05, 0.10, 0.20, 0.50)


@dataclass(frozen=True)
class Ground:
    """Where crawls are compared: one world or one draw of seeds on a graph."""

    seeds: str
    """Name of a seed set; on a graph 'mixed'."""
    language: str
    world: str = ""
    """SEED:PAGES."""
    graph: Path | None = None
    draw: int = 1
    """Seed of randomness of the strategies, and of the seeds on a graph."""
    knowing: bool = False
    """Learn a knowledge base from the world first; the pages it is made from are not measured."""


@dataclass(frozen=True)
class Curve:
    """One crawl as its curves, a value every `every` pages."""

    strategy: str
    ground: Ground
    every: int
    harvest: Floats
    recent: Floats
    coverage: Floats
    pages: int
    wanted: int
    """Pages in the language that were found."""
    fetches: int
    found_after: tuple[float, ...] = ()
    """On a graph: share of the reachable pages in the language found after each of `SHARES` of all reachable pages."""

    @property
    def mean_harvest(self) -> float:
        """Mean of the cumulative harvest over the crawl: the area under its curve, divided by its length."""
        return float(self.harvest.mean()) if len(self.harvest) else 0.0


@dataclass(frozen=True)
class Summary:
    """Several curves of one strategy: mean and half width of the 95 % interval at every mark."""

    strategy: str
    every: int
    pages: list[int]
    harvest: list[float]
    harvest_interval: list[float]
    recent: list[float]
    coverage: list[float]
    coverage_interval: list[float]
    mean_harvest: float
    mean_harvest_interval: float
    final_harvest: float
    runs: int
    fetches: float
    found_after: list[float] = field(default_factory=list)
    """Mean of `Curve.found_after`."""
    each: list[float] = field(default_factory=list)
    """Mean harvest of every run, in the order of the grounds."""


@dataclass(frozen=True)
class Place:
    """The graph of a ground, with where to start and what was learned from it."""

    graph: Graph
    seeds: list[Seed]
    knowledge: KnowledgeBase | None = None


@lru_cache(maxsize=2)
def _world_of(name: str, language: str) -> World:
    return World.from_name(name, language)


@lru_cache(maxsize=2)
def _learned(name: str, language: str) -> tuple[Graph, KnowledgeBase]:
    return learn(_world_of(name, language))


@lru_cache(maxsize=2)
def _stored(path: Path, language: str) -> Graph:
    return read_graph(path, language)


def place_of(ground: Ground) -> Place:
    """The graph, the seeds and the knowledge base of a ground."""
    if ground.graph is not None:
        graph = _stored(ground.graph, ground.language)
        return Place(graph, mixed_seeds(graph, ground.language, ground.draw))
    world = _world_of(ground.world, ground.language)
    if ground.knowing:
        return Place(
            _learned(ground.world, ground.language)[0],
            seeds_of(world, ground.seeds),
            _learned(ground.world, ground.language)[1],
        )
    return Place(world.graph, seeds_of(world, ground.seeds))


def crawl_on(ground: Ground, strategy: str, pages: int) -> tuple[Graph, Crawl]:
    """One crawl by a strategy of the registry."""
    place = place_of(ground)
    made = lab_strategy(strategy, Circumstances(target_of(place.graph), seed=ground.draw, knowledge=place.knowledge))
    return place.graph, replay(place.graph, made, place.seeds, pages)


def lab_strategy(name: str, around: Circumstances) -> Strategy:
    """A strategy of the crawl, or a yardstick that only the lab has. Raises SettingsError for an unknown name."""
    return HandMade(around.target) if name == HandMade.name else make_strategy(name, around)


def run_one(ground: Ground, strategy: str, pages: int, every: int = 100) -> Curve:
    """One crawl as its curves."""
    if ground.graph is None:
        graph, crawl = crawl_on(ground, strategy, pages)
        return curve_of(graph, crawl, ground, every)
    place = place_of(ground)
    reachable = reachable_from(place.graph, place.seeds)
    graph, crawl = crawl_on(ground, strategy, max(pages, -(-int(reachable.sum()) // 2)))
    found = np.cumsum(graph.wanted[crawl.pages])
    marks = [min(len(found), max(1, round(share * int(reachable.sum())))) for share in SHARES]
    total = max(1, int((graph.wanted & reachable).sum()))
    return replace(
        curve_of(graph, crawl, ground, every), found_after=tuple(float(found[mark - 1]) / total for mark in marks)
    )


def reachable_from(graph: Graph, seeds: Sequence[Seed]) -> NDArray[np.bool_]:
    """Which pages links lead to from the seeds."""
    starts = np.array(sorted(graph.find(seed.url) for seed in seeds), dtype=np.int64)
    return np.asarray(depth_from(graph.offsets, graph.targets, starts) >= 0)


def curve_of(graph: Graph, crawl: Crawl, ground: Ground, every: int = 100) -> Curve:
    """The curves of a crawl."""
    return Curve(
        crawl.strategy,
        ground,
        every,
        crawl.harvest(graph, every),
        crawl.recent(graph, every),
        crawl.coverage(graph, every),
        len(crawl.pages),
        int(graph.wanted[crawl.pages].sum()),
        crawl.fetches,
    )


def compare(
    grounds: Sequence[Ground],
    strategies: Sequence[str],
    pages: int,
    every: int = 100,
    workers: int = 1,
    show: Callable[[int, int], None] = lambda done, of: None,
) -> list[Curve]:
    """Every strategy on every ground, in this order whatever the number of workers. `show` hears how many are done.

    Raises SettingsError for an unknown strategy or option before anything runs.
    """
    for name in strategies:
        kind, *options = name.split(":")
        if kind not in (*known_strategies(), HandMade.name):
            make_strategy(name, Circumstances(Target("")))
        with_options(StrategySettings(), kind, options)
    if any(needs_knowledge(name) for name in strategies):
        # What was learned must not be measured, by any of those that are compared.
        grounds = [replace(ground, knowing=ground.graph is None) for ground in grounds]
    tasks = [(ground, strategies, pages, every) for ground in grounds]
    curves: list[Curve] = []
    with ProcessPoolExecutor(workers) if workers > 1 else nullcontext() as pool:
        # One by one as they come, so that somebody who waits sees it: a world's crawls in turn, or a world at a time.
        runs: Iterator[Curve] = (
            chain.from_iterable(pool.map(_run_ground, tasks))
            if pool
            else (run_one(ground, strategy, pages, every) for ground in grounds for strategy in strategies)
        )
        for curve in runs:
            curves.append(curve)
            show(len(curves), len(tasks) * len(strategies))
    return curves


def _run_ground(task: tuple[Ground, Sequence[str], int, int]) -> list[Curve]:
    ground, strategies, pages, every = task
    return [run_one(ground, strategy, pages, every) for strategy in strategies]


def interval(values: Floats) -> Floats:
    """Half width of the 95 % interval of the mean of each column (Student's t); 0 for a single row."""
    count = len(values)
    if count < 2:
        return np.zeros(values.shape[1:])
    return np.asarray(_T95[min(count - 2, len(_T95) - 1)] * values.std(axis=0, ddof=1) / np.sqrt(count))


# Student's t, two-sided 95 %, for 1, 2, 3 … degrees of freedom; the normal value beyond.
_T95 = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131,
        2.120, 2.110, 2.101, 2.093, 2.086, 2.042, 1.96)  # fmt: skip


def summarise(curves: Sequence[Curve]) -> list[Summary]:
    """One summary per strategy, in the order of first appearance. A crawl that ended early keeps its last value."""
    found: list[Summary] = []
    for strategy in dict.fromkeys(curve.strategy for curve in curves):
        mine = [curve for curve in curves if curve.strategy == strategy]
        length = max((len(curve.harvest) for curve in mine), default=0)
        every = mine[0].every
        harvest, recent, coverage = (
            np.array([_stretched(getattr(curve, name), length) for curve in mine])
            for name in ("harvest", "recent", "coverage")
        )
        means = harvest.mean(axis=1) if length else np.zeros(len(mine))
        found.append(
            Summary(
                strategy,
                every,
                [every * (mark + 1) for mark in range(length)],
                _plain(harvest.mean(axis=0)),
                _plain(interval(harvest)),
                _plain(recent.mean(axis=0)),
                _plain(coverage.mean(axis=0)),
                _plain(interval(coverage)),
                round(float(means.mean()), 6),
                round(float(interval(means[:, None])[0]), 6),
                round(float(harvest[:, -1].mean()), 6) if length else 0.0,
                len(mine),
                round(float(np.mean([curve.fetches for curve in mine])), 1),
                _plain(np.mean([curve.found_after for curve in mine], axis=0)) if mine[0].found_after else [],
                _plain(means),
            )
        )
    return found


def _stretched(values: Floats, length: int) -> Floats:
    if len(values) == length:
        return values
    return np.concatenate([values, np.full(length - len(values), values[-1] if len(values) else 0.0)])


def _plain(values: Floats) -> list[float]:
    return [round(float(value), 6) for value in values]


def write_csv(curves: Sequence[Curve]) -> str:
    """All curves as CSV text: one row per ground, strategy and mark."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["world", "seeds", "draw", "strategy", "pages", "harvest", "recent", "coverage"])
    for curve in curves:
        place = curve.ground.world or str(curve.ground.graph and curve.ground.graph.name)
        for mark in range(len(curve.harvest)):
            numbers = (curve.harvest[mark], curve.recent[mark], curve.coverage[mark])
            row = [place, curve.ground.seeds, curve.ground.draw, curve.strategy, curve.every * (mark + 1)]
            writer.writerow([*row, *(f"{value:.6f}" for value in numbers)])
    return out.getvalue()
