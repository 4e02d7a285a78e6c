"""Breadth-first: the first link found is the first fetched (language-specific-crawling §4.9)."""

from __future__ import annotations

from collections.abc import Sequence

from phasa.crawl.strategy import JudgedPage, Offers, Plain, Rediscovery, Seed, same_priority


class BreadthFirst(Plain):
    """Every link is worth the same, so the order of discovery decides: the floor that every strategy must beat."""

    name = "bfs"
    rediscovery = Rediscovery.FIRST

    def start(self, seeds: Sequence[Seed]) -> Offers:
        return same_priority(0.0, len(seeds))

    def page(self, page: JudgedPage) -> Offers:
        return same_priority(0.0, len(page.links))
