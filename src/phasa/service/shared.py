"""What many followers ask for at the same time: read once, and given to all of them."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class Shared(Generic[T]):
    """A value that is read when it is asked for and the last one is older than `seconds`. For any number of threads:
    those that ask meanwhile wait for the one that reads. What reading raises is raised, and not kept."""

    def __init__(self, read: Callable[[], T], seconds: float) -> None:
        self._read, self._seconds = read, seconds
        self._lock = threading.Lock()
        self._last: tuple[float, T] | None = None

    def get(self) -> T:
        with self._lock:
            if self._last is None or time.monotonic() - self._last[0] >= self._seconds:
                self._last = None
                self._last = time.monotonic(), self._read()
            return self._last[1]
