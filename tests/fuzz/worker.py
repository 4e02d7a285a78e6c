"""The process in which a parser meets its inputs: when it dies or hangs, the input is known and nothing else is lost.

    python -m tests.fuzz.worker TARGET SEED COUNT SECONDS JOURNAL real|built-in|FILE

With a FILE instead of seeds, it is the one input.

Before each input it is written into the journal, a file in shared memory; the parent watches the number in front of it.
What the check raises is printed as one line of JSON: {"sign", "what", "input"}, each kind once; at the end
{"survived"}: how many inputs ended a process of the sandbox, and no more than that.
"""

from __future__ import annotations

import base64
import gc
import json
import mmap
import resource
import sys
import time
import traceback
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from phasa.errors import PhasaError
from tests.fuzz.mutation import Mutator
from tests.fuzz.target import Check, Target, folder, survived
from tests.fuzz.targets import FAULTY, TARGETS

JOURNAL_BYTES = 1 << 20
HEAD = 16  # the number of the input, and its length
MEGABYTES = 700
"""Address space that a parser may take beyond what it has when it is loaded and has seen its seeds."""


class Journal:
    """The input that is being tried, where another process can read it."""

    def __init__(self, path: Path) -> None:
        if not path.exists() or path.stat().st_size != JOURNAL_BYTES:
            path.write_bytes(bytes(JOURNAL_BYTES))
        self._file = path.open("r+b")
        self._map = mmap.mmap(self._file.fileno(), JOURNAL_BYTES)

    def write(self, number: int, data: bytes) -> None:
        self._map[HEAD : HEAD + len(data)] = data
        self._map[:HEAD] = number.to_bytes(8, "little") + len(data).to_bytes(8, "little")

    def read(self) -> tuple[int, bytes]:
        """Number and bytes of the input; the number is 0 before the first."""
        number, length = (int.from_bytes(self._map[k : k + 8], "little") for k in (0, 8))
        return number, self._map[HEAD : HEAD + length]

    def close(self) -> None:
        self._map.close()
        self._file.close()


def sign_of(problem: BaseException) -> str:
    """What tells one fault from another: the kind of exception, and the last place of ours that it passed."""
    places = [
        f"{Path(frame.filename).stem}:{frame.name}"
        for frame in traceback.extract_tb(problem.__traceback__)
        if "phasa" in frame.filename or "fuzz" in frame.filename
    ]
    return f"{type(problem).__name__} in {places[-1] if places else '?'}"


def attempt(check: Check, data: bytes) -> BaseException | None:
    """What the input led to that is neither a result nor a refusal."""
    try:
        check(data)
    except PhasaError:
        return None
    except (Exception, RecursionError) as problem:  # noqa: BLE001 - that is what we look for
        return problem
    return None


def bound_memory() -> None:
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    most = used + MEGABYTES * 1_000_000
    resource.setrlimit(resource.RLIMIT_AS, (most, most))


def inputs_of(target: Target, seed: int, source: str) -> Iterator[bytes]:
    """The inputs that a run tries; the same numbers give the same inputs."""
    if source not in ("real", "built-in"):
        yield Path(source).read_bytes()
        return
    seeds = target.own_seeds() if source == "real" else list(target.seeds)
    more = [piece[: target.most] for piece in target.corpus()] if source == "real" else []
    yield from seeds
    yield from more
    mutator = Mutator(seeds, target.tokens, target.most, seed, more)
    while True:
        yield mutator.next()


def run(target: Target, inputs: Iterator[bytes], count: int, seconds: float, journal: Journal) -> None:
    """Try `count` inputs, or as many as fit into `seconds`."""
    check = target.load()
    told: set[str] = set()
    attempt(check, target.seeds[0])
    bound_memory()
    gc.freeze()
    ends = time.monotonic() + seconds
    for number, data in enumerate(islice(inputs, count), 1):
        journal.write(number, data)
        problem = attempt(check, data)
        if problem is not None and (sign := sign_of(problem)) not in told:
            told.add(sign)
            what = " ".join(str(problem).split())[:200]
            line = {"sign": sign, "what": what, "input": base64.b64encode(data).decode()}
            sys.stdout.write(json.dumps(line) + "\n")
            sys.stdout.flush()
        if number % 16 == 0 and time.monotonic() > ends:
            break
    sys.stdout.write(json.dumps({"survived": survived.total()}) + "\n")
    sys.stdout.flush()


def main() -> None:
    name, seed, count, seconds, journal, source = sys.argv[1:]
    target = (TARGETS | FAULTY)[name]
    try:
        run(target, inputs_of(target, int(seed), source), int(count), float(seconds), Journal(Path(journal)))
    finally:
        for path in sorted(folder().rglob("*"), reverse=True):
            path.rmdir() if path.is_dir() else path.unlink()
        folder().rmdir()


if __name__ == "__main__":
    main()
