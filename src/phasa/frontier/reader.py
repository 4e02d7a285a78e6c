"""Reads frontier.db from outside the crawling process: every question that a command or a page asks about it.

Nothing here writes, and a crawl may be writing meanwhile. A collection that was never crawled, or whose frontier is
being made this moment, answers as a frontier in which there is nothing.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from phasa.errors import CollectionError
from phasa.frontier.database import FORMAT, damaged
from phasa.frontier.index import ids_of_host, ids_of_key, next_key, url_keys
from phasa.frontier.origins import queue_of
from phasa.frontier.protocol import NEAR_DUPLICATE, OUT_OF_SCOPE, Ending, Lease, Seen, State, Stats, Story, Visit
from phasa.frontier.revisits import SCORE, SEEN, CapturedVisit, Captures, WatchedPage
from phasa.frontier.row import ROW, Row
from phasa.frontier.storage import NOTE, as_number
from phasa.seals import broken
from phasa.web.url import Url

NO_RULES = "robots.txt"
"""How the note of a host begins whose rules cannot be had (web.robots.RobotsCache)."""

# A reason is stored as "cause: details"; this is the only place that takes it apart.
_CAUSE = "CASE WHEN instr(reason, ':') > 0 THEN substr(reason, 1, instr(reason, ':') - 1) ELSE reason END"
SEEN_URL = "SELECT u.url, u.state, v.wanted FROM url u LEFT JOIN visit v ON v.id = u.id"
_VISIT = "at, status, mime, size, wanted, score, language, words, digest, record, seconds, coalesce(charset, '')"
_VISIT_COLUMNS = [f"v.{name}" for name in _VISIT.split(", ")[:11]] + ["coalesce(v.charset, '')"]
_MOST_TRAPS = 1000

_REPORTS: dict[str, tuple[tuple[str, ...], str]] = {
    "hosts": (
        ("host", "pages", "wanted", "bytes", "failures", "address"),
        # Both origins of a host are one host here; failures are those of the worse one.
        "SELECT name, sum(done), sum(wanted), sum(bytes), max(failures), max(address) FROM ("
        "SELECT CASE WHEN h.name LIKE 'https://%' THEN substr(h.name, 9) ELSE h.name END AS name, h.done AS done,"
        " sum(coalesce(v.wanted, 0)) AS wanted, sum(coalesce(v.size, 0)) AS bytes, h.failures AS failures,"
        " h.address AS address FROM visit v JOIN url u ON u.id = v.id JOIN host h ON h.id = u.host GROUP BY h.id)"
        " AS origins GROUP BY name ORDER BY sum(done) DESC, name",
    ),
    "status": (
        ("status", "urls", "bytes"),
        "SELECT status, count(*), sum(size) FROM visit GROUP BY status ORDER BY count(*) DESC",
    ),
    "mime": (
        ("media type", "urls", "bytes"),
        "SELECT mime, count(*), sum(size) FROM visit GROUP BY mime ORDER BY count(*) DESC",
    ),
    "languages": (
        ("language", "pages", "wanted", "words"),
        "SELECT language, count(*), sum(wanted), sum(words) FROM visit WHERE wanted IS NOT NULL"
        " GROUP BY language ORDER BY count(*) DESC",
    ),
    "duplicates": (
        ("page", "near duplicates"),
        f"SELECT substr(reason, {len(NEAR_DUPLICATE) + 1}) AS page, count(*) FROM url WHERE state = 1"
        f" AND substr(reason, 1, {len(NEAR_DUPLICATE)}) = '{NEAR_DUPLICATE}'"
        " GROUP BY page ORDER BY count(*) DESC, page",
    ),
    "seeds": (
        ("seed", "state", "reason", "status"),
        "SELECT u.url, CASE u.state WHEN 0 THEN 'waiting' WHEN 1 THEN 'done' WHEN 2 THEN 'dropped'"
        " ELSE 'quarantined' END, coalesce(u.reason, ''), v.status"
        " FROM url u LEFT JOIN visit v ON v.id = u.id"
        " WHERE u.source IS NULL AND u.depth = 0 ORDER BY u.id",
    ),
    "dropped": (
        ("reason", "urls"),
        f"SELECT {_CAUSE} AS cause, count(*) FROM url WHERE state IN (2, 3) GROUP BY cause ORDER BY count(*) DESC",
    ),
}
REPORTS = tuple(_REPORTS)
"""The names of the reports."""


class Report(NamedTuple):
    """A table with the names of its columns."""

    name: str
    columns: tuple[str, ...]
    rows: list[tuple[object, ...]]


class VisitedUrl(NamedTuple):
    """A URL that was fetched, with what came of its last fetch; `wanted` is None when it gave no page to judge."""

    id: int
    url: Url
    depth: int
    at: float
    size: int
    wanted: bool | None
    language: str
    score: float


class Discoveries(NamedTuple):
    """URLs in the order of their discovery: how many at each distance from the seeds, and the number of the last.

    Those that the scope refused are left out: no crawl could have fetched them.
    """

    by_depth: dict[int, int]
    last: int


class Unruled(NamedTuple):
    """An origin whose robots.txt cannot be had: nothing may be fetched there before it can (RFC 9309 §2.3.1.4)."""

    origin: str
    reason: str
    until: float
    """When it is asked again."""
    urls: int
    """That wait for it."""


class SeenUrl(NamedTuple):
    """A URL of the collection: where it stands, and what the judge said when its page came."""

    url: str
    state: State
    wanted: bool | None


class FrontierReader:
    """One connection for reading, to be used in one thread. Raises CollectionError when the file cannot be read."""

    # Where the words of databases differ: one of a list of numbers, the page a URL was found on, its address.
    AMONG = "IN (SELECT value FROM json_each(?))"
    FROM_PAGE = "s.id = u.source AND typeof(u.source) = 'integer'"
    SOURCE = "u.source"

    def __init__(self, path: Path) -> None:
        self._path = path
        self._db: sqlite3.Connection | None = None
        if problem := broken(path):
            raise damaged(path, problem)
        if not path.exists():
            return
        try:
            self._db = _open(path)
            if self._db.execute("SELECT 1 FROM sqlite_master WHERE name = 'tally'").fetchone() is None:
                self.close()
        except sqlite3.DatabaseError as error:
            self.close()
            raise damaged(path, error) from None

    def close(self) -> None:
        if self._db is not None:
            self._db.close()
            self._db = None

    def __enter__(self) -> FrontierReader:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def begun(self) -> bool:
        """Whether there is a frontier: the collection was crawled, or is being crawled for the first time."""
        return self._db is not None

    # ── the whole collection ─────────────────────────────────────────────────────────────────────

    def totals(self) -> Stats:
        """The counts of the collection. URLs that are being fetched now still count as waiting; ready and resting
        hosts are known to the running crawl only."""
        return Stats.of(dict(self._ask("SELECT name, sum(n) FROM tally GROUP BY name")))

    def report(self, name: str, limit: int = -1) -> Report:
        """One of the REPORTS with at most so many rows; -1 gives all. Raises KeyError for another name."""
        columns, query = _REPORTS[name]
        rows = self._ask(f"{query} LIMIT ?", self._limit(limit))
        return Report(name, columns, [tuple("" if cell is None else cell for cell in row) for row in rows])

    def unruled(self) -> list[Unruled]:
        """The origins that have work and whose robots.txt cannot be had, those with most work first."""
        hosts = {
            id: (name if "://" in name else f"http://{name}", note, until)
            for id, name, note, until in self._ask(
                "SELECT id, name, note, until FROM host WHERE rank IS NOT NULL AND substr(note, 1, ?) = ?",
                *(len(NO_RULES), NO_RULES),
            )
        }
        if not hosts:
            return []
        # Looks through all URLs, which is why it is asked only where there is such a host.
        counts = self._ask(
            f"SELECT host, count(*) FROM url WHERE state = 0 AND host {self.AMONG} GROUP BY host",
            self._list(list(hosts)),
        )
        return sorted((Unruled(*hosts[id], urls) for id, urls in counts), key=lambda one: (-one.urls, one.origin))

    def scope(self) -> str | None:
        """The scope that decided what was dropped, as it was written down; None when it was not."""
        row = next(self._ask("SELECT value FROM meta WHERE key = 'scope'"), None)
        return str(row[0]) if row is not None else None

    def out_of_scope(self) -> Iterator[tuple[Url, int]]:
        """Every URL that the scope refused, with its links from a seed. Looks through all URLs."""
        yield from self._stream(
            "SELECT url, depth FROM url WHERE state = ? AND substr(reason, 1, ?) = ?",
            *(int(State.DROPPED), len(OUT_OF_SCOPE), OUT_OF_SCOPE),
        )

    def quarantined(self) -> list[tuple[str, str]]:
        """(template, evidence) of every URL template in quarantine, then single URLs that looked like traps."""
        rows = list(self._ask("SELECT key, evidence FROM template ORDER BY key"))
        rows += self._ask("SELECT url, reason FROM url WHERE state = 3 ORDER BY id LIMIT ?", _MOST_TRAPS)
        return [(str(what), str(why)) for what, why in rows]

    # ── reading on ───────────────────────────────────────────────────────────────────────────────

    def visits_after(self, id: int, most: int) -> list[VisitedUrl]:
        """The next URLs that were fetched, by their number."""
        rows = self._ask(
            "SELECT v.id, u.url, u.depth, v.at, v.size, v.wanted, v.language, v.score"
            " FROM visit v JOIN url u ON u.id = v.id WHERE v.id > ? ORDER BY v.id LIMIT ?",
            *(id, most),
        )
        return [
            VisitedUrl(id, url, depth, at, size or 0, None if wanted is None else bool(wanted), language or "", score)
            for id, url, depth, at, size, wanted, language, score in rows
        ]

    def ended(self) -> Iterator[tuple[Lease, Ending]]:
        """Every URL that was tried, in the order of its last visit, as the last lease of it ended. When a URL was
        refused without a visit is not known: it comes last, with the time of the last visit."""
        last = next(self._ask("SELECT coalesce(max(at), 0) FROM visit"), (0.0,))[0]
        rows = self._stream(
            f"SELECT u.id, u.url, u.priority, u.depth, coalesce(s.url, {self.SOURCE}, ''), u.attempts, u.state,"
            f" u.reason, v.id, {', '.join(_VISIT_COLUMNS)} FROM url u LEFT JOIN visit v ON v.id = u.id"
            f" LEFT JOIN url s ON {self.FROM_PAGE}"
            " WHERE v.id IS NOT NULL OR (u.state = ? AND u.attempts > 0) ORDER BY v.at IS NULL, v.at, u.id",
            int(State.DROPPED),
        )
        for id, url, priority, depth, source, attempts, state, reason, visited, *values in rows:
            at, status, mime, size, wanted, *rest = values
            seen = None if wanted is None else bool(wanted)
            visit = Visit(at, status, mime, size, seen, *rest) if visited is not None else None
            lease = Lease(id, Url(url), "", priority, depth, str(source), b"", attempts, 0.0)
            yield lease, Ending(State(state), reason or "", at if visit is not None else last, visit=visit)

    def discoveries_after(self, id: int, most: int) -> Discoveries:
        """The next URLs that became known; `last` is `id` when there are none."""
        rows = list(
            self._ask(
                f"SELECT depth, sum(CASE WHEN state = ? AND coalesce({_CAUSE}, '') = ? THEN 0 ELSE 1 END), max(id)"
                " FROM (SELECT id, depth, state, reason FROM url WHERE id > ? ORDER BY id LIMIT ?) AS next"
                " GROUP BY depth",
                *(int(State.DROPPED), OUT_OF_SCOPE, id, most),
            )
        )
        return Discoveries({depth: known for depth, known, _ in rows}, max((row[2] for row in rows), default=id))

    def seen_urls(self) -> Iterator[SeenUrl]:
        """Every URL of the collection."""
        yield from self._seen(SEEN_URL)

    def some_waiting(self, share: float, chance: int) -> list[str]:
        """About such a share of the URLs that wait and were never fetched, as `chance` (32 bits) has it. Looks through
        all URLs, in the database."""
        rows = self._stream(
            "SELECT u.url FROM url u LEFT JOIN visit v ON v.id = u.id WHERE u.state = 0 AND v.id IS NULL"
            " AND (u.id % 2147483648 * 2654435761 + ?) % 4294967296 < ?",
            *(chance, round(share * (1 << 32))),
        )
        return [str(url) for (url,) in rows]

    def seen_urls_under(self, prefix: str) -> Iterator[SeenUrl]:
        """The URLs of one host that begin with a prefix that ends its host (`http://a.example/…`), and all of its URLs
        with a user name in them, since those cannot begin with it."""
        host = next(self._ask("SELECT id FROM host WHERE name = ?", queue_of(prefix)), None)
        if host is None:
            return
        # By the index of the host; what a running crawl has not merged into it yet stands at the end of the table.
        merged, number = self._merged(), int(host[0])
        known = self._indexed(ids_of_host, number)
        here = "AND (substr(u.url, 1, length(?1)) = ?1 OR instr(u.url, '@'))"
        for first in range(0, len(known), 1_000):  # who needs a few of a large host reads no more
            some = msgspec.json.encode(known[first : first + 1_000]).decode()
            ids = "u.id IN (SELECT value FROM json_each(?2)) AND u.id <= ?3"
            yield from self._seen(f"{SEEN_URL} WHERE {ids} {here}", prefix, some, merged)
        yield from self._seen(f"{SEEN_URL} WHERE u.id > ?2 AND u.host = ?3 {here}", prefix, merged, number)

    # ── one URL ──────────────────────────────────────────────────────────────────────────────────

    def story(self, url: Url) -> Story | None:
        """Everything known of a URL; None when it was never offered."""
        row = self._find(url)
        if row is None:
            return None
        name, note, until = next(self._ask("SELECT name, note, until FROM host WHERE id = ?", row.host))
        return Story(
            *(row.url, State(row.state), row.reason or "", name, row.priority, row.depth, self._source(row)),
            *(row.note or b"", row.attempts, self._visit(row.id), note, until),
        )

    def way_back(self, url: Url, most: int) -> list[str]:
        """The pages that led to a URL, the nearest first, as far as they are known, and at most so many."""
        sources: list[str] = []
        row = self._find(url)
        while row is not None and (source := self._source(row)) and source not in sources and len(sources) < most:
            sources.append(source)
            row = self._row(row.source) if isinstance(row.source, int) else self._find(Url(source))
        return sources

    def _find(self, url: Url) -> Row | None:
        host = next(self._ask("SELECT id FROM host WHERE name = ?", queue_of(url)), None)
        if host is None:
            return None
        (key,) = url_keys([int(host[0])], [url])
        # Another URL with the same key stands before this one; it has the next key that was free.
        while (id := self._id(key)) is not None:
            row = self._row(id)
            if row is not None and row.url == url:
                return row
            key = next_key(key)
        return None

    def _id(self, key: int) -> int | None:
        if merged := self._indexed(ids_of_key, key):
            return merged[0]
        # What a running crawl has not merged yet: some hundred thousand rows to look through.
        row = next(self._ask("SELECT id FROM url WHERE id > ? AND key = ?", self._merged(), key), None)
        return int(row[0]) if row else None

    def _row(self, id: int) -> Row | None:
        row = next(self._ask(f"SELECT {ROW} FROM url WHERE id = ?", id), None)
        return Row(*row) if row else None

    def _source(self, row: Row) -> str:
        """The address of the page that a URL was found on; '' for a seed."""
        if not isinstance(row.source, int):
            return row.source or ""
        parent = self._row(row.source)
        return parent.url if parent is not None else ""

    def _visit(self, id: int) -> Visit | None:
        row = next(self._ask(f"SELECT {_VISIT} FROM visit WHERE id = ?", id), None)
        if row is None:
            return None
        at, status, mime, size, wanted, *rest = row
        return Visit(at, status, mime, size, None if wanted is None else bool(wanted), *rest)

    # ── visits over time ─────────────────────────────────────────────────────────────────────────

    def captures(self, url: Url, most: int) -> Captures | None:
        """The last visits of a page that is visited again, in order; None for one that is not."""
        row = self._find(url)
        if row is None or not self._has("revisit"):
            return None
        known = next(self._ask(f"SELECT due, {SEEN} FROM revisit WHERE id = ?", row.id), None)
        if known is None:
            return None
        found = self._ask(
            "SELECT at, coalesce(status, 0), change, coalesce(record, '') FROM capture WHERE id = ? ORDER BY at DESC"
            " LIMIT ?",
            row.id,
            most,
        )
        return Captures(known[0], Seen(*known[1:]), [CapturedVisit(*one) for one in found][::-1])

    def watched(self) -> Iterator[WatchedPage]:
        """Every page that is or was to be visited again."""
        if self._has("revisit"):
            asked = (
                "SELECT u.url, coalesce(r.due, CASE WHEN u.state = 0 THEN r.at END), r.at, r.visits, r.changes,"
                f" r.seconds, {SCORE} FROM revisit r JOIN url u ON u.id = r.id LEFT JOIN visit v ON v.id = r.id"
                " ORDER BY r.id"
            )
            yield from map(WatchedPage._make, self._stream(asked))

    def note(self, name: str) -> float | None:
        """A number that a crawl has kept."""
        return as_number(next(self._ask("SELECT value FROM meta WHERE key = ?", NOTE + name), (None,))[0])

    def visits_since(self, moment: float) -> int:
        """Visits of such pages from then on."""
        if not self._has("capture"):
            return 0
        asked = "SELECT count(*) FROM capture WHERE at >= ? AND change IS NOT NULL"
        return int(next(self._ask(asked, moment))[0])

    def _has(self, table: str) -> bool:
        """Whether the file has a table: one of an older phasa may not."""
        return next(self._ask("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?", table), None) is not None

    # ── small things ─────────────────────────────────────────────────────────────────────────────

    def _indexed(self, find: Callable[[sqlite3.Connection, int], list[int]], number: int) -> list[int]:
        """What the index of the file says; what a running crawl has not merged into it yet is missing."""
        if self._db is None:
            return []
        format = next(self._ask("SELECT value FROM meta WHERE key = 'format'"), (None,))[0]
        if format != FORMAT:
            raise CollectionError(
                f"{self._path}: frontier of format {format}, this phasa reads {FORMAT}; `phasa crawl` brings an older "
                "one up to date"
            )
        try:
            return find(self._db, number)
        except sqlite3.DatabaseError as problem:
            raise self._unreadable(problem) from None

    def _merged(self) -> int:
        """All URLs up to this number are in the index."""
        return next(self._ask("SELECT min(value) FROM meta WHERE key LIKE 'merged %'"), (0,))[0] or 0

    def _seen(self, query: str, *values: object) -> Iterator[SeenUrl]:
        for url, state, wanted in self._stream(query, *values):
            yield SeenUrl(url, State(state), None if wanted is None else bool(wanted))

    def _ask(self, query: str, *values: object) -> Iterator[tuple[Any, ...]]:
        if self._db is None:
            return
        try:
            yield from self._db.execute(query, values)
        except sqlite3.DatabaseError as problem:
            raise self._unreadable(problem) from None

    def _stream(self, query: str, *values: object) -> Iterator[tuple[Any, ...]]:
        """An answer as long as the collection is large, a little at a time."""
        return self._ask(query, *values)

    def _list(self, numbers: list[int]) -> object:
        return msgspec.json.encode(numbers).decode()

    def _limit(self, rows: int) -> int | None:
        return rows

    def _unreadable(self, problem: Exception) -> CollectionError:
        return damaged(self._path, problem)


def _open(path: Path) -> sqlite3.Connection:
    """A connection for reading. A frontier at rest in a folder that cannot be written to (an archive that was put away)
    is read as it is: the library wants to make files beside it otherwise."""
    address = path.resolve().as_uri()
    db = sqlite3.connect(f"{address}?mode=ro", uri=True, timeout=30.0)
    try:
        db.execute("SELECT 1 FROM sqlite_master").fetchone()
        return db
    except sqlite3.OperationalError:
        db.close()
        wal = path.with_name(f"{path.name}-wal")
        if os.access(path.parent, os.W_OK) or (wal.exists() and wal.stat().st_size):
            raise
        return sqlite3.connect(f"{address}?mode=ro&immutable=1", uri=True)
