"""One cycle of the Persian crawler: manager → harvester → gatherer → seeder (persian-crawling §3.2, §4.6).

Each program reads the store, does its part and commits; it knows nothing of the others.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Sequence
from typing import Annotated, Literal, NamedTuple

import msgspec
import numpy as np
from msgspec import Meta

from phasa.crawl.addresses import host_of, tld_of
from phasa.crawl.wire.ranks import hits, linearised, link_weights, page_rank, site_rank
from phasa.crawl.wire.score import Terms, depth_score, is_dynamic, score
from phasa.crawl.wire.store import Doc, MetadataStore, Status
from phasa.settings import Settings
from phasa.strategy_settings import ScoreWeights


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
    seed: Annotated[int, Meta(description="Seed of chance.")] = 0


class Fetched(NamedTuple):
    """What the harvester brings for one document: what the gatherer reads."""

    content: bytes
    links: Sequence[tuple[str, str]]
    """(URL, anchor text)."""
    persian: bool
    """What the language identification says of the content (§4.1)."""


Fetch = Callable[[str], Fetched | None]
"""What is behind a URL; None when nothing usable came."""


class _Kept(msgspec.Struct):
    content_hash: str
    links: list[tuple[str, str]]
    persian: bool


def seed_store(store: MetadataStore, urls: Sequence[str], settings: WireSettings) -> None:
    """Put the seeds in: depth 1, no parent, whatever their domain (§3.4)."""
    for url in urls:
        store.add(url, 1, budget=settings.distance)
    store.db.commit()


def manager(store: MetadataStore, settings: WireSettings) -> list[str]:
    """Score all new documents, assign the best to the batch of this cycle and return it, best first."""
    waiting = [doc for doc in store.docs(Status.NEW) if doc.depth <= settings.max_depth]
    ranked = sorted(zip(_scores(store, waiting, settings), waiting, strict=True), key=lambda pair: -pair[0])
    batch: list[Doc] = []
    taken: dict[str, int] = {}
    for _, doc in ranked:
        if len(batch) >= settings.batch:
            break
        if taken.get(doc.site, 0) < settings.per_site:
            taken[doc.site] = taken.get(doc.site, 0) + 1
            batch.append(doc)
    store.set_status([doc.id for doc in batch], Status.ASSIGNED)
    store.db.commit()
    return [doc.url for doc in batch]


def harvester(store: MetadataStore, fetch: Fetch) -> None:
    """Fetch what is assigned."""
    for doc in store.docs(Status.ASSIGNED):
        found = fetch(doc.url)
        if found is None:
            store.set_status([doc.id], Status.IGNORED)
        else:
            kept = _Kept(hashlib.md5(found.content).hexdigest(), list(found.links), found.persian)
            store.db.execute(
                "update doc set status = ?, body = ? where id = ?",
                (int(Status.FETCHED), msgspec.msgpack.encode(kept), doc.id),
            )
        store.db.commit()


def gatherer(store: MetadataStore) -> None:
    """Parse: mark the language, find duplicates, write the links down for the seeder."""
    for doc in store.docs(Status.FETCHED):
        body = store.db.execute("select body from doc where id = ?", (doc.id,)).fetchone()[0]
        page = msgspec.msgpack.decode(body, type=_Kept)
        first = store.db.execute(
            "select min(id) from doc where hash = ? and id <> ?", (page.content_hash, doc.id)
        ).fetchone()[0]
        store.db.execute(
            "update doc set status = ?, persian = ?, hash = ?, duplicate_of = ?, body = null where id = ?",
            (int(Status.GATHERED), page.persian, page.content_hash, first, doc.id),
        )
        count = max(1, len(page.links))
        store.db.executemany(
            "insert into waiting_link values (?, ?, ?, ?)",
            [(doc.id, url, len(anchor), 1 - i / count) for i, (url, anchor) in enumerate(page.links)],
        )
        store.db.commit()


def seeder(store: MetadataStore, settings: WireSettings) -> None:
    """Turn found links into new documents, unless a rule or a cap forbids; hand on the flag of their page (§4.4)."""
    parents = {doc.id: doc for doc in store.docs(Status.GATHERED)}
    budgets = dict(store.db.execute("select id, budget from doc").fetchall())
    found = store.db.execute("select source, url, anchor_length, position from waiting_link order by rowid").fetchall()
    for source, url, anchor_length, position in found:
        parent = parents[source]
        budget = settings.distance if parent.persian else budgets[source] - 1
        if not _passes(parent, budget, settings) or not _accepted(store, url, settings):
            continue
        target = store.add(url, parent.depth + 1, parent.persian, max(0, budget))
        store.db.execute("insert or ignore into link values (?, ?, ?, ?)", (source, target, anchor_length, position))
    store.db.execute("delete from waiting_link")
    store.db.commit()


def run_cycle(store: MetadataStore, settings: WireSettings, fetch: Fetch) -> list[str]:
    """One cycle, recorded; gives its batch. An empty batch means that there is nothing left to do."""
    batch = manager(store, settings)
    harvester(store, fetch)
    gatherer(store)
    seeder(store, settings)
    _record(store)
    return batch


def _passes(parent: Doc, budget: int, settings: WireSettings) -> bool:
    if parent.persian or settings.policy == "weight":
        return True
    return settings.policy == "limited-distance" and budget > 0


def _accepted(store: MetadataStore, url: str, settings: WireSettings) -> bool:
    if settings.domains and tld_of(host_of(url)) not in settings.domains:
        return False
    if store.get(url) is not None:
        return True
    pages = store.pages_of(host_of(url))
    return pages < settings.pages_per_site if pages else store.sites() < settings.sites


def _scores(store: MetadataStore, docs: Sequence[Doc], settings: WireSettings) -> list[float]:
    """URL_Weight of each document. Link scores are computed only when they have a weight."""
    weights = settings.weights
    ranks = _link_terms(store, weights)
    queues: dict[str, int] = {}
    for doc in docs:
        queues[doc.site] = queues.get(doc.site, 0) + 1
    longest = max(queues.values(), default=1)
    # Chance is drawn per document and cycle; a weight of nothing must not change what the others draw.
    chance = random.Random(settings.seed * 1_000_003 + len(store.cycles()))
    values = []
    for doc in docs:
        pagerank, wlrank, hub, authority, siterank = ranks.get(doc.id, (0.0,) * 5)
        terms = Terms(
            pagerank, wlrank, hub, authority, siterank, queues[doc.site] / longest,
            depth_score(doc.depth, settings.max_depth), float(not is_dynamic(doc.url)), chance.random(),
            float(doc.from_persian),
        )  # fmt: skip
        values.append(0.0 if doc.duplicate_of is not None else score(terms, weights))
    return values


def _link_terms(store: MetadataStore, weights: ScoreWeights) -> dict[int, tuple[float, float, float, float, float]]:
    if not (weights.pagerank or weights.wlscore or weights.hub or weights.authority or weights.siterank):
        return {}
    docs, links = store.docs(), store.links()
    place = {doc.id: i for i, doc in enumerate(docs)}
    sites = np.unique([doc.site for doc in docs], return_inverse=True)[1].astype(np.int64)
    sources = np.array([place[link[0]] for link in links], dtype=np.int64)
    targets = np.array([place[link[1]] for link in links], dtype=np.int64)
    strength = link_weights(np.array([link[2] for link in links], float), np.array([link[3] for link in links], float))
    hub, authority = hits(len(docs), sources, targets, sites)
    table = np.column_stack(
        [
            linearised(page_rank(len(docs), sources, targets)),
            linearised(page_rank(len(docs), sources, targets, strength)),
            linearised(hub),
            linearised(authority),
            site_rank(sites, sources, targets),
        ]
    )
    return {
        doc.id: (float(r[0]), float(r[1]), float(r[2]), float(r[3]), float(r[4]))
        for doc, r in zip(docs, table, strict=True)
    }


def _record(store: MetadataStore) -> None:
    gathered = store.docs(Status.GATHERED)
    dynamic = sum(is_dynamic(doc.url) for doc in gathered)
    assigned = len(gathered) + len(store.docs(Status.IGNORED))
    store.db.execute(
        "insert into cycle values ((select coalesce(max(number), 0) + 1 from cycle), ?, ?, ?, ?, ?, ?)",
        (
            assigned, len(gathered), sum(doc.persian for doc in gathered),
            sum(doc.duplicate_of is not None for doc in gathered), len(gathered) - dynamic, dynamic,
        ),
    )  # fmt: skip
    store.db.commit()
