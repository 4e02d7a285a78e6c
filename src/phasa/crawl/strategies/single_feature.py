"""Orders by one feature alone: a1, a2, a3, a4, and the crawl that stays in the domains of the language (§12.5)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from phasa.crawl.learn.features import PathMemory, domain_values, link_features, read_note, seed_features, write_notes
from phasa.crawl.strategy import DROP, JudgedPage, Offers, Plain, Seed
from phasa.crawl.target import Target


class SingleFeature(Plain):
    """The value of one feature is the priority; `feature` is 1..4 for a1..a4."""

    def __init__(self, target: Target, feature: int) -> None:
        self.name = f"a{feature}"
        self.target = target
        self._column = feature - 1
        self._paths = PathMemory()

    def start(self, seeds: Sequence[Seed]) -> Offers:
        features, paths = seed_features(seeds, self.target)
        return Offers(features[:, self._column], write_notes(features, paths))

    def page(self, page: JudgedPage) -> Offers:
        self._paths.pop(page.url)
        paths = self._paths.update(page.links.urls, page.judgement.wanted, read_note(page.note).path)
        features = link_features(page, paths, self.target)
        return Offers(features[:, self._column], write_notes(features, paths))


class DomainOnly(Plain):
    """Nothing but the top-level domains of the language: the crawl that the specification argues against (§1.1)."""

    name = "tld-only"

    def __init__(self, target: Target) -> None:
        self.target = target

    def start(self, seeds: Sequence[Seed]) -> Offers:
        return Offers(np.zeros(len(seeds)))

    def page(self, page: JudgedPage) -> Offers:
        return Offers(np.where(domain_values(page.links.urls, self.target) > 0, 0.0, DROP))
