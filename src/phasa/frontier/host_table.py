"""Hosts and sites in SQLite: the head of each queue, rests, addresses, pages taken. All of their SQL, no decisions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Set
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

    The numbers of names are remembered, boundedly. The heads that new URLs make better are *owed* to the file
    for a while and then written together: a page's links go to many hosts, which lie scattered in the file.
    """

    REMEMBERED = 4_096
    OWED = 4_096

    def __init__(self, db: Database, worker_of: Callable[[str], int]) -> None:
        self._db = db
        self._worker_of = worker_of
        # Two generations: when the young one is full it becomes the old one, and the old one is forgotten.
        self._young: dict[str, int] = {}
        self._old: dict[str, int] = {}
        self._owed: dict[int, Head] = {}

    def find(self, name: str) -> int | None:
        """The number of a host; None when it is new."""
        return self.find_many({name}).get(name)

    def find_many(self, names: Set[str]) -> dict[str, int]:
        """The numbers of those of many hosts that are known."""
        young, old = self._young, self._old
        found: dict[str, int] = {}
        rest: list[str] = []
        for name in names:
            host = young.get(name)
            if host is None:
                host = old.get(name)
                if host is None:
                    rest.append(name)
                    continue
                young[name] = host
            found[name] = host
        if rest:
            # Names and numbers are all that is asked for: both are in the index of the names.
            known = self._db.execute(
                "SELECT h.name, h.id FROM json_each(?) AS asked CROSS JOIN host h ON h.name = asked.value",
                (msgspec.json.encode(sorted(rest)).decode(),),
            ).fetchall()
            found.update(known)
            young.update(known)
        self._forget()
        return found

    def add(self, name: str, site: str) -> int:
        """A new host; its number."""
        self._db.execute("INSERT OR IGNORE INTO site(name) VALUES (?)", (site,))
        added = self._db.execute(
            "INSERT INTO host(name, site, worker) VALUES (?, (SELECT id FROM site WHERE name = ?), ?)",
            (name, site, self._worker_of(site)),
        )
        self._young[name] = host = int(added.lastrowid or 0)
        self._forget()
        return host

    def _forget(self) -> None:
        if len(self._young) >= self.REMEMBERED:
            self._old, self._young = self._young, {}

    def row(self, id: int) -> HostRow:
        row = HostRow(*self._db.execute(f"SELECT {_HOST} FROM host WHERE id = ?", (id,)).fetchone())
        owed = self._owed.get(id)
        if owed is not None and (row.rank is None or owed < (row.rank, row.head)):
            return row._replace(rank=owed.rank, head=owed.id)
        return row

    def after(self, worker: int, floor: Head, limit: int) -> list[HostRow]:
        """The hosts with work whose heads come after the floor, in order."""
        self.write_heads()
        rows = self._db.execute(
            f"SELECT {_HOST} FROM host INDEXED BY turn WHERE worker = ? AND rank IS NOT NULL AND (rank, head) > (?, ?)"
            " ORDER BY rank, head LIMIT ?",
            (worker, floor.rank, floor.id, limit),
        )
        return [HostRow(*row) for row in rows]

    def set_head(self, host: int, head: Head | None) -> None:
        self._owed.pop(host, None)
        self._db.execute("UPDATE host SET rank = ?, head = ? WHERE id = ?", (*(head or (None, None)), host))

    def owe_heads(self, heads: Iterable[tuple[int, Head]]) -> None:
        """Better heads, of URLs since the last merge: the file hears of them later. After a crash they are found again
        in the queues (`UrlTable.recover`)."""
        owed = self._owed
        for host, head in heads:
            before = owed.get(host)
            if before is None or head < before:
                owed[host] = head
        if len(owed) >= self.OWED:
            self.write_heads()

    def write_heads(self) -> None:
        """Write the heads that are owed, in a transaction of their own when none is open."""
        if not self._owed:
            return
        heads, self._owed = sorted(self._owed.items()), {}
        alone = not self._db.connection.in_transaction
        if alone:
            self._db.begin()
        self.improve_heads(heads)
        if alone:
            self._db.commit()

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

    def took_page(self, host: int) -> None:
        self._db.execute("UPDATE host SET done = done + 1 WHERE id = ?", (host,))
        self._db.execute("UPDATE site SET done = done + 1 WHERE id = (SELECT site FROM host WHERE id = ?)", (host,))

    def taken(self, host: int) -> tuple[int, int]:
        """Pages taken from a host and from its site."""
        row = self._db.execute(
            "SELECT h.done, s.done FROM host h JOIN site s ON s.id = h.site WHERE h.id = ?", (host,)
        ).fetchone()
        return row[0], row[1]

    def assign(self, workers: int) -> None:
        """Give every host to the worker of its site."""
        owners = [(self._worker_of(name), id) for id, name in self._db.execute("SELECT id, name FROM site")]
        self._db.executemany("UPDATE host SET worker = ? WHERE site = ?", owners)
        self._db.set_meta("workers", workers)
