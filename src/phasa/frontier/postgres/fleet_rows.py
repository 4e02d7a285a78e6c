"""What a fleet keeps beside its frontier: which one it is, how many workers it wants, who lives, what was learned."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import msgspec

from phasa.errors import CollectionError
from phasa.frontier.common_order import NO_WORDS, Hearing, Others, Report, Row, Seen
from phasa.frontier.postgres.database import PostgresDatabase

_KEY = "fleet"


class FleetOrder(msgspec.Struct, frozen=True, kw_only=True):
    """What is wanted of a fleet. `stop`: its workers end; `ended`: why all of it ended."""

    name: str
    workers: int
    cluster: str = ""
    place: str = ""
    phasa: str = ""
    started: float = 0.0
    planted: bool = False
    """Whether the seeds are planted: before that nothing is left, and nothing is done."""
    stop: bool = False
    ended: str = ""


class WorkerRow(msgspec.Struct, frozen=True):
    """A worker that lives, or the last life of one: how many shards it owns, and when it was heard last, in seconds."""

    number: int
    place: str
    phasa: str
    shards: int
    silent: float
    lost: bool
    epoch: int


class FleetRows:
    """One connection for what is said of a fleet, for one thread."""

    def __init__(self, address: str) -> None:
        self._db = PostgresDatabase(address)

    def close(self) -> None:
        self._db.close()

    def common_order(self, worker: int, lifetime: float) -> SharedOrder:
        """Where a worker reports to the others; those that were silent for so many seconds are not counted."""
        return SharedOrder(self._db, worker, lifetime)

    def __enter__(self) -> FleetRows:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def order(self) -> FleetOrder | None:
        """What is wanted; None when there never was a fleet."""
        found: Any = self._db.meta(_KEY)
        return msgspec.convert(found, FleetOrder) if found is not None else None

    def begin(self, order: FleetOrder) -> None:
        """A new fleet. Raises CollectionError when another one is at work, or a crawl is."""
        self._db.begin()
        try:
            self._db.execute("LOCK TABLE worker IN SHARE ROW EXCLUSIVE MODE")
            before = self.order()
            living = [worker for worker in self.workers() if not worker.lost]
            if before is not None and not before.ended and (living or not before.stop):
                raise CollectionError(
                    f"{self._db.address.shown}: there is a fleet already, '{before.name}', started on {before.place}"
                    f" with {len(living)} workers alive; stop it first: phasa fleet stop"
                )
            if living:
                raise CollectionError(
                    f"{self._db.address.shown}: already being crawled by worker {living[0].number} on"
                    f" {living[0].place}; stop that first"
                )
            self._write(order)
            self._db.commit()
        except BaseException:
            self._db.rollback()
            raise

    def change(self, **changes: object) -> FleetOrder:
        """Other orders for the fleet. Raises CollectionError when there is none."""
        self._db.begin()
        try:
            self._db.execute("SELECT 1 FROM meta WHERE key = ? FOR UPDATE", (_KEY,))
            before = self.order()
            if before is None:
                raise CollectionError(f"{self._db.address.shown}: there is no fleet; start one with: phasa fleet start")
            order = msgspec.structs.replace(before, **changes)
            self._write(order)
            self._db.commit()
            return order
        except BaseException:
            self._db.rollback()
            raise

    def _write(self, order: FleetOrder) -> None:
        self._db.set_meta(_KEY, msgspec.to_builtins(order))

    def workers(self) -> list[WorkerRow]:
        """The last life of each worker that had one and has not ended in good order."""
        rows = self._db.execute(
            "SELECT DISTINCT ON (number) number, place, phasa, (SELECT count(*) FROM shard s WHERE s.owner = w.epoch),"
            " clock() - until, ended OR until <= clock(), epoch FROM worker w WHERE NOT exclusive AND NOT said_goodbye"
            " ORDER BY number, epoch DESC"
        ).fetchall()
        return [WorkerRow(*row) for row in rows]

    def left(self) -> int:
        """URLs that wait or are being fetched, with those on their way from one worker to another."""
        (letters,) = self._db.execute("SELECT count(*) FROM inbox").fetchone()
        return self._db.tallies().get("waiting", 0) + int(letters)

    def pages(self) -> int:
        return self._db.tallies().get("judged", 0)

    def living(self) -> int:
        (n,) = self._db.execute("SELECT count(*) FROM worker WHERE NOT ended AND until > clock()").fetchone()
        return int(n)

    # ── what was learned ─────────────────────────────────────────────────────────────────────────

    def published(self, name: str, worker: int) -> bytes | None:
        """What a worker published last, perhaps in an earlier life."""
        row = self._db.execute("SELECT content FROM model WHERE name = ? AND worker = ?", (name, worker)).fetchone()
        return bytes(row[0]) if row is not None else None

    def publish(self, name: str, worker: int, content: bytes) -> None:
        """What a worker's strategy has learned by itself so far, in place of what it said before."""
        self._db.execute(
            "INSERT INTO model VALUES (?, ?, 1, clock(), ?) ON CONFLICT (name, worker) DO UPDATE SET"
            " version = model.version + 1, at = excluded.at, content = excluded.content",
            (name, worker, content),
        )

    def learned(self, name: str, worker: int, after: dict[int, int]) -> dict[int, tuple[int, bytes]]:
        """What others have learned, newer than the versions known: worker -> (version, content)."""
        rows = self._db.execute(
            "SELECT m.worker, m.version, m.content FROM model m LEFT JOIN unnest(?::int[], ?::bigint[])"
            " AS known(worker, version) USING (worker)"
            " WHERE m.name = ? AND m.worker <> ? AND m.version > coalesce(known.version, 0)",
            (list(after), list(after.values()), name, worker),
        ).fetchall()
        return {other: (version, bytes(content)) for other, version, content in rows}


class SharedOrder:
    """The reports of the workers of a fleet (`phasa.frontier.common_order.CommonOrder`): a row of each, and the
    allowance of all."""

    rest = 1 / 40

    def __init__(self, db: PostgresDatabase, worker: int, lifetime: float) -> None:
        self._db = db
        self._worker = worker
        self._lifetime = lifetime
        self._row = Row(uuid4().hex, *NO_WORDS)
        self._hearing = Hearing()
        db.execute("INSERT INTO allowance DEFAULT VALUES ON CONFLICT DO NOTHING")

    def report(self, mine: Report, most: float) -> Others:
        row = self._row = self._row.after(mine)
        found = self._db.execute(
            "WITH mine AS (INSERT INTO report VALUES (?1, ?2, clock(), ?3, ?4, ?5, ?6, ?7) ON CONFLICT (worker) DO"
            " UPDATE SET life = excluded.life, at = excluded.at, asked = excluded.asked, came = excluded.came,"
            " seen = excluded.seen, out = excluded.out, best = excluded.best),"
            # An allowance that nobody has touched for so long is of another run.
            " common AS (UPDATE allowance SET at = clock(), saved = least(?8::float8, ?9::float8 +"
            " CASE WHEN at > clock() - ?10::float8 THEN saved ELSE 0 END) RETURNING saved)"
            " SELECT common.saved, r.worker, r.life, r.asked, r.came, r.seen, r.out, r.best FROM common LEFT JOIN"
            " report r ON r.worker <> ?1 AND r.at > clock() - ?10::float8",
            (self._worker, row.life, row.asked, row.came, msgspec.msgpack.encode(row.seen), row.out, row.best,
             most, mine.earned, self._lifetime),
        ).fetchall()  # fmt: skip
        rows = {
            worker: Row(life, asked, came, msgspec.msgpack.decode(seen, type=list[Seen]), out, best)
            for _, worker, life, asked, came, seen, out, best in found
            if worker is not None
        }
        return self._hearing.hear(rows, found[0][0] if found else mine.earned)

    def leave(self) -> None:
        self._db.execute("DELETE FROM report WHERE worker = ? AND life = ?", (self._worker, self._row.life))
