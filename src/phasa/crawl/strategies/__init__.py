"""The strategies, one file each, found by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from difflib import get_close_matches

from phasa.crawl.aim import Aim
from phasa.crawl.strategies.best_first import BestFirst
from phasa.crawl.strategies.breadth_first import BreadthFirst
from phasa.crawl.strategies.lswc import Lswc
from phasa.crawl.strategy import Strategy
from phasa.errors import SettingsError


@dataclass(frozen=True, slots=True)
class Circumstances:
    """What a strategy may need to be made."""

    aim: Aim
    seed: int = 0
    """Seed of randomness, for the strategies that use some."""


Maker = Callable[[Circumstances], Strategy]

STRATEGIES: dict[str, Maker] = {
    "bfs": lambda around: BreadthFirst(),
    "best-first": lambda around: BestFirst(),
    "lswc": lambda around: Lswc(),
}


def known_strategies() -> list[str]:
    """The names that `make_strategy` knows."""
    return list(STRATEGIES)


def make_strategy(name: str, around: Circumstances) -> Strategy:
    """The strategy of that name. Raises SettingsError that offers the nearest name."""
    if name not in STRATEGIES:
        near = get_close_matches(name, STRATEGIES, n=1, cutoff=0.4)
        advice = f"did you mean '{near[0]}'?" if near else f"known: {', '.join(STRATEGIES)}"
        raise SettingsError(f"unknown strategy '{name}'; {advice}")
    return STRATEGIES[name](around)
