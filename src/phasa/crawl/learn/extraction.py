"""Algorithm 1: a crawl that extracts a knowledge base, breadth-first (§4.6 of the specification)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from phasa.crawl.learn.features import PathMemory, link_features, read_note, seed_features, write_notes
from phasa.crawl.learn.knowledge import KnowledgeBase, Row
from phasa.crawl.strategy import DROP, JudgedPage, Offers, Plain, Rediscovery, Seed
from phasa.crawl.target import Target


class KnowledgeExtraction(Plain):
    """Breadth-first, and every page becomes a row: the features of its first discovery with the class it has.

    After `max_pages` rows nothing more is taken and every link is dropped, so the crawl ends. `trained` lists the
    pages used; no measurement may count them.
    """

    name = "knowledge"
    rediscovery = Rediscovery.FIRST

    def __init__(self, target: Target, max_pages: int = 10_000) -> None:
        self.target = target
        self.max_pages = max_pages
        self.rows: list[Row] = []
        self.trained: list[str] = []
        self._paths = PathMemory()

    def start(self, seeds: Sequence[Seed]) -> Offers:
        features, paths = seed_features(seeds, self.target)
        return Offers(np.zeros(len(seeds)), write_notes(features, paths))

    def page(self, page: JudgedPage) -> Offers:
        traits = read_note(page.note)
        if len(self.rows) < self.max_pages:
            self.rows.append(Row(*traits[:4], page.judgement.wanted))
            self.trained.append(page.url)
        if len(self.rows) >= self.max_pages:
            return Offers(np.full(len(page.links), DROP))
        self._paths.pop(page.url)
        paths = self._paths.update(page.links.urls, page.judgement.wanted, traits.path)
        return Offers(np.zeros(len(page.links)), write_notes(link_features(page, paths, self.target), paths))

    def knowledge(self, label: str = "thai") -> KnowledgeBase:
        """The rows so far."""
        return KnowledgeBase.of(self.rows, label)


def extract_knowledge(
    pages: Iterable[JudgedPage], target: Target, max_pages: int = 10_000, label: str = "thai"
) -> tuple[KnowledgeBase, list[str]]:
    """The knowledge base of a crawl that is already done, and the URLs it was made from.

    `pages` come in the order of their fetch. A page becomes a row when a page before it linked to it; what the first
    such link showed are its features. A page that nothing linked to (a seed) has no parent and no anchor.
    """
    extraction = KnowledgeExtraction(target, max_pages)
    waiting: dict[str, bytes] = {}
    for page in pages:
        if len(extraction.rows) >= max_pages:
            break
        note = waiting.pop(page.url, None)
        if note is None:
            note = extraction.start([Seed(page.url)]).note(0)
        offers = extraction.page(JudgedPage(page.url, page.judgement, page.links, note, page.depth, page.country))
        for i, url in enumerate(page.links.urls):
            if offers.priorities[i] != DROP:
                waiting.setdefault(url, offers.note(i))
    return extraction.knowledge(label), extraction.trained
