"""What the tables of a stored frontier need of its database: statements, transactions, and the small values that have
no table of their own.

Statements are written once, in the words that SQLite and PostgreSQL have in common (`?` and `?1` for values); where the
two differ, a table has a subclass in `phasa.frontier.postgres`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from typing import Any, Protocol

from phasa.errors import CollectionError


class SupersededError(CollectionError):
    """Somebody else has taken the collection over: what this process wanted to write is refused."""


class Rows(Protocol):
    """The answer to a statement."""

    @property
    def rowcount(self) -> int: ...
    def fetchone(self) -> Any: ...
    def fetchall(self) -> list[Any]: ...
    def __iter__(self) -> Iterator[Any]: ...


NOTE = "note "
"""What the names of notes (`Frontier.keep_note`) begin with among the small values."""


def as_number(value: object) -> float | None:
    """A small value as a number; None where it is none."""
    return float(value) if isinstance(value, int | float) else None


class Storage(ABC):
    """One connection for writing. Callers open transactions with `begin` and end them with `commit`."""

    epoch: int | None
    """The owner that this connection writes for, once it is one; transactions of an older owner are refused."""
    execute: Callable[..., Rows]
    executemany: Callable[..., Rows]

    @property
    @abstractmethod
    def in_transaction(self) -> bool:
        """Whether something was begun and not ended."""

    @abstractmethod
    def begin(self) -> None:
        """Raises SupersededError, with nothing begun, when there is a newer owner."""

    def commit(self) -> None:
        self.execute("COMMIT")

    def rollback(self) -> None:
        if self.in_transaction:
            self.execute("ROLLBACK")

    def together(self) -> AbstractContextManager[object]:
        """Statements of this block whose answers nobody reads may go to the database in one go."""
        return nullcontext()

    @abstractmethod
    def close(self) -> None:
        """Let go of the database."""

    # ── small values ─────────────────────────────────────────────────────────────────────────────

    def meta(self, key: str) -> float | str | None:
        row = self.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
        return row[0] if row else None

    def set_meta(self, key: str, value: float | str) -> None:
        self.execute(
            "INSERT INTO meta VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value", (key, value)
        )

    def tallies(self) -> dict[str, int]:
        return dict(self.execute("SELECT name, n FROM tally"))

    def count(self, changes: dict[str, int]) -> None:
        """Add to tallies."""
        self.executemany(
            "INSERT INTO tally VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET n = n + excluded.n", changes.items()
        )

    # ── templates that were found barren ─────────────────────────────────────────────────────────

    def templates(self) -> dict[str, str]:
        return dict(self.execute("SELECT key, evidence FROM template"))

    def add_template(self, key: str, evidence: str) -> None:
        self.execute(
            "INSERT INTO template VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET evidence = excluded.evidence",
            (key, evidence),
        )

    def remove_template(self, key: str) -> None:
        self.execute("DELETE FROM template WHERE key = ?", (key,))
