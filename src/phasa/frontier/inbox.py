"""What several workers on one frontier.db pass to each other through it: offers for each other's hosts, and server
addresses in use.

The sites are partitioned: a site (registered domain) belongs to one worker, with all its hosts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from phasa.frontier.index import url_hash
from phasa.frontier.offer_batch import Sourced
from phasa.frontier.protocol import Offer
from phasa.frontier.storage import Storage
from phasa.web.url import Url, registered_domain


class Partition:
    """Which sites are this worker's: those that `owner` gives to it."""

    def __init__(self, worker: int = 0, workers: int = 1) -> None:
        self.worker = worker
        self.workers = workers

    @property
    def alone(self) -> bool:
        return self.workers == 1

    def owner(self, site: str) -> int:
        return url_hash(site.encode()) % self.workers if self.workers > 1 else 0

    def owns(self, site: str) -> bool:
        return self.alone or self.owner(site) == self.worker


ALONE = Partition()


class Inbox:
    """The offers that others left for one worker, and the addresses that all share. Writes belong to the caller's
    transaction."""

    AT_ONCE = 5_000  # offers read at a time

    def __init__(self, db: Storage, partition: Partition) -> None:
        self._db = db
        self._partition = partition
        self.evidence: Callable[[Url], bytes] = lambda url: b""
        """What goes with a link that has no note of its own."""
        self._empty = False
        """Whether nothing is here and nobody is there who would add anything."""

    # ── offers ───────────────────────────────────────────────────────────────────────────────────

    def send(self, offers: Sequence[Sourced]) -> list[Sourced]:
        """Leave the offers for hosts of other workers in their inboxes; those for our own hosts."""
        ours: list[Sourced] = []
        others: list[tuple[int, str, float, int, str, bytes]] = []
        for offer, source in offers:
            owner = self._partition.owner(registered_domain(offer.url))
            if owner == self._partition.worker:
                ours.append((offer, source))
            else:
                note = offer.note or self.evidence(offer.url)
                others.append((owner, offer.url, offer.priority, offer.depth, offer.source, note))
        self._db.executemany(
            "INSERT INTO inbox(worker, url, priority, depth, source, note) VALUES (?, ?, ?, ?, ?, ?)", others
        )
        return ours

    def has_offers(self) -> bool:
        """Whether there is an offer for us. Only reads."""
        if self._empty:
            return False
        row = self._db.execute("SELECT id FROM inbox WHERE worker = ? LIMIT 1", (self._partition.worker,)).fetchone()
        self._empty = row is None and self._partition.alone
        return row is not None

    def take(self) -> list[Offer]:
        """The oldest offers for us, which are gone then."""
        if self._empty:
            return []
        worker = self._partition.worker
        rows = self._db.execute(
            "SELECT id, url, priority, depth, source, note FROM inbox WHERE worker = ? ORDER BY id LIMIT ?",
            (worker, self.AT_ONCE),
        ).fetchall()
        if rows:
            self._db.execute("DELETE FROM inbox WHERE worker = ? AND id <= ?", (worker, rows[-1][0]))
        return [Offer(Url(row[1]), *row[2:]) for row in rows]

    def repartition(self) -> None:
        """Give offers that nobody has taken to the present owners of their sites."""
        urls = [row[0] for row in self._db.execute("SELECT DISTINCT url FROM inbox")]
        owners = [(self._partition.owner(registered_domain(Url(url))), url) for url in urls]
        self._db.executemany("UPDATE inbox SET worker = ? WHERE url = ?", owners)

    # ── addresses ────────────────────────────────────────────────────────────────────────────────

    def claim_address(self, address: str, now: float, until: float) -> float:
        """Close an address that all workers share until then. 0 when it was free, else when it will be."""
        row = self._db.execute("SELECT until FROM address WHERE name = ?", (address,)).fetchone()
        if row is not None and row[0] > now:
            return float(row[0])
        self.close_address(address, until, now)
        return 0.0

    def close_address(self, address: str, until: float, now: float) -> None:
        """Whatever was said of it before."""
        self._db.execute(
            "INSERT INTO address VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET until = excluded.until",
            (address, until),
        )

    def open_addresses(self) -> None:
        self._db.execute("DELETE FROM address")
