"""The order that an experienced person would write down at once: the parent's language, and 1.5 × the link's domain.

It is the yardstick on the real graph: a strategy that learns must not be worse.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from phasa.crawl.strategy import JudgedPage, Offers, Plain, Seed
from phasa.crawl.target import Target
from phasa.web.url import authority, tld_of


class HandMade(Plain):
    """Priority = 1 for a link on a page in the language, + 1.5 for a link into its top-level domains."""

    name = "handmade"

    def __init__(self, target: Target) -> None:
        self._tlds = target.tlds

    def start(self, seeds: Sequence[Seed]) -> Offers:
        return self._offers([seed.url for seed in seeds], 1.0)

    def page(self, page: JudgedPage) -> Offers:
        return self._offers(page.links.urls, float(page.judgement.wanted))

    def _offers(self, urls: Sequence[str], parent: float) -> Offers:
        own = np.array([tld_of(authority(url)) in self._tlds for url in urls], dtype=np.float64)
        return Offers(parent + 1.5 * own)
