"""Webhooks of a collection and what became of their deliveries: one cursor for each, in feeds.db.

A hook has been given every post up to its cursor. The cursor moves only after the receiver took a post, or after the
post became a dead letter, so a kill at any moment repeats at most the post in flight and skips none.
"""

from __future__ import annotations

import secrets
from typing import NamedTuple

from msgspec import Struct

from phasa.feeds.database import transaction
from phasa.feeds.rows import ShownPost
from phasa.feeds.shelf import Shelf
from phasa.feeds.store import SHOWN_POST, FeedStore, shown

_COLUMNS = "id, url, secret, category, cursor, added, attempts, first_try, next_try, delivered, note"


class Hook(Struct, frozen=True):
    """One receiver. `attempts`, `first_try`: of the post after the cursor; `note`: what went wrong last."""

    id: int
    url: str
    secret: str
    category: str
    cursor: int
    added: float
    attempts: int
    first_try: float
    next_try: float
    delivered: int
    note: str


class DeadLetter(NamedTuple):
    """A post that a receiver did not take in time."""

    url: str
    number: int
    at: float
    attempts: int
    why: str


class Outbox:
    """The hooks of a store."""

    def __init__(self, store: FeedStore) -> None:
        self._db = store.db
        self._shelf = Shelf(store)

    def add(self, url: str, now: float, category: str = "", secret: str = "") -> str:
        """Give a receiver every post that is found from now on; the secret that signs them. "" when it is known."""
        made = secret or secrets.token_urlsafe(24)
        done = self._db.execute(
            "INSERT OR IGNORE INTO hook (url, secret, category, cursor, added) VALUES (?, ?, ?, ?, ?)",
            (url, made, category, self._shelf.last(), now),
        )
        return made if done.rowcount else ""

    def remove(self, url: str) -> bool:
        with transaction(self._db):
            self._db.execute("DELETE FROM dead_letter WHERE hook IN (SELECT id FROM hook WHERE url = ?)", (url,))
            return self._db.execute("DELETE FROM hook WHERE url = ?", (url,)).rowcount == 1

    def hooks(self) -> list[Hook]:
        return [Hook(*row) for row in self._db.execute(f"SELECT {_COLUMNS} FROM hook ORDER BY id")]

    def following(self, hook: Hook, count: int) -> list[ShownPost]:
        """The posts that the receiver is to get next, in order."""
        return self._shelf.since(hook.cursor, count, hook.category)

    def delivered(self, hook: Hook, number: int) -> None:
        self._db.execute(
            "UPDATE hook SET cursor = ?, attempts = 0, first_try = 0, next_try = 0, note = '',"
            " delivered = delivered + 1 WHERE id = ?",
            (number, hook.id),
        )

    def failed(self, hook: Hook, now: float, next_try: float, why: str) -> None:
        self._db.execute(
            "UPDATE hook SET attempts = attempts + 1, next_try = ?2, note = ?3,"
            " first_try = CASE WHEN first_try = 0 THEN ?1 ELSE first_try END WHERE id = ?4",
            (now, next_try, why, hook.id),
        )

    def bury(self, hook: Hook, number: int, now: float, why: str) -> None:
        """Give up on a post and go on with the next."""
        with transaction(self._db):
            self._db.execute(
                "INSERT OR REPLACE INTO dead_letter VALUES (?, ?, ?, ?, ?)",
                (hook.id, number, now, hook.attempts + 1, why),
            )
            self._db.execute(
                "UPDATE hook SET cursor = ?, attempts = 0, first_try = 0, next_try = 0, note = ? WHERE id = ?",
                (number, why, hook.id),
            )

    def dead_letters(self) -> list[DeadLetter]:
        rows = self._db.execute(
            "SELECT url, number, at, d.attempts, why FROM dead_letter d JOIN hook ON hook.id = d.hook ORDER BY at"
        )
        return [DeadLetter(*row) for row in rows]

    def dead_post(self, number: int) -> ShownPost | None:
        row = self._db.execute(f"{SHOWN_POST} WHERE number = ?", (number,)).fetchone()
        return shown(row) if row else None

    def revive(self) -> int:
        """Try dead letters again: every hook goes back to before its first one, so later posts come twice."""
        with transaction(self._db):
            first = self._db.execute("SELECT hook, min(number) FROM dead_letter GROUP BY hook").fetchall()
            for hook, number in first:
                self._db.execute(
                    "UPDATE hook SET cursor = min(cursor, ?), next_try = 0 WHERE id = ?", (number - 1, hook)
                )
            return self._db.execute("DELETE FROM dead_letter").rowcount
