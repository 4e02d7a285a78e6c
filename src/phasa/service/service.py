"""What every page of the application works on: the collection, and what the application itself keeps."""

from __future__ import annotations

import secrets
import sqlite3
import tempfile
import threading
from pathlib import Path

from phasa.collection import Collection
from phasa.errors import CollectionError
from phasa.language.profile import Profile, load_profile
from phasa.service.following import Following
from phasa.service.jobs import Jobs
from phasa.service.ledger import Ledger
from phasa.service.page_view import warm_up
from phasa.service.watching import Counting


class Service:
    """One application over one collection. `csrf` is a secret of this process that its forms carry.

    `folder` is where it keeps its own files: inside the collection, or a temporary one where that cannot be written.
    They may be deleted whenever it does not run. `local`: only this machine can reach the application.
    """

    local = True

    def __init__(self, collection: Collection, replay: str = "") -> None:
        self.collection = collection
        self.replay = replay
        self.csrf = secrets.token_urlsafe(24)
        self.profile: Profile = load_profile(collection.settings.language)
        self._borrowed: tempfile.TemporaryDirectory[str] | None = None
        self.folder = self._own_folder(collection.path / "service")
        self.jobs = Jobs(self.folder / "jobs")
        self.counting = Counting(collection)
        self.following = Following(collection.log_file, self.folder / "ledger.db")
        self._threads = threading.local()
        self._ledgers: list[Ledger] = []

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
    def ledger(self) -> Ledger:
        """The calling thread's connection to the ledger. Raises CollectionError when it cannot be opened."""
        held = getattr(self._threads, "ledger", None)
        if held is None:
            try:
                held = Ledger(self.folder / "ledger.db")
            except sqlite3.Error as problem:
                raise CollectionError(f"{self.folder / 'ledger.db'}: cannot be read: {problem}; delete it") from None
            self._threads.ledger = held
            self._ledgers.append(held)
        assert isinstance(held, Ledger)
        return held

    def start(self) -> None:
        """Begin what goes on in the background."""
        self.following.start()
        threading.Thread(target=warm_up, args=(self.profile.code,), name="warm-up", daemon=True).start()

    def close(self) -> None:
        """End it."""
        self.following.close()
        self.counting.close()
        self.jobs.close()
        for ledger in self._ledgers:
            ledger.close()
        if self._borrowed is not None:
            self._borrowed.cleanup()
