"""What a call in the sandbox may take, and what is said of one that took more."""

from __future__ import annotations

import os
import signal
from typing import NamedTuple

OUT_OF_MEMORY = 77
"""The exit status of a worker that was refused memory."""
DONE = 0
"""The exit status of a worker that ends, having answered, because it grew: nothing is wrong with what it did."""


class Bounds(NamedTuple):
    """Processor seconds of one call, and megabytes of one worker. A pool serves whoever's calls take more than
    `dear_seconds`, as a rule, in a lane of their own."""

    seconds: float = 20.0
    megabytes: int = 256
    dear_seconds: float = 0.05


def is_guilty(status: int) -> bool:
    """Whether the call that was under way is certainly what ended a worker: time is counted for each call anew."""
    return os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGPROF


def death_in_words(status: int, bounds: Bounds) -> str:
    """How a worker ended, by its wait status."""
    if is_guilty(status):
        return f"took more than {bounds.seconds:g} seconds"
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        return signal.Signals(number).name if number in signal.valid_signals() else f"signal {number}"
    if os.WEXITSTATUS(status) == OUT_OF_MEMORY:
        return f"took more than {bounds.megabytes} MB"
    return f"exit status {os.WEXITSTATUS(status)}"
