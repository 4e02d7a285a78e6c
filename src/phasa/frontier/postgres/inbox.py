"""What the workers of a fleet pass to each other through PostgreSQL: offers for the sites of others, and server
addresses, which are used by one of them at a time on the clock of the database."""

from __future__ import annotations

from collections.abc import Sequence
from time import monotonic

from phasa.frontier.inbox import Inbox
from phasa.frontier.offer_batch import Sourced
from phasa.frontier.postgres.database import PostgresDatabase
from phasa.frontier.postgres.members import Shards, shard_of
from phasa.frontier.protocol import Offer
from phasa.web.url import Url, registered_domain


class ShardInbox(Inbox):
    """The offers for the shards of one worker. Writes belong to the caller's transaction."""

    LOOK_EVERY = 0.2  # seconds: `has_offers` is asked far more often than others write

    def __init__(self, db: PostgresDatabase, shards: Shards) -> None:
        super().__init__(db, shards)
        self._server = db
        self._shards = shards
        self._next = 0.0

    def send(self, offers: Sequence[Sourced]) -> list[Sourced]:
        ours: list[Sourced] = []
        others: list[tuple[int, str, float, int, str, bytes]] = []
        for offer, source in offers:
            shard = shard_of(registered_domain(offer.url))
            if shard in self._shards.owned:
                ours.append((offer, source))
            else:
                note = offer.note or self.evidence(offer.url)
                others.append((shard, offer.url, float(offer.priority), offer.depth, offer.source, note))
        if others:
            self._server.copy(
                "COPY inbox(shard, url, priority, depth, source, note) FROM STDIN (FORMAT BINARY)",
                ["int2", "text", "float8", "int4", "text", "bytea"],
                others,
            )
        return ours

    def has_offers(self) -> bool:
        if self._empty or (not self._shards.alone and monotonic() < self._next):
            return False
        row = self._db.execute("SELECT 1 FROM inbox WHERE shard = ANY(?) LIMIT 1", (self._shards.numbers(),)).fetchone()
        if row is None:
            self._empty, self._next = self._shards.alone, monotonic() + self.LOOK_EVERY
        return row is not None

    def take(self) -> list[Offer]:
        if self._empty:
            return []
        rows = self._db.execute(
            "DELETE FROM inbox WHERE id IN (SELECT id FROM inbox WHERE shard = ANY(?) ORDER BY id LIMIT ?)"
            " RETURNING id, url, priority, depth, source, note",
            (self._shards.numbers(), self.AT_ONCE),
        ).fetchall()
        return [Offer(Url(url), *rest) for _, url, *rest in sorted(rows)]

    def repartition(self) -> None:
        """Nothing to do: letters are for shards, whoever owns them."""

    # ── addresses ────────────────────────────────────────────────────────────────────────────────

    def claim_address(self, address: str, now: float, until: float) -> float:
        mine = self._db.execute(
            "INSERT INTO address VALUES (?1, clock() + ?2) ON CONFLICT (name) DO UPDATE SET until = excluded.until"
            " WHERE address.until <= clock() RETURNING until",
            (address, float(until - now)),
        ).fetchone()
        if mine is not None:
            return 0.0
        row = self._db.execute("SELECT until - clock() FROM address WHERE name = ?", (address,)).fetchone()
        return now + max(float(row[0]) if row is not None else 0.0, 0.01)

    def close_address(self, address: str, until: float, now: float) -> None:
        self._db.execute(
            "INSERT INTO address VALUES (?1, clock() + ?2) ON CONFLICT (name) DO UPDATE SET until = excluded.until",
            (address, float(until - now)),
        )
