"""The workers of a collection and their shards: who owns which sites, and until when. All of the SQL.

A worker that starts gets an *epoch*, the number of this one life of it, and lives for `lifetime` seconds from each
renewal on, by the clock of the database. Whoever notices that a worker is over its time ends it: its shards are free
then, and its transactions are refused. Nobody ends a worker in the middle of a transaction: its row is locked.
"""

from __future__ import annotations

import socket
from collections.abc import Set
from pathlib import Path
from typing import NamedTuple

from phasa import __version__
from phasa.errors import CollectionError
from phasa.frontier.inbox import Partition
from phasa.frontier.index import url_hash
from phasa.frontier.postgres.database import PostgresDatabase
from phasa.frontier.postgres.schema import SHARDS

LIFETIME = 30.0
"""Seconds without a sign of life after which a worker counts as lost."""


def place_of(folder: Path) -> str:
    """This folder on this machine: two lives of a worker at one place are one after the other."""
    return f"{socket.gethostname()}:{folder.resolve()}"


def shard_of(site: str) -> int:
    """The shard that a site (registered domain) belongs to, for ever."""
    return url_hash(site.encode()) % SHARDS


class Shards(Partition):
    """The sites of this process: those of the shards that it owns."""

    def __init__(self, worker: int, workers: int, *, alone: bool) -> None:
        super().__init__(worker, workers)
        self._alone = alone
        self.owned: set[int] = set()
        self.ages: dict[int, float] = {}
        """Of owned shards that somebody else had: for how long they had been free when they were taken."""

    @property
    def alone(self) -> bool:
        return self._alone

    def owner(self, site: str) -> int:
        """The shard, which is the owner of hosts in the tables; who owns the shard changes."""
        return shard_of(site)

    def owns(self, site: str) -> bool:
        return self._alone or shard_of(site) in self.owned

    def numbers(self) -> list[int]:
        return sorted(self.owned)


class Moved(NamedTuple):
    """Shards that came and went."""

    gained: dict[int, float | None]
    """With the seconds for which each was free; None when nobody ever had it."""
    lost: Set[int]


class Members:
    """One worker among those of a collection. Everything happens in transactions of its own."""

    def __init__(self, db: PostgresDatabase, shards: Shards, place: str, lifetime: float) -> None:
        self._db = db
        self._shards = shards
        self._place = place
        db.lifetime = lifetime
        self._complete = False  # as many workers as are expected have come once
        self.after_fleet = False
        """Whether workers of a fleet had the collection before this process took all of it."""

    def join(self) -> dict[int, float | None]:
        """Begin to live; the shards of the start, as in `Moved.gained`. Raises CollectionError when others
        are at work who exclude this worker."""
        db, alone = self._db, self._shards.alone
        db.begin()
        try:
            db.execute("LOCK TABLE worker IN SHARE ROW EXCLUSIVE MODE")
            self._refuse_others(alone)
            last = db.execute("SELECT exclusive FROM worker ORDER BY epoch DESC LIMIT 1").fetchone()
            self.after_fleet = last is not None and not last[0]
            self._end("NOT ended AND (until <= clock() OR (place = ? AND (exclusive OR ?::boolean OR number = ?)))",
                      self._place, alone, self._shards.worker)  # fmt: skip
            (epoch,) = db.execute(
                "INSERT INTO worker(number, place, phasa, exclusive, until, ended)"
                " VALUES (?, ?, ?, ?, clock() + ?, false) RETURNING epoch",
                (self._shards.worker, self._place, __version__, alone, db.lifetime),
            ).fetchone()
            db.execute("DELETE FROM worker WHERE ended AND epoch < ?", (epoch - 1000,))
            db.commit()
        except BaseException:
            db.rollback()
            raise
        db.epoch = epoch
        db.execute(f"SET idle_in_transaction_session_timeout = {int(db.lifetime * 1000)}")
        return self.tend(frozenset(), self._shards.workers).gained

    def _refuse_others(self, alone: bool) -> None:
        """Raises CollectionError when somebody at another place is at work who may not be there."""
        rows = self._db.execute(
            "SELECT number, place, exclusive, phasa, clock() - until + ? FROM worker"
            " WHERE NOT ended AND until > clock() ORDER BY number",
            (self._db.lifetime,),
        ).fetchall()
        shown = self._db.address.shown
        for number, place, exclusive, phasa, age in rows:
            if phasa != __version__ and place != self._place:
                raise CollectionError(
                    f"{shown}: worker {number} on {place} is phasa {phasa}, this machine has {__version__}: install the"
                    " same on all machines"
                )
            if place != self._place and (alone or exclusive):
                raise CollectionError(
                    f"{shown}: already being crawled by worker {number} on {place} (heard {max(age, 0.0):.0f} s ago);"
                    " stop that first, or wait until it is taken for lost"
                )
            if place != self._place and number == self._shards.worker:
                raise CollectionError(
                    f"{shown}: there is a worker {number} already, on {place}: two fleets cannot work on one"
                    " collection; stop one of them"
                )

    def _end(self, which: str, *values: object) -> None:
        """End the lives of some workers, and free their shards."""
        ended = self._db.execute(f"UPDATE worker SET ended = true WHERE {which} RETURNING epoch", values).fetchall()
        if ended:
            self._free([row[0] for row in ended])

    def _free(self, epochs: list[int]) -> None:
        self._db.execute(
            "UPDATE shard SET owner = NULL, epoch = epoch + 1, free_at = clock() WHERE owner = ANY(?)", (epochs,)
        )

    def tend(self, busy: Set[int], expected: int = 1) -> Moved:
        """Be alive for another while, end those who are over their time, and keep to a fair share of the shards: too
        many are given back unless they are `busy`, free ones are taken. `expected`: how many workers there will be at
        least, as far as is known."""
        db, shards = self._db, self._shards
        db.begin()
        try:
            lost = db.execute(
                "UPDATE worker SET ended = true WHERE epoch IN (SELECT epoch FROM worker WHERE NOT ended"
                " AND until <= clock() FOR UPDATE SKIP LOCKED) RETURNING epoch"
            ).fetchall()
            if lost:
                self._free([row[0] for row in lost])
            owned = {row[0] for row in db.execute("SELECT id FROM shard WHERE owner = ?", (db.epoch,))}
            (living,) = db.execute("SELECT count(*) FROM worker WHERE NOT ended").fetchone()
            self._complete = self._complete or living >= expected
            workers = living if self._complete else max(living, expected)
            share = SHARDS if shards.alone else -(-SHARDS // max(workers, 1))
            given: set[int] = set()
            gained: dict[int, float | None] = dict.fromkeys(owned - shards.owned)
            if len(owned) > share:
                given = set(sorted(owned - busy, reverse=True)[: len(owned) - share])
                db.execute(
                    "UPDATE shard SET owner = NULL, epoch = epoch + 1, free_at = clock()"
                    " WHERE owner = ? AND id = ANY(?)",
                    (db.epoch, sorted(given)),
                )
            elif len(owned) < share:
                gained |= dict(
                    db.execute(
                        "UPDATE shard SET owner = ?, epoch = epoch + 1 WHERE id IN (SELECT id FROM shard"
                        " WHERE owner IS NULL ORDER BY id LIMIT ? FOR UPDATE SKIP LOCKED)"
                        " RETURNING id, CASE WHEN free_at > 0 THEN clock() - free_at END",
                        (db.epoch, share - len(owned)),
                    )
                )
            db.commit()
        except BaseException:
            db.rollback()
            raise
        gone = (shards.owned - owned) | given
        shards.owned = (owned - given) | gained.keys()
        return Moved(gained, gone)

    def leave(self) -> None:
        """End in good order: the shards are free at once. Inside the caller's transaction."""
        self._db.execute("UPDATE worker SET ended = true, said_goodbye = true WHERE epoch = ?", (self._db.epoch,))
        self._free([self._db.epoch or 0])
