"""The published system in its plain form, the oracle of `phasa.crawl.wire`: a SQLite store, asked for every link."""

from __future__ import annotations

import hashlib
import random
import sqlite3
from collections.abc import Iterable, Sequence
from enum import IntEnum
from typing import Any, NamedTuple

import msgspec
import numpy as np

from phasa.crawl.wire.cycle import Fetch, WireSettings
from phasa.crawl.wire.ranks import hits, linearised, link_weights, page_rank, site_rank
from phasa.crawl.wire.score import depth_score, is_dynamic
from phasa.strategy_settings import ScoreWeights
from phasa.web.url import authority, tld_of


class Status(IntEnum):
    """Where a document stands."""

    NEW = 0
    ASSIGNED = 1
    FETCHED = 2
    GATHERED = 3
    IGNORED = 4


class Doc(NamedTuple):
    """A document record; `persian` is the reserved field that the gatherer writes, `from_persian` the seeder's."""

    id: int
    url: str
    site: str
    depth: int
    status: Status
    persian: bool
    from_persian: bool
    duplicate_of: int | None


_SCHEMA = """
create table if not exists doc (
    id integer primary key, url text unique not null, site text not null, depth integer not null,
    status integer not null default 0, persian integer not null default 0, from_persian integer not null default 0,
    duplicate_of integer, hash text, score real not null default 0, body blob, budget integer not null default 0
);
create index if not exists doc_status on doc (status);
create index if not exists doc_site on doc (site, status);
create index if not exists doc_hash on doc (hash);
create table if not exists link (source integer not null, target integer not null, anchor_length integer not null,
    position real not null, unique (source, target));
create table if not exists waiting_link (source integer not null, url text not null, anchor_length integer not null,
    position real not null);
create table if not exists cycle (number integer primary key, assigned integer, parsed integer, persian integer,
    duplicates integer, static integer, dynamic integer);
"""
_COLUMNS = "id, url, site, depth, status, persian, from_persian, duplicate_of"


class PlainStore:
    """The store in SQLite."""

    def __init__(self) -> None:
        self.db = sqlite3.connect(":memory:")
        self.db.executescript(_SCHEMA)

    def close(self) -> None:
        self.db.commit()
        self.db.close()

    def add(self, url: str, depth: int, from_persian: bool = False, budget: int = 0) -> int:
        """A new document, or the known one: a waiting one learns that a page in the language links to it (§4.4)."""
        self.db.execute(
            "insert into doc (url, site, depth, from_persian, budget) values (?, ?, ?, ?, ?) on conflict (url)"
            " do update set from_persian = max(from_persian, excluded.from_persian),"
            " budget = max(budget, excluded.budget) where status = 0",
            (url, authority(url), depth, from_persian, budget),
        )
        return int(self.db.execute("select id from doc where url = ?", (url,)).fetchone()[0])

    def docs(self, status: Status | None = None) -> list[Doc]:
        """Documents in the order they were found."""
        where = "" if status is None else f" where status = {int(status)}"
        rows = self.db.execute(f"select {_COLUMNS} from doc{where} order by id")
        return [_doc(row) for row in rows]

    def get(self, url: str) -> Doc | None:
        """The record of one document."""
        row = self.db.execute(f"select {_COLUMNS} from doc where url = ?", (url,)).fetchone()
        return None if row is None else _doc(row)

    def set_status(self, ids: Iterable[int], status: Status) -> None:
        self.db.executemany("update doc set status = ? where id = ?", [(int(status), i) for i in ids])

    def links(self) -> list[tuple[int, int, int, float]]:
        """(source, target, anchor length, relative position) of all links between known documents."""
        return self.db.execute("select source, target, anchor_length, position from link order by rowid").fetchall()

    def pages_of(self, site: str) -> int:
        """Documents of a site that were found."""
        return int(self.db.execute("select count(*) from doc where site = ?", (site,)).fetchone()[0])

    def sites(self) -> int:
        """Sites that were found."""
        return int(self.db.execute("select count(distinct site) from doc").fetchone()[0])

    def cycles(self) -> Sequence[tuple[int, int, int, int, int, int, int]]:
        """(cycle, assigned, parsed, Persian, duplicates, static, dynamic), cumulative, one row per finished cycle."""
        return self.db.execute("select * from cycle order by number").fetchall()


def _doc(row: tuple[Any, ...]) -> Doc:
    return Doc(row[0], row[1], row[2], row[3], Status(row[4]), bool(row[5]), bool(row[6]), row[7])


class _Kept(msgspec.Struct):
    content_hash: str
    links: list[tuple[str, str]]
    persian: bool


def seed_store(store: PlainStore, urls: Sequence[str], settings: WireSettings) -> None:
    """Put the seeds in: depth 1, no parent, whatever their domain (§3.4)."""
    for url in urls:
        store.add(url, 1, budget=settings.distance)
    store.db.commit()


def manager(store: PlainStore, settings: WireSettings) -> list[str]:
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


def harvester(store: PlainStore, fetch: Fetch) -> None:
    """Fetch what is assigned."""
    for doc in store.docs(Status.ASSIGNED):
        found = fetch(doc.url)
        if found is None:
            store.set_status([doc.id], Status.IGNORED)
        else:
            anchors = found.links.anchors or [""] * len(found.links)
            links = list(zip(found.links.urls, anchors, strict=True))
            kept = _Kept(hashlib.md5(found.content).hexdigest(), links, found.persian)
            store.db.execute(
                "update doc set status = ?, body = ? where id = ?",
                (int(Status.FETCHED), msgspec.msgpack.encode(kept), doc.id),
            )
        store.db.commit()


def gatherer(store: PlainStore) -> None:
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


def seeder(store: PlainStore, settings: WireSettings) -> None:
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


def run_cycle(store: PlainStore, settings: WireSettings, fetch: Fetch) -> list[str]:
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


def _accepted(store: PlainStore, url: str, settings: WireSettings) -> bool:
    if settings.domains and tld_of(authority(url)) not in settings.domains:
        return False
    if store.get(url) is not None:
        return True
    pages = store.pages_of(authority(url))
    return pages < settings.pages_per_site if pages else store.sites() < settings.sites


def _scores(store: PlainStore, docs: Sequence[Doc], settings: WireSettings) -> list[float]:
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
        pagerank, wlrank, hub, authority_, siterank = ranks.get(doc.id, (0.0,) * 5)
        terms = (
            pagerank, wlrank, hub, authority_, siterank, queues[doc.site] / longest,
            depth_score(doc.depth, settings.max_depth), float(not is_dynamic(doc.url)), chance.random(),
            float(doc.from_persian),
        )  # fmt: skip
        values.append(0.0 if doc.duplicate_of is not None else _score(terms, weights))
    return values


def _link_terms(store: PlainStore, weights: ScoreWeights) -> dict[int, tuple[float, float, float, float, float]]:
    if not (weights.pagerank or weights.wlscore or weights.hub or weights.authority or weights.siterank):
        return {}
    docs, links = store.docs(), store.links()
    place = {doc.id: i for i, doc in enumerate(docs)}
    names = list(dict.fromkeys(doc.site for doc in docs))
    sites = np.array([names.index(doc.site) for doc in docs], dtype=np.int64)
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


def _record(store: PlainStore) -> None:
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


def _score(terms: tuple[float, ...], weights: ScoreWeights) -> float:
    names = ["pagerank", "wlscore", "hub", "authority", "siterank", "queuesize", "depth", "static", "random", "persian"]
    return sum(float(getattr(weights, name)) * term for name, term in zip(names, terms, strict=True))
