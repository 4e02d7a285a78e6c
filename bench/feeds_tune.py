"""How the constants of the polling policy were chosen: on the training halves of the traces only.

    python bench/feeds_tune.py [--per-day 1,4] [--data DIR]     a feed with polls of its own
    python bench/feeds_tune.py --budget [--data DIR]            all feeds of a trace on one budget, as the daemon polls

Each trace is cut in the middle and its later half thrown away, so nothing that `phasa feeds evaluate --split 0.5` tests
on is seen. What is left is cut again: learned before, polled after. Printed for each variant: geometric mean and median
of delay as a fraction of even polling, over feeds with at least 60 posts to learn from; news feeds apart.
With --budget: delay of all posts as a fraction of the square-root rule, at 0.35, 1 and 4 polls a day for each feed.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from phasa.feeds import bucket, forecast, next_poll, own, shape, shared
from phasa.feeds.evaluate import evaluate, evaluate_shared
from phasa.feeds.rhythm import DAY
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
SHARED_VARIANTS: dict[str, dict[str, object]] = {
    "as shipped": {},
    "longest gap 14 days": {"LONGEST_GAP": 14 * DAY},
    "longest gap 28 days": {"LONGEST_GAP": 28 * DAY},
    "quiet feeds count more": {"LEAST_ACTIVITY": 1e-7},
    "gentle steering": {"STEERING": 0.4},
    "hard steering": {"STEERING": 1.5},
}


# Where constants of the policy live; one that is imported by name lives in both rooms.
ROOMS = (bucket, forecast, next_poll, own, shape, shared)


@contextmanager
def changed(values: dict[str, object]) -> Iterator[None]:
    """The policy with other constants for a while. Raises LookupError for a constant that it does not have."""
    rooms = {name: [room for room in ROOMS if hasattr(room, name)] for name in values if name != "shares"}
    if unknown := [name for name, found in rooms.items() if not found]:
        raise LookupError(f"no constant of the policy: {', '.join(unknown)}")
    before = {name: getattr(found[0], name) for name, found in rooms.items()}
    shares = forecast.SHARES.copy()
    forecast.SHARES[:] = values.get("shares", shares)
    try:
        for name, found in rooms.items():
            for room in found:
                setattr(room, name, values[name])
        yield
    finally:
        forecast.SHARES[:] = shares
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


def training_calendars(folder: Path) -> dict[str, list[Trace]]:
    """By folder name: every feed up to the middle of the whole trace."""
    found: dict[str, list[Trace]] = {}
    for path in sorted(folder.glob("trace-*/*.tsv.gz")):
        if path.name != "pub_seen.tsv.gz" and path.parent.name != "trace-page-changes":
            traces = parse_traces(path.read_bytes(), str(path))
            middle = (min(int(t.times[0]) for t in traces) + max(int(t.times[-1]) for t in traces)) // 2
            found[path.parent.name] = [half for t in traces if len((half := t.cut(middle)[0]).times) >= 2]
    return found


def tune_shared(traces: dict[str, list[Trace]]) -> None:
    def delay(feeds: list[Trace], budget: float, policy_name: str) -> float:
        return sum(row.delay_hours * row.posts for row in evaluate_shared(feeds, budget, [policy_name]))

    cases = [(name, share * len(feeds)) for name, feeds in traces.items() for share in (0.35, 1.0, 4.0)]
    rule = {case: delay(traces[case[0]], case[1], "sqrt") for case in cases}
    print(f"{'':<26}{'    '.join(traces)}")
    for label, values in SHARED_VARIANTS.items():
        with changed(values):
            told = [f"{delay(traces[name], budget, 'phasa') / rule[name, budget]:.3f}" for name, budget in cases]
        print(f"{label:<26}{' '.join(told)}", flush=True)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--data", default=os.environ.get("PHASA_DATA", Path(__file__).parents[2] / "shared" / "data"))
    options.add_argument("--per-day", default="1,4")
    options.add_argument("--budget", action="store_true")
    arguments = options.parse_args()
    if arguments.budget:
        tune_shared(training_calendars(Path(arguments.data)))
        return
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
