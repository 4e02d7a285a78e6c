"""The metadata store: all that the four programs of a cycle know of documents, sites and links (persian-crawling §3.3).

The programs share nothing else, so a crawl can be stopped and taken up between any two of them.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from enum import IntEnum
from pathlib import Path
from typing import Any, NamedTuple

from phasa.crawl.addresses import host_of


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
    position real not null, primary key (source, target)) without rowid;
create table if not exists waiting_link (source integer not null, url text not null, anchor_length integer not null,
    position real not null);
create table if not exists cycle (number integer primary key, assigned integer, parsed integer, persian integer,
    duplicates integer, static integer, dynamic integer);
"""
_COLUMNS = "id, url, site, depth, status, persian, from_persian, duplicate_of"


class MetadataStore:
    """The store in one SQLite file, or in memory without a path."""

    def __init__(self, path: Path | None = None) -> None:
        self.db = sqlite3.connect(path if path is not None else ":memory:")
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
            (url, host_of(url), depth, from_persian, budget),
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
        return self.db.execute("select source, target, anchor_length, position from link").fetchall()

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
