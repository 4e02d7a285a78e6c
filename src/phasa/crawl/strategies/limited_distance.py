"""Limited distance: up to N consecutive other-language pages (§12.5), policy B of the Persian specification (§2.5)."""

from __future__ import annotations

from collections.abc import Sequence

from phasa.crawl.strategy import DROP, JudgedPage, Offers, Plain, Seed, same_priority


class LimitedDistance(Plain):
    """Nearer to a page in the language is better; a path ends after more than `distance` other pages in a row.

    The note is the number of other-language pages in a row before the URL. A page in the language resets it. With
    `ordered` off, nearness does not matter as long as it is within the limit.
    """

    name = "limited-distance"

    def __init__(self, distance: int = 3, ordered: bool = True) -> None:
        self.distance = distance
        self.ordered = ordered

    def start(self, seeds: Sequence[Seed]) -> Offers:
        return same_priority(0.0, len(seeds), (0).to_bytes(2, "little"))

    def page(self, page: JudgedPage) -> Offers:
        others = 0 if page.judgement.wanted else int.from_bytes(page.note, "little") + 1
        if others > self.distance:
            return same_priority(DROP, len(page.links))
        return same_priority(-float(others) if self.ordered else 0.0, len(page.links), others.to_bytes(2, "little"))
