"""Workers started, watched and started again; what they found, with its input."""

from __future__ import annotations

import base64
import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, NamedTuple

from tests.fuzz.worker import Journal

ROOT = Path(__file__).parents[2]
HANG = 10.0
"""Processor seconds for one input: what takes longer does not end in any useful time."""
STUCK = 12
"""So many times longer by the clock, on a machine that has other work too, is a hang that takes no processor."""

Kind = Literal["crash", "hang", "exception"]


class Find(NamedTuple):
    """An input that led to a fault; `sign` tells faults apart."""

    kind: Kind
    sign: str
    what: str
    data: bytes


@dataclass
class Outcome:
    """What one run of a worker brought."""

    inputs: int = 0
    seconds: float = 0.0
    survived: int = 0
    finds: list[Find] = field(default_factory=list)


def run_worker(
    name: str, *, seed: int = 0, count: int = 10**9, seconds: float = 10**6, source: str = "real", hang: float = HANG
) -> Outcome:
    """Feed a parser in a process of its own; after a crash or a hang that process has ended, and the input is known.

    `source`: real (the data beside the checkout, where it is), built-in, or the path of the one input.
    """
    with tempfile.TemporaryDirectory(prefix="phasa-fuzz-") as where:
        journal = Journal(Path(where) / "journal")
        out = (Path(where) / "out").open("w+b")
        err = (Path(where) / "err").open("w+b")
        began = time.monotonic()
        arguments = [name, str(seed), str(count), str(seconds), str(Path(where) / "journal"), source]
        process = subprocess.Popen(
            [sys.executable, "-X", "faulthandler", "-m", "tests.fuzz.worker", *arguments],
            stdout=out, stderr=err, cwd=ROOT,
        )  # fmt: skip
        try:
            hung = _watch(process, journal, hang)
        finally:
            process.kill()
            process.wait()
        inputs, last = journal.read()
        journal.close()
        found = Outcome(inputs, time.monotonic() - began)
        out.seek(0)
        for line in out.read().splitlines():
            told = json.loads(line)
            if "survived" in told:
                found.survived = told["survived"]
                continue
            found.finds.append(Find("exception", told["sign"], told["what"], base64.b64decode(told["input"])))
        err.seek(0)
        said = err.read().decode("utf-8", "replace")
        if hung:
            found.finds.append(Find("hang", f"hang in {name}", f"more than {hang:g} s", last))
        elif process.returncode != 0:
            if not inputs:
                raise RuntimeError(f"{name}: the worker does not start: {said[-3000:]}")
            found.finds.append(Find("crash", f"exit {process.returncode}", said[-300:], last))
        out.close()
        err.close()
        return found


def _watch(process: subprocess.Popen[bytes], journal: Journal, hang: float) -> bool:
    """Until it ends; whether it had to be ended, because one input took longer than `hang` seconds."""
    last, since, spent = 0, time.monotonic(), _processor_seconds(process.pid)
    while True:
        try:
            process.wait(0.25)
            return False
        except subprocess.TimeoutExpired:
            number, _ = journal.read()
            if number != last:
                last, since, spent = number, time.monotonic(), _processor_seconds(process.pid)
                continue
            took = _processor_seconds(process.pid) - spent, (time.monotonic() - since) / STUCK
            if number and max(took) > hang:
                return True


def _processor_seconds(process: int) -> float:
    """What a process has taken so far; 0 when it has ended."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
