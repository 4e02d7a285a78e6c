"""NB-LSWC, Algorithm 2: the knowledge base of an earlier crawl says how likely each link is (§4.7, §4.8)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from phasa.crawl.learn.features import PathMemory, link_features, path_after, read_note, seed_features, write_notes
from phasa.crawl.learn.knowledge import KnowledgeBase
from phasa.crawl.strategy import JudgedPage, Offers, Plain, Seed
from phasa.crawl.target import Target


class NaiveBayesStrategy(Plain):
    """The priority is U(q), Eq. 26. The knowledge base is static: nothing is learned during the crawl.

    A URL that is found again keeps its higher score, with D the maximum over its in-links; `strict_path` takes D in
    the order of the prose (A3). With `duplicates` every link is an entry of its own, as in Algorithm 2 (§4.8): D is
    that of its page alone. The entry of the highest score is fetched and the others are skipped then, so the frontier
    keeps only that one. The note is a1..a4 and D.
    """

    name = "nb"

    def __init__(
        self, target: Target, knowledge: KnowledgeBase, strict_path: bool = False, duplicates: bool = False
    ) -> None:
        self.target = target
        self._model = knowledge.model()
        self._paths = None if duplicates else PathMemory(strict_path)

    def start(self, seeds: Sequence[Seed]) -> Offers:
        features, paths = seed_features(seeds, self.target)
        return Offers(self._model.probability(features), write_notes(features, paths))

    def page(self, page: JudgedPage) -> Offers:
        before = read_note(page.note).path
        if self._paths is None:
            paths = np.full(len(page.links), float(path_after(page.judgement.wanted, before)))
        else:
            self._paths.pop(page.url)
            paths = self._paths.update(page.links.urls, page.judgement.wanted, before)
        features = link_features(page, paths, self.target)
        return Offers(self._model.probability(features), write_notes(features, paths))
