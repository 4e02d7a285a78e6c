"""The process that has the parsers loaded, seen from its owner: it gives workers, and says how they ended."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from contextlib import suppress

from phasa.errors import PhasaError
from phasa.sandbox.bounds import Bounds
from phasa.sandbox.frames import ENDED, ORDER
from phasa.sandbox.process import load, main

_MOST_FILES = 1 << 20
_PROGRAM = "import sys; from phasa.sandbox.process import start; start(*sys.argv[1:])"
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
        with theirs:
            self._pid = _forked(theirs, bounds, modules) if may_fork() else _started(theirs, bounds, modules)

    def worker(self, megabytes: int = 0, nice: int = 0) -> tuple[int, socket.socket]:
        """The number of a new worker and the socket that it answers calls on; it may have less memory than the bounds
        say, and stand back behind other processes. Raises PhasaError when there is none."""
        ours, theirs = socket.socketpair()
        self._numbers += 1
        with theirs:
            try:
                order = ORDER.pack(self._numbers, megabytes or self.bounds.megabytes, nice)
                socket.send_fds(self.control, [order], [theirs.fileno()])
            except OSError as problem:
                ours.close()
                raise PhasaError(f"the processes that read pages cannot be started: {problem}") from None
        return self._numbers, ours

    def kill(self, number: int) -> None:
        """End a worker in whatever it does."""
        with suppress(OSError):
            self.control.send(ORDER.pack(number, 0, 0))

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
        until = time.monotonic() + PATIENCE
        with suppress(ChildProcessError):
            while os.waitpid(self._pid, os.WNOHANG) == (0, 0):
                if time.monotonic() > until:
                    os.kill(self._pid, signal.SIGKILL)
                time.sleep(0.002)


def may_fork() -> bool:
    """Whether this process may be copied: a command, with nothing else under way in it. A copy is there at once and has
    everything loaded; a process with threads or an event loop must start a fresh one, and so must one that had uvloop:
    libuv closes files of its own in every copy, by numbers that are other files by then."""
    loops = sys.modules.get("asyncio")  # not loaded here: a command that has no use for it starts without it
    idle = loops is None or loops._get_running_loop() is None
    return threading.active_count() == 1 and idle and "uvloop" not in sys.modules


def _forked(control: socket.socket, bounds: Bounds, modules: Sequence[str]) -> int:
    pid = os.fork()
    if pid:
        return pid
    # Nothing that was open here stays open there: a lock on a file would outlive its owner.
    kept = control.fileno()
    os.closerange(3, kept)
    os.closerange(kept + 1, _MOST_FILES)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1):
        os.dup2(nowhere, stream)
    try:
        load(modules)
        main(control, bounds)
    finally:
        os._exit(0)


def _started(control: socket.socket, bounds: Bounds, modules: Sequence[str]) -> int:
    words = [str(control.fileno()), str(bounds.seconds), str(bounds.megabytes), *modules]
    # Threads of the linear algebra library, one for each processor, would fill the address space of a worker.
    around = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    process = subprocess.Popen(
        [sys.executable, "-c", _PROGRAM, *words],
        pass_fds=[control.fileno()],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        env=around,
    )
    process.returncode = 0  # we wait for it ourselves
    return process.pid
