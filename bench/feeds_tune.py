"""How the constants of the polling policy were chosen: on the training halves of the traces only.

    python bench/feeds_tune.py [--per-day 1,4] [--data DIR]

Each trace is cut in the middle and its later half thrown away, so nothing that `phasa feeds evaluate --split 0.5` tests
on is seen. What is left is cut again: learned before, polled after. Printed for each variant: geometric mean and median
of delay as a fraction of even polling, over feeds with at least 60 posts to learn from; news feeds apart.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from phasa.feeds import habit, poller, pulse, replay
from phasa.feeds.evaluate import evaluate
from phasa.feeds.trace import Trace, parse_traces

VARIANTS: dict[str, dict[str, object]] = {
    "as shipped": {},
    "no bursts": {"shares": (1e-6,) * 5},
    "short bursts": {"shares": (0.30, 0.20, 0.15, 0.15, 0.15)},
    "long memory": {"shares": (0.05, 0.10, 0.25, 0.30, 0.25)},
    "less excited": {"shares": (0.20, 0.10, 0.15, 0.25, 0.15)},
    "a week's polls held": {"HOLDS": 7.0},
    "a quarter's polls held": {"HOLDS": 91.0},
    "no reserve": {"RESERVE": 0.0},
    "large reserve": {"RESERVE": 12.0, "MOST_RESERVE": 14.0},
    "gentle steering": {"STEERING": 0.4},
    "hard steering": {"STEERING": 1.5},
    "no habits": {"DOUBTING": np.array([1.0, 0.0, 0.0, 0.0])},
    "no doubt": {"DOUBTED_BELOW": 1e-9},
    "full buckets wait": {"NEARLY_FULL": 0.95},
    "a rate of all years": {"YEAR": 1e12},
    "no night ahead": {"NIGHT": 0},
    "coarse plans": {"FINE": 8},
    "fine plans": {"FINE": 24},
}


@contextmanager
def changed(values: dict[str, object]) -> Iterator[None]:
    """The policy with other constants for a while."""
    rooms = {name: [room for room in (poller, replay, habit, pulse) if hasattr(room, name)] for name in values}
    before = {name: getattr(found[0], name) for name, found in rooms.items() if name != "shares"}
    shares = pulse.SHARES.copy()
    for name, value in values.items():
        if name == "shares":
            pulse.SHARES[:] = value
        else:
            for room in rooms[name]:
                setattr(room, name, value)
    try:
        yield
    finally:
        pulse.SHARES[:] = shares
        for name, value in before.items():
            for room in rooms[name]:
                setattr(room, name, value)


def training_halves(folder: Path) -> dict[str, list[Trace]]:
    """By folder name: the earlier half of each feed that has enough in each of its quarters."""
    found: dict[str, list[Trace]] = {}
    for path in sorted(folder.glob("trace-*/*.tsv.gz")):
        if path.name != "pub_seen.tsv.gz":
            halves = [trace.split(0.5)[0] for trace in parse_traces(path.read_bytes(), str(path))]
            kept = [h for h in halves if len(h.times) and min(len(part.times) for part in h.split(0.5)) >= 20]
            found[path.parent.name] = [half for half in kept if len(half.split(0.5)[0].times) >= 60]
    return found


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--data", default=os.environ.get("PHASA_DATA", Path(__file__).parents[2] / "shared" / "data"))
    options.add_argument("--per-day", default="1,4")
    arguments = options.parse_args()
    polls = [int(m) for m in arguments.per_day.split(",")]
    traces = training_halves(Path(arguments.data))
    for label, values in VARIANTS.items():
        with changed(values):
            told = []
            for news in (False, True):
                chosen = [t for name, feeds in traces.items() if ("world" in name) == news for t in feeds]
                rows = evaluate(chosen, polls, ["phasa"])
                ratios = np.array([row.delay_hours / (12.0 / row.per_day) for row in rows])
                told.append(f"{np.exp(np.log(ratios).mean()):.3f} {np.median(ratios):.3f} worst {ratios.max():.2f}")
        print(f"{label:<26}others {told[0]}    news {told[1]}", flush=True)


if __name__ == "__main__":
    main()
