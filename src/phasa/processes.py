"""Processes that belong together: children that end with their parent, and open files that they hold together."""

from __future__ import annotations

import ctypes
import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from multiprocessing.connection import wait
from multiprocessing.reduction import DupFd
from typing import Any

_PR_SET_PDEATHSIG = 1  # of linux/prctl.h
ENDED_WITH_PARENT = 113
"""Exit code of a child whose parent has ended; nobody is left to read it but a test."""


def die_with_parent() -> None:
    """From now on this child process ends at once, as if killed, when the process that started it ends in any way.

    Linux does it itself. Elsewhere, and should the parent have ended before Linux was told, a thread waits for the end
    of the pipe that the parent holds.
    """
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):  # a C library without it
            ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_watch, args=(parent.sentinel,), name="parent-watch", daemon=True).start()


def _watch(sentinel: int) -> None:
    wait([sentinel])
    os._exit(ENDED_WITH_PARENT)


class SharedFile:
    """An open file that is handed to child processes as it is: a lock on it is held until the last of them ends.

    Can be an argument of a process that is started (`multiprocessing`), and of nothing else.
    """

    def __init__(self, number: int) -> None:
        self.number = number

    def __reduce__(self) -> tuple[Callable[[Any], SharedFile], tuple[Any]]:
        return _inherited, (DupFd(self.number),)


def _inherited(handed: Any) -> SharedFile:
    return SharedFile(handed.detach())


def is_alive(process: int) -> bool:
    """Whether there is a process with that number."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


@contextmanager
def on_signals(handler: Callable[[], None], *numbers: signal.Signals) -> Iterator[None]:
    """Call `handler` for these signals inside the block; nothing changes where only the main thread could do that."""
    before: dict[signal.Signals, Any] = {}
    with suppress(ValueError):
        for number in numbers:
            before[number] = signal.signal(number, lambda *_: handler())
    try:
        yield
    finally:
        for number, old in before.items():
            signal.signal(number, old)


@contextmanager
def ignored_by_children(number: signal.Signals) -> Iterator[None]:
    """Processes that are started inside the block ignore this signal from their first moment on."""
    try:
        before = signal.signal(number, signal.SIG_IGN)
    except ValueError:  # not in the main thread
        yield
        return
    try:
        yield
    finally:
        signal.signal(number, before)
