"""When Python's garbage collector runs, and when free memory goes back to the system. Work that makes many values and
few cycles need not be looked through again and again; this is the only place that changes when it is."""

from __future__ import annotations

import ctypes
import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache


@contextmanager
def collected_rarely() -> Iterator[None]:
    """For hours of work: the collector runs all the same, but rarely."""
    before = gc.get_threshold()
    gc.set_threshold(100_000, 50, 100)
    try:
        yield
    finally:
        gc.set_threshold(*before)


@contextmanager
def never_collected() -> Iterator[None]:
    """For a moment of work: the collector does not run."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def leave_the_rest() -> None:
    """For the end of a command: what is loaded ends with the process and is not looked through once more."""
    gc.freeze()


def give_back() -> None:
    """Give memory back that is free between what is in use: the C library keeps it for later, and what grew in steps,
    as a table does, leaves much. Where the C library has no such call nothing happens."""
    _trim()(0)


@cache
def _trim() -> Callable[[int], object]:
    found: Callable[[int], object] = getattr(ctypes.CDLL(None), "malloc_trim", lambda _: None)
    return found
