"""Hosts and sites in SQLite: the head of each queue, rests, addresses, pages taken. All of their SQL, no decisions."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from typing import NamedTuple

import msgspec

from phasa.frontier.database import Database
from phasa.frontier.ready import Head


class HostRow(NamedTuple):
    """A host as stored."""

    id: int
    name: str
    site: int
    rank: float | None
    head: int | None
    until: float
    rest: float
    address: str
    failures: int
    done: int
    note: str


_HOST = "id, name, site, rank, head, until, rest, address, failures, done, note"


class HostTable:
    """The hosts of a frontier. A host is numbered when its first URL is taken in; `worker_of` gives it an owner.

    Names → (host, site) numbers are remembered, boundedly.
    """

    REMEMBERED = 8_192

    def __init__(self, db: Database, worker_of: Callable[[str], int]) -> None:
        self._db = db
        self._worker_of = worker_of
        self.remembered: dict[str, tuple[int, int]] = {}

    def find(self, name: str) -> tuple[int, int] | None:
        """(host, site) of a host name; None when it is new."""
        ids = self.remembered.get(name)
        if ids is None:
            row = self._db.execute("SELECT id, site FROM host WHERE name = ?", (name,)).fetchone()
            if row is not None:
                ids = self._remember(name, (row[0], row[1]))
        return ids

    def find_many(self, names: Collection[str]) -> dict[str, tuple[int, int]]:
        """(host, site) of those of many host names that are known."""
        remembered = self.remembered
        found = {name: remembered[name] for name in names if name in remembered}
        if rest := [name for name in names if name not in found]:
            asked = msgspec.json.encode(sorted(rest)).decode()
            for name, host, site in self._db.execute(
                "SELECT h.name, h.id, h.site FROM json_each(?) AS asked CROSS JOIN host h ON h.name = asked.value",
                (asked,),
            ).fetchall():
                found[name] = self._remember(name, (host, site))
        return found

    def add(self, name: str, site: str) -> tuple[int, int]:
        """A new host; its (host, site)."""
        self._db.execute("INSERT OR IGNORE INTO site(name) VALUES (?)", (site,))
        site_id = self._db.execute("SELECT id FROM site WHERE name = ?", (site,)).fetchone()[0]
        added = self._db.execute(
            "INSERT INTO host(name, site, worker) VALUES (?, ?, ?)", (name, site_id, self._worker_of(site))
        )
        return self._remember(name, (int(added.lastrowid or 0), site_id))

    def _remember(self, name: str, ids: tuple[int, int]) -> tuple[int, int]:
        if len(self.remembered) >= self.REMEMBERED:
            self.remembered.clear()
        self.remembered[name] = ids
        return ids

    def row(self, id: int) -> HostRow:
        return HostRow(*self._db.execute(f"SELECT {_HOST} FROM host WHERE id = ?", (id,)).fetchone())

    def after(self, worker: int, floor: Head, limit: int) -> list[HostRow]:
        """The hosts with work whose heads come after the floor, in order."""
        rows = self._db.execute(
            f"SELECT {_HOST} FROM host INDEXED BY turn WHERE worker = ? AND rank IS NOT NULL AND (rank, head) > (?, ?)"
            " ORDER BY rank, head LIMIT ?",
            (worker, floor.rank, floor.id, limit),
        )
        return [HostRow(*row) for row in rows]

    def set_head(self, host: int, head: Head | None) -> None:
        self._db.execute("UPDATE host SET rank = ?, head = ? WHERE id = ?", (*(head or (None, None)), host))

    def improve_heads(self, heads: Iterable[tuple[int, Head]]) -> None:
        """Write heads that are better than the ones stored."""
        self._db.executemany(
            "UPDATE host SET rank = ?1, head = ?2 WHERE id = ?3 AND (rank IS NULL OR (rank, head) > (?1, ?2))",
            [(head.rank, head.id, host) for host, head in heads],
        )

    def end_turn(self, host: int, until: float, rest: float, address: str, failures: int, note: str) -> None:
        self._db.execute(
            "UPDATE host SET until = ?, rest = ?, address = ?, failures = ?, note = ? WHERE id = ?",
            (until, rest, address, failures, note, host),
        )

    def took_page(self, host: int, site: int) -> None:
        self._db.execute("UPDATE host SET done = done + 1 WHERE id = ?", (host,))
        self._db.execute("UPDATE site SET done = done + 1 WHERE id = ?", (site,))

    def taken(self, host: int, site: int) -> tuple[int, int]:
        """Pages taken from a host and from its site."""
        row = self._db.execute(
            "SELECT (SELECT done FROM host WHERE id = ?), (SELECT done FROM site WHERE id = ?)", (host, site)
        ).fetchone()
        return row[0], row[1]

    def assign(self, workers: int) -> None:
        """Give every host to the worker of its site."""
        owners = [(self._worker_of(name), id) for id, name in self._db.execute("SELECT id, name FROM site")]
        self._db.executemany("UPDATE host SET worker = ? WHERE site = ?", owners)
        self._db.set_meta("workers", workers)
