"""One connection to a PostgreSQL frontier, with the words of `Storage`.

Statements of the shared tables are written for SQLite's marks (`?`, `?1`); they become PostgreSQL's (`$1`) here, once
for each statement. Every transaction begins by renewing the life of its worker on the server's clock, which refuses a
worker that was taken for lost: its row is locked until the commit, so nobody can take it for lost meanwhile.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from time import monotonic, time
from typing import Any

import msgspec
import psycopg
from psycopg.adapt import Buffer
from psycopg.pq import TransactionStatus
from psycopg.types.numeric import NumericLoader
from psycopg.types.string import StrBinaryDumper, StrDumper

from phasa import __version__
from phasa.frontier.postgres.address import Address, parse_address, said
from phasa.frontier.postgres.schema import prepare
from phasa.frontier.storage import Rows, Storage, SupersededError

_MARK = re.compile(r"\?(\d*)")


@lru_cache(1024)
def in_dollars(statement: str) -> str:
    """A statement with `$1` in place of `?` and `?1`."""
    place = iter(range(1, 100))
    return _MARK.sub(lambda mark: f"${mark[1] or next(place)}", statement)


class _Text(StrDumper):
    """PostgreSQL has no text with a zero byte in it; what servers send may have one."""

    def dump(self, obj: str) -> Buffer | None:
        return super().dump(obj.replace("\0", "") if "\0" in obj else obj)


class _BinaryText(StrBinaryDumper):
    def dump(self, obj: str) -> Buffer | None:
        return super().dump(obj.replace("\0", "") if "\0" in obj else obj)


class _Sum(NumericLoader):
    """Sums of whole numbers are whole numbers, not decimals."""

    def load(self, data: Buffer) -> Any:
        text = bytes(data)
        return float(text) if b"." in text or text == b"NaN" else int(text)


def connect(address: Address, *, read_only: bool = False, seconds: float = 10.0) -> psycopg.Connection[Any]:
    """Raises CollectionError, in one line, when there is no connection."""
    options = f"{address.options} -csearch_path={address.schema}"
    options += " -cdefault_transaction_read_only=on" if read_only else ""
    try:
        connection: psycopg.Connection[Any] = psycopg.connect(
            address.target,
            autocommit=True,
            cursor_factory=psycopg.RawCursor,
            connect_timeout=int(seconds),
            options=options,
            application_name=f"phasa {__version__}",
            keepalives_idle=20,
            keepalives_interval=5,
            keepalives_count=3,
        )
    except psycopg.Error as problem:
        raise said(address, problem) from None
    connection.adapters.register_dumper(str, _Text)
    connection.adapters.register_dumper(str, _BinaryText)
    connection.adapters.register_loader("numeric", _Sum)
    return connection


class PostgresDatabase(Storage):
    """Raises CollectionError when the server or its tables cannot be used; each call does when the server is lost."""

    def __init__(self, address: str, part: int = 0) -> None:
        self.address = parse_address(address)
        self.epoch = None
        self.part = part
        """Whose counts these are: each worker has its own, so that no two wait for each other to count."""
        self.lifetime = 0.0
        """Seconds for which a transaction renews the life of the worker."""
        self.renewed = monotonic()
        """When it was renewed last, on the clock of this process."""
        self.skew = 0.0
        """Seconds that the clock of the database is ahead of this machine's, whole ones: times at rest are its own."""
        self.connection = connect(self.address)
        self.execute = self._execute
        self.executemany = self._executemany
        try:
            prepare(self._execute, self.address, __version__)
            self._execute(
                "CREATE TEMP TABLE incoming(id bigint, host bigint, key bigint, state smallint, priority double"
                " precision, depth int, source jsonb, url text, note bytea, reason text) ON COMMIT DELETE ROWS"
            )
            self.skew = round(self._execute("SELECT clock()").fetchone()[0] - time()) * 1.0
        except BaseException:
            self.connection.close()
            raise

    def _execute(self, statement: str, values: Sequence[Any] = ()) -> Rows:
        try:
            return self.connection.execute(in_dollars(statement) if values else statement, values or None)
        except psycopg.Error as problem:
            raise said(self.address, problem) from None

    def _executemany(self, statement: str, values: Iterable[Sequence[Any]]) -> Rows:
        cursor = self.connection.cursor()
        try:
            if rows := list(values):
                cursor.executemany(in_dollars(statement), rows)
        except psycopg.Error as problem:
            raise said(self.address, problem) from None
        return cursor

    def copy(self, statement: str, types: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
        """Bring rows in by a binary COPY."""
        try:
            with self.connection.cursor().copy(statement) as copy:
                copy.set_types(types)
                for row in rows:
                    copy.write_row(row)
        except psycopg.Error as problem:
            raise said(self.address, problem) from None

    # ── transactions ─────────────────────────────────────────────────────────────────────────────

    @property
    def in_transaction(self) -> bool:
        return self.connection.info.transaction_status not in (TransactionStatus.IDLE, TransactionStatus.UNKNOWN)

    def begin(self) -> None:
        if self.epoch is None:
            self._execute("BEGIN")
            return
        renewed = (
            f"UPDATE worker SET until = clock() + {self.lifetime:f} WHERE epoch = {self.epoch:d} AND NOT ended"
            " AND until > clock() RETURNING epoch"
        )
        before = monotonic()
        try:
            cursor = self.connection.execute(f"BEGIN; {renewed}")
            cursor.nextset()
            mine = cursor.fetchone()
        except psycopg.Error as problem:
            raise said(self.address, problem) from None
        if mine is None:
            self.rollback()
            raise SupersededError(
                f"{self.address.shown}: worker {self.part} was silent for too long, or another process took its sites"
                f" (epoch {self.epoch}); what it had not committed is fetched again by others"
            )
        self.renewed = before

    @contextmanager
    def together(self) -> Iterator[None]:
        try:
            with self.connection.pipeline():
                yield
        except psycopg.Error as problem:  # of any statement of the block
            raise said(self.address, problem) from None

    def rollback(self) -> None:
        if not self.connection.closed and self.in_transaction:
            try:
                self.connection.execute("ROLLBACK")
            except psycopg.Error:  # the server ends what belongs to a lost connection
                self.connection.close()

    def close(self) -> None:
        self.connection.close()

    # ── small values ─────────────────────────────────────────────────────────────────────────────

    def set_meta(self, key: str, value: object) -> None:
        self._execute(
            "INSERT INTO meta VALUES (?, ?::jsonb) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
            (key, msgspec.json.encode(value).decode()),
        )

    def tallies(self) -> dict[str, int]:
        return dict(self._execute("SELECT name, sum(n) FROM tally GROUP BY name"))

    def count(self, changes: dict[str, int]) -> None:
        self._executemany(
            "INSERT INTO tally VALUES (?, ?, ?) ON CONFLICT (name, part) DO UPDATE SET n = tally.n + excluded.n",
            [(name, self.part, n) for name, n in sorted(changes.items()) if n],
        )
