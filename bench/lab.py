"""CPU seconds of the lab: making a world of 100,000 pages and replaying all of it with breadth-first and hybrid.

    python bench/lab.py [--pages 100000] [--seed 1]
    python bench/lab.py --pages 1000000 --strategies ""     the memory that a large world takes

Goals on one core: world ≤ 60 s, breadth-first ≤ 15 s, hybrid ≤ 60 s.
"""

from __future__ import annotations

import argparse
import resource
import time

from phasa.crawl.strategies import Circumstances, make_strategy
from phasa.lab.replay import replay
from phasa.lab.seeds import seeds_of
from phasa.lab.targets import target_of
from phasa.lab.world import World
from phasa.papers.language_crawling.calibration import calibrate

GOALS = {"world": 60.0, "bfs": 15.0, "hybrid": 60.0}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--strategies", default="bfs,lswc,hybrid")
    options = parser.parse_args()
    started = time.process_time()
    world = World.from_name(f"{options.seed}:{options.pages}", "th")
    graph = world.graph
    _show("world", options.pages, started)
    worst = max(calibrate(world), key=lambda row: abs(row.off))
    print(f"  farthest from its published share: {worst.table} {worst.what} {worst.off:+.1%}")
    for name in filter(None, options.strategies.split(",")):
        strategy = make_strategy(name, Circumstances(target_of(graph)))
        started = time.process_time()
        crawl = replay(graph, strategy, seeds_of(world, "table9"), options.pages)
        _show(name, len(crawl.pages), started)
    print(f"  largest resident memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:,.0f} MB")


def _show(what: str, pages: int, started: float) -> None:
    seconds = time.process_time() - started
    goal = f"goal {GOALS[what]:.0f} s" if what in GOALS else ""
    print(f"{what:<10}{pages:>9,} pages{seconds:>9.1f} s CPU{pages / seconds:>10,.0f} pages/s  {goal}", flush=True)


if __name__ == "__main__":
    main()
