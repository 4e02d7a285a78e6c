"""All that is fuzzed, by name."""

from __future__ import annotations

import os
import time

from tests.fuzz import feed_targets, file_targets, text_targets, web_targets
from tests.fuzz.target import Check, Target

TARGETS: dict[str, Target] = {
    target.name: target
    for module in (web_targets, feed_targets, file_targets, text_targets)
    for target in module.TARGETS
}


def _faulty() -> Check:
    def check(data: bytes) -> None:
        match data:
            case b"crash":
                os.abort()
            case b"hang":
                time.sleep(3600)
            case b"memory":
                bytearray(10**10)
            case b"exception":
                raise ZeroDivisionError

    return check


FAULTY = {"faulty": Target("faulty", _faulty, (b"good",))}
"""A parser that breaks on purpose, to try the tools on."""
