"""The program of the sandbox, in an interpreter of its own (`start`) or in a copy of a command's process (`main`).

It has the parsers loaded, and forks a worker for every socket that comes over the control socket; a worker answers
calls until its socket is closed. An order without one names a worker that is to be killed. When a worker
has ended, its number and wait status go back over the control socket. When that is closed, because its owner has ended,
however that came about, everything ends.
"""

from __future__ import annotations

import ctypes
import gc
import importlib
import os
import resource
import select
import signal
import socket
from collections.abc import Sequence
from contextlib import suppress

from phasa.sandbox.bounds import DONE, OUT_OF_MEMORY, Bounds
from phasa.sandbox.frames import CALL, ENDED, ORDER, reply_to

_MEGABYTE = 1024 * 1024
_LARGE = 256 * 1024  # a call of so many bytes may leave a worker grown
_DIE_WITH_PARENT = 1  # PR_SET_PDEATHSIG


def main(control: socket.socket, bounds: Bounds) -> None:
    """Fork a worker for every socket that comes, until nobody is there to send one."""
    for number in (signal.SIGINT, signal.SIGTERM):  # their owner ends in good order, and needs them for that
        signal.signal(number, signal.SIG_IGN)
    ears, mouth = os.pipe()
    for end in (ears, mouth):
        os.set_blocking(end, False)
    signal.set_wakeup_fd(mouth)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    workers: dict[int, int] = {}
    gc.freeze()
    try:
        while True:
            ready, _, _ = select.select([control.fileno(), ears], [], [])
            if ears in ready:
                with suppress(BlockingIOError):
                    os.read(ears, 4096)
                _bury(control, workers)
            if control.fileno() in ready:
                try:
                    message, files, _, _ = socket.recv_fds(control, ORDER.size, 1)
                except ConnectionError:
                    return
                if not message:
                    return
                number, megabytes, nice = ORDER.unpack(message)
                if not files:
                    _kill(workers, number)
                    continue
                pid = os.fork()
                if not pid:
                    os.nice(nice)
                    _work(socket.socket(fileno=files[0]), control, Bounds(bounds.seconds, megabytes))
                workers[pid] = number
                os.close(files[0])
    finally:
        for pid in workers:
            os.kill(pid, signal.SIGKILL)
        with suppress(ChildProcessError):
            while workers:
                workers.pop(os.wait()[0], None)


def _kill(workers: dict[int, int], number: int) -> None:
    for pid, known in workers.items():
        if known == number:
            os.kill(pid, signal.SIGKILL)


def _bury(control: socket.socket, workers: dict[int, int]) -> None:
    with suppress(ChildProcessError):
        while (ended := os.waitpid(-1, os.WNOHANG))[0]:
            with suppress(OSError):
                control.send(ENDED.pack(workers.pop(ended[0], 0), ended[1]))


def _work(calls: socket.socket, control: socket.socket, bounds: Bounds) -> None:
    """The life of a worker. Never returns."""
    try:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        control.close()
        ctypes.CDLL(None).prctl(_DIE_WITH_PARENT, signal.SIGKILL)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_AS, 2 * (_pages(0) + bounds.megabytes * _MEGABYTE,))
        grown = _pages(1) + bounds.megabytes * _MEGABYTE // 2
        with calls.makefile("rb", buffering=64 * 1024) as source:
            while head := source.read(CALL.size):
                sizes = CALL.unpack(head)
                called, call, body = map(source.read, sizes)
                signal.setitimer(signal.ITIMER_PROF, bounds.seconds)
                reply = reply_to(called, call, body)
                del call, body
                signal.setitimer(signal.ITIMER_PROF, 0.0)
                calls.sendall(reply)
                if sum(sizes) + len(reply) > _LARGE and _pages(1) > grown:
                    break
        os._exit(DONE)
    except MemoryError:
        os._exit(OUT_OF_MEMORY)
    except BaseException:  # noqa: BLE001 - its owner has gone, or a frame was cut: there is nobody to tell
        os._exit(1)


def _pages(which: int) -> int:
    """Bytes of address space (0) or of memory in use (1) of this process."""
    with open("/proc/self/statm", "rb") as file:
        return int(file.read().split()[which]) * resource.getpagesize()


def load(modules: Sequence[str]) -> None:
    """Import what workers will need, and have it `ready` where a module says how: what a worker loads by itself is
    loaded again in the next one, and taken off the memory that is meant for pages."""
    for name in modules:
        if (ready := getattr(importlib.import_module(name), "ready", None)) is not None:
            ready()


def start(control: str, seconds: str, megabytes: str, *modules: str) -> None:
    """`main` in an interpreter of its own, by the words that it was started with."""
    load(modules)
    main(socket.socket(fileno=int(control)), Bounds(float(seconds), int(megabytes)))
    os._exit(0)  # an interpreter that ends in good order takes apart all that it loaded, for nobody
