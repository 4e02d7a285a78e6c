"""The actor that keeps the workers of a fleet running: as many as are wanted, and none that only seems to live."""

from __future__ import annotations

import logging
import threading
from typing import Any

import msgspec

from phasa.errors import PhasaError
from phasa.fleet.job import Job
from phasa.fleet.worker import FleetWorker, WorkerState
from phasa.frontier.postgres.fleet_rows import FleetRows

_logger = logging.getLogger(__name__)


def supervisor_name(fleet: str) -> str:
    return f"phasa fleet {fleet}"


def worker_name(fleet: str, number: int) -> str:
    return f"phasa worker {fleet} {number}"


class Supervisor:
    """Holds nothing that is not in the frontier: when it is lost, Ray starts it again and it finds its workers."""

    EVERY = 1.0

    def __init__(self, job: bytes, bundle: bytes) -> None:
        self._job = msgspec.json.decode(job, type=Job)
        self._bundle = bundle
        self._workers: dict[int, Any] = {}
        self._silent: dict[int, int] = {}
        self.problem = ""
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._keep, daemon=True)
        self._thread.start()

    def _keep(self) -> None:
        while not self._ending.wait(self.EVERY):
            try:
                with FleetRows(self._job.settings.frontier) as rows:
                    while not self._ending.wait(self.EVERY):
                        self._look(rows)
                        self.problem = ""
            except PhasaError as problem:  # the server is away: look again when it is back
                self.problem = str(problem)
                _logger.warning("%s", problem)
            except Exception as problem:  # noqa: BLE001 - of Ray: a machine that is just going, say
                self.problem = f"{type(problem).__name__}: {problem}"
                _logger.warning("%s", self.problem)

    def _look(self, rows: FleetRows) -> None:
        order = rows.order()
        if order is None or order.name != self._job.fleet or order.stop or order.ended:
            return
        for number in range(order.workers):
            if number not in self._workers:
                self._workers[number] = self._start(number)
        for number in [number for number in self._workers if number >= order.workers]:
            # It ends by itself: it looks at the orders, too.
            if self._state(number).done:
                self._forget(number)
        states = {number: self._state(number) for number in self._workers}
        if states and all(state.done for state in states.values()):
            rows.change(ended=states[min(states)].said)
            for number in list(self._workers):
                self._forget(number)
            return
        self._restart_silent(rows, states)

    def _restart_silent(self, rows: FleetRows, states: dict[int, WorkerState]) -> None:
        """A worker whose process runs, and that the frontier has not heard of for long, hangs: it starts again."""
        lost = {row.number: row for row in rows.workers() if row.lost}
        for number, state in states.items():
            row = lost.get(number)
            hangs = row is not None and state.process and row.silent > self._job.settings.fleet.lifetime
            self._silent[number] = self._silent.get(number, 0) + 1 if hangs else 0
            if self._silent[number] > 3:
                _logger.warning("worker %d hangs: it is started again", number)
                self._silent[number] = 0
                self._call(number, "restart")

    def _state(self, number: int) -> WorkerState:
        import ray

        try:
            packed = ray.get(self._workers[number].state.remote(), timeout=5.0)
        except ray.exceptions.RayError:  # being started again
            return WorkerState(number, 0, 0, "starts", False)
        return msgspec.json.decode(packed, type=WorkerState)

    def _call(self, number: int, method: str) -> None:
        import ray

        try:
            ray.get(getattr(self._workers[number], method).remote(), timeout=5.0)
        except ray.exceptions.RayError as problem:
            _logger.warning("worker %d: %s", number, problem)

    def _start(self, number: int) -> Any:
        import ray

        job = msgspec.structs.replace(self._job, number=number)
        actor = ray.remote(FleetWorker).options(
            name=worker_name(self._job.fleet, number),
            lifetime="detached",
            get_if_exists=True,
            max_restarts=-1,
            max_concurrency=4,
            num_cpus=self._job.settings.fleet.cpus,
            scheduling_strategy="SPREAD",
        )
        return actor.remote(msgspec.json.encode(job), self._bundle)

    def _forget(self, number: int) -> None:
        import ray

        ray.kill(self._workers.pop(number))

    def states(self) -> bytes:
        """A list of `WorkerState`, packed."""
        return msgspec.json.encode([self._state(number) for number in sorted(self._workers)])

    def end(self) -> None:
        """End all workers at once: they have been told before, or there is no time."""
        self._ending.set()
        for number in list(self._workers):
            self._call(number, "end")
            self._forget(number)
