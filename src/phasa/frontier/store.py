"""The frontier's tables in SQLite: all of its SQL, none of its decisions.

What makes offers cheap at ten million URLs: a URL row is appended in the order of discovery, which touches one page of
the file. The two indexes whose order is not that of discovery (`seen`: host and hash, `queue`: host and rank) take new
entries in memory (schema `young`) and are merged into the file in their own order, some hundred thousand at a time.
`url` is the truth: after a crash both are completed from the rows beyond the last merge.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from phasa.errors import CollectionError
from phasa.frontier.protocol import Offer, State, Visit
from phasa.frontier.ready import Head
from phasa.web.url import Url

FORMAT = 1

_SCHEMA = """
CREATE TABLE IF NOT EXISTS meta(key TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS tally(name TEXT PRIMARY KEY, n INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS site(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, done INTEGER NOT NULL DEFAULT 0);
CREATE TABLE IF NOT EXISTS host(
    id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, site INTEGER NOT NULL, worker INTEGER NOT NULL,
    rank REAL, head INTEGER, until REAL NOT NULL DEFAULT 0, rest REAL NOT NULL DEFAULT 0,
    address TEXT NOT NULL DEFAULT '', failures INTEGER NOT NULL DEFAULT 0, done INTEGER NOT NULL DEFAULT 0,
    note TEXT NOT NULL DEFAULT '');
CREATE INDEX IF NOT EXISTS turn ON host(worker, rank, head) WHERE rank IS NOT NULL;
CREATE TABLE IF NOT EXISTS url(
    id INTEGER PRIMARY KEY, host INTEGER NOT NULL, hash INTEGER NOT NULL, state INTEGER NOT NULL,
    priority REAL NOT NULL, depth INTEGER NOT NULL, attempts INTEGER NOT NULL, source, url TEXT NOT NULL,
    note BLOB, reason TEXT);
CREATE TABLE IF NOT EXISTS seen(host INTEGER, hash INTEGER, id INTEGER, PRIMARY KEY(host, hash)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS queue(host INTEGER, rank REAL, id INTEGER, PRIMARY KEY(host, rank, id)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS visit(
    id INTEGER PRIMARY KEY, at REAL, status INTEGER, mime TEXT, size INTEGER, wanted INTEGER, score REAL,
    language TEXT, words INTEGER, digest INTEGER, record TEXT, seconds REAL);
CREATE TABLE IF NOT EXISTS template(key TEXT PRIMARY KEY, evidence TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS address(name TEXT PRIMARY KEY, until REAL NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS inbox(
    id INTEGER PRIMARY KEY, worker INTEGER NOT NULL, url TEXT, priority REAL, depth INTEGER, source TEXT, note BLOB);
CREATE INDEX IF NOT EXISTS letters ON inbox(worker, id);
"""
_YOUNG = """
CREATE TABLE young.seen(host INTEGER, hash INTEGER, id INTEGER, PRIMARY KEY(host, hash)) WITHOUT ROWID;
CREATE TABLE young.asked(host INTEGER, hash INTEGER);
CREATE TABLE young.queue(host INTEGER, rank REAL, id INTEGER, PRIMARY KEY(host, rank, id)) WITHOUT ROWID;
"""


class Row(NamedTuple):
    """A URL as stored."""

    id: int
    host: int
    state: int
    priority: float
    depth: int
    attempts: int
    source: int | str | None
    url: Url
    note: bytes | None
    reason: str | None


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


NewUrl = tuple[int, int, int, int, float, int, int, int | str | None, str, bytes | None, str | None]
_ROW = "id, host, state, priority, depth, attempts, source, url, note, reason"
_HOST = "id, name, site, rank, head, until, rest, address, failures, done, note"


class Store:
    """One connection to a frontier file. Callers open transactions with `begin` and end them with `commit`.

    `looking`: the file is only read, perhaps while a crawl writes it.
    """

    def __init__(self, path: Path, cache_megabytes: int = 4, *, looking: bool = False) -> None:
        try:
            # One statement cache for everything; transactions are ours to open, not the driver's.
            self.db = sqlite3.connect(path, isolation_level=None, cached_statements=256, timeout=60.0)
            db = self.db
            db.execute("PRAGMA journal_mode=WAL")
            # A crash of the process loses nothing; a power cut may lose the last commits, never the file.
            db.execute("PRAGMA synchronous=NORMAL")
            db.execute(f"PRAGMA cache_size=-{cache_megabytes * 1024}")
            db.execute("PRAGMA journal_size_limit=67108864")
            db.execute("PRAGMA temp_store=MEMORY")
            if not looking:
                db.executescript(f"BEGIN IMMEDIATE; {_SCHEMA} COMMIT;")
            format = self.meta("format")
            if format is None and not looking:
                self.set_meta("format", FORMAT)
            elif format != FORMAT:
                raise CollectionError(f"{path}: frontier of format {format}, this phasa reads {FORMAT}")
        except sqlite3.DatabaseError as problem:
            raise CollectionError(f"{path}: cannot be used as a frontier: {problem}") from None
        db.execute("ATTACH ':memory:' AS young")
        db.executescript(_YOUNG)
        if looking:
            # What the crawl has not merged yet is indexed here, in our memory.
            last = self._last_merged()
            db.execute("INSERT OR IGNORE INTO young.seen SELECT host, hash, id FROM url WHERE id > ?", (last,))

    # ── transactions, meta, tallies ──────────────────────────────────────────────────────────────

    def begin(self) -> None:
        self.db.execute("BEGIN IMMEDIATE")

    def commit(self) -> None:
        self.db.execute("COMMIT")

    def rollback(self) -> None:
        if self.db.in_transaction:
            self.db.execute("ROLLBACK")

    def meta(self, key: str) -> float | str | None:
        row = self.db.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
        return row[0] if row else None

    def set_meta(self, key: str, value: float | str) -> None:
        self.db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, value))

    def tallies(self) -> dict[str, int]:
        return dict(self.db.execute("SELECT name, n FROM tally"))

    def count(self, changes: dict[str, int]) -> None:
        self.db.executemany(
            "INSERT INTO tally VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET n = n + excluded.n", changes.items()
        )

    # ── URLs ─────────────────────────────────────────────────────────────────────────────────────

    def last_id(self) -> int:
        return int(self.db.execute("SELECT max(id) FROM url").fetchone()[0] or 0)

    def seen(self, host: int, hash: int) -> int | None:
        """The id of the URL with this hash on this host."""
        row = self.db.execute(
            "SELECT id FROM young.seen WHERE host = ?1 AND hash = ?2"
            " UNION ALL SELECT id FROM main.seen WHERE host = ?1 AND hash = ?2 LIMIT 1",
            (host, hash),
        ).fetchone()
        return row[0] if row else None

    def row(self, id: int) -> Row:
        return Row(*self.db.execute(f"SELECT {_ROW} FROM url WHERE id = ?", (id,)).fetchone())

    def add_urls(self, rows: list[NewUrl]) -> None:
        """Append URLs with ids that follow each other; those that wait enter the queue."""
        if not rows:
            return
        self.db.executemany("INSERT INTO url VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", rows)
        ids = (rows[0][0], rows[-1][0])
        self.db.execute("INSERT INTO young.seen SELECT host, hash, id FROM url WHERE id BETWEEN ? AND ?", ids)
        self.db.execute(
            "INSERT INTO young.queue SELECT host, -priority, id FROM url WHERE id BETWEEN ? AND ? AND state = 0", ids
        )

    def seen_many(self, keys: list[tuple[int, int]]) -> dict[tuple[int, int], int]:
        """Those of many (host, hash) that are known, with their ids."""
        execute = self.db.execute
        self.db.executemany("INSERT INTO young.asked VALUES (?, ?)", keys)
        # CROSS JOIN keeps the order of the loops: each key asked for is looked up, nothing is scanned.
        sql = (
            "SELECT a.host, a.hash, s.id FROM young.asked a CROSS JOIN {}.seen s ON s.host = a.host AND s.hash = a.hash"
        )
        found = {(row[0], row[1]): row[2] for schema in ("young", "main") for row in execute(sql.format(schema))}
        execute("DELETE FROM young.asked")
        return found

    def change(self, row: Row, priority: float, note: bytes | None) -> None:
        """New priority and note of a URL; the queue follows when it waits."""
        self.db.execute("UPDATE url SET priority = ?, note = ? WHERE id = ?", (priority, note, row.id))
        if row.state == State.WAITING and priority != row.priority:
            self.unqueue(row.host, -row.priority, row.id)
            self.enqueue(row.host, -priority, row.id)

    def move(self, id: int, state: State, reason: str, attempts: int) -> None:
        self.db.execute(
            "UPDATE url SET state = ?, reason = ?, attempts = ? WHERE id = ?", (int(state), reason, attempts, id)
        )

    def enqueue(self, host: int, rank: float, id: int) -> None:
        """Straight into the file: an entry older than the last merge would not survive a crash in memory."""
        self.db.execute("INSERT OR IGNORE INTO main.queue VALUES (?, ?, ?)", (host, rank, id))

    def unqueue(self, host: int, rank: float, id: int) -> None:
        found = self.db.execute("DELETE FROM young.queue WHERE host = ? AND rank = ? AND id = ?", (host, rank, id))
        if not found.rowcount:
            self.db.execute("DELETE FROM main.queue WHERE host = ? AND rank = ? AND id = ?", (host, rank, id))

    def heads(self, host: int, limit: int) -> list[Head]:
        """The best waiting URLs of a host."""
        execute = self.db.execute
        young = execute("SELECT rank, id FROM young.queue WHERE host = ? ORDER BY rank, id LIMIT ?", (host, limit))
        found = [Head(*row) for row in young]
        old = execute("SELECT rank, id FROM main.queue WHERE host = ? ORDER BY rank, id LIMIT ?", (host, limit))
        found += [Head(*row) for row in old]
        found.sort()
        return found[:limit]

    def index_ranks(self) -> None:
        """Let `worst` find its answer without looking through the queue; only a capped queue pays for it."""
        for schema in ("young", "main"):
            self.db.execute(f"CREATE INDEX IF NOT EXISTS {schema}.by_rank ON queue(rank, id)")

    def worst(self) -> Row | None:
        """The waiting URL of the lowest priority, the last one found among equals."""
        rows = [
            self.db.execute(f"SELECT rank, id FROM {schema}.queue ORDER BY rank DESC, id DESC LIMIT 1").fetchone()
            for schema in ("young", "main")
        ]
        ranked = [(row[0], row[1]) for row in rows if row]
        return self.row(max(ranked)[1]) if ranked else None

    def drop_queue(self, host: int, state: State, reason: str) -> int:
        """Every waiting URL of a host gets another state; how many."""
        count = 0
        for schema in ("young", "main"):
            ids = f"SELECT id FROM {schema}.queue WHERE host = ?"
            self.db.execute(f"UPDATE url SET state = ?, reason = ? WHERE id IN ({ids})", (int(state), reason, host))
            count += self.db.execute(f"DELETE FROM {schema}.queue WHERE host = ?", (host,)).rowcount
        return count

    def by_reason(self, state: State, pattern: str) -> list[Row]:
        """URLs in a state whose reason matches a LIKE pattern. Looks through all URLs: for commands, not for crawls."""
        rows = self.db.execute(
            f"SELECT {_ROW} FROM url WHERE state = ? AND reason LIKE ? ORDER BY id", (int(state), pattern)
        )
        return [Row(*row) for row in rows]

    # ── visits ───────────────────────────────────────────────────────────────────────────────────

    def add_visit(self, id: int, visit: Visit) -> None:
        v = visit
        self.db.execute(
            "INSERT OR REPLACE INTO visit VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (id, v.at, v.status, v.mime, v.size, v.wanted, v.score, v.language, v.words, v.digest, v.record, v.seconds),
        )

    def visit(self, id: int) -> Visit | None:
        row = self.db.execute("SELECT * FROM visit WHERE id = ?", (id,)).fetchone()
        if row is None:
            return None
        _, at, status, mime, size, wanted, score, language, words, digest, record, seconds = row
        seen = None if wanted is None else bool(wanted)
        return Visit(at, status, mime, size, seen, score, language, words, digest, record, seconds)

    # ── hosts and sites ──────────────────────────────────────────────────────────────────────────

    def host_id(self, name: str) -> tuple[int, int] | None:
        """(host, site) of a host name; None when it is new."""
        row = self.db.execute("SELECT id, site FROM host WHERE name = ?", (name,)).fetchone()
        return (row[0], row[1]) if row else None

    def add_host(self, name: str, site: str, worker: int) -> tuple[int, int]:
        self.db.execute("INSERT OR IGNORE INTO site(name) VALUES (?)", (site,))
        site_id = self.db.execute("SELECT id FROM site WHERE name = ?", (site,)).fetchone()[0]
        added = self.db.execute("INSERT INTO host(name, site, worker) VALUES (?, ?, ?)", (name, site_id, worker))
        return int(added.lastrowid or 0), site_id

    def host(self, id: int) -> HostRow:
        return HostRow(*self.db.execute(f"SELECT {_HOST} FROM host WHERE id = ?", (id,)).fetchone())

    def hosts_after(self, worker: int, floor: Head, limit: int) -> list[HostRow]:
        """The hosts with work whose heads come after the floor, in order."""
        rows = self.db.execute(
            f"SELECT {_HOST} FROM host INDEXED BY turn WHERE worker = ? AND rank IS NOT NULL AND (rank, head) > (?, ?)"
            " ORDER BY rank, head LIMIT ?",
            (worker, floor.rank, floor.id, limit),
        )
        return [HostRow(*row) for row in rows]

    def set_head(self, host: int, head: Head | None) -> None:
        self.db.execute("UPDATE host SET rank = ?, head = ? WHERE id = ?", (*(head or (None, None)), host))

    def improve_heads(self, heads: Iterable[tuple[int, Head]]) -> None:
        """Write heads that are better than the ones stored."""
        self.db.executemany(
            "UPDATE host SET rank = ?1, head = ?2 WHERE id = ?3 AND (rank IS NULL OR (rank, head) > (?1, ?2))",
            [(head.rank, head.id, host) for host, head in heads],
        )

    def end_turn(self, host: int, until: float, rest: float, address: str, failures: int, note: str) -> None:
        self.db.execute(
            "UPDATE host SET until = ?, rest = ?, address = ?, failures = ?, note = ? WHERE id = ?",
            (until, rest, address, failures, note, host),
        )

    def took_page(self, host: int, site: int) -> None:
        self.db.execute("UPDATE host SET done = done + 1 WHERE id = ?", (host,))
        self.db.execute("UPDATE site SET done = done + 1 WHERE id = ?", (site,))

    def taken(self, host: int, site: int) -> tuple[int, int]:
        """Pages taken from a host and from its site."""
        row = self.db.execute(
            "SELECT (SELECT done FROM host WHERE id = ?), (SELECT done FROM site WHERE id = ?)", (host, site)
        ).fetchone()
        return row[0], row[1]

    def assign(self, workers: int, worker_of: dict[int, int]) -> None:
        """Give every host to the worker of its site."""
        self.db.executemany("UPDATE host SET worker = ? WHERE site = ?", [(w, site) for site, w in worker_of.items()])
        self.set_meta("workers", workers)

    def sites(self) -> list[tuple[int, str]]:
        return list(self.db.execute("SELECT id, name FROM site"))

    # ── between workers ──────────────────────────────────────────────────────────────────────────

    def post(self, letters: list[tuple[int, Offer]]) -> None:
        """Leave offers for the workers that own their hosts."""
        self.db.executemany(
            "INSERT INTO inbox(worker, url, priority, depth, source, note) VALUES (?, ?, ?, ?, ?, ?)",
            [(worker, o.url, o.priority, o.depth, o.source, o.note) for worker, o in letters],
        )

    def letters(self, worker: int, limit: int) -> tuple[int, list[Offer]]:
        """The oldest offers for a worker and the id of the last of them."""
        rows = self.db.execute(
            "SELECT id, url, priority, depth, source, note FROM inbox WHERE worker = ? ORDER BY id LIMIT ?",
            (worker, limit),
        ).fetchall()
        return (rows[-1][0] if rows else 0), [Offer(Url(r[1]), r[2], r[3], r[4], r[5]) for r in rows]

    def read_letters(self, worker: int, last: int) -> None:
        self.db.execute("DELETE FROM inbox WHERE worker = ? AND id <= ?", (worker, last))

    def readdress(self, worker_of: dict[str, int]) -> None:
        """Move unread offers to other workers."""
        self.db.executemany("UPDATE inbox SET worker = ? WHERE url = ?", [(w, url) for url, w in worker_of.items()])

    def unread(self) -> list[str]:
        return [row[0] for row in self.db.execute("SELECT DISTINCT url FROM inbox")]

    def claim_address(self, address: str, now: float, until: float) -> float:
        """Close an address that all workers share until then. 0 when it was free, else when it will be."""
        row = self.db.execute("SELECT until FROM address WHERE name = ?", (address,)).fetchone()
        if row is not None and row[0] > now:
            return float(row[0])
        self.close_address(address, until)
        return 0.0

    def close_address(self, address: str, until: float) -> None:
        self.db.execute("INSERT OR REPLACE INTO address VALUES (?, ?)", (address, until))

    def open_addresses(self) -> None:
        self.db.execute("DELETE FROM address")

    # ── traps ────────────────────────────────────────────────────────────────────────────────────

    def templates(self) -> dict[str, str]:
        return dict(self.db.execute("SELECT key, evidence FROM template"))

    def add_template(self, key: str, evidence: str) -> None:
        self.db.execute("INSERT OR REPLACE INTO template VALUES (?, ?)", (key, evidence))

    def remove_template(self, key: str) -> None:
        self.db.execute("DELETE FROM template WHERE key = ?", (key,))

    # ── merging ──────────────────────────────────────────────────────────────────────────────────

    def merge(self, worker: int, last: int) -> None:
        """Bring the young entries into the file; all URLs of this worker up to `last` are indexed then."""
        self.db.execute("INSERT OR IGNORE INTO main.seen SELECT * FROM young.seen ORDER BY host, hash")
        self.db.execute(
            "INSERT OR IGNORE INTO main.queue SELECT host, rank, id FROM young.queue ORDER BY host, rank, id"
        )
        self.db.execute("DELETE FROM young.seen")
        self.db.execute("DELETE FROM young.queue")
        self.set_meta(f"merged {worker}", last)

    def recover(self, workers: int) -> None:
        """Complete the indexes from the URLs that were added after the last merges; all workers start from there."""
        last = self._last_merged()
        self.db.execute(
            "INSERT OR IGNORE INTO main.seen SELECT host, hash, id FROM url WHERE id > ? ORDER BY host, hash", (last,)
        )
        self.db.execute(
            "INSERT OR IGNORE INTO main.queue SELECT host, -priority, id FROM url WHERE id > ? AND state = 0"
            " ORDER BY host, -priority, id",
            (last,),
        )
        self.db.execute("DELETE FROM meta WHERE key LIKE 'merged %'")
        for worker in range(workers):
            self.set_meta(f"merged {worker}", self.last_id())

    def _last_merged(self) -> int:
        """All URLs up to this one are indexed in the file."""
        merged = [int(row[0]) for row in self.db.execute("SELECT value FROM meta WHERE key LIKE 'merged %'")]
        return min(merged, default=0)

    def close(self) -> None:
        self.db.close()
