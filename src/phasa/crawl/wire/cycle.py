"""One cycle of the Persian crawler: manager → harvester → gatherer → seeder (persian-crawling §3.2, §4.6).

Each program reads the store, does its part and writes the store; it knows nothing of the others (§3.3). The store is a
value of plain columns, one entry per document, so that a cycle scores all that waits in one step.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from enum import IntEnum
from typing import Annotated, Literal, NamedTuple

import numpy as np
from msgspec import Meta, Struct

from phasa.crawl.strategy import Floats, OutLinks
from phasa.crawl.wire.ranks import Ids, hits, linearised, link_weights, page_rank, site_rank
from phasa.crawl.wire.score import ScoreTerms, depth_score, is_dynamic, score
from phasa.settings import Settings
from phasa.strategy_settings import ScoreWeights
from phasa.web.url import authority, tld_of


class WireSettings(Settings, frozen=True, kw_only=True):
    """What WIRE.conf says, as far as the published system uses it (§4.7)."""

    weights: Annotated[ScoreWeights, Meta(description="Weights of the ten terms.")] = ScoreWeights()
    batch: Annotated[int, Meta(gt=0, description="Documents per cycle.")] = 1800
    per_site: Annotated[int, Meta(gt=0, description="Most documents of one site in a batch.")] = 100
    max_depth: Annotated[int, Meta(gt=0, description="Deepest document.")] = 15
    pages_per_site: Annotated[int, Meta(gt=0, description="Most documents of one site.")] = 6000
    sites: Annotated[int, Meta(gt=0, description="Most sites.")] = 6000
    domains: Annotated[tuple[str, ...], Meta(description="Accepted top-level domains; empty: all.")] = (
        "ir", "com", "org", "net", "gov", "jp", "de", "ar", "uk",
    )  # fmt: skip
    policy: Annotated[
        Literal["weight", "discard", "limited-distance"], Meta(description="What becomes of links of other pages.")
    ] = "weight"
    distance: Annotated[int, Meta(ge=0, description="Budget of limited-distance.")] = 3
    seed: Annotated[int, Meta(ge=0, description="Seed of chance.")] = 0


class Fetched(NamedTuple):
    """What the harvester brings for one document: what the gatherer reads."""

    content: bytes
    links: OutLinks
    persian: bool
    """What the language identification says of the content (§4.1)."""


Fetch = Callable[[str], Fetched | None]
"""What is behind a URL; None when nothing usable came."""


class Status(IntEnum):
    """Where a document stands."""

    NEW = 0
    ASSIGNED = 1
    FETCHED = 2
    GATHERED = 3
    IGNORED = 4


class Cycle(Struct, frozen=True):
    """Figures after a cycle, all cumulative."""

    number: int = 0
    processed: int = 0
    parsed: int = 0
    persian: int = 0
    duplicates: int = 0
    static: int = 0
    dynamic: int = 0

    @property
    def ratio(self) -> float:
        """R(c, w): Persian pages among the parsed."""
        return self.persian / self.parsed if self.parsed else 0.0


class Found(Struct, frozen=True):
    """The links of a fetched page, in their order, as the seeder needs them."""

    source: int
    urls: list[str]
    anchor_lengths: list[int]


class Store(Struct):
    """The metadata store: all that the four programs know. Entry i of a column is about document i."""

    urls: list[str] = []
    number: dict[str, int] = {}
    """The document of an address."""
    site: list[int] = []
    depth: list[int] = []
    """1 for a seed."""
    status: list[Status] = []
    persian: list[bool] = []
    """The reserved field that the gatherer writes."""
    from_persian: list[bool] = []
    """The seeder's: whether a page in the language links here."""
    budget: list[int] = []
    duplicate_of: list[int | None] = []
    sites: dict[str, int] = {}
    pages_of_site: list[int] = []
    first_with: dict[bytes, int] = {}
    """The first document with each content."""
    waiting: list[int] = []
    assigned: list[int] = []
    fetched: dict[int, tuple[bytes, bool]] = {}
    found: list[Found] = []
    """Links that the seeder has not seen yet."""
    link_sources: list[int] = []
    link_targets: list[int] = []
    link_anchor_lengths: list[int] = []
    link_positions: list[float] = []
    cycles: list[Cycle] = []

    def add(self, url: str, depth: int, from_persian: bool = False, budget: int = 0) -> int:
        """A new document, or the known one: a waiting one learns that a page in the language links to it (§4.4)."""
        known = self.number.get(url)
        if known is not None:
            if self.status[known] == Status.NEW:
                self.from_persian[known] |= from_persian
                self.budget[known] = max(self.budget[known], budget)
            return known
        document = self.number[url] = len(self.urls)
        site = self.sites.setdefault(authority(url), len(self.sites))
        if site == len(self.pages_of_site):
            self.pages_of_site.append(0)
        self.pages_of_site[site] += 1
        self.urls.append(url)
        self.site.append(site)
        self.depth.append(depth)
        self.status.append(Status.NEW)
        self.persian.append(False)
        self.from_persian.append(from_persian)
        self.budget.append(budget)
        self.duplicate_of.append(None)
        self.waiting.append(document)
        return document


def seeded(urls: Sequence[str], settings: WireSettings) -> Store:
    """A store with the seeds: depth 1, no parent, whatever their domain (§3.4)."""
    store = Store()
    for url in urls:
        store.add(url, 1, budget=settings.distance)
    return store


def manager(store: Store, settings: WireSettings) -> None:
    """Score all new documents and assign the best to the batch of this cycle, best first."""
    waiting = [document for document in store.waiting if store.depth[document] <= settings.max_depth]
    taken: dict[int, int] = {}
    for place in np.argsort(-_scores(store, waiting, settings), kind="stable").tolist():
        if len(store.assigned) >= settings.batch:
            break
        document = waiting[place]
        site = store.site[document]
        if taken.get(site, 0) < settings.per_site:
            taken[site] = taken.get(site, 0) + 1
            store.status[document] = Status.ASSIGNED
            store.assigned.append(document)
    store.waiting = [document for document in store.waiting if store.status[document] is Status.NEW]


def harvester(store: Store, fetch: Fetch) -> None:
    """Fetch what is assigned, in the order in which it was found."""
    for document in sorted(store.assigned):
        page = fetch(store.urls[document])
        if page is None:
            store.status[document] = Status.IGNORED
            continue
        store.status[document] = Status.FETCHED
        store.fetched[document] = (hashlib.md5(page.content).digest(), page.persian)
        lengths = [len(anchor) for anchor in page.links.anchors] or [0] * len(page.links)
        store.found.append(Found(document, list(page.links.urls), lengths))


def gatherer(store: Store) -> None:
    """Parse: mark the language and find duplicates, before any link is scheduled."""
    for document, (digest, persian) in store.fetched.items():
        store.status[document] = Status.GATHERED
        store.persian[document] = persian
        first = store.first_with.setdefault(digest, document)
        store.duplicate_of[document] = first if first != document else None


def seeder(store: Store, settings: WireSettings) -> None:
    """Turn found links into new documents, unless a rule or a cap forbids; hand on the flag of their page (§4.4)."""
    ranked = _needs_links(settings.weights)
    for found in store.found:
        source = found.source
        persian = store.persian[source]
        budget = settings.distance if persian else store.budget[source] - 1
        if not _passes(persian, budget, settings):
            continue
        seen: set[int] = set()
        for place, url in enumerate(found.urls):
            if not _accepted(store, url, settings):
                continue
            target = store.add(url, store.depth[source] + 1, persian, max(0, budget))
            if ranked and target not in seen:
                seen.add(target)
                store.link_sources.append(source)
                store.link_targets.append(target)
                store.link_anchor_lengths.append(found.anchor_lengths[place])
                store.link_positions.append(1 - place / len(found.urls))
    store.found = []


def count(store: Store) -> None:
    """Write down the figures of the cycle and be ready for the next one."""
    before = store.cycles[-1] if store.cycles else Cycle()
    parsed = list(store.fetched)
    dynamic = sum(is_dynamic(store.urls[document]) for document in parsed)
    store.cycles.append(
        Cycle(
            before.number + 1,
            before.processed + len(store.assigned),
            before.parsed + len(parsed),
            before.persian + sum(store.persian[document] for document in parsed),
            before.duplicates + sum(store.duplicate_of[document] is not None for document in parsed),
            before.static + len(parsed) - dynamic,
            before.dynamic + dynamic,
        )
    )
    store.assigned, store.fetched = [], {}


def run_cycle(store: Store, settings: WireSettings, fetch: Fetch) -> list[str]:
    """One cycle, counted; gives its batch. An empty batch means that there is nothing left to do."""
    manager(store, settings)
    batch = [store.urls[document] for document in store.assigned]
    harvester(store, fetch)
    gatherer(store)
    seeder(store, settings)
    count(store)
    return batch


def _passes(persian: bool, budget: int, settings: WireSettings) -> bool:
    if persian or settings.policy == "weight":
        return True
    return settings.policy == "limited-distance" and budget > 0


def _accepted(store: Store, url: str, settings: WireSettings) -> bool:
    if url in store.number:
        return True
    host = authority(url)
    if settings.domains and tld_of(host) not in settings.domains:
        return False
    site = store.sites.get(host)
    return len(store.sites) < settings.sites if site is None else store.pages_of_site[site] < settings.pages_per_site


def _scores(store: Store, documents: list[int], settings: WireSettings) -> Floats:
    """URL_Weight of each document. Link scores are computed only when they have a weight."""
    chosen = np.array(documents, dtype=np.int64)
    site = np.array([store.site[document] for document in documents], dtype=np.int64)
    queues = np.bincount(site, minlength=1)[site] if len(site) else np.zeros(0)
    pagerank, wlrank, hub, authorities, siterank = _link_terms(store, chosen, settings.weights)
    # Chance is drawn per document and cycle; a weight of nothing must not change what the others draw.
    chance = np.random.default_rng([settings.seed, len(store.cycles)])
    terms = ScoreTerms(
        pagerank,
        wlrank,
        hub,
        authorities,
        siterank,
        queues / max(1, int(queues.max(initial=1))),
        np.array([depth_score(store.depth[document], settings.max_depth) for document in documents], float),
        np.array([not is_dynamic(store.urls[document]) for document in documents], float)
        if settings.weights.static
        else np.zeros(len(documents)),
        chance.random(len(documents)),
        np.array([store.from_persian[document] for document in documents], float),
    )
    return score(terms, settings.weights)


def _needs_links(weights: ScoreWeights) -> bool:
    return bool(weights.pagerank or weights.wlscore or weights.hub or weights.authority or weights.siterank)


def _link_terms(store: Store, chosen: Ids, weights: ScoreWeights) -> list[Floats]:
    """PageRank, WLRank, hub, authority and SiteRank of the chosen documents among all."""
    if not _needs_links(weights):
        return [np.zeros(len(chosen))] * 5
    total = len(store.urls)
    sites = np.array(store.site, dtype=np.int64)
    sources, targets = np.array(store.link_sources, dtype=np.int64), np.array(store.link_targets, dtype=np.int64)
    strength = link_weights(np.array(store.link_anchor_lengths, float), np.array(store.link_positions, float))
    hub, authorities = hits(total, sources, targets, sites)
    ranks = [
        linearised(page_rank(total, sources, targets)),
        linearised(page_rank(total, sources, targets, strength)),
        linearised(hub),
        linearised(authorities),
        site_rank(sites, sources, targets),
    ]
    return [rank[chosen] for rank in ranks]
