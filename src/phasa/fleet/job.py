"""One worker's task, and the process that does it: the crawl of `phasa crawl`, on the sites of the shards it owns.

The process is a child of the actor and ends with it (its standard input is closed then). It says how it ended by its
exit code and one line on standard output.
"""

from __future__ import annotations

import logging
import os
import signal
import sys
import threading
import time
from pathlib import Path

import msgspec

from phasa.archive.repair import finish_open_files
from phasa.collection import Collection, CollectionSettings
from phasa.crawl.loop import PageLimit
from phasa.crawl.run.process import Part, crawl_part
from phasa.crawl.run.shipping import shipping
from phasa.errors import PhasaError
from phasa.frontier.inbox import Partition
from phasa.frontier.postgres.address import LostServerError
from phasa.frontier.postgres.fleet_rows import FleetRows
from phasa.frontier.storage import SupersededError
from phasa.logs import logged_to_file

DONE, FAILED, LOST = 0, 1, 3
"""Exit codes: nothing is left or it was told to stop; it cannot be done; the server or its sites were lost."""
LOOK_EVERY = 1.0

_logger = logging.getLogger(__name__)


class Job(msgspec.Struct, frozen=True, kw_only=True):
    """The task of one worker. `fleet`: the name of the fleet that it belongs to."""

    path: str
    settings: CollectionSettings
    number: int
    fleet: str

    def collection(self) -> Collection:
        return Collection(Path(self.path), self.settings)


class Watcher:
    """Looks at the fleet's orders now and then, for one worker."""

    def __init__(self, job: Job, rows: FleetRows) -> None:
        self._job = job
        self._rows = rows
        self._next = 0.0
        self._why = ""
        self._planted = False

    def why_end(self) -> str:
        """Why this worker should end; '' while it should not."""
        if time.monotonic() >= self._next:
            self._next = time.monotonic() + LOOK_EVERY
            order = self._rows.order()
            if order is None or order.name != self._job.fleet:
                self._why = "the fleet is another one now"
            elif not (self._planted or order.planted) and self._job.number == 0:
                self._rows.change(planted=True)  # this worker plants before it looks for the first time
                self._planted = True
            elif order.stop:
                self._why = "the fleet was told to stop; go on with: phasa fleet start"
            elif self._job.number >= order.workers:
                self._why = "the fleet has fewer workers now"
            else:
                self._planted = order.planted
        return self._why

    def has_more_work(self) -> bool:
        """Whether anything is left anywhere: what waits for others may lead to something for this worker."""
        time.sleep(0.3)
        return not self.why_end() and (not self._planted or self._rows.left() > 0)


class FleetPageLimit(PageLimit):
    """The page limit of all workers together: each takes its share of what is left, so that they hardly go beyond."""

    def __init__(self, rows: FleetRows) -> None:
        self._rows = rows
        self._next = 0.0
        self._pages, self._living, self._own = 0, 1, 0

    def _look(self, done: int) -> None:
        if time.monotonic() >= self._next:
            self._next = time.monotonic() + LOOK_EVERY
            self._pages, self._living, self._own = self._rows.pages(), max(self._rows.living(), 1), done

    def grant(self, limit: int, done: int, out: int, wanted: int) -> int:
        if not limit:
            return wanted
        self._look(done)
        left = limit - self._pages
        share = -(-left // self._living) if left > 0 else 0
        return max(0, min(wanted, share - out - (done - self._own)))

    def reached(self, limit: int, done: int) -> bool:
        self._look(done)
        return self._pages >= limit


def work(job: Job) -> str:
    """Crawl until nothing is left in the whole fleet, or it is told to stop; why it ended."""
    collection = job.collection()
    collection.reports_folder.mkdir(exist_ok=True)
    with logged_to_file(collection.path), FleetRows(job.settings.frontier) as rows:
        order = rows.order()
        workers = order.workers if order is not None else 1
        finished = finish_open_files(collection.archive_folder) if collection.archive_folder.is_dir() else {}
        watcher = Watcher(job, rows)
        part = Part(
            partition=Partition(job.number, workers),
            finished=tuple(finished),
            has_more_work=watcher.has_more_work,
            page_limit=FleetPageLimit(rows),
            fleet=True,
            lifetime=job.settings.fleet.lifetime,
            why_end=watcher.why_end,
            learned=rows,
            share_every=job.settings.fleet.share_every,
            common=rows.common_order(job.number, job.settings.fleet.lifetime),
        )
        with shipping(collection):  # of the workers of a machine one ships at a time
            run = crawl_part(collection, None, part)
        for error in dict.fromkeys(run.errors):
            _logger.error("%s", error)
        return run.outcome.why


def _end_with_parent() -> None:
    sys.stdin.buffer.read()
    os._exit(FAILED)


def main() -> None:
    """Reads the job from the first line of standard input."""
    job = msgspec.json.decode(sys.stdin.buffer.readline(), type=Job)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for those who look on
    code = DONE
    try:
        said = work(job)
    except (LostServerError, SupersededError) as problem:
        said, code = str(problem), LOST
    except (PhasaError, OSError) as problem:
        said, code = str(problem), FAILED
    print(" ".join(said.split()), flush=True)  # noqa: T201 - the actor reads it
    os._exit(code)  # not held up by threads of libraries; all files are closed


if __name__ == "__main__":
    main()
