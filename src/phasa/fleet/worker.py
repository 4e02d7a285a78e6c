"""The actor that keeps one worker's process running on some machine of the cluster."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import ClassVar

import msgspec

from phasa.fleet import job as jobs
from phasa.fleet.bundle import unpack
from phasa.fleet.job import DONE, FAILED, Job

_logger = logging.getLogger(__name__)


class WorkerState(msgspec.Struct, frozen=True):
    """What a worker does: the number of its process (0 between two lives), how many lives it had, the last word."""

    number: int
    process: int
    lives: int
    said: str
    done: bool


class FleetWorker:
    """Starts the process, and starts it again when it ends without being done. Ray starts the actor again, on another
    machine if need be, when it is lost itself; its process ends with it."""

    REST: ClassVar[dict[int, float]] = {FAILED: 10.0}
    """Seconds before another try, by exit code; one second for what only was lost."""

    def __init__(self, job: bytes, bundle: bytes) -> None:
        self._job = msgspec.json.decode(job, type=Job)
        unpack(bundle, Path(self._job.path))
        self._process: subprocess.Popen[bytes] | None = None
        self._lives = 0
        self._said = ""
        self._done = False
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._keep, daemon=True)
        self._thread.start()

    def _keep(self) -> None:
        while not self._ending.is_set():
            self._lives += 1
            process = self._process = subprocess.Popen(
                [sys.executable, "-m", jobs.__name__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=_environment()
            )
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write(msgspec.json.encode(self._job) + b"\n")
            process.stdin.flush()
            said = process.stdout.read().decode(errors="replace").strip()
            code = process.wait()
            self._said = said or f"ended with code {code}"
            _logger.info("worker %d: %s", self._job.number, self._said)
            if code == DONE:
                self._done = True
                return
            self._ending.wait(self.REST.get(code, 1.0))

    def state(self) -> bytes:
        """A `WorkerState`, packed."""
        process = self._process
        living = process.pid if process is not None and process.poll() is None else 0
        return msgspec.json.encode(WorkerState(self._job.number, living, self._lives, self._said, self._done))

    def restart(self) -> None:
        """End the process at once; another one begins."""
        if self._process is not None and self._process.poll() is None:
            self._process.kill()

    def end(self) -> None:
        """Start nothing any more, and end what runs at once."""
        self._ending.set()
        self.restart()


def _environment() -> dict[str, str]:
    """The child needs no part of Ray's."""
    return {name: value for name, value in os.environ.items() if not name.startswith("RAY_")}
