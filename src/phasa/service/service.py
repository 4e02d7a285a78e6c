"""What every page of the application works on: the collection, and what the application itself keeps."""

from __future__ import annotations

import secrets
import tempfile
import threading
from pathlib import Path

from phasa.collection import Collection
from phasa.crawl.run.counts import Counts
from phasa.crawl.run.log_reader import LogReader
from phasa.crawl.run.status import Status, read_status
from phasa.feeds.counted import Counted
from phasa.language.profile import Profile
from phasa.service.audit import FILE as AUDIT
from phasa.service.audit import Audit
from phasa.service.crawl_status import CrawlTables, crawl_tables
from phasa.service.jobs import Jobs
from phasa.service.page_view import warm_up
from phasa.service.people import FILE as PEOPLE
from phasa.service.people import People
from phasa.service.shared import Shared
from phasa.service.tries import Tries
from phasa.service.upkeep import Upkeep

COUNTS = "counts.db"
LOOK_EVERY = 1.0
"""Seconds after which those who follow a crawl get new numbers."""
TABLES_EVERY = 5
"""Looks from one table to the next."""
ROWS = 20
"""Of a table on the page of the crawl."""


class Service:
    """One application over one collection. `csrf` is a secret of this process that its forms carry.

    `folder` is where it keeps its own files: inside the collection, or a temporary one where that cannot be written.
    They may be deleted whenever it does not run. `local`: only this machine can reach the application.
    """

    local = True
    streams = 0
    """Live events that are being followed now."""

    def __init__(self, collection: Collection, replay: str = "") -> None:
        self.collection = collection
        self.replay = replay
        self.csrf = secrets.token_urlsafe(24)
        self.profile: Profile = collection.profile
        self._borrowed: tempfile.TemporaryDirectory[str] | None = None
        self.folder = self._own_folder(collection.path / "service")
        self.jobs = Jobs(self.folder / "jobs")
        self.log_reader = LogReader(collection, self.folder / COUNTS)
        self.upkeep = Upkeep(self)
        self.people = People(collection.path / PEOPLE)
        self.audit = Audit(collection.path / AUDIT)
        self.tries = Tries()
        self.feeds_counted = Counted()
        self.status: Shared[Status] = Shared(lambda: read_status(collection), LOOK_EVERY / 2)
        self.tables: Shared[CrawlTables] = Shared(lambda: self.tables_of(ROWS), LOOK_EVERY * TABLES_EVERY / 2)
        self._threads = threading.local()
        self._opened: list[Counts] = []

    def _own_folder(self, wished: Path) -> Path:
        try:
            wished.mkdir(exist_ok=True)
            probe = wished / "probe"
            probe.touch()
            probe.unlink()
        except OSError:
            self._borrowed = tempfile.TemporaryDirectory(prefix="phasa-service-")
            return Path(self._borrowed.name)
        return wished

    @property
    def name(self) -> str:
        return self.collection.path.resolve().name

    @property
    def counts(self) -> Counts:
        """The calling thread's connection to the counts. Raises CollectionError when they cannot be opened."""
        held: Counts | None = getattr(self._threads, "counts", None)
        if held is None:
            held = self._threads.counts = Counts(self.folder / COUNTS)
            self._opened.append(held)
        return held

    def tables_of(self, rows: int) -> CrawlTables:
        """Hosts, segments and levels of the crawl, with so many rows each."""
        return crawl_tables(self.counts, self.log_reader.counted, rows)

    def start(self) -> None:
        """Begin what goes on in the background."""
        self.log_reader.start()
        self.upkeep.start()
        self.jobs.resume()
        threading.Thread(target=warm_up, args=(self.profile.code,), name="warm-up", daemon=True).start()

    def close(self) -> None:
        """End it."""
        self.upkeep.close()
        self.log_reader.close()
        self.jobs.close()
        for counts in self._opened:
            counts.close()
        if self._borrowed is not None:
            self._borrowed.cleanup()
