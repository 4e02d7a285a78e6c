"""What the workers of one collection tell each other through its file: offers for each other's hosts, addresses in use.

A site (registered domain) belongs to one worker, with all its hosts.
"""

from __future__ import annotations

from collections.abc import Sequence

from phasa.frontier.database import Database
from phasa.frontier.intake import Sourced, url_hash
from phasa.frontier.protocol import Offer
from phasa.web.url import Url, registered_domain


class Share:
    """Which of several workers this one is."""

    def __init__(self, worker: int = 0, workers: int = 1) -> None:
        self.worker = worker
        self.workers = workers

    @property
    def alone(self) -> bool:
        return self.workers == 1

    def owner(self, site: str) -> int:
        return url_hash(site.encode()) % self.workers if self.workers > 1 else 0


ALONE = Share()


class Mailbox:
    """The letters and the shared addresses of one worker. All of it happens inside the caller's transactions."""

    AT_ONCE = 5_000  # letters read at a time

    def __init__(self, db: Database, share: Share) -> None:
        self._db = db
        self._share = share

    # ── letters ──────────────────────────────────────────────────────────────────────────────────

    def sort(self, offers: Sequence[Sourced]) -> list[Sourced]:
        """Our offers; those for hosts of other workers are posted to them."""
        ours: list[Sourced] = []
        letters: list[tuple[int, str, float, int, str, bytes]] = []
        for offer, source in offers:
            owner = self._share.owner(registered_domain(offer.url))
            if owner == self._share.worker:
                ours.append((offer, source))
            else:
                letters.append((owner, offer.url, offer.priority, offer.depth, offer.source, offer.note))
        self._db.executemany(
            "INSERT INTO inbox(worker, url, priority, depth, source, note) VALUES (?, ?, ?, ?, ?, ?)", letters
        )
        return ours

    def waiting(self) -> bool:
        """Whether there is a letter for us."""
        if self._share.alone:
            return False
        row = self._db.execute("SELECT id FROM inbox WHERE worker = ? LIMIT 1", (self._share.worker,)).fetchone()
        return row is not None

    def take(self) -> list[Offer]:
        """The oldest letters for us, which are gone then."""
        if self._share.alone:
            return []
        worker = self._share.worker
        rows = self._db.execute(
            "SELECT id, url, priority, depth, source, note FROM inbox WHERE worker = ? ORDER BY id LIMIT ?",
            (worker, self.AT_ONCE),
        ).fetchall()
        if rows:
            self._db.execute("DELETE FROM inbox WHERE worker = ? AND id <= ?", (worker, rows[-1][0]))
        return [Offer(Url(row[1]), *row[2:]) for row in rows]

    def readdress(self) -> None:
        """Move unread letters to the present owners."""
        urls = [row[0] for row in self._db.execute("SELECT DISTINCT url FROM inbox")]
        owners = [(self._share.owner(registered_domain(Url(url))), url) for url in urls]
        self._db.executemany("UPDATE inbox SET worker = ? WHERE url = ?", owners)

    # ── addresses ────────────────────────────────────────────────────────────────────────────────

    def claim_address(self, address: str, now: float, until: float) -> float:
        """Close an address that all workers share until then. 0 when it was free, else when it will be."""
        row = self._db.execute("SELECT until FROM address WHERE name = ?", (address,)).fetchone()
        if row is not None and row[0] > now:
            return float(row[0])
        self.close_address(address, until)
        return 0.0

    def close_address(self, address: str, until: float) -> None:
        self._db.execute("INSERT OR REPLACE INTO address VALUES (?, ?)", (address, until))

    def open_addresses(self) -> None:
        self._db.execute("DELETE FROM address")
