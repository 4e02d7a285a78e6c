"""Jobs on disk: one folder each with `job.json`, so that a restart forgets none of them."""

from __future__ import annotations

import fcntl
import os
import re
import shutil
from pathlib import Path
from typing import Literal

import msgspec

from phasa.files import whole_file
from phasa.service.job_process import Order

JobState = Literal["waiting", "running", "done", "failed", "stopped"]
ENDED: tuple[JobState, ...] = ("done", "failed", "stopped")
RESUMED = (
    *("phasa.service.exports", "phasa.service.corpus_job", "phasa.service.lab_job"),
    "phasa.service.published_job",
)
"""Tasks that are done again after a restart: what they do is named in their options alone. A folder may come from
somewhere else, so nothing else that stands in it is ever run."""
CUT_OFF = "cut off when the application ended"
MOST_TRIES = 2
_NAME = "job.json"
_ID = re.compile(r"[0-9a-f]{6,20}")


class Job(msgspec.Struct, frozen=True):
    """One job as readers see it. `file` is what can be downloaded when it is done."""

    id: str
    title: str
    task: str
    state: JobState
    made: float
    done: int = 0
    total: int | None = None
    message: str = ""
    file: str = ""
    size: int = 0


class KeptJob(msgspec.Struct, frozen=True):
    """A job with its order. `tries`: how often it was begun."""

    job: Job
    order: Order
    tries: int = 0


class Shelf:
    """The folder. Another application over the same collection keeps its jobs in a folder of its own, for a while."""

    def __init__(self, folder: Path) -> None:
        self._lock = -1
        self._borrowed = False
        self.folder = folder
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._lock = os.open(folder / "lock", os.O_CREAT | os.O_RDWR, 0o600)
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self._borrowed = True
            self.folder = folder.with_name(f"{folder.name}-{os.getpid()}-{id(self):x}")
        self._tries: dict[str, int] = {}

    def read(self) -> list[KeptJob]:
        """The jobs that are kept, oldest first; what was cut off waits again, or has failed."""
        if self._borrowed:
            return []
        found = [kept for path in self.folder.glob(f"*/{_NAME}") if (kept := self._read(path)) is not None]
        return sorted(found, key=lambda kept: (kept.job.made, kept.job.id))

    def _read(self, path: Path) -> KeptJob | None:
        try:
            kept = msgspec.json.decode(path.read_bytes(), type=KeptJob)
        except (OSError, msgspec.DecodeError):
            return None
        id, file = kept.job.id, Path(kept.job.file).name
        if id != path.parent.name or not _ID.fullmatch(id) or file != kept.job.file:
            return None
        collection = str(self.folder.parent.parent.resolve())
        order = msgspec.structs.replace(kept.order, out=str(path.parent / file), collection=collection)
        job = kept.job
        self._tries[id] = kept.tries
        if job.state not in ENDED:
            again = kept.tries < MOST_TRIES and order.task in RESUMED
            state: JobState = "waiting" if again else "failed"
            job = msgspec.structs.replace(job, state=state, done=0, total=None, message="" if again else CUT_OFF)
            self.keep(job, order)
        return KeptJob(job, order, kept.tries)

    def keep(self, job: Job, order: Order) -> None:
        """Write a job as it stands. A disk that takes no file does not stop the job."""
        if job.state == "running":
            self._tries[job.id] = self._tries.get(job.id, 0) + 1
        path = self.folder / job.id / _NAME
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with whole_file(path) as unfinished:
                unfinished.write_bytes(msgspec.json.encode(KeptJob(job, order, self._tries.get(job.id, 0))))
        except OSError:
            pass

    def close(self) -> None:
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1
        if self._borrowed:
            shutil.rmtree(self.folder, ignore_errors=True)
