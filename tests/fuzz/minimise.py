"""The smallest part of an input that still leads to the same fault."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable

from tests.fuzz.driver import Find, run_worker
from tests.fuzz.targets import TARGETS
from tests.fuzz.worker import attempt, sign_of


def minimise(name: str, find: Find, seconds: float = 60.0) -> bytes:
    """A shorter input with the same sign; exceptions are tried here, crashes and hangs in processes of their own."""
    if find.kind == "exception":
        check = TARGETS[name].load()

        def still(data: bytes) -> bool:
            problem = attempt(check, data)
            return problem is not None and sign_of(problem) == find.sign

    else:

        def still(data: bytes) -> bool:
            return reproduces(name, find, data)

    return shortened(find.data, still, time.monotonic() + seconds)


def reproduces(name: str, find: Find, data: bytes) -> bool:
    """Whether a crash or a hang happens with this input alone, in a new process."""
    with tempfile.NamedTemporaryFile() as file:
        file.write(data)
        file.flush()
        return any(found.kind == find.kind for found in run_worker(name, source=file.name).finds)


def shortened(data: bytes, still: Callable[[bytes], bool], until: float) -> bytes:
    """Stretches left out as long as the fault stays: halves first, single bytes last (ddmin)."""
    if not still(data):
        return data
    size = max(1, len(data) // 2)
    while size and time.monotonic() < until:
        at = 0
        while at < len(data) and time.monotonic() < until:
            without = data[:at] + data[at + size :]
            if still(without):
                data = without
            else:
                at += size
        size //= 2
    return data
