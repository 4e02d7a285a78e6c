"""What functions do to the process that calls them."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable

from phasa.errors import SettingsError

CRASH = ("<a>" + "<x>" * 506 + "<table><td></table><x><p><a>").encode()
"""A page of 1.5 KB that turbohtml 1.15 does not survive."""


def double(number: int) -> int:
    return 2 * number


def echo(text: str) -> str:
    return text


def who() -> int:
    return os.getpid()


def die() -> int:
    os.kill(os.getpid(), signal.SIGSEGV)
    return 0


def leave() -> int:
    os._exit(3)


def go() -> int:
    """As if all were well."""
    os._exit(0)


def hang() -> int:
    while True:
        pass


def fill() -> int:
    held = []
    while True:
        held.append(bytes(1024 * 1024))


def refuse() -> int:
    raise SettingsError("setting 'x': is not y")


def err() -> int:
    return len([][1])


def lie() -> int:
    return "not a number"  # type: ignore[return-value]


def grow(megabytes: int) -> int:
    """Take memory for good, as a parser that leaks."""
    _KEPT.append(bytearray(os.urandom(1024)) * 1024 * megabytes)
    return os.getpid()


_KEPT: list[bytearray] = []
DEEDS: dict[str, Callable[[], int]] = {"SIGSEGV": die, "exit status 3": leave, "seconds": hang, "MB": fill}


def work(seconds: float) -> float:
    """Take so much processor time."""
    until = time.process_time() + seconds
    while time.process_time() < until:
        pass
    return seconds
