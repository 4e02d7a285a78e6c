"""`phasa crawl`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from phasa.cli.outputs import print_json
from phasa.errors import PhasaError

if TYPE_CHECKING:
    from phasa.collection import Collection

app = typer.Typer()


@app.command(epilog="Example:  phasa crawl thai-web --pages 5000")
def crawl(
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="The collection.")],
    pages: Annotated[
        int | None, typer.Option("--pages", metavar="N", min=0, help="Pages to fetch in this run; 0 = no limit.")
    ] = None,
    seconds: Annotated[
        float | None, typer.Option("--seconds", metavar="S", min=0, help="Time for this run; 0 = no limit.")
    ] = None,
    strategy: Annotated[
        str | None, typer.Option("--strategy", metavar="NAME", help="Which links first, for this run: see below.")
    ] = None,
    kb: Annotated[
        Path | None,
        typer.Option("--kb", metavar="FILE", help="Knowledge base of nb and hybrid for this run (phasa learn)."),
    ] = None,
    cycles: Annotated[
        int,
        typer.Option(
            "--cycles", metavar="N", min=0, help="Crawl in N cycles, as WIRE does ([cycles], [strategies.persian])."
        ),
    ] = 0,
    workers: Annotated[int, typer.Option("--workers", metavar="N", min=1, max=64, help="Processes, one per core.")] = 1,
    release: Annotated[
        str | None,
        typer.Option("--release", metavar="TEXT", help="First let quarantined URLs with this in them wait again."),
    ] = None,
    rescope: Annotated[
        bool, typer.Option("--rescope", help="First take back what the scope refused as it was, and takes now.")
    ] = False,
    pause: Annotated[bool, typer.Option("--pause", help="Pause the crawl that runs elsewhere, and return.")] = False,
    resume: Annotated[bool, typer.Option("--resume", help="Go on after a pause, here or where it runs.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress bar.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the final numbers as JSON.")] = False,
) -> None:
    """Run or resume a crawl. Ctrl-C stops it in good order; the same command goes on.

    Strategies: hybrid, nb, lswc, persian, best-first, bfs and more; a wrong name lists them all.
    """

    from phasa.collection import Collection
    from phasa.crawl.run.progress import Progress
    from phasa.crawl.run.runs import release_quarantined, rescope_dropped, run_collection, with_limits

    collection = with_limits(Collection.open(directory), pages, seconds, strategy, kb)
    if _ordered(collection, pages, seconds, pause, resume):
        return
    with collection.locked():
        if release is not None:
            print(f"{release_quarantined(collection, release)} quarantined URLs wait again", file=sys.stderr)
        if rescope:
            taken = rescope_dropped(collection, _tell_rescope if not quiet and sys.stderr.isatty() else _say_nothing)
            print(f"{taken:,} addresses that the scope had refused wait again", file=sys.stderr)
        with Progress(shown=not quiet and sys.stderr.isatty(), limit=collection.settings.budgets.pages) as progress:
            result = run_collection(collection, progress.show, workers=workers, cycles=cycles)
    for junk in result.seeds.junk:
        print(f"{directory / Collection.SEEDS}:{junk.line}: passed over, {junk.why}: {junk.text}", file=sys.stderr)
    for error in dict.fromkeys(result.errors):
        print(f"phasa: {error}", file=sys.stderr)
    if as_json:
        print_json(result.metrics)
    elif cycles:
        from phasa.crawl.run.cycles import cycles_table

        print(cycles_table(collection))
        print(result.summary())
    else:
        print(result.summary())
    if result.errors:
        raise typer.Exit(1)
    if not result.metrics.done:
        raise PhasaError(result.why_nothing())
    if result.held_up:
        raise typer.Exit(1)


def _tell_rescope(seen: int, taken: int) -> None:
    print(f"\r{seen:,} refused addresses looked at, {taken:,} taken back ", end="", file=sys.stderr, flush=True)


def _say_nothing(seen: int, taken: int) -> None: ...


def _ordered(collection: Collection, pages: int | None, seconds: float | None, pause: bool, resume: bool) -> bool:
    """Give orders (crawl/run/control.py); True when that was all. What this command says is newer than what stood."""
    from phasa.crawl.run.control import give_orders, read_orders
    from phasa.crawl.run.status import is_running

    if pause:
        give_orders(collection, paused=True)
        print("paused" if is_running(collection) else "no crawl is running; the next one will be paused")
        return True
    orders = read_orders(collection)
    changes: dict[str, object] = {"paused": False} if resume and orders.paused else {}
    if pages is not None and orders.pages is not None:
        changes["pages"] = None
    if seconds is not None and orders.seconds is not None:
        changes["seconds"] = None
    if changes:
        give_orders(collection, **changes)
    if resume and is_running(collection):
        print("the running crawl goes on")
        return True
    return False
