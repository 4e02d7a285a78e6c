"""What is done now and then while a crawl runs, and what its strategy learned, kept between runs."""

from __future__ import annotations

import logging
import shutil
from collections.abc import Callable
from pathlib import Path

from phasa.collection import Collection
from phasa.crawl.clock import Clock
from phasa.crawl.loop import Crawl
from phasa.crawl.meter import Metrics
from phasa.crawl.run.control import Control
from phasa.crawl.run.live_status import StatusWriter, write_metrics
from phasa.crawl.run.sharing import SharedLearning
from phasa.crawl.strategy import Strategy
from phasa.errors import BrokenPartError, InputError, with_place
from phasa.files import replace_file
from phasa.frontier.inbox import Partition
from phasa.garbage import give_back

SAVE_EVERY = 30.0
FLUSH_EVERY = 2.0

Watch = Callable[[Metrics], None]
"""Is shown the numbers of a crawl as they change."""

_logger = logging.getLogger(__name__)


class StrategyState:
    """The file of what a strategy learned; without it a crawl goes on, only less wisely. Who does not `keep` it only
    reads."""

    def __init__(self, folder: Path, strategy: Strategy, worker: int, *, keeps: bool = True) -> None:
        self._keeps = keeps
        name = "".join(letter if letter.isalnum() else "-" for letter in strategy.name)
        self._path = folder / f"{name}-{worker:02d}.state"
        self._strategy = strategy

    def load(self) -> None:
        if self._path.is_file():
            try:
                self._strategy.load(self._path.read_bytes())
            except InputError as problem:
                _logger.warning("%s: cannot be used, the strategy learns again: %s", self._path, problem)
            except Exception as trouble:
                raise self._raised(trouble) from trouble

    def _raised(self, trouble: Exception) -> BrokenPartError:
        return BrokenPartError(f"strategy {self._strategy.name}: {with_place(trouble, __file__)}")

    def save(self) -> None:
        if not self._keeps:
            return
        try:
            state = self._strategy.save()
        except Exception as trouble:
            raise self._raised(trouble) from trouble
        if state:
            self._path.parent.mkdir(exist_ok=True)
            replace_file(self._path, state)


class Upkeep:
    """Obeys orders, writes down how the crawl goes, saves what was learned, and looks at the disk."""

    def __init__(
        self,
        collection: Collection,
        state: StrategyState,
        watch: Watch | None,
        clock: Clock,
        partition: Partition,
        why_end: Callable[[], str] = lambda: "",
        sharing: SharedLearning | None = None,
    ) -> None:
        self._why_end = why_end
        self._sharing = sharing
        self._alone = partition.workers == 1
        self._control = Control(collection, clock.now(), plants=partition.worker == 0)
        self._status = StatusWriter(collection, partition.worker, partition.workers)
        self._collection = collection
        self._state = state
        self._watch = watch
        self._clock = clock
        self._next_flush = 0.0
        self._next_save = clock.now() + SAVE_EVERY

    def look(self, crawl: Crawl) -> str:
        """Do what is due, and say why the crawl should end, if it should."""
        now = self._clock.now()
        self._control.obey(crawl, now)
        metrics = crawl.meter.read(now, crawl.parts.frontier.stats())
        self._status.write(crawl, metrics)
        if self._watch is not None:
            self._watch(metrics)
        if now >= self._next_save:
            self._next_save = now + SAVE_EVERY
            self._state.save()
            give_back()
        if self._sharing is not None and self._sharing.is_due(now, crawl.answers):
            self._sharing.exchange()
        if why := self._why_end():
            return why
        if now < self._next_flush:
            return ""
        self._next_flush = now + FLUSH_EVERY
        if self._alone:  # of several workers, the process that started them writes the numbers of all
            write_metrics(metrics, self._collection.reports_folder)
        return self._disk()

    def end(self, crawl: Crawl, why: str) -> Metrics:
        """The last word of the run: its numbers, written down."""
        if self._sharing is not None:
            self._sharing.exchange()
        self._state.save()
        self._control.end(crawl)
        metrics = crawl.meter.read(self._clock.now(), crawl.parts.frontier.stats())
        self._status.write(crawl, metrics, why)
        if self._alone:
            write_metrics(metrics, self._collection.reports_folder)
        return metrics

    def _disk(self) -> str:
        least = self._collection.settings.budgets.free_disk_megabytes
        free = free_megabytes(self._collection.path)
        if least and free < least:
            return f"only {free:,.0f} MB of disk are free, less than free_disk_megabytes = {least:,.0f}"
        return ""


def free_megabytes(path: Path) -> float:
    """Free space of the disk that a folder is on."""
    return shutil.disk_usage(path).free / 1e6
