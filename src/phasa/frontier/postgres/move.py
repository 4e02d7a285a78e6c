"""A frontier from frontier.db to a PostgreSQL server, and back: all rows in one transaction, counted on both sides.

Both have the same rows. On a server a host belongs to a shard in place of a worker, and what waits is found by the
server's own indexes; a file gets its index when it is opened for the first time.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
from psycopg.types.json import Jsonb

from phasa.errors import CollectionError
from phasa.frontier.database import Database
from phasa.frontier.postgres.address import parse_address
from phasa.frontier.postgres.database import PostgresDatabase
from phasa.frontier.postgres.members import Members, Shards, shard_of
from phasa.frontier.sqlite import SqliteFrontier
from phasa.frontier.storage import NOTE
from phasa.web.url import Url, registered_domain

MARK = "moved from"

Show = Callable[[float, float | None], None]


class Table(NamedTuple):
    """A table that both have: its columns in the file, and the types of the server."""

    name: str
    columns: str
    types: str

    def named(self) -> list[str]:
        return self.columns.split()


_V = "at status mime size wanted score language words digest record seconds charset"
TABLES = (
    Table("site", "id name done", "int8 text int8"),
    Table("host", "id name site worker rank head until rest address failures done note",
          "int8 text int8 int2 float8 int8 float8 float8 text int4 int8 text"),
    Table("url", "id host key state priority depth attempts source url note reason",
          "int8 int8 int8 int2 float8 int4 int4 jsonb text bytea text"),
    Table("visit", f"id {_V}", "int8 float8 int4 text int8 int2 float8 text int8 int8 text float8 text"),
    Table("template", "key evidence", "text text"),
    Table("inbox", "worker url priority depth source note", "int2 text float8 int4 text bytea"),
    Table("progress", "worker logged lines record", "int4 int8 text text"),
    Table("revisit", "id due since at visits changes seconds same gone digest sketch etag modified",
          "int8 float8 float8 float8 int4 float8 float8 int4 int4 int8 int8 text text"),
    Table("capture", "id at status change record", "int8 float8 int4 float8 text"),
    Table("answered", "url record", "text text"),
)  # fmt: skip
_META = f"key IN ('scope', 'began', 'ended') OR key LIKE '{NOTE}%'"
"""The small values that go along: those of the crawl, and its notes (`Frontier.keep_note`)."""


def move_to_server(file: Path, address: str, place: str, show: Show = lambda done, of: None) -> int:
    """Copy a frontier onto a server that has none yet; how many URLs. Nothing is on the server when it fails; what an
    interrupted move from the same `place` left there whole is taken as it is. The caller holds the collection's lock.
    """
    SqliteFrontier(file).close()  # what a kill left behind is put right first
    source = Database(file).connection
    db = PostgresDatabase(address)
    try:
        urls = _count(source, "url")
        if db.meta(MARK) == place and not _different(source, db):
            return urls
        if db.execute("SELECT 1 FROM url LIMIT 1").fetchone() is not None:
            raise CollectionError(
                f"{db.address.shown}: there is a frontier already; name another schema (?schema=…), or drop this one"
            )
        Members(db, Shards(0, 1, alone=True), place, 30.0).join()
        db.lifetime = 3600.0  # one long transaction: nobody may take the process for lost meanwhile
        db.begin()
        db.execute("SET LOCAL idle_in_transaction_session_timeout = 0")
        moved = 0
        for table in TABLES:
            columns = ", ".join(_served(name, table) for name in table.named())
            rows = source.execute(f"SELECT {', '.join(table.named())} FROM {table.name}")
            db.copy(
                f"COPY {table.name}({columns}) FROM STDIN (FORMAT BINARY)",
                table.types.split(),
                _shown((_to_server(table, row) for row in rows), moved, show),
            )
            moved += _count(source, table.name)
        _finish_server(source, db)
        db.set_meta(MARK, place)
        if different := _different(source, db):
            raise CollectionError(f"{db.address.shown}: {different}; nothing was moved")
        db.execute("UPDATE worker SET ended = true")
        db.execute("UPDATE shard SET owner = NULL, free_at = 0")
        db.commit()
        db.execute("ANALYZE")
        return urls
    except BaseException:
        db.rollback()
        raise
    finally:
        source.close()
        db.close()


def move_to_file(address: str, file: Path, place: str, show: Show = lambda done, of: None) -> int:
    """Copy a frontier of a server into a file that is not there yet; how many URLs. There is no file when it fails. The
    caller holds the collection's lock; raises CollectionError when workers are at it."""
    if file.exists():
        raise CollectionError(f"{file}: there is a frontier already; move it away first")
    fresh = file.with_name(f"{file.name}.moving")
    for left in fresh.parent.glob(f"{fresh.name}*"):
        left.unlink()
    db = PostgresDatabase(address)
    try:
        Members(db, Shards(0, 1, alone=True), place, 3600.0).join()  # refuses while others are at work
        made = Database(fresh)
        target, moved = made.connection, 0
        made.begin()
        for table in TABLES:
            columns = ", ".join(_served(name, table) for name in table.named())
            marks = ", ".join("?" * len(table.named()))
            rows = _shown((_to_file(table, row) for row in _pages(db, table, columns)), moved, show)
            target.executemany(f"INSERT INTO {table.name}({', '.join(table.named())}) VALUES ({marks})", rows)
            moved += _count(target, table.name)
        target.executemany("INSERT INTO tally VALUES (?, ?)", db.tallies().items())
        for key, value in db.execute(f"SELECT key, value FROM meta WHERE {_META}").fetchall():
            made.set_meta(key, value)
        if different := _different(target, db):
            raise CollectionError(f"{fresh}: {different}; nothing was moved")
        made.commit()
        made.close()
        SqliteFrontier(fresh).close()  # the index of the file
        urls = int(db.execute("SELECT count(*) FROM url").fetchone()[0])
        db.execute("UPDATE worker SET ended = true WHERE epoch = ?", (db.epoch,))
        fresh.replace(file)
        return urls
    except sqlite3.Error as problem:
        raise CollectionError(f"{fresh}: {problem}; nothing was moved") from None
    finally:
        db.close()


def drop_moved(address: str) -> None:
    """Take away what was moved from a server into a file."""
    db = PostgresDatabase(address)
    try:
        db.execute(f'DROP SCHEMA "{parse_address(address).schema}" CASCADE')
    finally:
        db.close()


def _served(column: str, table: Table) -> str:
    return "shard" if column == "worker" and table.name in ("host", "inbox") else column


def _to_server(table: Table, row: tuple[Any, ...]) -> tuple[Any, ...]:
    if table.name == "url":
        return (*row[:7], None if row[7] is None else Jsonb(row[7]), *row[8:])
    if table.name == "host":
        return (*row[:3], shard_of(registered_domain(Url(_url_of(row[1])))), *row[4:])
    if table.name == "inbox":
        return (shard_of(registered_domain(Url(row[1]))), *row[1:])
    return row


def _to_file(table: Table, row: tuple[Any, ...]) -> tuple[Any, ...]:
    if table.name == "host":
        return (*row[:3], 0, *row[4:])
    return (0, *row[1:]) if table.name == "inbox" else row


def _url_of(host: str) -> str:
    return f"{host}/" if "://" in host else f"http://{host}/"


def _pages(db: PostgresDatabase, table: Table, columns: str) -> Iterator[tuple[Any, ...]]:
    """The rows of a table of the server, some at a time, in the order of its first column."""
    db.execute("BEGIN")
    db.execute(f"DECLARE rows CURSOR FOR SELECT {columns} FROM {table.name} ORDER BY 1, 2")
    while some := db.execute("FETCH 10000 FROM rows").fetchall():
        yield from some
    db.execute("COMMIT")


def _finish_server(source: sqlite3.Connection, db: PostgresDatabase) -> None:
    """What the file keeps elsewhere: tallies, small values, the heads of hosts, the next numbers."""
    db.count(dict(source.execute("SELECT name, n FROM tally")))
    for key, value in source.execute(f"SELECT key, value FROM meta WHERE {_META}"):
        db.set_meta(key, value)
    db.execute(
        "UPDATE host SET rank = b.rank, head = b.id FROM (SELECT DISTINCT ON (host) host, -priority AS rank, id"
        " FROM url WHERE state = 0 ORDER BY host, priority DESC, id) AS b WHERE b.host = host.id"
    )
    db.execute("SELECT setval('url_id', greatest((SELECT max(id) FROM url), 1))")
    for table in ("site", "host"):
        db.execute(
            f"SELECT setval(pg_get_serial_sequence('{table}', 'id'), greatest((SELECT max(id) FROM {table}), 1))"
        )


def _different(file: sqlite3.Connection, db: PostgresDatabase) -> str:
    """What does not agree between a file and a server; '' when all counts do."""
    for table in TABLES:
        here = _count(file, table.name)
        (there,) = db.execute(f"SELECT count(*) FROM {table.name}").fetchone()
        if here != there:
            return f"{here:,} rows of {table.name} in the file, {there:,} on the server"
    states = "SELECT state, count(*), sum(attempts) FROM url GROUP BY state ORDER BY state"
    ours, theirs = file.execute(states).fetchall(), db.execute(states).fetchall()
    if ours != theirs:
        return f"the states of URLs differ: {msgspec.json.encode([ours, theirs]).decode()}"
    return ""


def _count(file: sqlite3.Connection, table: str) -> int:
    return int(file.execute(f"SELECT count(*) FROM {table}").fetchone()[0])


def _shown(rows: Iterator[tuple[Any, ...]], before: int, show: Show) -> Iterator[tuple[Any, ...]]:
    for number, row in enumerate(rows, before):
        if number % 10_000 == 0:
            show(number, None)
        yield row
