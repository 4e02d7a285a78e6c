"""Long work in the background: one process at a time, with progress, and a file at the end; and its pages and calls.

A job runs in a process of its own (`phasa.service.job_process`), so that neither its memory nor its time is the
application's. Its folder, with the file and `job.json`, is kept until newer jobs push it out: after a restart the jobs
are listed as they were, and those that were cut off are done again, or marked.
"""

from __future__ import annotations

import asyncio
import logging
import os
import shutil
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Annotated, Protocol

import msgspec
from msgspec import Meta
from starlette.responses import FileResponse, Response

from phasa.crawl.run.prometheus import Metric
from phasa.service.job_process import Order, Progress
from phasa.service.job_shelf import ENDED, Job, Shelf
from phasa.service.section import Call, Conflict, Event, NotFound, Nothing, Section, Stream, View

KEPT = 20
MOST_WAITING = 10
LOOK_EVERY = 0.25

_logger = logging.getLogger(__name__)


class Jobs:
    """The jobs of one application; methods may be called from any thread."""

    def __init__(self, folder: Path) -> None:
        self._shelf = Shelf(folder)
        self._jobs: dict[str, Job] = {}
        self._orders: dict[str, Order] = {}
        self._queue: deque[str] = deque()
        self._changed = threading.Condition()
        self._worker: threading.Thread | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._stopped = ""
        self._closing = False
        self._last = 0
        for kept in self._shelf.read():
            self._jobs[kept.job.id], self._orders[kept.job.id] = kept.job, kept.order
            if kept.job.state == "waiting":
                self._queue.append(kept.job.id)

    def resume(self) -> None:
        """Go on with what was cut off when the application ended."""
        with self._changed:
            if self._queue:
                self._begin()

    def _begin(self) -> None:
        if self._worker is None:
            self._worker = threading.Thread(target=self._work, name="jobs", daemon=True)
            self._worker.start()

    def start(self, title: str, task: str, collection: Path, file: str, options: dict[str, str]) -> Job:
        """Put a job into the queue. Raises Conflict when too many wait."""
        with self._changed:
            if len(self._queue) >= MOST_WAITING:
                raise Conflict(f"{MOST_WAITING} jobs wait already; let them end first")
            self._begin()
            self._last += 1
            id = f"{int(time.time()):x}{self._last:03x}"
            out = self._shelf.folder / id / file
            job = Job(id, title, task.rsplit(".", 1)[-1], "waiting", time.time(), file=file)
            self._jobs[id] = job
            self._orders[id] = Order(task, str(collection), str(out), options)
            self._queue.append(id)
            self._shelf.keep(job, self._orders[id])
            self._forget_old()
            self._changed.notify_all()
            _logger.info("job %s (%s) waits", id, title)
            return job

    def all(self) -> list[Job]:
        """Newest first."""
        with self._changed:
            return list(self._jobs.values())[::-1]

    def get(self, id: str) -> Job:
        """Raises NotFound."""
        with self._changed:
            if id not in self._jobs:
                raise NotFound(f"{id[:40]}: no such job; it may have made room for newer ones")
            return self._jobs[id]

    def file(self, id: str) -> Path:
        """What a job made. Raises NotFound while it is not there."""
        job = self.get(id)
        path = Path(self._orders[id].out)
        if job.state != "done" or not path.is_file():
            raise NotFound(f"{job.title}: not ready ({job.state})")
        return path

    def beside(self, id: str, name: str) -> Path:
        """Another file that a job wrote beside its own. Raises NotFound while it is not there."""
        path = self.file(id).with_name(name)
        if not path.is_file():
            raise NotFound(f"{name}: this job made no such file")
        return path

    def stop(self, id: str) -> Job:
        """End a job that waits or runs; others stay as they are."""
        job = self.get(id)
        with self._changed:
            if job.state == "waiting" and id in self._queue:
                self._queue.remove(id)
                self._set(id, state="stopped", message="")
            elif self._jobs[id].state == "running":
                self._stopped = id
                if self._process is not None:  # otherwise it is about to start, and hears it then
                    self._process.terminate()
            return self._jobs[id]

    def wait(self, id: str, seconds: float = 60.0) -> Job:
        """The job when it has ended, or as it stands after so long."""
        with self._changed:
            self._changed.wait_for(lambda: self._jobs[id].state in ENDED, seconds)
            return self._jobs[id]

    def close(self) -> None:
        """End everything; what runs or waits is done again when the application starts again."""
        with self._changed:
            self._closing = True
            self._queue.clear()
            if self._process is not None:
                self._process.terminate()
            self._changed.notify_all()
            worker = self._worker
        if worker is not None:
            worker.join(10)
        self._shelf.close()

    # ── the thread that runs them ────────────────────────────────────────────────────────────────

    def _work(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._closing or self._queue)
                if self._closing:
                    return
                id = self._queue.popleft()
                self._set(id, state="running")
            try:
                self._run(id)
            except OSError as problem:
                _logger.exception("job %s", id)
                with self._changed:
                    self._set(id, state="failed", message=str(problem))

    def _run(self, id: str) -> None:
        order = self._orders[id]
        out = Path(order.out)
        out.parent.mkdir(parents=True, exist_ok=True)
        # The child finds the same modules as we do, however we were started.
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
        process = subprocess.Popen(
            [sys.executable, "-m", "phasa.service.job_process"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment,
        )
        assert process.stdin is not None
        assert process.stdout is not None
        with self._changed:
            self._process = process
            if self._closing or self._stopped == id:
                process.terminate()
        try:
            process.stdin.write(msgspec.json.encode(order))
            process.stdin.close()
        except BrokenPipeError:
            pass
        last = Progress()
        for line in process.stdout:
            last = msgspec.json.decode(line, type=Progress)
            with self._changed:
                self._set(id, done=last.done, total=last.total, message=last.message)
        process.wait()
        process.stdout.close()
        with self._changed:
            self._process = None
            if last.end == "done" and out.is_file():
                self._set(id, state="done", size=out.stat().st_size)
            elif self._stopped == id and last.end != "failed":
                self._set(id, state="stopped", message="")
            else:
                self._set(id, state="failed", message=last.message if last.end == "failed" else "ended unexpectedly")
            job = self._jobs[id]
        _logger.info("job %s (%s): %s %s", id, job.title, job.state, job.message)

    def _set(self, id: str, **changes: object) -> None:
        self._jobs[id] = msgspec.structs.replace(self._jobs[id], **changes)
        if "state" in changes and not self._closing:
            self._shelf.keep(self._jobs[id], self._orders[id])
        self._changed.notify_all()

    def _forget_old(self) -> None:
        ended = [id for id, job in self._jobs.items() if job.state in ENDED]
        for id in ended[: max(0, len(self._jobs) - KEPT)]:
            shutil.rmtree(Path(self._orders[id].out).parent, ignore_errors=True)
            del self._jobs[id], self._orders[id]


# ── pages and calls ──────────────────────────────────────────────────────────────────────────────

Id = Annotated[str, Meta(description="The id of a job.", min_length=1, max_length=40)]


class HasJobs(Protocol):
    """What these pages need of the application."""

    @property
    def jobs(self) -> Jobs: ...


class AskedJob(msgspec.Struct, frozen=True):
    """Which job."""

    id: Id


def _list(service: HasJobs, asked: Nothing) -> list[Job]:
    return service.jobs.all()


def _get(service: HasJobs, asked: AskedJob) -> Job:
    return service.jobs.get(asked.id)


def _stop(service: HasJobs, asked: AskedJob) -> Job:
    return service.jobs.stop(asked.id)


def _file(service: HasJobs, asked: AskedJob) -> Response:
    path = service.jobs.file(asked.id)
    return FileResponse(path, media_type="application/octet-stream", filename=path.name)


async def _watch(service: HasJobs, asked: AskedJob) -> AsyncIterator[Event]:
    """The job at every change until it has ended."""
    last: Job | None = None
    while True:
        job = service.jobs.get(asked.id)
        if job != last:
            last = job
            yield Event("job", job)
        if job.state in ENDED:
            return
        await asyncio.sleep(LOOK_EVERY)


def _metrics(service: HasJobs) -> list[Metric]:
    states = [job.state for job in service.jobs.all()]
    return [
        Metric("jobs", "Background jobs that are kept, by state.", states.count(state), (("state", state),))
        for state in ("waiting", "running", *ENDED)
    ]


section = Section(
    name="",
    path="/jobs",
    views=(View("/jobs/{id}", "job.html", _get, AskedJob),),
    calls=(
        Call("GET", "/api/jobs", "The background jobs, newest first.", _list, list[Job]),
        Call("GET", "/api/jobs/{id}", "One job.", _get, Job, AskedJob),
        Call("GET", "/api/jobs/{id}/file", "What a job made.", _file, None, AskedJob, "application/octet-stream"),
        Call("POST", "/api/jobs/{id}/stop", "End a job.", _stop, Job, AskedJob),
    ),
    streams=(Stream("/api/jobs/{id}/events", "A job's progress.", _watch, {"job": Job}, AskedJob),),
    metrics=_metrics,
)
