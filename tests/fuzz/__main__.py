"""`python -m tests.fuzz`: hours of damaged input for every parser, counted over all runs.

python -m tests.fuzz --seconds 3600                 all parsers in turn
python -m tests.fuzz --seconds 60 --only url,html   some of them
python -m tests.fuzz --table                        what was done so far
"""

from __future__ import annotations

import argparse
import hashlib
import re
import sys
import threading
import time
from pathlib import Path

import msgspec

from tests.fuzz.driver import Find, Outcome, run_worker
from tests.fuzz.minimise import minimise
from tests.fuzz.target import FINDS
from tests.fuzz.targets import TARGETS

STATE = Path(".fuzz") / "counts.json"
SLICE = 60.0  # seconds; reading the real data takes some of them


class Count(msgspec.Struct):
    """What one parser has met so far; `rounds` is also the number that the next round's inputs are made from."""

    rounds: int = 0
    inputs: int = 0
    seconds: float = 0.0
    crash: int = 0
    hang: int = 0
    exception: int = 0
    survived: int = 0
    signs: dict[str, str] = {}


class Counts:
    """The counts of all parsers, kept in a file; `new` are the finds of this run that were not known."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        self.new = 0
        known = msgspec.json.decode(path.read_bytes(), type=dict[str, Count]) if path.exists() else {}
        self.of = {name: known.get(name, Count()) for name in TARGETS}

    def next(self, names: list[str]) -> tuple[str, int]:
        """The parser that has had the least time, and the number of its next round."""
        with self._lock:
            name = min(names, key=lambda name: self.of[name].seconds)
            count = self.of[name]
            count.rounds += 1
            count.seconds += SLICE  # put right when it is over; two workers never take the same
            return name, count.rounds

    def add(self, name: str, outcome: Outcome) -> list[Find]:
        """Count a round; the finds that were not known."""
        with self._lock:
            count = self.of[name]
            count.inputs += outcome.inputs
            count.survived += outcome.survived
            count.seconds += outcome.seconds - SLICE
            new = []
            for find in outcome.finds:
                setattr(count, find.kind, getattr(count, find.kind) + 1)
                if find.sign not in count.signs:
                    count.signs[find.sign] = find.what
                    new.append(find)
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._path.write_bytes(msgspec.json.format(msgspec.json.encode(self.of)))
            return new


def table(counts: Counts) -> str:
    """A line for each parser and one for all. `survived` are inputs that ended a process of the sandbox and no more."""
    head = f"{'parser':<24}{'inputs':>12}{'crashes':>9}{'hangs':>7}{'foreign':>9}{'survived':>10}{'inputs/s':>10}"
    rows = [(name, count) for name, count in counts.of.items() if count.inputs]
    total = Count(
        inputs=sum(count.inputs for _, count in rows), seconds=sum(count.seconds for _, count in rows),
        crash=sum(count.crash for _, count in rows), hang=sum(count.hang for _, count in rows),
        exception=sum(count.exception for _, count in rows), survived=sum(count.survived for _, count in rows),
    )  # fmt: skip
    lines = [
        f"{name:<24}{c.inputs:>12,}{c.crash:>9}{c.hang:>7}{c.exception:>9}{c.survived:>10}"
        f"{c.inputs / max(c.seconds, 1e-9):>10,.0f}"
        for name, c in [*rows, ("all", total)]
    ]
    return "\n".join([head, *lines])


def keep(name: str, find: Find, where: Path) -> Path:
    """The find as a seed of later runs, made as small as it gets."""
    data = minimise(name, find)
    sign = re.sub(r"[^a-z0-9]+", "-", find.sign.lower()).strip("-")
    path = where / name / f"{sign}-{hashlib.sha256(data).hexdigest()[:8]}.bin"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def work(counts: Counts, names: list[str], until: float, where: Path) -> None:
    while time.monotonic() < until:
        name, number = counts.next(names)
        outcome = run_worker(name, seed=number, seconds=min(SLICE, max(1.0, until - time.monotonic())))
        for find in counts.add(name, outcome):
            counts.new += 1
            print(f"{name}: {find.sign}: {find.what}", flush=True)
            print(f"    {keep(name, find, where)}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__.partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=60.0, help="how long")
    parser.add_argument("--jobs", type=int, default=1, help="processes at a time")
    parser.add_argument("--only", default="", metavar="NAME,…", help="these parsers only; a beginning is enough")
    parser.add_argument("--state", type=Path, default=STATE, help="where the counts are kept")
    parser.add_argument("--finds", type=Path, default=FINDS, help="where finds are put")
    parser.add_argument("--table", action="store_true", help="print the counts and end")
    given = parser.parse_args()
    counts = Counts(given.state)
    if not given.table:
        wanted = tuple(given.only.split(","))
        names = [name for name in TARGETS if name.startswith(wanted)]
        until = time.monotonic() + given.seconds
        threads = [threading.Thread(target=work, args=(counts, names, until, given.finds)) for _ in range(given.jobs)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    print(table(counts))
    sys.exit(1 if counts.new else 0)


if __name__ == "__main__":
    main()
