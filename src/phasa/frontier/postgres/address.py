"""The address of a PostgreSQL frontier: `postgresql://user@host/database?schema=name`, and errors in one line."""

from __future__ import annotations

import re
from typing import NamedTuple
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

import psycopg
from psycopg import errors

from phasa.errors import CollectionError, SettingsError

SCHEMES = ("postgresql", "postgres")
DEFAULT_SCHEMA = "phasa"
_NAME = re.compile(r"[a-z_][a-z0-9_]{0,62}")


class Address(NamedTuple):
    """Where a frontier is: what libpq is given, and the schema that holds the tables of this collection."""

    target: str
    schema: str
    shown: str
    """Without the password: for people."""
    options: str = ""
    """What the user wants the server to be told, besides."""


def parse_address(text: str) -> Address:
    """Raises SettingsError for what is no address of a PostgreSQL server."""
    parts = urlsplit(text)
    pairs = parse_qsl(parts.query, keep_blank_values=True)
    schema = dict(pairs).get("schema", DEFAULT_SCHEMA)
    if parts.scheme not in SCHEMES or not _NAME.fullmatch(schema):
        wrong = f"schema '{schema}': use small letters, digits and _" if parts.scheme in SCHEMES else text[:80]
        raise SettingsError(f"setting 'frontier': {wrong}; write postgresql://user@host/database?schema=name")
    target = urlunsplit(parts._replace(query=urlencode([pair for pair in pairs if pair[0] != "schema"])))
    try:
        known = psycopg.conninfo.conninfo_to_dict(target)
    except psycopg.Error as problem:
        raise SettingsError(f"setting 'frontier': {_line(problem)}") from None
    place = f"{known.get('host') or 'localhost'}{':' + str(known['port']) if known.get('port') else ''}"
    shown = f"postgresql://{place}/{known.get('dbname') or known.get('user') or ''}#{schema}"
    return Address(target, schema, shown, str(known.get("options") or ""))


def said(address: Address, problem: psycopg.Error) -> CollectionError:
    """One line that names the server, what was wrong, and what to do."""
    text = _line(problem)
    if isinstance(problem, errors.InvalidPassword) or "authentication failed" in text or "no password" in text:
        advice = "user name or password is wrong; mend them in collection.toml, or give PGPASSWORD or ~/.pgpass"
    elif isinstance(problem, (errors.InvalidCatalogName, errors.InvalidSchemaName)) or "does not exist" in text:
        advice = f"{text}; make it with: createdb"
    elif isinstance(problem, errors.ReadOnlySqlTransaction):
        advice = "the database is read-only (a standby?); name the primary server"
    elif isinstance(problem, errors.InsufficientPrivilege):
        advice = f"{text}; the user needs the right to make and change tables there"
    elif isinstance(problem, (errors.DiskFull, errors.OutOfMemory)):
        advice = f"{text}; make room on the server, then give the same command again"
    elif isinstance(problem, (errors.AdminShutdown, errors.CrashShutdown, errors.IdleInTransactionSessionTimeout)):
        advice = f"the server closed the connection ({text}); give the same command again"
    elif isinstance(problem, psycopg.OperationalError) and problem.sqlstate is None:
        advice = f"the server cannot be reached ({text}); is it running, and is the address right?"
    else:
        advice = f"the server refused: {text}"
    return LostServerError(f"{address.shown}: {advice}")


class LostServerError(CollectionError):
    """The server did not answer, or not as it should: what was not committed is fetched again later."""


def _line(problem: Exception) -> str:
    return " ".join(str(problem).split())[:300] or type(problem).__name__
