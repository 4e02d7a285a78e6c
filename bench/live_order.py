"""The live crawl beside the lab: the same web, the same seeds, the same strategy; harvest after so many pages.

    python bench/live_order.py --pages 1000 [--world 1:20000] [--seeds thai1] [--delay 0] [--runs 3] [--strategy hybrid]
                               [--virtual SECONDS]

The lab replays the web in strict order. Live, `phasa crawl` runs with the settings of a new collection over real HTTP
against the same web, served by a process of its own; only the server, the delay and the page limit are set. Every page
that came is counted in the order of crawl.log.

Webs that lie have pages of two languages, which the world counts for the language and a judge that reads them may not.
So there are two shares of each crawl. *judged*: what the judge of a new collection says, in the lab too, where it reads
the same pages and the strategy learns from what it says. *true*: what the world says of the pages of the same crawls.

With `--virtual` the live crawl is the loop of one, with its connections and manners, on a clock that skips waiting
(`phasa lab run --live`); answers take about so many seconds, drawn anew for each run. What it finds does not depend on
how busy this machine is, and ten hours of politeness take seconds.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from phasa.collection import Collection
from phasa.crawl.run.crawl_log import read_log
from phasa.crawl.run.runs import run_collection
from phasa.crawl.seeds import seed_line
from phasa.frontier.politeness import Politeness
from phasa.lab.compare import crawl_on
from phasa.lab.curves import Ground
from phasa.lab.graph import Graph
from phasa.lab.pace import Pace
from phasa.lab.replay import Crawl
from phasa.lab.seeds import seeds_of
from phasa.lab.world import World

MARKS = (100, 200, 500, 1000, 2000, 5000)


class Row(NamedTuple):
    """One crawl: its harvest at the marks, as judged and in truth."""

    name: str
    judged: dict[int, float]
    true: dict[int, float]
    seconds: float = 0.0
    cpu: float = 0.0
    why: str = ""


def live(options: argparse.Namespace, port: int, seeds: Path) -> dict[str, Any]:
    """One crawl in a process of its own: its harvest at the marks, seconds, CPU seconds."""
    done = subprocess.run(
        [sys.executable, __file__, "--child", "--port", str(port), "--seed-file", str(seeds), *sys.argv[1:]],
        capture_output=True, text=True, check=False, env=os.environ,
    )  # fmt: skip
    if done.returncode:
        raise SystemExit(done.stderr[-3000:])
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def crawl(options: argparse.Namespace) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        made = Collection.create(Path(folder) / "c", language=options.lang)
        (made.path / Collection.SEEDS).write_text(options.seed_file.read_text())
        settings = msgspec.structs.replace(
            made.settings,
            strategy=options.strategy,
            server=f"127.0.0.1:{options.port}",
            allow_private=True,
            politeness=Politeness(delay=options.delay, address_delay=0.0),
            budgets=msgspec.structs.replace(made.settings.budgets, pages=options.pages),
            **({"connections": options.connections} if options.connections else {}),
        )
        begun, cpu = time.perf_counter(), time.process_time()
        run = run_collection(Collection(made.path, settings))
        seconds, cpu = time.perf_counter() - begun, time.process_time() - cpu
        came = [line for line in read_log(made.path / Collection.LOG) if line.wanted is not None]
        return {
            "judged": [line.wanted for line in came],
            "urls": [line.url for line in came],
            "seconds": seconds,
            "cpu": cpu,
            "fetches": run.outcome.fetches,
            "errors": run.errors[:3],
            "why": run.outcome.why,
        }


def harvest(wanted: list[bool]) -> dict[int, float]:
    return {mark: sum(wanted[:mark]) / mark for mark in MARKS if len(wanted) >= mark}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--world", default="1:20000", metavar="SEED:PAGES")
    parser.add_argument("--lang", default="th")
    parser.add_argument("--seeds", default="thai1")
    parser.add_argument("--pages", type=int, default=1000)
    parser.add_argument("--delay", type=float, default=0.0)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--strategy", default="hybrid")
    parser.add_argument("--lies", type=float, default=1.0, help="times the lies of the real web")
    parser.add_argument("--connections", type=int, default=0, help="0 = what a new collection has")
    parser.add_argument("--virtual", type=float, default=0.0, metavar="SECONDS", help="no HTTP: answers take so long")
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--port", type=int, default=0, help=argparse.SUPPRESS)
    parser.add_argument("--seed-file", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        print(json.dumps(crawl(options)))
        return

    ground = Ground(world=options.world, language=options.lang, seeds=options.seeds, lies=options.lies, judge="crawl")
    world = World.from_name(options.world, options.lang, lies=options.lies)
    graph = world.graph
    read, lab = crawl_on(ground, options.strategy, options.pages)
    rows = [Row("lab", *shares(read, graph, lab))]
    if options.virtual:
        rows += [virtual(ground, graph, options, draw + 1) for draw in range(options.runs)]
    else:
        rows += served(world, graph, options)
    report(rows, options)


def shares(read: Graph, graph: Graph, crawl: Crawl) -> tuple[dict[int, float], dict[int, float]]:
    """The harvest of a crawl of the lab by what was read on its pages, and by what the world says of them."""
    return harvest(read.wanted[crawl.pages].tolist()), harvest(graph.wanted[crawl.pages].tolist())


def virtual(ground: Ground, graph: Graph, options: argparse.Namespace, draw: int) -> Row:
    """One crawl in the time of a live one, which is skipped."""
    pace = Pace(options.delay, options.virtual, options.connections or Pace.connections)
    cpu = time.process_time()
    read, crawl = crawl_on(replace(ground, pace=pace, draw=draw), options.strategy, options.pages)
    return Row(f"live {draw}", *shares(read, graph, crawl), crawl.seconds, time.process_time() - cpu)


def served(world: World, graph: Graph, options: argparse.Namespace) -> list[Row]:
    """Crawls over HTTP of the world, served by a process of its own."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        seeds = Path(folder) / "seeds.txt"
        seeds.write_text("".join(f"{seed_line(seed)}\n" for seed in seeds_of(world, options.seeds)))
        server = subprocess.Popen(
            [sys.executable, "-m", "phasa", "lab", "serve", options.world, "--lang", options.lang, "--port", "0",
             "--lies", str(options.lies)],
            stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        try:
            assert server.stdout is not None
            port = int(server.stdout.readline().rstrip("/\n").rpartition(":")[2])
            for number in range(options.runs):
                found = live(options, port, seeds)
                true = [bool(graph.wanted[world.find(url)]) for url in found["urls"]]
                run = harvest(found["judged"]), harvest(true), found["seconds"], found["cpu"], found["why"]
                rows.append(Row(f"live {number + 1}", *run))
        finally:
            server.terminate()
            server.wait()
    return rows


def report(rows: list[Row], options: argparse.Namespace) -> None:
    marks = [mark for mark in MARKS if mark <= options.pages]
    heads = "".join(f"{mark:>8,}" for mark in marks)
    print(f"{'':8}{heads}   {heads}{'seconds':>9}{'CPU s':>7}\n{'':8}{'judged':>8}{'':{8 * len(marks) - 5}}{'true':>8}")
    for name, share, truly, seconds, cpu, why in rows:
        cells = "   ".join(
            "".join(f"{part[mark]:>8.1%}" if mark in part else f"{'':>8}" for mark in marks) for part in (share, truly)
        )
        print(f"{name:8}{cells}{seconds:>9.1f}{cpu:>7.1f}  {why if len(truly) < len(marks) else ''}")
    for mark in marks:
        for kind, lab_share, shares in (
            ("judged", rows[0].judged.get(mark), [row.judged[mark] for row in rows[1:] if mark in row.judged]),
            ("true", rows[0].true.get(mark), [row.true[mark] for row in rows[1:] if mark in row.true]),
        ):
            if shares and lab_share is not None:
                gap, spread = sum(shares) / len(shares) - lab_share, max(shares) - min(shares)
                print(f"{mark:>7,} {kind:7} live - lab {100 * gap:+5.1f} points, spread {100 * spread:4.1f}")


if __name__ == "__main__":
    main()
