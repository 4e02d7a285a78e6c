"""Persian weight: WIRE's priority and one more term for links of pages in the language (persian-crawling §4.3)."""

from __future__ import annotations

import random
import struct
from collections.abc import Sequence
from enum import StrEnum

import numpy as np

from phasa.crawl.strategy import DROP, JudgedPage, Offers, Plain, Seed
from phasa.crawl.wire.score import depth_score, is_dynamic
from phasa.strategy_settings import ScoreWeights

_NOTE = struct.Struct("<HH")


class Policy(StrEnum):
    """What becomes of the links of pages that are not in the language (§2.5)."""

    WEIGHT = "weight"
    """They only weigh less: the policy of the published system."""
    DISCARD = "discard"
    """Policy A: they are dropped."""
    LIMITED_DISTANCE = "limited-distance"
    """Policy B: followed while a budget lasts."""


class PersianWeight(Plain):
    """depth, static and random terms plus `weights.persian` × (the linking page is in the language).

    The terms that need the whole link graph (PageRank and its kin, queue size) belong to the manager of a cycle
    (`phasa.crawl.wire`); in a crawl without cycles they would all be unknown, so they take no part here. The note is
    the depth and the remaining budget of policy B.
    """

    name = "persian"

    def __init__(
        self,
        weights: ScoreWeights | None = None,
        max_depth: int = 15,
        policy: Policy = Policy.WEIGHT,
        distance: int = 3,
        seed: int = 0,
    ) -> None:
        self.weights = weights if weights is not None else ScoreWeights()
        self.max_depth = max_depth
        self.policy = policy
        self.distance = distance
        self._random = random.Random(seed)

    def start(self, seeds: Sequence[Seed]) -> Offers:
        return self._offers([seed.url for seed in seeds], 1, self.distance, False)

    def page(self, page: JudgedPage) -> Offers:
        wanted = page.judgement.wanted
        depth, budget = _NOTE.unpack(page.note) if len(page.note) == _NOTE.size else (page.depth + 1, self.distance)
        budget = self.distance if wanted else max(0, budget - 1)
        if not wanted and (self.policy is Policy.DISCARD or (self.policy is Policy.LIMITED_DISTANCE and budget == 0)):
            return Offers(np.full(len(page.links), DROP))
        return self._offers(page.links.urls, depth + 1, budget, wanted)

    def _offers(self, urls: Sequence[str], depth: int, budget: int, wanted: bool) -> Offers:
        weights, chance = self.weights, self._random.random
        same = weights.depth * depth_score(depth, self.max_depth) + weights.persian * wanted
        priorities = np.array([same + weights.random * chance() for _ in urls])
        if weights.static:
            priorities += weights.static * np.array([not is_dynamic(url) for url in urls], dtype=np.float64)
        return Offers(priorities, [_NOTE.pack(min(depth, 65535), budget)] * len(urls))
