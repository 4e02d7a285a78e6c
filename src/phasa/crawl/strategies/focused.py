"""Referrer-relevance ordering (§12.5): links of pages in the language, only (hard) or first (soft).

Hard focus is policy A of the Persian specification (discard), soft focus its weighting without the other terms (§2.5).
"""

from __future__ import annotations

from collections.abc import Sequence

from phasa.crawl.strategy import DROP, JudgedPage, Offers, Plain, Seed, same_priority


class HardFocused(Plain):
    """Links of other pages are dropped."""

    name = "hard-focused"

    def start(self, seeds: Sequence[Seed]) -> Offers:
        return same_priority(1.0, len(seeds))

    def page(self, page: JudgedPage) -> Offers:
        return same_priority(1.0 if page.judgement.wanted else DROP, len(page.links))


class SoftFocused(Plain):
    """Links of other pages come after all links of pages in the language."""

    name = "soft-focused"

    def start(self, seeds: Sequence[Seed]) -> Offers:
        return same_priority(1.0, len(seeds))

    def page(self, page: JudgedPage) -> Offers:
        return same_priority(float(page.judgement.wanted), len(page.links))
