"""Naive best-first: every link is worth as much as the page it stands on (Cho 1998; §2.2 of the specification)."""

from __future__ import annotations

from collections.abc import Sequence

from phasa.crawl.strategy import JudgedPage, Offers, Plain, Rediscovery, Seed, same_priority


class BestFirst(Plain):
    """All links of a page get the score of the page; a link found on several pages keeps the best, or the first or
    latest by `rediscovery`."""

    def __init__(self, name: str = "best-first", rediscovery: Rediscovery = Rediscovery.HIGHER) -> None:
        self.name = name
        self.rediscovery = rediscovery

    def start(self, seeds: Sequence[Seed]) -> Offers:
        return same_priority(1.0, len(seeds))

    def page(self, page: JudgedPage) -> Offers:
        return same_priority(page.judgement.score, len(page.links))
