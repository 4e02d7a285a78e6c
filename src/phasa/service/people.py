"""Operators, their sessions and the tokens of scripts: `people.db` in the collection's folder.

Passwords are kept as scrypt hashes; sessions and tokens as hashes of what their owners hold, so that the file gives
nobody an entrance.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import re
import secrets
import sqlite3
import time
from pathlib import Path
from typing import Any

import msgspec

from phasa.errors import CollectionError, InputError
from phasa.service.who import ROLES, Role, Who

FILE = "people.db"
LEAST_PASSWORD = 10
MOST_PASSWORD = 1000
SESSION = 12 * 3600.0
"""Seconds after which one signs in again."""
DAY = 86_400.0
MOST_DAYS = 3660.0
PREFIX = "phasa_"
_COST = {"n": 2**14, "r": 8, "p": 1, "maxmem": 64 * 2**20}
_NAME = re.compile(r"[\w.@+-]{1,80}")
_SCHEMA = """
CREATE TABLE IF NOT EXISTS person (name TEXT PRIMARY KEY, role TEXT NOT NULL, password BLOB, added REAL NOT NULL);
CREATE TABLE IF NOT EXISTS session (hash BLOB PRIMARY KEY, person TEXT NOT NULL, expires REAL NOT NULL);
CREATE TABLE IF NOT EXISTS token (
  id TEXT PRIMARY KEY, hash BLOB NOT NULL, person TEXT NOT NULL, role TEXT NOT NULL, about TEXT NOT NULL,
  added REAL NOT NULL, expires REAL NOT NULL, used REAL NOT NULL DEFAULT 0);
"""


class Person(msgspec.Struct, frozen=True):
    """An operator. `has_password` is False for one that only a proxy lets in."""

    name: str
    role: Role
    has_password: bool
    added: float


class Token(msgspec.Struct, frozen=True):
    """A token of a script: what it may do for whom, and until when."""

    id: str
    person: str
    role: Role
    about: str
    added: float
    expires: float
    used: float


class People:
    """The store. One connection per call: it is asked seldom, and from many threads."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def anybody(self) -> bool:
        """Whether there are operators: then nobody is let in without a name."""
        return self._path.is_file() and bool(self._rows("SELECT 1 FROM person LIMIT 1"))

    def add(self, name: str, role: Role, password: str | None, now: float | None = None) -> None:
        """Add an operator, or give one another role and password. Raises InputError."""
        if not _NAME.fullmatch(name):
            raise InputError(f"{name[:80]}: not a name; letters, digits and . @ + - _, at most 80")
        if role not in ROLES:
            raise InputError(f"{role}: not a role; one of {', '.join(ROLES)}")
        if password is not None and not LEAST_PASSWORD <= len(password) <= MOST_PASSWORD:
            raise InputError(f"the password has {len(password)} characters; use at least {LEAST_PASSWORD}")
        others = [person for person in self.everybody() if person.name != name]
        if role != "administer" and not any(person.role == "administer" for person in others):
            raise InputError(f"{name}: somebody must be able to administer; give that role first")
        kept = _hashed(password) if password is not None else None
        moment = time.time() if now is None else now
        self._do("INSERT OR REPLACE INTO person VALUES (?, ?, ?, ?)", name, role, kept, moment)
        self._do("DELETE FROM session WHERE person = ?", name)

    def remove(self, name: str) -> None:
        """Remove an operator with sessions and tokens. Raises InputError for one that is not there, or is the last
        administrator beside others, who would be locked in."""
        people = self.everybody()
        found = next((person for person in people if person.name == name), None)
        if found is None:
            raise InputError(f"{name[:80]}: no such operator")
        others = [person for person in people if person.name != name]
        if others and not any(person.role == "administer" for person in others):
            raise InputError(f"{name}: is the last who may administer; give somebody else that role first")
        for table, column in (("person", "name"), ("session", "person"), ("token", "person")):
            self._do(f"DELETE FROM {table} WHERE {column} = ?", name)

    def everybody(self) -> list[Person]:
        rows = self._rows("SELECT name, role, password IS NOT NULL, added FROM person ORDER BY name")
        return [Person(name, role, bool(kept), added) for name, role, kept, added in rows]

    def sign_in(self, name: str, password: str, now: float | None = None) -> str | None:
        """The secret of a new session; None for a wrong name or password, which take the same time."""
        rows = self._rows("SELECT password FROM person WHERE name = ?", name)
        kept = rows[0][0] if rows and rows[0][0] is not None else _NONE
        right = _fits(password[:MOST_PASSWORD], kept)
        if not right or kept is _NONE:
            return None
        moment = time.time() if now is None else now
        secret = secrets.token_urlsafe(32)
        self._do("DELETE FROM session WHERE expires < ?", moment)
        self._do("INSERT INTO session VALUES (?, ?, ?)", _digest(secret), name, moment + SESSION)
        return secret

    def sign_out(self, secret: str) -> None:
        self._do("DELETE FROM session WHERE hash = ?", _digest(secret))

    def by_session(self, secret: str, now: float | None = None) -> Who | None:
        """Who holds a session that has not ended."""
        rows = self._rows(
            "SELECT person.name, role FROM session JOIN person ON name = person WHERE hash = ? AND expires > ?",
            _digest(secret),
            time.time() if now is None else now,
        )
        return Who(rows[0][0], rows[0][1], "password", secret) if rows else None

    def by_name(self, name: str) -> Who | None:
        """The operator that a trusted proxy names."""
        rows = self._rows("SELECT name, role FROM person WHERE name = ?", name)
        return Who(rows[0][0], rows[0][1], "proxy", f"proxy {name}") if rows else None

    def make_token(self, person: str, role: Role, days: float, about: str = "", now: float | None = None) -> str:
        """A token that may do what `role` says, and never more than its person. Shown once. Raises InputError."""
        owner = self.by_name(person)
        if owner is None:
            raise InputError(f"{person[:80]}: no such operator")
        if not owner.may(role):
            raise InputError(f"{person}: may {owner.role}, so a token of theirs cannot {role}")
        if not 0 < days <= MOST_DAYS:
            raise InputError(f"{days:g} days: a token lasts more than 0 and at most {MOST_DAYS:g} days")
        moment = time.time() if now is None else now
        secret, id = PREFIX + secrets.token_urlsafe(32), secrets.token_hex(4)
        self._do(
            "INSERT INTO token (id, hash, person, role, about, added, expires) VALUES (?, ?, ?, ?, ?, ?, ?)",
            *(id, _digest(secret), person, role, about[:200], moment, moment + days * DAY),
        )
        return secret

    def by_token(self, secret: str, now: float | None = None) -> Who | None:
        """The script that holds a token which has not expired; it may do what both it and its person may."""
        moment = time.time() if now is None else now
        rows = self._rows(
            "SELECT id, person.name, token.role, person.role FROM token JOIN person ON name = token.person"
            " WHERE hash = ? AND expires > ?",
            *(_digest(secret), moment),
        )
        if not rows:
            return None
        id, name, own, owners = rows[0]
        self._do("UPDATE token SET used = ? WHERE id = ? AND used < ?", moment, id, moment - 60.0)
        return Who(f"{name} (token {id})", min(own, owners, key=ROLES.index), "script")

    def tokens(self) -> list[Token]:
        return [Token(*row) for row in self._rows("SELECT id, person, role, about, added, expires, used FROM token")]

    def revoke(self, id: str) -> None:
        """Raises InputError when there is no such token."""
        if not any(token.id == id for token in self.tokens()):
            raise InputError(f"{id[:40]}: no such token")
        self._do("DELETE FROM token WHERE id = ?", id)

    def _open(self) -> sqlite3.Connection:
        if not self._path.exists():
            os.close(os.open(self._path, os.O_CREAT | os.O_WRONLY, 0o600))  # nobody else reads it, even for a moment
        db = sqlite3.connect(self._path, timeout=10.0)
        db.executescript(_SCHEMA)
        return db

    def _rows(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        if not self._path.is_file():
            return []
        try:
            db = self._open()
            try:
                return db.execute(query, values).fetchall()
            finally:
                db.close()
        except sqlite3.DatabaseError as problem:
            raise CollectionError(f"{self._path}: {problem}") from None

    def _do(self, query: str, *values: object) -> None:
        try:
            db = self._open()
            try:
                with db:
                    db.execute(query, values)
            finally:
                db.close()
        except sqlite3.DatabaseError as problem:
            raise CollectionError(f"{self._path}: {problem}") from None


def _hashed(password: str) -> bytes:
    salt = secrets.token_bytes(16)
    return salt + hashlib.scrypt(password.encode("utf-8", "surrogatepass"), salt=salt, **_COST)


def _fits(password: str, kept: bytes) -> bool:
    made = hashlib.scrypt(password.encode("utf-8", "surrogatepass"), salt=kept[:16], **_COST)
    return hmac.compare_digest(made, kept[16:])


def _digest(secret: str) -> bytes:
    """Secrets of ours are long and random: one hash is enough."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).digest()


_NONE = bytes(80)
"""What the password of somebody unknown is compared with."""
