"""`phasa lab run`: strategies compared on worlds and graphs."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from phasa.cli.outputs import print_json
from phasa.errors import InputError

if TYPE_CHECKING:
    from phasa.lab.curves import Curve

LIES = "How often a web lies about its language: 1 as real ones do, 0 never (the web of the papers)."
_STRATEGIES = "hybrid,lswc,bfs"


def run(
    world: Annotated[
        list[str] | None,
        typer.Option("--world", metavar="SEED:PAGES", help="A generated web; may be repeated, 1-5:100000 is five."),
    ] = None,
    graph: Annotated[
        Path | None, typer.Option("--graph", metavar="PATH", help="A stored web graph, or a folder of home pages.")
    ] = None,
    seeds: Annotated[
        str,
        typer.Option(
            "--seeds",
            metavar="SET",
            help="Seed set of the world: thai1, thai2, english …; on a graph a file of addresses, or drawn.",
        ),
    ] = "",
    strategies: Annotated[
        str, typer.Option("--strategies", metavar="A,B", help="Strategies to compare.")
    ] = _STRATEGIES,
    pages: Annotated[int, typer.Option("--pages", metavar="N", min=1, help="Pages per crawl.")] = 5000,
    lang: Annotated[str, typer.Option("--lang", metavar="CODE", help="Language that the crawls are after.")] = "th",
    draws: Annotated[
        int | None,
        typer.Option(
            "--draws",
            metavar="N",
            min=1,
            help="Draws of seeds on a graph (10), or of --live's latencies on a world (1).",
        ),
    ] = None,
    live: Annotated[
        bool,
        typer.Option(
            "--live", help="Crawl as one does live: many connections, polite hosts, in their time, which is skipped."
        ),
    ] = False,
    delay: Annotated[float, typer.Option("--delay", metavar="S", min=0.0, help="Of --live: rest of a host.")] = 1.0,
    latency: Annotated[
        float, typer.Option("--latency", metavar="S", min=0.0, help="Of --live: until an answer comes, as a rule.")
    ] = 0.2,
    connections: Annotated[
        int, typer.Option("--connections", metavar="N", min=1, help="Of --live: hosts asked at the same time at most.")
    ] = 256,
    every: Annotated[
        int, typer.Option("--every", metavar="N", min=1, help="Pages between two values of a curve.")
    ] = 100,
    fresh: Annotated[
        bool,
        typer.Option("--fresh", help="Worlds whose pages change: compare revisit policies (named by --strategies)."),
    ] = False,
    lies: Annotated[
        str, typer.Option("--lies", metavar="X,Y", help=LIES + " Several show how each strategy falls.")
    ] = "1",
    kb: Annotated[
        Path | None,
        typer.Option("--kb", metavar="FILE", help="Knowledge base of nb and hybrid (phasa learn); else learned here."),
    ] = None,
    trained: Annotated[
        str,
        typer.Option(
            "--trained",
            metavar="pass|remove",
            help="Pages it was learned from, never measured: links lead through them, or they are not there.",
        ),
    ] = "pass",
    judge: Annotated[
        str,
        typer.Option(
            "--judge",
            metavar="crawl|web",
            help="What is on the pages of a world: what a crawl finds by reading them, or what the web says.",
        ),
    ] = "crawl",
    workers: Annotated[int, typer.Option("--workers", metavar="N", min=1, help="Processes.")] = 1,
    on_cluster: Annotated[
        bool,
        typer.Option("--cluster", help="A world a task on a Ray cluster: that of RAY_ADDRESS, or one on this machine."),
    ] = False,
    csv: Annotated[Path | None, typer.Option("--csv", metavar="FILE", help="Write all curves.")] = None,
    out: Annotated[
        Path | None, typer.Option("-o", "--out", metavar="DIR", help="Write a report (HTML, CSV) into this folder.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Compare strategies: harvest and coverage, their mean and 95 % interval over worlds or draws."""
    from phasa.cli.progress import bar
    from phasa.lab.compare import compare
    from phasa.lab.curves import MIXED, SHARES, Ground, summarise, write_csv
    from phasa.lab.pace import Pace

    if fresh:
        from phasa.cli.lab_fresh import run_fresh

        worlds = [name for given in world or ["1:2000"] for name in worlds_of(given)]
        run_fresh(worlds, strategies if strategies != _STRATEGIES else "", out, as_json)
        return
    pace = Pace(delay, latency, connections) if live else None
    if (graph is None) == (not world):
        raise InputError("say on what to run: either --world SEED:PAGES or --graph PATH")
    if trained not in ("pass", "remove"):
        raise InputError(f"--trained {trained}: say pass or remove")
    if judge not in ("crawl", "web"):
        raise InputError(f"--judge {judge}: say crawl or web")
    if on_cluster:  # tasks have other working folders
        graph, kb = graph and graph.absolute(), kb and kb.absolute()
        seeds = str(Path(seeds).absolute()) if graph is not None and seeds else seeds
    drawn = graph is not None and not seeds
    count = draws or (10 if drawn else 1) if live or drawn else 1  # otherwise one draw is like the other
    grounds = (
        [
            Ground(seeds or MIXED, lang, graph=graph, draw=draw + 1, kb=kb, trained=trained, pace=pace)
            for draw in range(count)
        ]
        if graph is not None
        else [
            Ground(
                seeds or "thai1",
                lang,
                world=name,
                lies=level,
                draw=draw + 1,
                kb=kb,
                trained=trained,
                judge=judge,
                pace=pace,
            )
            for level in levels_of(lies)
            for given in world or []
            for name in worlds_of(given)
            for draw in range(count)
        ]
    )
    names = [name.strip() for name in strategies.split(",") if name.strip()]
    if not names:
        raise InputError("no strategy to run; name some: --strategies hybrid,lswc,bfs")
    with ExitStack() as stack:
        mapped = None
        if on_cluster:
            from phasa.fleet.batch import cluster

            mapped = stack.enter_context(cluster(workers if workers > 1 else 0)).in_order
        show = stack.enter_context(bar("crawls", len(grounds) * len(names)))
        curves = compare(grounds, names, pages, every, workers, show, mapped)
    if csv is not None:
        csv.write_text(write_csv(curves), encoding="utf-8")
    if out is not None:
        from phasa.lab.falls import comparison
        from phasa.lab.report import write_files

        print("written: " + ", ".join(map(str, write_files(comparison(curves), out))), file=sys.stderr)
    if len({ground.lies for ground in grounds}) > 1:
        _print_falls(curves, as_json)
        return
    found = summarise(curves)
    if as_json:
        print_json(found)
        return
    shares = "".join(f"{share:>8.0%}" for share in SHARES) if graph is not None else ""
    hours = f"{'hours':>8}" if live else ""
    print(f"{'strategy':<18}{'mean harvest':>14}{'± 95 %':>9}{'harvest':>9}{'coverage':>10}{hours}{shares}")
    for one in found:
        after = "".join(f"{share:>8.3f}" for share in one.found_after)
        last = one.coverage[-1] if one.coverage else 0.0
        spread = f"{one.mean_harvest_interval:.4f}" if one.runs > 1 else "–"  # of one crawl nothing is known
        took = f"{one.hours:>8.2f}" if live else ""
        figures = f"{one.mean_harvest:>14.4f}{spread:>9}{one.final_harvest:>9.4f}{last:>10.4f}"
        print(f"{one.strategy:<18}{figures}{took}{after}")
    if graph is not None:
        print(
            "percent columns: share of the reachable pages in the language found after so much of all reachable",
            file=sys.stderr,
        )


def _print_falls(curves: list[Curve], as_json: bool) -> None:
    """What crawls of webs that lie more and less found."""
    from phasa.lab.falls import by_lies, falls_section
    from phasa.lab.report import write_tables

    if as_json:
        print_json([{"lies": lies, "strategies": found} for lies, found in by_lies(curves).items()])
    else:
        print(write_tables(falls_section(curves)))


def levels_of(given: str) -> list[float]:
    """'0,0.5,1' as numbers. Raises InputError for what is not a number from 0 on."""
    try:
        levels = [float(part) for part in given.split(",")]
    except ValueError:
        levels = []
    if not levels or not all(0 <= level < 1000 for level in levels):
        raise InputError(f"--lies '{given}': say how often a web lies as numbers from 0 on, for example 0,0.5,1,2")
    return list(dict.fromkeys(levels))


def worlds_of(given: str) -> list[str]:
    """'1-3:20000' is '1:20000', '2:20000', '3:20000'."""
    seeds, _, pages = given.partition(":")
    first, dash, last = seeds.partition("-")
    if not dash and (not pages or seeds.isdigit()):
        return [given]
    if not (first.isdigit() and last.isdigit() and int(first) <= int(last)):
        raise InputError(f"worlds are named SEED:PAGES or FIRST-LAST:PAGES, not '{given}'")
    return [f"{seed}:{pages}" for seed in range(int(first), int(last) + 1)]
