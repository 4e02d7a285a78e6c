"""Hosts, URLs and revisits in PostgreSQL: the statements that cannot be the same as SQLite's.

What waits is found by a partial index of the URLs themselves, so there is no second structure to keep: a URL is in the
queue of its host when its row says that it waits.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from operator import itemgetter

from psycopg.types.json import Jsonb

from phasa.errors import CollectionError
from phasa.frontier.index import Head, NewUrl, RankChange, url_keys
from phasa.frontier.postgres.database import PostgresDatabase
from phasa.frontier.postgres.members import Shards
from phasa.frontier.protocol import State
from phasa.frontier.revisits import RevisitTable
from phasa.frontier.row import ROW, Row, RowCache
from phasa.frontier.tables import HOST, HostRow, HostTable, Turn, UrlTable

_TYPES = ["int8", "int8", "int8", "int2", "float8", "int4", "jsonb", "text", "bytea", "text"]
_INCOMING = "id, host, key, state, priority, depth, source, url, note, reason"


class PostgresIndex:
    """Which URLs are known, and what waits at each host: PostgreSQL's own indexes of `url`."""

    def __init__(self, db: PostgresDatabase, shards: Shards) -> None:
        self._db = db
        self._shards = shards

    def keys(self, hosts: Iterable[int], urls: Iterable[str]) -> list[int]:
        return url_keys(hosts, urls)

    def find(self, key: int) -> int | None:
        row = self._db.execute("SELECT id FROM url WHERE key = ?", (key,)).fetchone()
        return row[0] if row is not None else None

    def find_many(self, keys: list[int]) -> dict[int, int]:
        return dict(self._db.execute("SELECT key, id FROM url WHERE key = ANY(?::bigint[])", (keys,))) if keys else {}

    def best(self, host: int) -> Head | None:
        return next(iter(self.waiting(host, 1)), None)

    def waiting(self, host: int, limit: int) -> list[Head]:
        rows = self._db.execute(
            "SELECT -priority, id FROM url WHERE host = ? AND state = 0 ORDER BY priority DESC, id LIMIT ?",
            (host, limit),
        )
        return [Head(*row) for row in rows]

    def take_queue(self, host: int) -> list[int]:
        return [row[0] for row in self._db.execute("SELECT id FROM url WHERE host = ? AND state = 0", (host,))]

    def keep_worst(self) -> None:
        self._db.execute("CREATE INDEX IF NOT EXISTS worst ON url(priority, id DESC) WHERE state = 0")

    def worst(self) -> int | None:
        row = self._db.execute(
            "SELECT u.id FROM url u JOIN host h ON h.id = u.host WHERE u.state = 0 AND h.shard = ANY(?)"
            " ORDER BY u.priority, u.id DESC LIMIT 1",
            (self._shards.numbers(),),
        ).fetchone()
        return row[0] if row is not None else None

    # The rows of `url` are the index.

    def add(self, first: int, rows: Sequence[NewUrl]) -> None: ...
    def enqueue(self, host: int, rank: float, id: int) -> None: ...
    def dequeue(self, host: int, rank: float, id: int) -> None: ...
    def change_ranks(self, changes: Sequence[RankChange]) -> None: ...
    def merge(self) -> None: ...

    @property
    def merge_due(self) -> bool:
        return False


class PostgresHosts(HostTable):
    """The hosts of a frontier. Heads are written at once: a batch of them is one statement."""

    OWNER = "shard"

    def __init__(self, db: PostgresDatabase, shards: Shards) -> None:
        super().__init__(db, shards.owner)
        self._server = db
        self._shards = shards

    # Times at rest are those of the database, whatever the clock of the machine that wrote them says.

    def row(self, id: int) -> HostRow:
        row = super().row(id)
        return row._replace(until=row.until - self._server.skew) if self._server.skew else row

    def end_turns(self, turns: Sequence[Turn]) -> None:
        super().end_turns([(turn[0] + self._server.skew, *turn[1:]) for turn in turns])

    def rest_other(self, name: str, until: float, rest: float) -> None:
        super().rest_other(name, until + self._server.skew, rest)

    def _ids(self, names: list[str]) -> list[tuple[str, int]]:
        return self._db.execute("SELECT name, id FROM host WHERE name = ANY(?)", (names,)).fetchall()

    def after(self, worker: int, floor: Head, limit: int) -> list[HostRow]:
        ours, values = ("", ()) if self._shards.alone else ("AND shard = ANY(?4)", (self._shards.numbers(),))
        rows = self._db.execute(
            f"SELECT {HOST} FROM host WHERE rank IS NOT NULL AND (rank, head) > (?1::float8, ?2::bigint) {ours}"
            " ORDER BY rank, head LIMIT ?3",
            (floor.rank, floor.id, limit, *values),
        )
        found = [HostRow(*row) for row in rows]
        skew = self._server.skew
        return [row._replace(until=row.until - skew) for row in found] if skew else found

    def set_head(self, host: int, head: Head | None) -> None:
        self._write_head(host, head)  # whatever was written before: others may have had the host meanwhile

    def improve_heads_later(self, heads: Iterable[tuple[int, Head]]) -> None:
        self.improve_heads(heads)

    def improve_heads(self, heads: Iterable[tuple[int, Head]]) -> None:
        if changes := sorted(heads):
            self._db.execute(
                "UPDATE host SET rank = n.rank, head = n.head FROM unnest(?::bigint[], ?::float8[], ?::bigint[])"
                " AS n(id, rank, head)"
                " WHERE host.id = n.id AND (host.rank IS NULL OR (host.rank, host.head) > (n.rank, n.head))",
                ([id for id, _ in changes], [head.rank for _, head in changes], [head.id for _, head in changes]),
            )


class PostgresUrls(UrlTable):
    """The URLs of a frontier. New ones come by COPY into a table of this connection, then by one INSERT."""

    def __init__(self, db: PostgresDatabase, hosts: PostgresHosts, index: PostgresIndex) -> None:
        super().__init__(db, hosts, index)
        self._server = db
        self._cache = RowCache(0)  # sites come and go, and others write them meanwhile

    def next_ids(self, n: int) -> int:
        return int(self._db.execute("SELECT next_ids(?)", (max(n, 1),)).fetchone()[0])

    def _rows(self, ids: list[int]) -> Iterable[Iterable[object]]:
        return self._db.execute(f"SELECT {ROW} FROM url WHERE id = ANY(?::bigint[])", (ids,))

    def add(self, first: int, rows: list[NewUrl], *, simple: bool = False) -> None:
        if not rows:
            return
        self._server.copy(
            f"COPY incoming({_INCOMING}) FROM STDIN (FORMAT BINARY)",
            _TYPES,
            (
                (id, row[0], row[1], row[2], float(row[3]), row[4], None if row[5] is None else Jsonb(row[5]), *row[6:])
                for id, row in enumerate(rows, first)
            ),
        )
        added = self._db.execute(
            f"INSERT INTO url({_INCOMING}, attempts) SELECT {_INCOMING}, 0 FROM incoming ON CONFLICT DO NOTHING"
        ).rowcount
        self._db.execute("TRUNCATE incoming" if len(rows) > 10_000 else "DELETE FROM incoming")
        if added != len(rows):
            raise CollectionError(
                f"{self._server.address.shown}: {len(rows) - added} URLs were taken in by somebody else meanwhile; two"
                " processes own one site, which must not be: stop all workers and start them again"
            )

    def change(self, changes: Iterable[tuple[Row, float, bytes | None]]) -> None:
        rows = [(row.id, float(priority), note) for row, priority, note in changes]
        if rows:
            self._db.execute(
                "UPDATE url SET priority = n.priority, note = n.note"
                " FROM unnest(?::bigint[], ?::float8[], ?::bytea[]) AS n(id, priority, note) WHERE url.id = n.id",
                tuple(list(map(itemgetter(place), rows)) for place in range(3)),
            )

    def change_priorities(self, changes: Sequence[RankChange]) -> None:
        if changes:
            self._db.execute(
                "UPDATE url SET priority = n.priority"
                " FROM unnest(?::bigint[], ?::float8[]) AS n(id, priority) WHERE url.id = n.id",
                ([id for id, *_ in changes], [float(-rank) for *_, rank in changes]),
            )

    def drop_queue(self, host: int, reason: str) -> int:
        # Counted by the server: within `together` the number of rows is not known before somebody asks.
        (dropped,) = self._db.execute(
            "WITH gone AS (UPDATE url SET state = ?, reason = ? WHERE host = ? AND state = 0 RETURNING 1)"
            " SELECT count(*) FROM gone",
            (int(State.DROPPED), reason, host),
        ).fetchone()
        return int(dropped)

    def merge(self) -> None:
        """Nothing is behind."""


class PostgresRevisits(RevisitTable):
    OURS = "h.shard = ANY(?)"

    def _size(self) -> int:
        return int(self._db.execute("SELECT count(*) FROM revisit").fetchone()[0])
