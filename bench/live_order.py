"""The live crawl beside the lab: the same web, the same seeds, the same strategy; harvest after so many pages.

    python bench/live_order.py --pages 1000 [--world 1:20000] [--seeds thai1] [--delay 0] [--runs 3] [--strategy hybrid]

The lab replays the web in strict order. Live, `phasa crawl` runs with the settings of a new collection over real HTTP
against the same web, served by a process of its own; only the server, the delay and the page limit are set. Every page
that came is counted in the order of crawl.log.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

MARKS = (100, 200, 500, 1000, 2000, 5000)


def live(options: argparse.Namespace, port: int, seeds: Path) -> dict[str, object]:
    """One crawl in a process of its own: its harvest at the marks, seconds, CPU seconds."""
    done = subprocess.run(
        [sys.executable, __file__, "--child", "--port", str(port), "--seed-file", str(seeds), *sys.argv[1:]],
        capture_output=True, text=True, check=False, env=os.environ,
    )  # fmt: skip
    if done.returncode:
        raise SystemExit(done.stderr[-3000:])
    found: dict[str, object] = json.loads(done.stdout.splitlines()[-1])
    return found


def crawl(options: argparse.Namespace) -> dict[str, object]:
    import msgspec

    from phasa.collection import Collection
    from phasa.crawl.run.crawl_log import read_log
    from phasa.crawl.run.runs import run_collection
    from phasa.frontier.politeness import Politeness

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
        wanted = [line.wanted for line in read_log(made.path / Collection.LOG) if line.wanted is not None]
        return {
            "harvest": harvest(wanted),
            "pages": len(wanted),
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
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--port", type=int, default=0, help=argparse.SUPPRESS)
    parser.add_argument("--seed-file", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        print(json.dumps(crawl(options)))
        return

    from phasa.crawl.seeds import seed_line
    from phasa.lab.compare import crawl_on
    from phasa.lab.curves import Ground
    from phasa.lab.seeds import seeds_of
    from phasa.lab.world import World

    ground = Ground(world=options.world, language=options.lang, seeds=options.seeds, lies=options.lies)
    graph, lab = crawl_on(ground, options.strategy, options.pages)
    rows = [("lab", harvest(graph.wanted[lab.pages].tolist()), 0.0, 0.0, "")]
    with tempfile.TemporaryDirectory() as folder:
        seeds = Path(folder) / "seeds.txt"
        world = World.from_name(options.world, options.lang, lies=options.lies)
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
                share = {int(mark): value for mark, value in found["harvest"].items()}  # type: ignore[attr-defined]
                rows.append((f"live {number + 1}", share, found["seconds"], found["cpu"], found["why"]))  # type: ignore[arg-type]
        finally:
            server.terminate()
            server.wait()
    marks = [mark for mark in MARKS if mark <= options.pages]
    print(f"{'':8}" + "".join(f"{mark:>8,}" for mark in marks) + f"{'seconds':>9}{'CPU s':>7}")
    for name, share, seconds, cpu, why in rows:
        cells = "".join(f"{share[mark]:>8.1%}" if mark in share else f"{'':>8}" for mark in marks)
        print(f"{name:8}{cells}{seconds:>9.1f}{cpu:>7.1f}  {why if len(share) < len(marks) else ''}")


if __name__ == "__main__":
    main()
