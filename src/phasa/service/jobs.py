"""Long work in the background: one process at a time, with progress, and a file at the end.

A job runs in a process of its own (`phasa.service.work`), so that neither its memory nor its time is the
application's. Its folder, and with it the file, is kept until the application starts anew or newer jobs push it out.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
import time
from collections import deque
from pathlib import Path
from typing import Literal

import msgspec

from phasa.service.section import Conflict, NotFound

KEPT = 20
MOST_WAITING = 10


class Order(msgspec.Struct, frozen=True):
    """What a job is to do: a module with `run(order, tell) -> str`, the collection, the file to write, options."""

    task: str
    collection: str
    out: str
    options: dict[str, str] = {}


class Progress(msgspec.Struct, frozen=True):
    """One line from the process of a job. `total` is absent while nobody knows it; `end` is its last word."""

    done: int = 0
    total: int | None = None
    message: str = ""
    end: Literal["", "done", "failed"] = ""


class Job(msgspec.Struct, frozen=True):
    """One job as readers see it. `file` is what can be downloaded when it is done."""

    id: str
    title: str
    task: str
    state: Literal["waiting", "running", "done", "failed"]
    made: float
    done: int = 0
    total: int | None = None
    message: str = ""
    file: str = ""
    size: int = 0


class Jobs:
    """The jobs of one application; methods may be called from any thread."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._jobs: dict[str, Job] = {}
        self._orders: dict[str, Order] = {}
        self._queue: deque[str] = deque()
        self._changed = threading.Condition()
        self._worker: threading.Thread | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._closing = False
        self._last = 0

    def start(self, title: str, task: str, collection: Path, file: str, options: dict[str, str]) -> Job:
        """Put a job into the queue. Raises Conflict when too many wait."""
        with self._changed:
            if len(self._queue) >= MOST_WAITING:
                raise Conflict(f"{MOST_WAITING} jobs wait already; let them end first")
            if self._worker is None:
                shutil.rmtree(self._folder, ignore_errors=True)  # of an earlier run
                self._worker = threading.Thread(target=self._work, name="jobs", daemon=True)
                self._worker.start()
            self._last += 1
            id = f"{int(time.time()):x}{self._last:03x}"
            out = self._folder / id / file
            job = Job(id, title, task.rsplit(".", 1)[-1], "waiting", time.time(), file=file)
            self._jobs[id] = job
            self._orders[id] = Order(task, str(collection), str(out), options)
            self._queue.append(id)
            self._forget_old()
            self._changed.notify_all()
            return job

    def all(self) -> list[Job]:
        """Newest first."""
        with self._changed:
            return list(self._jobs.values())[::-1]

    def get(self, id: str) -> Job:
        """Raises NotFound."""
        with self._changed:
            if id not in self._jobs:
                raise NotFound(f"{id[:40]}: no such job; jobs are kept until the application starts anew")
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
                self._set(id, state="failed", message="stopped")
            elif self._jobs[id].state == "running" and self._process is not None:
                self._set(id, message="stopped")
                self._process.terminate()
            return self._jobs[id]

    def wait(self, id: str, seconds: float = 60.0) -> Job:
        """The job when it has ended, or as it stands after so long."""
        with self._changed:
            self._changed.wait_for(lambda: self._jobs[id].state in ("done", "failed"), seconds)
            return self._jobs[id]

    def close(self) -> None:
        """End everything; files go with it."""
        with self._changed:
            self._closing = True
            self._queue.clear()
            if self._process is not None:
                self._process.terminate()
            self._changed.notify_all()
            worker = self._worker
        if worker is not None:
            worker.join(10)
            shutil.rmtree(self._folder, ignore_errors=True)

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
                with self._changed:
                    self._set(id, state="failed", message=str(problem))

    def _run(self, id: str) -> None:
        order = self._orders[id]
        out = Path(order.out)
        out.parent.mkdir(parents=True, exist_ok=True)
        # The child finds the same modules as we do, however we were started.
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
        process = subprocess.Popen(
            [sys.executable, "-m", "phasa.service.work"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment,
        )
        assert process.stdin is not None
        assert process.stdout is not None
        with self._changed:
            self._process = process
            if self._closing:
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
            else:
                stopped = self._jobs[id].message == "stopped"
                message = last.message if last.end == "failed" else "stopped" if stopped else "ended unexpectedly"
                self._set(id, state="failed", message=message)

    def _set(self, id: str, **changes: object) -> None:
        self._jobs[id] = msgspec.structs.replace(self._jobs[id], **changes)
        self._changed.notify_all()

    def _forget_old(self) -> None:
        ended = [id for id, job in self._jobs.items() if job.state in ("done", "failed")]
        for id in ended[: max(0, len(self._jobs) - KEPT)]:
            shutil.rmtree(Path(self._orders[id].out).parent, ignore_errors=True)
            del self._jobs[id], self._orders[id]
