"""Fish search (De Bra 1994): schools that find food breed, schools that find none die out (§2.2)."""

from __future__ import annotations

from collections.abc import Sequence

from phasa.crawl.strategy import DROP, JudgedPage, Offers, Plain, Seed, same_priority


class FishSearch(Plain):
    """Links of a relevant page go to the front with full depth; others inherit one less, and a path ends at zero.

    The note is the remaining depth. `width`, when not 0, bounds how many links an irrelevant page passes on (the
    original takes a multiple of its width for relevant pages and `width` for the rest).
    """

    name = "fish"

    def __init__(self, depth: int = 3, width: int = 0) -> None:
        self.depth = depth
        self.width = width

    def start(self, seeds: Sequence[Seed]) -> Offers:
        return same_priority(1.0, len(seeds), self.depth.to_bytes(2, "little"))

    def page(self, page: JudgedPage) -> Offers:
        if page.judgement.wanted:
            return same_priority(1.0, len(page.links), self.depth.to_bytes(2, "little"))
        left = int.from_bytes(page.note, "little") - 1
        if left <= 0:
            return same_priority(DROP, len(page.links))
        offers = same_priority(0.0, len(page.links), left.to_bytes(2, "little"))
        if self.width:
            offers.priorities[self.width :] = DROP
        return offers
