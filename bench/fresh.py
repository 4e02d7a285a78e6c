"""Keeping pages fresh: policies on a trace of real changes, and estimators of change rates on pages of known rates.

python bench/fresh.py                          both
python bench/fresh.py --estimators             the second table only
python bench/fresh.py --data ../shared/data    where the folder trace-page-changes is; without it, no first table
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np

from phasa.feeds.trace import read_traces
from phasa.schedule.estimators import compare_estimators
from phasa.schedule.policies import POLICIES, visits_of
from phasa.schedule.replay import Score, split_trace
from phasa.schedule.value import AIMS

BUDGETS = (0.01, 0.05, 0.2, 1.0)


def reached(score: Score, aim: str) -> float:
    return {"fresh": score.fresh, "delay": score.delay_days, "versions": score.versions_seen}[aim]


def policies(trace: Path) -> None:
    """Each policy on the second half of the time, and how far it gets from even visits to the optimum."""
    if not trace.is_file():
        print(f"{trace} is not there: no table of policies")
        return
    with trace.open("rb") as file:
        traces = [(one.feed, one.times.astype(np.float64)) for one in read_traces(file, trace.name)]
    past, future = split_trace(iter(traces), 0.5)
    print(f"{len(past.names):,} pages; figures of the aim, and in brackets the way from uniform (0) to optimum (1)")
    print(f"{'a week':>7} {'aim':<9}" + "".join(f"{name:>22}" for name in POLICIES) + f"{'CPU s, phasa':>14}")
    ways = []
    for per_week in BUDGETS:
        for aim in AIMS:
            found, seconds = {}, 0.0
            for name in POLICIES:
                begun = time.process_time()
                found[name] = reached(future.score(visits_of(name, past, future, per_week, aim)), aim)
                seconds = time.process_time() - begun if name == "phasa" else seconds
            even, best = found["uniform"], found["optimum"]
            way = {name: (value - even) / (best - even) for name, value in found.items()}
            ways.append(way["phasa"])
            cells = "".join(f"{found[name]:>14.4f} ({way[name]:5.2f})" for name in POLICIES)
            print(f"{per_week:>7g} {aim:<9}{cells}{seconds:>14.1f}", flush=True)
    print(f"phasa: {np.mean(ways):.3f} of the way in the mean, {min(ways):.3f} at the least")


def estimators() -> None:
    """The error of the rate after a few visits (`phasa fresh estimators`)."""
    print("visits  estimator    median factor  mean error, changes a day")
    for row in compare_estimators((1, 3, 10, 30)):
        print(f"{row.visits:>6}  {row.estimator:<11}{row.factor:>15.2f}{row.error:>27.4f}")


if __name__ == "__main__":
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--data", type=Path, default=Path("../shared/data"))
    options.add_argument("--estimators", action="store_true")
    chosen = options.parse_args()
    if not chosen.estimators:
        policies(chosen.data / "trace-page-changes" / "changes.tsv.gz")
    estimators()
