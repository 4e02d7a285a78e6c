"""The process that has the parsers loaded, seen from its owner: it gives workers, and says how they ended."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress

from phasa.errors import PhasaError
from phasa.sandbox.bounds import Bounds
from phasa.sandbox.frames import ENDED, HEAD

PATIENCE = 10.0
"""Seconds to wait for the end of something that has been told to end."""


class Nursery:
    """Start it, ask it for workers, close it. `control` is readable when a worker has ended."""

    def __init__(self, bounds: Bounds, modules: Sequence[str]) -> None:
        self.bounds = bounds
        self.control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.control.settimeout(PATIENCE)
        self._numbers = 0
        self._ended: dict[int, int] = {}
        words = [str(theirs.fileno()), str(bounds.seconds), str(bounds.megabytes), *modules]
        # Threads of the linear algebra library, one for each processor, would fill the address space of a worker.
        around = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "phasa.sandbox.process", *words],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                env=around,
            )

    def worker(self) -> tuple[int, socket.socket]:
        """The number of a new worker and the socket that it answers calls on. Raises PhasaError when there is none."""
        ours, theirs = socket.socketpair()
        self._numbers += 1
        with theirs:
            try:
                socket.send_fds(self.control, [HEAD.pack(self._numbers)], [theirs.fileno()])
            except OSError as problem:
                ours.close()
                raise PhasaError(f"the processes that read pages cannot be started: {problem}") from None
        return self._numbers, ours

    def hear(self) -> int | None:
        """Take in that a worker has ended: its number; None when the nursery itself has. Waits for it."""
        try:
            message = self.control.recv(ENDED.size)
        except OSError:
            return None
        if not message:
            return None
        number, status = ENDED.unpack(message)
        self._ended[number] = status
        return int(number)

    def status(self, number: int) -> int | None:
        """The wait status of a worker that was heard to have ended, told once."""
        return self._ended.pop(number, None)

    def close(self) -> None:
        """End all workers and the nursery. Their processor time then counts as that of children."""
        self.control.close()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(PATIENCE)
            return
        self._process.kill()
        self._process.wait()
