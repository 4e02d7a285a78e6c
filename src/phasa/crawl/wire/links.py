"""The link index of WIRE: which known pages link to which, and their link scores (persian-crawling §2.2, §3.3).

It is what a strategy remembers of the crawl: at most `most` links, the oldest go first. `save` and `load` carry it to
the next run; without it the scores start from what is seen then.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np

from phasa.crawl.answer import OutLinks
from phasa.crawl.strategy import Floats
from phasa.crawl.wire.ranks import (
    hits,
    linearised,
    linearised_some,
    link_weights,
    of_site_where_unknown,
    page_rank,
    site_rank,
)
from phasa.errors import InputError
from phasa.strategy_settings import ScoreWeights
from phasa.web.url import authority

RANKS = ("pagerank", "wlscore", "hub", "authority", "siterank")
"""The weights whose terms need the links of the whole crawl."""


def needs_links(weights: ScoreWeights) -> bool:
    """Whether any term needs the link index."""
    return any(getattr(weights, name) for name in RANKS)


class _Saved(msgspec.Struct, frozen=True):
    urls: list[str]
    sources: list[int]
    targets: list[int]
    lengths: list[int]
    positions: list[float]


class LinkIndex:
    """Documents by number, and the links between them."""

    def __init__(self, most: int = 2_000_000) -> None:
        self._most = most
        self._number: dict[str, int] = {}
        self._sources: list[int] = []
        self._targets: list[int] = []
        self._lengths: list[int] = []
        self._positions: list[float] = []

    def __len__(self) -> int:
        return len(self._sources)

    def add(self, url: str, links: OutLinks) -> None:
        """The links of a page, each target once, with the length of its anchor and its place among them."""
        known, anchors, count = self._number, links.anchors, len(links)
        source = known.setdefault(url, len(known))
        seen: set[int] = set()
        for place, target in enumerate(links.urls):
            number = known.setdefault(target, len(known))
            if number in seen:
                continue
            seen.add(number)
            self._sources.append(source)
            self._targets.append(number)
            self._lengths.append(len(anchors[place]) if len(anchors) else 0)
            self._positions.append(1 - place / count)
        if len(self._sources) > self._most:
            self._forget()

    def terms(self, urls: Sequence[str], weights: ScoreWeights) -> list[Floats]:
        """PageRank, WLRank, hub, authority and SiteRank of each address among all known, linearised; zeros for terms
        without a weight and for addresses that nobody links to."""
        total = len(self._number)
        chosen = np.array([self._number.get(url, -1) for url in urls], dtype=np.int64)
        nothing = np.zeros(len(urls))
        if not total or not len(urls) or not needs_links(weights):
            return [nothing] * 5
        sources, targets = np.array(self._sources, dtype=np.int64), np.array(self._targets, dtype=np.int64)
        hosts: dict[str, int] = {}
        sites = np.array([hosts.setdefault(authority(url), len(hosts)) for url in self._number], dtype=np.int64)
        hub = authorities = np.zeros(total)
        if weights.hub or weights.authority:
            hub, authorities = hits(total, sources, targets, sites)
            hub = of_site_where_unknown(hub, sources, sites)
        strength = link_weights(np.array(self._lengths, float), np.array(self._positions, float))
        ranks = [
            linearised(page_rank(total, sources, targets)) if weights.pagerank else None,
            linearised(page_rank(total, sources, targets, strength)) if weights.wlscore else None,
            linearised_some(hub) if weights.hub else None,
            linearised_some(authorities) if weights.authority else None,
            site_rank(sites, sources, targets) if weights.siterank else None,
        ]
        return [nothing if rank is None else np.where(chosen >= 0, rank[chosen], 0.0) for rank in ranks]

    def save(self) -> bytes:
        """All of it."""
        urls = list(self._number)
        return msgspec.msgpack.encode(_Saved(urls, self._sources, self._targets, self._lengths, self._positions))

    def load(self, state: bytes) -> None:
        """What `save` gave. Raises InputError for anything else."""
        try:
            saved = msgspec.msgpack.decode(state, type=_Saved)
        except msgspec.DecodeError as problem:
            raise InputError(f"saved link index: {problem}; delete it to start afresh") from None
        columns = (saved.sources, saved.targets, saved.lengths, saved.positions)
        ends = [*saved.sources, *saved.targets]
        if len({len(column) for column in columns}) > 1 or any(not 0 <= end < len(saved.urls) for end in ends):
            raise InputError("saved link index: its columns do not fit together; delete it to start afresh")
        self._number = {url: number for number, url in enumerate(saved.urls)}
        self._sources, self._targets = saved.sources, saved.targets
        self._lengths, self._positions = saved.lengths, saved.positions

    def _forget(self) -> None:
        """The older half of the links, and the addresses that only they name."""
        half = len(self._sources) // 2
        sources, targets = self._sources[half:], self._targets[half:]
        urls = list(self._number)
        kept = sorted({*sources, *targets})
        new = {old: number for number, old in enumerate(kept)}
        self._number = {urls[old]: number for old, number in new.items()}
        self._sources, self._targets = [new[one] for one in sources], [new[one] for one in targets]
        self._lengths, self._positions = self._lengths[half:], self._positions[half:]
