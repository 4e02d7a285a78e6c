"""A collection on disk: a folder with its settings, seeds, frontier, archive and reports (DESIGN §4)."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated, Any, Literal

import msgspec
from msgspec import Meta

from phasa.archive.storage_settings import StorageSettings
from phasa.archive_settings import ArchiveSettings
from phasa.errors import CollectionError, SettingsError
from phasa.feed_settings import FeedSettings
from phasa.fleet_settings import FleetSettings
from phasa.fresh_settings import FreshSettings
from phasa.frontier.budgets import Budgets
from phasa.frontier.politeness import Politeness
from phasa.frontier.scope import ScopeSettings
from phasa.frontier.traps import TrapSettings
from phasa.overview_settings import OverviewSettings
from phasa.processes import is_alive
from phasa.service_settings import ServiceSettings
from phasa.settings import Settings, read_settings, write_settings
from phasa.strategy_settings import CycleSettings, LangidSettings, StrategySettings
from phasa.web.limits import Limits

if TYPE_CHECKING:
    from phasa.language.profile import Profile


class WordSettings(Settings, frozen=True, kw_only=True):
    """How texts of the collection are cut into words."""

    model: Annotated[
        str,
        Meta(
            description="The word model, for Thai: default (not for commercial use), free (may be used commercially), "
            "or a file of `phasa segment train` in models/."
        ),
    ] = "default"


class CollectionSettings(Settings, frozen=True, kw_only=True):
    """What collection.toml says."""

    language: Annotated[
        str,
        Meta(
            description="The language to collect: the code of a profile (phasa languages), or a profile of your own "
            "(.toml), relative to this folder."
        ),
    ] = "th"
    contact: Annotated[
        str,
        # It becomes part of a header line.
        Meta(
            pattern=r"\A[^\x00-\x1f\x7f]*\Z",
            description="Who answers for this crawl: a page or mail address, sent in the user agent.",
        ),
    ] = ""
    strategy: Annotated[str, Meta(description="Which links first: the name of a strategy (phasa crawl --help).")] = (
        "hybrid"
    )
    detector: Annotated[str, Meta(description="How the language of a page is found (phasa detect --help).")] = "auto"
    judge: Annotated[
        str, Meta(description="A judge of your own (docs/plugins.md), ./mine.py:Mine; empty = by language and topic.")
    ] = ""
    topic: Annotated[
        str,
        Meta(description="Only pages about this: a file of `phasa learn topic` in models/, or thailand; empty = any."),
    ] = ""
    thesaurus: Annotated[
        str,
        Meta(
            description="Only pages with words of this list, one a line, in models/; it grows by words of such pages "
            "(in FILE.learned); empty = any subject."
        ),
    ] = ""
    thesaurus_words: Annotated[int, Meta(ge=1, description="Different words of `thesaurus` that a page must have.")] = 2
    knowledge: Annotated[
        str,
        Meta(description="The knowledge base of nb and hybrid (phasa learn, also of another collection), in models/."),
    ] = "knowledge.arff"
    unseen: Annotated[
        str,
        Meta(
            description="Never pages that a model was learned from: its file in models/ (segment.predictor, or "
            "trained.txt of `phasa learn`); empty = any. Strategy `segment` leaves out those of its predictor anyway."
        ),
    ] = ""
    connections: Annotated[
        int, Meta(gt=0, description="Hosts that are asked at the same time at most, per worker.")
    ] = 256
    tolerance: Annotated[
        float,
        Meta(
            ge=0,
            le=1,
            description="Share of the harvest that may be given up for speed: poor links wait while better ones can "
            "come; 1 fetches whatever may be fetched, which is fastest.",
        ),
    ] = 0.01
    near_duplicates: Annotated[
        Literal["off", "count", "skip"],
        Meta(
            description="Pages that nearly repeat a known one: off (not looked for), count (counted, and named in the "
            "log), skip (also, their links are not followed)."
        ),
    ] = "off"
    warc_megabytes: Annotated[float, Meta(gt=0, description="A WARC file is closed when it is this large.")] = 1000.0
    allow_private: Annotated[
        bool, Meta(description="Reach private and loopback addresses too; only for a web on this machine.")
    ] = False
    server: Annotated[
        str, Meta(description="Send every request to this address:port instead, as `phasa lab serve` needs it.")
    ] = ""
    ca_file: Annotated[
        str,
        Meta(
            description="Authorities to trust for https besides the system's, as an intranet has them: a PEM file, "
            "relative to the collection; empty = none."
        ),
    ] = ""
    frontier: Annotated[
        str,
        Meta(
            description="Where the frontier is kept: empty = frontier.db in this folder; a PostgreSQL server for a "
            "fleet: postgresql://user@host/database?schema=name (docs/fleet.md)."
        ),
    ] = ""
    archive: Annotated[ArchiveSettings, Meta(description="What is kept of the web.")] = ArchiveSettings()
    scope: Annotated[ScopeSettings, Meta(description="Which URLs belong to this collection.")] = ScopeSettings()
    budgets: Annotated[Budgets, Meta(description="How much to take; 0 means no limit.")] = Budgets()
    politeness: Annotated[Politeness, Meta(description="Manners towards servers.")] = Politeness()
    words: Annotated[WordSettings, Meta(description="How texts are cut into words.")] = WordSettings()
    strategies: Annotated[StrategySettings, Meta(description="Switches of the strategies.")] = StrategySettings()
    cycles: Annotated[CycleSettings, Meta(description="A crawl in cycles: phasa crawl --cycles.")] = CycleSettings()
    langid: Annotated[LangidSettings, Meta(description="The Persian detectors.")] = LangidSettings()
    traps: Annotated[TrapSettings, Meta(description="When addresses look made up without end.")] = TrapSettings()
    limits: Annotated[Limits, Meta(description="Limits on every exchange with a server; each is a hard stop.")] = (
        Limits()
    )
    fresh: Annotated[FreshSettings, Meta(description="When pages that were wanted are visited again.")] = (
        FreshSettings()
    )
    fleet: Annotated[FleetSettings, Meta(description="Workers on many machines: phasa fleet.")] = FleetSettings()
    feeds: Annotated[FeedSettings, Meta(description="How many feeds, and how long lists of them may be.")] = (
        FeedSettings()
    )
    overview: Annotated[
        OverviewSettings, Meta(description="How overviews and keywords are made; options of the commands go before.")
    ] = OverviewSettings()
    storage: Annotated[
        StorageSettings, Meta(description="Where finished WARC files are shipped to, and read from.")
    ] = StorageSettings()
    service: Annotated[ServiceSettings, Meta(description="What the web application takes on at a time.")] = (
        ServiceSettings()
    )

    @classmethod
    def newer(cls, table: dict[str, Any]) -> dict[str, Any]:
        keep = table.get("archive")
        return {**table, "archive": {"keep": keep}} if isinstance(keep, bool) else table


class Collection:
    """The folder of one collection. Parts of phasa are given its settings and paths; none of them reads them itself."""

    SETTINGS = "collection.toml"
    SEEDS = "seeds.txt"
    FRONTIER = "frontier.db"
    ARCHIVE = "archive"
    MODELS = "models"
    PROFILE = "profile"
    REPORTS = "reports"
    LOG = "crawl.log"
    DUPLICATES = "duplicates.db"
    LOCK = "lock"

    def __init__(self, path: Path, settings: CollectionSettings) -> None:
        self.path = path
        self.settings = settings
        self.lock_file: int | None = None
        """The open file that holds the lock, while `locked`."""

    @classmethod
    def create(
        cls, path: Path, *, language: str = "th", seeds: Path | None = None, contact: str = "", server: str = ""
    ) -> Collection:
        """Make the folder with its settings and seeds.

        `language` is a code, or the file of a profile: the collection gets a copy of its own, with the lists that it
        names. Raises CollectionError when it already holds a collection, SettingsError for a language nobody knows and
        for a server that is none.
        """
        from phasa.language.profile import keep_profile, load_profile

        profile = load_profile(language)
        if server:
            from phasa.web.guard import one_server

            one_server(server)
        if not contact.isprintable():
            raise SettingsError(
                f"setting 'contact': {contact!r} is not one line of text; it is sent with every request"
            )
        if path.exists() and not path.is_dir():
            raise CollectionError(f"{path}: is a file; name a folder, which need not be there yet")
        if (path / cls.SETTINGS).exists():
            raise CollectionError(f"{path}: already a collection; choose another folder or edit {path / cls.SETTINGS}")
        seed_text = (
            seeds.read_text(encoding="utf-8") if seeds else "# One address per line. Lines with # are comments.\n"
        )
        if language.endswith(".toml"):
            language = keep_profile(profile, path / cls.PROFILE).relative_to(path).as_posix()
        settings = CollectionSettings(language=language, contact=contact, server=server)
        if server:  # a web of one's own, on one machine: nobody is spared by waiting a second for each page
            settings = msgspec.structs.replace(settings, politeness=Politeness(delay=0.0, address_delay=0.0))
        path.mkdir(parents=True, exist_ok=True)
        (path / cls.SEEDS).write_text(seed_text, encoding="utf-8")
        (path / cls.SETTINGS).write_text(write_settings(settings), encoding="utf-8")
        return cls(path, settings)

    @classmethod
    def open(cls, path: Path) -> Collection:
        """The collection in a folder. Raises CollectionError when there is none, SettingsError for bad settings."""
        if not (path / cls.SETTINGS).is_file():
            raise CollectionError(f"{path}: no collection here (no {cls.SETTINGS}); make one with: phasa init {path}")
        # Defaults in place of settings that were lost would be another crawl than the one that was begun.
        written = (path / cls.SETTINGS).read_bytes()
        if not written:
            raise CollectionError(
                f"{path / cls.SETTINGS}: is empty, so its settings are lost; write at least its language"
            )
        settings = read_settings(path / cls.SETTINGS, CollectionSettings)
        if not written.endswith(b"\n"):
            raise CollectionError(
                f"{path / cls.SETTINGS}: its last line has no end, so it may have been cut off; if nothing is missing, "
                "end it with a line break"
            )
        return cls(path, settings)

    @property
    def settings_file(self) -> Path:
        return self.path / self.SETTINGS

    @property
    def frontier_file(self) -> Path:
        return self.path / self.FRONTIER

    @property
    def archive_folder(self) -> Path:
        return self.path / self.ARCHIVE

    @property
    def models_folder(self) -> Path:
        return self.path / self.MODELS

    @property
    def ca_file(self) -> Path | None:
        """The file of the authorities that are trusted besides the system's; None when the settings name none."""
        return self.path / self.settings.ca_file if self.settings.ca_file else None

    @cached_property
    def profile(self) -> Profile:
        """What is known of its language. Raises SettingsError when there is no such profile, or it is wrong."""
        from phasa.language.profile import load_profile

        language = self.settings.language
        return load_profile(str(self.path / language) if language.endswith(".toml") else language)

    @property
    def word_model(self) -> str:
        """The word model that the settings choose: the name of a shipped one, or the path of a file in models/."""
        model = self.settings.words.model
        return model if model in ("default", "free") else str(self.models_folder / model)

    @property
    def reports_folder(self) -> Path:
        return self.path / self.REPORTS

    @property
    def duplicates_file(self) -> Path:
        return self.path / self.DUPLICATES

    @property
    def budget_file(self) -> Path:
        """How the requests of a day are shared by feeds and revisits."""
        return self.path / "budget.db"

    @property
    def log_file(self) -> Path:
        return self.path / self.LOG

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Nobody else works on this collection meanwhile. Raises CollectionError that names who does.

        The lock belongs to the open file `lock_file`: processes that are handed it hold the lock too, until the last
        of them ends.
        """
        with (self.path / self.LOCK).open("a+", encoding="utf-8") as lock:
            # The system lets go of it when the process ends, however it ends: no stale lock can block a start.
            if not _taken(lock, fcntl.LOCK_EX):
                owner = _owner(lock)
                if owner is None or is_alive(owner) or not _taken(lock, fcntl.LOCK_EX, tries=500):
                    name = f"process {owner}" if owner is not None else "another process"
                    raise CollectionError(
                        f"{self.path}: already being worked on by {name}; wait for it, or stop it with Ctrl-C"
                    ) from None
            lock.truncate(0)
            lock.write(f"process {os.getpid()}")
            lock.flush()
            self.lock_file = lock.fileno()
            try:
                yield
            finally:
                self.lock_file = None

    def is_locked(self) -> bool:
        """Whether somebody works on it now. Looking takes nothing from those who work, or want to."""
        try:
            with (self.path / self.LOCK).open("rb") as lock:
                return not _taken(lock, fcntl.LOCK_SH, tries=1)
        except FileNotFoundError:
            return False

    def seeds(self) -> list[str]:
        """The lines of seeds.txt that are not blank and not comments."""
        lines = (self.path / self.SEEDS).read_text(encoding="utf-8").splitlines()
        return [line.strip() for line in lines if line.strip() and not line.strip().startswith("#")]

    def with_settings(self, **changes: object) -> Collection:
        """The same folder with some settings overridden for this run, as command options do."""
        return Collection(self.path, msgspec.structs.replace(self.settings, **changes))

    def unlocked(self) -> Collection:
        """The same without the lock, to be sent to another process."""
        return Collection(self.path, self.settings)


def _taken(lock: IO[Any], kind: int, tries: int = 10) -> bool:
    """Take a lock; those who only look hold it for a moment, so that once is not enough to be sure."""
    for left in reversed(range(tries)):
        try:
            fcntl.flock(lock, kind | fcntl.LOCK_NB)
        except BlockingIOError:
            if left:
                time.sleep(0.02)
        else:
            return True
    return False


def _owner(lock: IO[str]) -> int | None:
    """The process that took a lock last; when it is gone, the workers that it started are about to end, too."""
    lock.seek(0)
    number = lock.read().removeprefix("process ").strip()
    return int(number) if number.isascii() and number.isdecimal() and len(number) < 10 else None
