"""When the application's own files are brought up to date: in the background, never while a page is asked for."""

from __future__ import annotations

import logging
import threading
import time
from pathlib import Path
from typing import Protocol

from phasa.collection import Collection
from phasa.crawl.run.status import read_status
from phasa.errors import PhasaError
from phasa.service.job_shelf import Job
from phasa.service.jobs import Jobs
from phasa.service.search_index import FILE, reading
from phasa.service.upkeep_job import DIGEST, read_digest

TASK = "phasa.service.upkeep_job"
FIRST = 10.0
GROWTH = 1.2
"""A digest is made again when the collection has grown by so much, or is a day old and anything came."""
DAY = 86_400.0

_logger = logging.getLogger(__name__)


class Kept(Protocol):
    """What upkeep needs of the application."""

    collection: Collection
    folder: Path
    jobs: Jobs


class Upkeep:
    """A thread that looks now and then whether something is behind, and starts the job for it."""

    def __init__(self, service: Kept) -> None:
        self._service = service
        self._every = service.collection.settings.service.upkeep_seconds
        self._closing = threading.Event()

    def start(self) -> None:
        if self._every:
            threading.Thread(target=self._run, name="upkeep", daemon=True).start()

    def close(self) -> None:
        self._closing.set()

    def _run(self) -> None:
        wait = min(FIRST, self._every)
        while not self._closing.wait(wait):
            wait = self._every
            try:
                if is_behind(self._service):
                    bring_up_to_date(self._service)
            except (PhasaError, OSError) as problem:
                _logger.warning("upkeep: %s", problem)


def is_behind(service: Kept) -> bool:
    """Whether the search or the digest is older than the collection, and nothing is being done about it."""
    if any(job.state in ("waiting", "running") for job in service.jobs.all()):
        return False
    pages = read_status(service.collection).pages
    if not pages:
        return False
    with reading(service.folder / FILE) as index:
        if index is None or index.behind(service.collection.archive_folder):
            return True
    kept = read_digest(service.folder / DIGEST)
    return kept is None or pages > kept.pages * GROWTH or (pages > kept.pages and time.time() - kept.made > DAY)


def bring_up_to_date(service: Kept) -> Job:
    """Start the job; the one that waits or runs, where there is one."""
    name = TASK.rsplit(".", 1)[-1]
    for job in service.jobs.all():
        if job.task == name and job.state in ("waiting", "running"):
            return job
    options = {"folder": str(service.folder.resolve())}
    path = service.collection.path.resolve()
    return service.jobs.start("Search and start page", TASK, path, "digest.json", options)
