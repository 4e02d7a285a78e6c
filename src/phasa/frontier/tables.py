"""The rows of frontier.db: hosts, sites, URLs and visits. All of their SQL, no decisions.

Everything that writes belongs to the caller's transaction.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence, Set
from functools import lru_cache
from operator import itemgetter
from typing import Any, NamedTuple

import msgspec

from phasa.frontier.index import HASH_BITS, Head, NewUrl, QueueIndex, RankChange, next_key
from phasa.frontier.origins import other_origin, queue_of
from phasa.frontier.protocol import OUT_OF_SCOPE, State, Story, Visit, Visited
from phasa.frontier.row import ROW, Row, RowCache
from phasa.frontier.storage import Storage
from phasa.web.url import Url, private_suffix
from phasa.web.url import host as host_name


class HostRow(NamedTuple):
    """An origin of a host as stored (`origins`). `rank` and `head` are those of the best URL that waits there; None
    when nothing does."""

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


Turn = tuple[float, float, str, int, str, int]
"""How a turn of a host ended: until when it rests, for how long, its address, failures in a row, a note, its id."""
HOST = "id, name, site, rank, head, until, rest, address, failures, done, note"


class HostTable:
    """The hosts of a frontier, a row for each origin of theirs, which is numbered when its first URL is taken in;
    `worker_of` a site gives it an owner.

    The ids of names are cached, boundedly. Heads that new URLs make better are written *behind*: a page's links go to
    many hosts, which lie scattered in the file, so they are kept for a while and then written together. After a crash
    they are found again in the index (`UrlIndex.recover`).
    """

    CACHED = 4_096
    BEHIND = 4_096
    OWNER = "worker"  # the column that says whose host it is

    def __init__(self, db: Storage, worker_of: Callable[[str], int]) -> None:
        self._db = db
        self._worker_of = worker_of
        # Two generations: when the young one is full it becomes the old one, and the old one is forgotten.
        self._young: dict[str, int] = {}
        self._old: dict[str, int] = {}
        self._behind: dict[int, Head] = {}
        self._written: dict[int, Head | None] = {}
        """Heads that are known to stand in the file: most changes of a queue leave its head as it is."""

    def find(self, name: str) -> int | None:
        """The id of a host; None when it is new."""
        id = self._young.get(name)
        return self.find_many({name}).get(name) if id is None else id

    def find_many(self, names: Set[str]) -> dict[str, int]:
        """The ids of those of many hosts that are known."""
        young, old = self._young, self._old
        found: dict[str, int] = {}
        rest: list[str] = []
        for name in names:
            id = young.get(name)
            if id is None:
                id = old.get(name)
                if id is None:
                    rest.append(name)
                    continue
                young[name] = id
            found[name] = id
        if rest:
            known = self._ids(sorted(rest))
            found.update(known)
            young.update(known)
        self._forget()
        return found

    def _ids(self, names: list[str]) -> list[tuple[str, int]]:
        # Names and ids are all that is asked for: both are in the index of the names.
        return self._db.execute(
            "SELECT h.name, h.id FROM json_each(?) AS asked CROSS JOIN host h ON h.name = asked.value",
            (msgspec.json.encode(names).decode(),),
        ).fetchall()

    def add(self, name: str, url: Url) -> int:
        """A new host, that of a URL; its id."""
        # `registered_domain` past its cache: a new host is asked about once.
        bare = host_name(url)
        site = private_suffix.__wrapped__(bare) or bare
        self._db.execute("INSERT INTO site(name) VALUES (?) ON CONFLICT (name) DO NOTHING", (site,))
        self._young[name] = id = self._insert(name, site, self._worker_of(site))
        self._forget()
        return id

    def _insert(self, name: str, site: str, worker: int) -> int:
        ((id,),) = self._db.execute(
            f"INSERT INTO host(name, site, {self.OWNER}) VALUES (?, (SELECT id FROM site WHERE name = ?), ?)"
            " RETURNING id",
            (name, site, worker),
        ).fetchall()
        return int(id)

    def _forget(self) -> None:
        if len(self._young) >= self.CACHED:
            self._old, self._young = self._young, {}

    def row(self, id: int) -> HostRow:
        row = HostRow(*self._db.execute(f"SELECT {HOST} FROM host WHERE id = ?", (id,)).fetchone())
        head = self._behind.get(id)
        if head is not None and (row.rank is None or head < (row.rank, row.head)):
            return row._replace(rank=head.rank, head=head.id)
        return row

    def after(self, worker: int, floor: Head, limit: int) -> list[HostRow]:
        """The hosts with work whose heads come after the floor, in order. Writes the heads that are behind, in a
        transaction of its own when none is open."""
        if self._behind:
            alone = not self._db.in_transaction
            if alone:
                self._db.begin()
            self.write_heads()
            if alone:
                self._db.commit()
        rows = self._db.execute(
            f"SELECT {HOST} FROM host INDEXED BY turn WHERE worker = ? AND rank IS NOT NULL AND (rank, head) > (?, ?)"
            " ORDER BY rank, head LIMIT ?",
            (worker, floor.rank, floor.id, limit),
        )
        return [HostRow(*row) for row in rows]

    def set_head(self, host: int, head: Head | None) -> None:
        """The head of a host, better or worse than before."""
        self._behind.pop(host, None)
        if host not in self._written or self._written[host] != head:
            self._write_head(host, head)
            if len(self._written) >= self.CACHED:
                self._written.clear()
            self._written[host] = head

    def _write_head(self, host: int, head: Head | None) -> None:
        self._db.execute("UPDATE host SET rank = ?, head = ? WHERE id = ?", (*(head or (None, None)), host))

    def improve_heads_later(self, heads: Iterable[tuple[int, Head]]) -> None:
        """Better heads, of URLs since the last merge: they are written behind."""
        behind = self._behind
        for id, head in heads:
            before = behind.get(id)
            if before is None or head < before:
                behind[id] = head
        if len(behind) >= self.BEHIND:
            self.write_heads()

    def write_heads(self) -> None:
        """Write the heads that are behind."""
        heads, self._behind = sorted(self._behind.items()), {}
        self.improve_heads(heads)

    def improve_heads(self, heads: Iterable[tuple[int, Head]]) -> None:
        """Write those heads that are better than the stored ones."""
        rows = [(head.rank, head.id, id) for id, head in heads]
        for _, _, id in rows:
            self._written.pop(id, None)
        self._db.executemany(
            "UPDATE host SET rank = ?1, head = ?2 WHERE id = ?3 AND (rank IS NULL OR (rank, head) > (?1, ?2))", rows
        )

    def end_turns(self, turns: Sequence[Turn]) -> None:
        """Hosts rest until they may be asked again."""
        self._db.executemany(
            "UPDATE host SET until = ?, rest = ?, address = ?, failures = ?, note = ? WHERE id = ?", turns
        )

    def took_pages(self, hosts: Mapping[int, int]) -> None:
        """So many more pages were taken from each host."""
        rows = [(n, host) for host, n in hosts.items()]
        self._db.executemany("UPDATE host SET done = done + ? WHERE id = ?", rows)
        self._db.executemany("UPDATE site SET done = done + ? WHERE id = (SELECT site FROM host WHERE id = ?)", rows)

    def taken(self, host: int) -> tuple[int, int]:
        """Pages taken from a host and from its site."""
        name, of_host, of_site = self._db.execute(
            "SELECT h.name, h.done, s.done FROM host h JOIN site s ON s.id = h.site WHERE h.id = ?", (host,)
        ).fetchone()
        other = self._db.execute("SELECT done FROM host WHERE name = ?", (other_origin(name),)).fetchone()
        return of_host + (other[0] if other else 0), of_site

    def rest_other(self, name: str, until: float, rest: float) -> None:
        """The other origin of a host is not to be asked before then, either: for the next process."""
        self._db.execute(
            "UPDATE host SET until = CASE WHEN until > ?1 THEN until ELSE ?1 END,"
            " rest = CASE WHEN rest > ?2 THEN rest ELSE ?2 END WHERE name = ?3",
            (until, rest, other_origin(name)),
        )

    def assign(self, workers: int) -> None:
        """Give every host to the worker of its site."""
        owners = [(self._worker_of(name), id) for id, name in self._db.execute("SELECT id, name FROM site")]
        self._db.executemany("UPDATE host SET worker = ? WHERE site = ?", owners)
        self._db.set_meta("workers", workers)


_COLUMNS = ", ".join(f"url.{name}" for name in ROW.split(", "))
_simple = itemgetter(1, 3, 4, 5, 6)
_ADD_SIMPLE = (
    "INSERT INTO url(host, key, state, priority, depth, attempts, source, url)"
    f" VALUES (?1 >> {HASH_BITS}, ?1, 0, ?2, ?3, 0, ?4, ?5)"
)
_ADD = (
    "INSERT INTO url(host, key, state, priority, depth, source, url, note, reason, attempts)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 0)"
)
_VISIT = "at, status, mime, size, wanted, score, language, words, digest, record, seconds, charset"
_ADD_VISIT = (
    f"INSERT INTO visit(id, {_VISIT}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET "
    + ", ".join(f"{name} = excluded.{name}" for name in _VISIT.split(", "))
)


def _id_of(change: tuple[Row, Any, Any]) -> int:
    return change[0][0]


class UrlTable:
    """The URLs of a frontier and their visits. What is added or gets another priority here is told to the index."""

    def __init__(self, db: Storage, hosts: HostTable, index: QueueIndex) -> None:
        self.index = index
        self._db = db
        self._hosts = hosts
        self._cache = RowCache()
        self._address = lru_cache(maxsize=1_024)(self._read_address)

    # ── reading ──────────────────────────────────────────────────────────────────────────────────

    def is_empty(self) -> bool:
        """Whether no URL was ever taken in."""
        return self._db.execute("SELECT 1 FROM url LIMIT 1").fetchone() is None

    def next_ids(self, n: int) -> int:
        """The first of n numbers in a row for new URLs, higher than all before."""
        return int(self._db.execute("SELECT max(id) FROM url").fetchone()[0] or 0) + 1

    def row(self, id: int) -> Row:
        return self._cache.get(id) or Row(*self._db.execute(f"SELECT {ROW} FROM url WHERE id = ?", (id,)).fetchone())

    def rows(self, ids: Collection[int]) -> dict[int, Row]:
        """Many rows by their ids."""
        found = {id: row for id in ids if (row := self._cache.get(id)) is not None}
        if len(found) < len(ids):
            rest = sorted(set(ids) - found.keys())
            found.update((row[0], row) for row in map(Row._make, self._rows(rest)))
        return found

    def _rows(self, ids: list[int]) -> Iterable[Iterable[Any]]:
        asked = msgspec.json.encode(ids).decode()
        return self._db.execute(
            f"SELECT {_COLUMNS} FROM json_each(?) AS asked CROSS JOIN url ON url.id = asked.value", (asked,)
        )

    def find(self, url: Url) -> Row | None:
        """The row of a URL; None when it was never taken in."""
        host = self._hosts.find(queue_of(url))
        return self._find(self.index.keys([host], [url])[0], url) if host is not None else None

    def _find(self, key: int, url: Url) -> Row | None:
        """The row of a URL that has this key, or one after it when others had taken it."""
        while (id := self.index.find(key)) is not None:
            row = self.row(id)
            if row.url == url:
                return row
            key = next_key(key)
        return None

    def find_many(self, urls: Iterable[Url]) -> dict[Url, Row]:
        """The rows of those URLs that were taken in."""
        names = {url: queue_of(url) for url in urls}
        hosts = self._hosts.find_many(set(names.values()))
        known = [url for url, name in names.items() if name in hosts]
        keys = self.index.keys([hosts[names[url]] for url in known], known)
        ids = self.index.find_many(keys)
        rows = self.rows(set(ids.values()))
        found: dict[Url, Row] = {}
        for url, key in zip(known, keys, strict=True):
            row = rows.get(ids.get(key, 0))
            if row is not None and row.url != url:
                row = self._find(key, url)
            if row is not None:
                found[url] = row
        return found

    def waiting_rows(self, urls: Collection[Url]) -> list[tuple[Row, float]]:
        """The rows of those URLs that wait, leased ones too, each with its priority of now: that in the row may be an
        earlier one. They are remembered, so the URLs must be of sites that nobody else writes."""
        kept, priorities = self._cache.by_url, self._cache.priorities
        rows = [kept[url] for url in urls if url in kept]
        found = [(row, priorities[row.id]) for row in rows]
        if len(found) < len(urls):
            for url, row in self.find_many([url for url in urls if url not in kept]).items():
                if row.state == State.WAITING:
                    # With the text of who asks, who keeps it anyway: not one more for the caches to keep.
                    row = row._replace(url=url)
                    found.append((row, row.priority))
                    self._cache.put(row)
        return found

    def source(self, url: str) -> int | str | None:
        """A source as it is stored: a page of ours by its id, another address as it is."""
        row = self.find(Url(url)) if url else None
        return row.id if row is not None else url or None

    def source_url(self, source: int | str | None) -> str:
        """The address that a stored source means."""
        return self._address(source) if isinstance(source, int) else source or ""

    def _read_address(self, id: int) -> str:
        return str(self._db.execute("SELECT url FROM url WHERE id = ?", (id,)).fetchone()[0])

    def story(self, row: Row, state: State) -> Story:
        """All that the tables know of a URL, which is in that state."""
        host = self._hosts.row(row.host)
        return Story(
            *(row.url, state, row.reason or "", host.name, row.priority, row.depth, self.source_url(row.source)),
            *(row.note or b"", row.attempts, self.visit(row.id), host.note, host.until),
        )

    def quarantined(self) -> list[Row]:
        """Looks through all URLs: for commands, not for crawls."""
        rows = self._db.execute(f"SELECT {ROW} FROM url WHERE state = ? ORDER BY id", (int(State.QUARANTINED),))
        return [Row(*row) for row in rows]

    def out_of_scope(self, after: int, most: int) -> list[Row]:
        """The next URLs that the scope refused, by their numbers. Looks through all URLs, some at a time."""
        rows = self._db.execute(
            f"SELECT {ROW} FROM url WHERE id > ? AND state = ? AND substr(reason, 1, ?) = ? ORDER BY id LIMIT ?",
            (after, int(State.DROPPED), len(OUT_OF_SCOPE), OUT_OF_SCOPE, most),
        )
        return [Row(*row) for row in rows]

    def waiting(self) -> Iterator[Row]:
        """The URLs that wait, by their numbers. Looks through all of them, some at a time, so that others may write."""
        after = 0
        while True:
            some = self._db.execute(
                f"SELECT {ROW} FROM url WHERE id > ? AND state = ? ORDER BY id LIMIT 10000", (after, int(State.WAITING))
            ).fetchall()
            if not some:
                return
            yield from map(Row._make, some)
            after = some[-1][0]

    def visited(self, since: float) -> Iterator[Visited]:
        """The URLs last visited at that time or later, by their numbers."""
        rows = self._db.execute(
            "SELECT u.url, u.depth, u.note, v.at, v.status, v.mime, v.size, v.wanted, v.score, v.language, v.words,"
            " v.digest, v.record, v.seconds, coalesce(v.charset, '') FROM visit v JOIN url u ON u.id = v.id"
            " WHERE v.at >= ? ORDER BY v.id",
            (since,),
        ).fetchall()
        for url, depth, note, at, status, mime, size, wanted, *rest in rows:
            seen = None if wanted is None else bool(wanted)
            yield Visited(url, depth, note or b"", Visit(at, status, mime, size, seen, *rest))

    def visit(self, id: int) -> Visit | None:
        row = self._db.execute(f"SELECT {_VISIT} FROM visit WHERE id = ?", (id,)).fetchone()
        if row is None:
            return None
        at, status, mime, size, wanted, score, language, words, digest, record, seconds, charset = row
        seen = None if wanted is None else bool(wanted)
        return Visit(at, status, mime, size, seen, score, language, words, digest, record, seconds, charset or "")

    # ── writing ──────────────────────────────────────────────────────────────────────────────────

    def add(self, first: int, rows: list[NewUrl], *, simple: bool = False) -> None:
        """Append URLs with ids from `first` on. `simple`: all of them wait and none has a note."""
        if not rows:
            return
        if simple:
            # Every value that is handed over costs as much as storing it.
            self._db.executemany(_ADD_SIMPLE, map(_simple, rows))
        else:
            self._db.executemany(_ADD, rows)
        self.index.add(first, rows)

    def change(self, changes: Iterable[tuple[Row, float, bytes | None]]) -> None:
        """New priorities and notes of waiting URLs, each at most once; the rows are as they stand in the file."""
        changes = sorted(changes, key=_id_of)
        for row, _, _ in changes:
            self._cache.forget(row.id)
        self._db.executemany(
            "UPDATE url SET priority = ?, note = ? WHERE id = ?",
            [(priority, note, row.id) for row, priority, note in changes],
        )
        self.index.change_ranks(
            [
                (row.id, row.host, row.key, -row.priority, -priority)
                for row, priority, _ in changes
                if priority != row.priority
            ]
        )

    def change_priorities(self, changes: Sequence[RankChange]) -> None:
        """Other priorities of URLs that `waiting_rows` gave, in the order of their ids."""
        self._db.executemany("UPDATE url SET priority = ? WHERE id = ?", [(-rank, id) for id, _, _, _, rank in changes])
        priorities = self._cache.priorities
        for id, _, _, _, rank in changes:
            if id in priorities:
                priorities[id] = -rank
        self.index.change_ranks(changes)

    def set_state(self, id: int, state: State, reason: str, attempts: int) -> None:
        """Another state; the queue is the caller's to change."""
        self.set_states([(int(state), reason, attempts, id)])

    def set_states(self, states: Sequence[tuple[int, str, int, int]]) -> None:
        """Other states of some URLs: state, reason, attempts, id."""
        for *_, id in states:
            self._cache.forget(id)
        self._db.executemany("UPDATE url SET state = ?, reason = ?, attempts = ? WHERE id = ?", states)

    def requeue(self, row: Row, priority: float, note: bytes | None, attempts: int) -> None:
        """A URL that does not wait waits again."""
        self._cache.forget(row.id)
        self._db.execute(
            "UPDATE url SET state = 0, reason = '', priority = ?, note = ?, attempts = ? WHERE id = ?",
            (priority, note, attempts, row.id),
        )
        self.index.enqueue(row.host, -priority, row.id)

    def drop_queue(self, host: int, reason: str) -> int:
        """Every waiting URL of a host is dropped; how many."""
        self._cache.clear()
        return self._db.executemany(
            "UPDATE url SET state = ?, reason = ? WHERE id = ? AND state = 0",
            [(int(State.DROPPED), reason, id) for id in self.index.take_queue(host)],
        ).rowcount

    def merge(self) -> None:
        """Bring the index and the heads of the hosts in the file up to date."""
        self._hosts.write_heads()
        self.index.merge()

    def add_visits(self, visits: Sequence[tuple[int, Visit]]) -> None:
        """Visits of some URLs, by their ids."""
        self._db.executemany(
            _ADD_VISIT,
            [
                (
                    *(id, v.at, v.status, v.mime, v.size, None if v.wanted is None else int(v.wanted), v.score),
                    *(v.language, v.words, v.digest, v.record, v.seconds, v.charset),
                )
                for id, v in visits
            ],
        )
