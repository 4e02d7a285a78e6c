"""The process of one job: an order on standard input, lines of progress on standard output.

A task is a module of this package with `run(order, tell) -> str`: it writes the file of the order and returns what to
say at the end. It may raise PhasaError, whose message is shown.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from importlib import import_module
from typing import Literal

import msgspec

from phasa.errors import PhasaError

Tell = Callable[[int, int | None, str], None]
"""(done, total, what is being done now)."""

_EVERY = 0.1


class Order(msgspec.Struct, frozen=True):
    """What a job is to do: a module with `run(order, tell) -> str`, the collection, the file to write, options."""

    task: str
    collection: str
    out: str
    options: dict[str, str] = {}


class Progress(msgspec.Struct, frozen=True):
    """One line from the process of a job. `total` is absent while nobody knows it; `end` is its last word."""

    done: int = 0
    total: int | None = None
    message: str = ""
    end: Literal["", "done", "failed"] = ""


def main() -> None:
    """Run the task and report."""
    order = msgspec.json.decode(sys.stdin.buffer.read(), type=Order)
    lines = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)  # what a library prints is not progress
    told = 0.0

    def tell(done: int, total: int | None, message: str) -> None:
        nonlocal told
        if (now := time.monotonic()) - told >= _EVERY or done == total:
            told = now
            lines.write(msgspec.json.encode(Progress(done, total, message)) + b"\n")

    try:
        message = import_module(order.task).run(order, tell)
        end = Progress(1, 1, message, "done")
    except (PhasaError, OSError) as problem:
        end = Progress(message=" ".join(str(problem).split()), end="failed")
    lines.write(msgspec.json.encode(end) + b"\n")


if __name__ == "__main__":
    main()
