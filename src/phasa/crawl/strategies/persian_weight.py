"""Persian weight: WIRE's priority and one more term for links of pages in the language (persian-crawling §4.3)."""

from __future__ import annotations

import random
from collections.abc import Sequence
from enum import StrEnum

import numpy as np

from phasa.crawl.strategy import DROP, Change, Floats, JudgedPage, Offers, Plain, Seed
from phasa.crawl.wire.document import Document, Scoring, document_of
from phasa.crawl.wire.links import LinkIndex, needs_links
from phasa.crawl.wire.score import depth_score, is_dynamic, queue_sizes
from phasa.strategy_settings import ScoreWeights

REMEMBERED = 200_000


class Policy(StrEnum):
    """What becomes of the links of pages that are not in the language (§2.5)."""

    WEIGHT = "weight"
    """They only weigh less: the policy of the published system."""
    DISCARD = "discard"
    """Policy A: they are dropped."""
    LIMITED_DISTANCE = "limited-distance"
    """Policy B: followed while a budget lasts."""


class PersianWeight(Plain):
    """The ten weighted terms of §4.3; `weights.persian` counts for links of pages in the language.

    Depth, static, random and the language are known when a link is found. PageRank, WLRank, hubs, authorities, SiteRank
    and queue sizes change with every page: when one of them has a weight, the links seen so far are kept, and every
    `every` pages all remembered URLs that wait (200,000 at most) are scored again, as the manager of a cycle does
    (`phasa.crawl.wire`).
    """

    name = "persian"

    def __init__(
        self,
        weights: ScoreWeights | None = None,
        max_depth: int = 15,
        policy: Policy = Policy.WEIGHT,
        distance: int = 3,
        seed: int = 0,
        every: int = 100,
    ) -> None:
        self.weights = weights if weights is not None else ScoreWeights()
        self.max_depth = max_depth
        self.policy = policy
        self.distance = distance
        self.every = every
        self.links = LinkIndex()
        self.seed = seed
        self._random = random.Random(seed)
        self._held_back = 0.0
        self._keeps_links = needs_links(self.weights)
        self._rescored = self._keeps_links or bool(self.weights.queuesize)
        self._base: dict[str, float] = {}  # what a waiting URL is worth without the terms that change
        self._changing: dict[str, float] = {}  # what those added when they were computed last
        self._pages = 0

    def hold_back(self, by: float) -> None:
        """Be the seeder of a crawl in cycles: what is offered waits with so much less until a manager assigns it."""
        self._held_back, self._rescored = by, False

    @property
    def scoring(self) -> Scoring:
        """What the manager of a cycle scores by."""
        return Scoring(self.weights, self.links, self.max_depth, self.distance, self.seed)

    def start(self, seeds: Sequence[Seed]) -> Offers:
        return self._offers([seed.url for seed in seeds], Document(1, self.distance))

    def page(self, page: JudgedPage) -> Offers:
        wanted = page.judgement.wanted
        self._settled(page.url)
        self._pages += 1
        if self._keeps_links:
            self.links.add(page.url, page.links)
        own = document_of(page.note, page.depth, self.distance)
        budget = self.distance if wanted else max(0, own.budget - 1)
        if not wanted and (self.policy is Policy.DISCARD or (self.policy is Policy.LIMITED_DISTANCE and budget == 0)):
            return Offers(np.full(len(page.links), DROP))
        return self._offers(page.links.urls, Document(own.depth + 1, budget, wanted))

    def failed(self, url: str, note: bytes) -> None:
        self._settled(url)

    def changes(self) -> Sequence[Change]:
        if not self._rescored or self._pages < self.every:
            return ()
        self._pages = 0
        urls = list(self._base)
        terms = changing_terms(urls, self.links, self.weights)
        self._changing = dict(zip(urls, terms.tolist(), strict=True))
        return [Change(url, self._base[url] + self._changing[url]) for url in urls]

    def save(self) -> bytes:
        return self.links.save() if self._keeps_links else b""

    def load(self, state: bytes) -> None:
        self.links.load(state)

    def _settled(self, url: str) -> None:
        self._base.pop(url, None)
        self._changing.pop(url, None)

    def _offers(self, urls: Sequence[str], document: Document) -> Offers:
        weights, chance = self.weights, self._random.random
        same = weights.depth * depth_score(document.depth, self.max_depth) + weights.persian * document.from_persian
        priorities = np.array([same + weights.random * chance() for _ in urls])
        if weights.static:
            priorities += weights.static * np.array([not is_dynamic(url) for url in urls], dtype=np.float64)
        if self._rescored:
            priorities += self._remember(urls, priorities)
        return Offers(priorities - self._held_back, [document.note()] * len(urls))

    def _remember(self, urls: Sequence[str], priorities: Floats) -> Floats:
        """Note what the links are worth; what their changing terms added last."""
        base = self._base
        for url, priority in zip(urls, priorities.tolist(), strict=True):
            base[url] = max(priority, base.get(url, priority))
        while len(base) > REMEMBERED:
            self._settled(next(iter(base)))
        return np.array([self._changing.get(url, 0.0) for url in urls])


def changing_terms(urls: Sequence[str], links: LinkIndex, weights: ScoreWeights) -> Floats:
    """The weighted sum of the six terms that change as the crawl goes on, of each waiting URL."""
    pagerank, wlrank, hub, authorities, siterank = links.terms(urls, weights)
    queues = queue_sizes(urls) if weights.queuesize else np.zeros(len(urls))
    return np.asarray(
        weights.pagerank * pagerank
        + weights.wlscore * wlrank
        + weights.hub * hub
        + weights.authority * authorities
        + weights.siterank * siterank
        + weights.queuesize * queues
    )
