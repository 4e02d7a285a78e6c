"""How often one may try to sign in: a few wrong ones, then a pause, by address and by name."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict

WRONG = 5
"""Wrong tries that are free; each one after that doubles the pause."""
FIRST_PAUSE = 30.0
LONGEST_PAUSE = 3600.0
FORGOTTEN = 3600.0
MOST = 10_000


class Tries:
    """Wrong tries by key. Bounded: beyond `MOST` keys the oldest are forgotten."""

    def __init__(self) -> None:
        self._wrong: OrderedDict[str, tuple[int, float]] = OrderedDict()
        self._lock = threading.Lock()

    def wait(self, *keys: str, now: float | None = None) -> float:
        """Seconds until one may try again under all of these; 0 for now."""
        moment = time.monotonic() if now is None else now
        with self._lock:
            return max((self._wait(key, moment) for key in keys), default=0.0)

    def failed(self, *keys: str, now: float | None = None) -> None:
        """A wrong try."""
        moment = time.monotonic() if now is None else now
        with self._lock:
            for key in keys:
                count, last = self._wrong.pop(key, (0, moment))
                self._wrong[key] = (1 if moment - last > FORGOTTEN else count + 1, moment)
            while len(self._wrong) > MOST:
                self._wrong.popitem(last=False)

    def succeeded(self, *keys: str) -> None:
        with self._lock:
            for key in keys:
                self._wrong.pop(key, None)

    def _wait(self, key: str, moment: float) -> float:
        count, last = self._wrong.get(key, (0, 0.0))
        if count < WRONG:
            return 0.0
        pause = min(LONGEST_PAUSE, FIRST_PAUSE * 2.0 ** min(count - WRONG, 20))
        return max(0.0, last + pause - moment)
