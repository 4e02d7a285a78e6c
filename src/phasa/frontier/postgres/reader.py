"""Reads a PostgreSQL frontier from outside the crawl: the questions of `FrontierReader`, on a server."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import psycopg

from phasa.frontier.origins import queue_of
from phasa.frontier.postgres.address import parse_address, said
from phasa.frontier.postgres.database import connect, in_dollars
from phasa.frontier.postgres.schema import check
from phasa.frontier.reader import SEEN_URL, FrontierReader, SeenUrl


class PostgresReader(FrontierReader):
    """One connection for reading, to be used in one thread. Raises CollectionError when the server cannot be read."""

    AMONG = "= ANY(?)"
    FROM_PAGE = "s.id = CASE WHEN jsonb_typeof(u.source) = 'number' THEN u.source::bigint END"
    SOURCE = "u.source #>> '{}'"
    AT_ONCE = 5_000

    def __init__(self, address: str) -> None:
        self._address = parse_address(address)
        self._server = connect(self._address, read_only=True)
        try:
            row = next(self._ask(f"SELECT to_regclass('\"{self._address.schema}\".meta')"))
            self._begun = row[0] is not None
            if self._begun:
                check(self._server.execute, self._address)
        except psycopg.Error as problem:
            self.close()
            raise said(self._address, problem) from None
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        self._server.close()

    @property
    def begun(self) -> bool:
        return self._begun

    def seen_urls_under(self, prefix: str) -> Iterator[SeenUrl]:
        host = next(self._ask("SELECT id FROM host WHERE name = ?", queue_of(prefix)), None)
        if host is not None:
            yield from self._seen(
                f"{SEEN_URL} WHERE u.host = ?1 AND (substr(u.url, 1, length(?2)) = ?2 OR instr(u.url, '@') > 0)",
                *(int(host[0]), prefix),
            )

    def _id(self, key: int) -> int | None:
        row = next(self._ask("SELECT id FROM url WHERE key = ?", key), None)
        return int(row[0]) if row is not None else None

    def _has(self, table: str) -> bool:
        return True

    def _ask(self, query: str, *values: object) -> Iterator[tuple[Any, ...]]:
        if not getattr(self, "_begun", True):
            return
        try:
            found = self._server.execute(in_dollars(query) if values else query, values or None)
            rows = found.fetchall()
        except psycopg.Error as problem:
            raise said(self._address, problem) from None
        yield from rows

    def _stream(self, query: str, *values: object) -> Iterator[tuple[Any, ...]]:
        if not self._begun:
            return
        # A connection of its own: others ask questions meanwhile, and who reads may stop half-way.
        server = connect(self._address, read_only=True)
        try:
            with server.transaction(), psycopg.RawServerCursor(server, "rows") as cursor:
                cursor.itersize = self.AT_ONCE
                yield from cursor.execute(in_dollars(query) if values else query, values or None)
        except psycopg.Error as problem:
            raise said(self._address, problem) from None
        finally:
            server.close()

    def _list(self, numbers: list[int]) -> object:
        return numbers

    def _limit(self, rows: int) -> int | None:
        return rows if rows >= 0 else None
