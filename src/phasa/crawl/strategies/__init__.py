"""The strategies, one file each, found by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from pathlib import Path
from typing import cast

import msgspec

from phasa.crawl.learn.knowledge import KnowledgeBase
from phasa.crawl.segments.choices import choices_of, differences
from phasa.crawl.segments.edges import Edge, EdgeLog, nobody
from phasa.crawl.segments.locate import AskedCountries
from phasa.crawl.segments.predictor import load_predictor
from phasa.crawl.strategies.best_first import BestFirst
from phasa.crawl.strategies.breadth_first import BreadthFirst
from phasa.crawl.strategies.fish import FishSearch
from phasa.crawl.strategies.focused import HardFocused, SoftFocused
from phasa.crawl.strategies.hybrid import Hybrid
from phasa.crawl.strategies.limited_distance import LimitedDistance
from phasa.crawl.strategies.lswc import Lswc
from phasa.crawl.strategies.naive_bayes import NaiveBayesStrategy
from phasa.crawl.strategies.persian_weight import PersianWeight, Policy
from phasa.crawl.strategies.segment import SegmentStrategy, certain
from phasa.crawl.strategies.segment_hybrid import SegmentHybrid
from phasa.crawl.strategies.shark import SharkSearch
from phasa.crawl.strategies.single_feature import DomainOnly, SingleFeature
from phasa.crawl.strategy import Rediscovery, Strategy
from phasa.crawl.target import Target
from phasa.errors import SettingsError
from phasa.plugins import Kind, make_plugin, plugin_names
from phasa.strategy_settings import ScoreWeights, StrategySettings, with_options


@dataclass(frozen=True, slots=True)
class Circumstances:
    """What a strategy may need to be made."""

    target: Target
    seed: int = 0
    """Seed of randomness, for the strategies that use some."""
    knowledge: KnowledgeBase | None = None
    """Learned from an earlier crawl; `nb` needs one."""
    settings: StrategySettings = field(default_factory=StrategySettings)
    models: Path | None = None
    """Folder of learned models; `segment` looks for its predictor there."""
    edges: Path | None = None
    """Where crawls by segments write what they think of each segment link."""
    may_ask_names: bool = False
    """Whether the names of hosts mean something to the DNS; those of a served world do not."""


Maker = Callable[[Circumstances], Strategy]


def _naive_bayes(around: Circumstances) -> Strategy:
    if around.knowledge is None:
        raise SettingsError("strategy 'nb' needs a knowledge base; make one with: phasa learn DIR")
    switches = around.settings.nb
    return NaiveBayesStrategy(around.target, around.knowledge, switches.strict_path, switches.duplicates)


def _persian(around: Circumstances) -> Strategy:
    chosen = around.settings.persian
    weights = ScoreWeights(**{name: getattr(chosen, name) for name in ScoreWeights.__struct_fields__})
    return PersianWeight(weights, chosen.max_depth, Policy(chosen.policy), chosen.distance, around.seed, chosen.every)


def _segment(around: Circumstances) -> Strategy:
    settings = around.settings.segment
    path = (around.models or Path()) / settings.predictor
    predictor = load_predictor(path)
    if other := differences(predictor.choices, settings):
        raise SettingsError(f"{path}: was learned with {other}; put that into [strategies.segment], or learn it again")
    seen = (lambda url: False) if settings.trained else predictor.was_trained_on
    return SegmentStrategy("segment", predictor.predict, settings, seen, _edges(around), _countries(around))


def _best_segment(around: Circumstances) -> Strategy:
    settings = around.settings.segment
    return SegmentStrategy("best-segment", certain, settings, tell=_edges(around), locate=_countries(around))


def _edges(around: Circumstances) -> Callable[[Edge], None]:
    return nobody if around.edges is None else EdgeLog(around.edges)


def _countries(around: Circumstances) -> Callable[[str], str]:
    if around.settings.segment.countries == "asked" and around.may_ask_names:
        return AskedCountries().of
    return lambda host: ""


def _segment_hybrid(around: Circumstances) -> Strategy:
    settings = around.settings.segment_hybrid
    path = (around.models or Path()) / settings.predictor
    if not path.is_file():
        chosen = choices_of(around.settings.segment)
        return SegmentHybrid(None, settings, language=around.target.language, choices=chosen)
    predictor = load_predictor(path)
    return SegmentHybrid(predictor, settings, predictor.was_trained_on)


def _best_page(around: Circumstances) -> Strategy:
    return BestFirst("best-page", _PARENTS[around.settings.best_page.parent])


_PARENTS = {"best": Rediscovery.HIGHER, "first": Rediscovery.FIRST, "latest": Rediscovery.LATEST}


STRATEGIES: dict[str, Maker] = {
    "hybrid": lambda around: Hybrid(around.target, around.settings.hybrid, around.knowledge),
    "nb": _naive_bayes,
    "lswc": lambda around: Lswc(**msgspec.structs.asdict(around.settings.lswc)),
    "persian": _persian,
    "bfs": lambda around: BreadthFirst(),
    "best-first": lambda around: BestFirst(),
    "segment": _segment,
    "best-segment": _best_segment,
    "best-page": _best_page,
    "segment-hybrid": _segment_hybrid,
    "hard-focused": lambda around: HardFocused(),
    "soft-focused": lambda around: SoftFocused(),
    "limited-distance": lambda around: LimitedDistance(**msgspec.structs.asdict(around.settings.limited_distance)),
    "fish": lambda around: FishSearch(**msgspec.structs.asdict(around.settings.fish)),
    "shark": lambda around: SharkSearch(around.target, **msgspec.structs.asdict(around.settings.shark)),
    "a1": lambda around: SingleFeature(around.target, 1),
    "a2": lambda around: SingleFeature(around.target, 2),
    "a3": lambda around: SingleFeature(around.target, 3),
    "a4": lambda around: SingleFeature(around.target, 4),
    "tld-only": lambda around: DomainOnly(around.target),
}


_METHODS = ("start", "page", "failed", "changes", "save", "load")


def needs_knowledge(spec: str) -> bool:
    """Whether a strategy cannot be made without a knowledge base."""
    return spec.partition(":")[0] == "nb"


def make_strategy(spec: str, around: Circumstances) -> Strategy:
    """The strategy that `spec` names: 'lswc', or with options 'lswc:distance=4:patience=2', or a plug-in.

    Raises SettingsError that offers the nearest name or option, and for `nb` without a knowledge base.
    """
    name, *options = spec.split(":")
    if name not in STRATEGIES:
        if (mine := make_plugin(Kind.STRATEGY, spec, [around], _METHODS)) is not None:
            return cast(Strategy, mine)
        near = get_close_matches(name, STRATEGIES, n=1, cutoff=0.4)
        advice = (
            f"did you mean '{near[0]}'?" if near else f"known: {', '.join([*STRATEGIES, *plugin_names(Kind.STRATEGY)])}"
        )
        raise SettingsError(f"unknown strategy '{name}'; {advice}")
    strategy = STRATEGIES[name](replace(around, settings=with_options(around.settings, name, options)))
    if options:
        strategy.name = spec
    return strategy
