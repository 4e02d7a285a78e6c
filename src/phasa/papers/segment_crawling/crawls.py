"""Crawls by topic on a generated web: the strategies of the thesis and ours, same seeds, same judge, same limits."""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import lru_cache

import msgspec
import numpy as np
from numpy.typing import NDArray

from phasa.crawl.run.manifest import Manifest, RunLimits, make_manifest
from phasa.crawl.segments.predictor import Predictor
from phasa.crawl.strategies import Circumstances, make_strategy
from phasa.crawl.strategies.segment import SegmentStrategy, certain
from phasa.crawl.strategies.segment_hybrid import SegmentHybrid
from phasa.crawl.strategy import Strategy
from phasa.crawl.target import Target
from phasa.frontier.budgets import NO_LIMITS
from phasa.lab.graph import Graph
from phasa.lab.replay import replay
from phasa.lab.topical.world import TopicalWorld
from phasa.papers.segment_crawling.models import MODE, predictor_for, topic_model
from phasa.strategy_settings import SegmentSettings, StrategySettings

PER_WEBSITE = 300


@dataclass(frozen=True)
class TopicalCrawl:
    """One crawl: pages in their order, which of them the judge wanted, and which were truly relevant."""

    world: str
    topic: str
    strategy: str
    pages: NDArray[np.int64]
    wanted: NDArray[np.bool_]
    true: NDArray[np.bool_]
    there: int
    """Pages of the web that the judge would want."""
    fetches: int = 0
    started: float = 0.0
    ended: float = 0.0
    """Seconds since 1970."""

    @property
    def harvest(self) -> float:
        """Eq. 6 at the end, by the judge, as the thesis measures."""
        return float(self.wanted.mean()) if len(self.wanted) else 0.0

    @property
    def mean_harvest(self) -> float:
        """Mean of the cumulative harvest over the crawl."""
        if not len(self.wanted):
            return 0.0
        return float((np.cumsum(self.wanted) / np.arange(1, len(self.wanted) + 1)).mean())

    @property
    def true_harvest(self) -> float:
        """Harvest at the end by the gold."""
        return float(self.true.mean()) if len(self.true) else 0.0

    @property
    def coverage(self) -> float:
        """Eq. 7, by the judge."""
        return float(self.wanted.sum()) / max(1, self.there)


@dataclass(frozen=True)
class Arena:
    """A web seen through the judge of one topic."""

    world: TopicalWorld
    topic: str
    graph: Graph


@lru_cache(maxsize=2)
def _world(seed: int, pages: int) -> TopicalWorld:
    return TopicalWorld(seed, pages)


@lru_cache(maxsize=8)
def arena(seed: int, pages: int, topic: str, training: int) -> Arena:
    """The web of a seed, judged by the model of a topic that was learned from a training web of so many pages."""
    world = _world(seed, pages)
    return Arena(world, topic, world.graph(world.scores(topic_model(topic, training, repeats=1))))


def crawl(place: Arena, strategy: Strategy, pages: int, name: str = "") -> TopicalCrawl:
    """Crawl so many pages from the seeds of the topic, at most 300 of a website."""
    budgets = msgspec.structs.replace(NO_LIMITS, pages_per_host=PER_WEBSITE)
    started = time.time()
    found = replay(place.graph, strategy, place.world.seeds(place.topic), pages, budgets)
    wanted = place.graph.wanted
    return TopicalCrawl(
        f"{place.world.seed}:{len(place.world)}",
        place.topic,
        name or strategy.name,
        found.pages,
        wanted[found.pages],
        place.world.gold(place.topic)[found.pages],
        int(wanted.sum()),
        found.fetches,
        started,
        time.time(),
    )


def predictor_of(topic: str, training: int, mode: str = MODE) -> Predictor:
    return predictor_for(topic, training, mode, repeats=1).predictor


def strategy_for(name: str, topic: str, training: int, mode: str = MODE, **switches: object) -> Strategy:
    """A strategy by name; those that need a predictor get the one of the topic."""
    predictor = predictor_of(topic, training, mode)
    settings = SegmentSettings(**switches)  # type: ignore[arg-type]
    if name == "segment":
        return SegmentStrategy(name, predictor.predict, settings, predictor.was_trained_on)
    if name == "segment-hybrid":
        return SegmentHybrid(predictor, was_seen=predictor.was_trained_on)
    if name == "best-segment":
        return SegmentStrategy(name, certain, settings)
    return make_strategy(name, Circumstances(Target("en")))


def manifest_for(place: Arena, one: TopicalCrawl, training: int, budget: int, **switches: object) -> Manifest:
    """The manifest of a crawl: every parameter, every reading, models and seeds."""
    return make_manifest(
        one.strategy,
        topic_model(one.topic, training, repeats=1),
        predictor_of(one.topic, training),
        [seed.url for seed in place.world.seeds(one.topic)],
        StrategySettings(segment=SegmentSettings(**switches)),  # type: ignore[arg-type]
        RunLimits(budget, PER_WEBSITE),
        random_seed=place.world.seed,
        started=one.started,
        ended=one.ended,
    )
