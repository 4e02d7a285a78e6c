"""`phasa fleet`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from phasa.cli.outputs import print_json

if TYPE_CHECKING:
    from phasa.fleet.fleet import FleetStatus

app = typer.Typer(
    no_args_is_help=True,
    help="Crawl with workers on many machines.",
    epilog="Example:  phasa fleet start thai-web --workers 4",
)

_Directory = Annotated[Path, typer.Argument(metavar="DIR", help="The collection; its frontier is on a server.")]


@app.callback()
def fleet() -> None:
    """Crawl with workers on many machines: a Ray cluster, and a frontier on a PostgreSQL server (docs/fleet.md)."""


@app.command(epilog="Example:  phasa fleet start thai-web --workers 8 --address head.example:6379")
def start(
    directory: _Directory,
    workers: Annotated[int | None, typer.Option("--workers", min=1, help="Workers of the fleet; settings: 2.")] = None,
    address: Annotated[
        str | None,
        typer.Option("--address", metavar="HOST:PORT", help="The head of a Ray cluster; without: one of this machine."),
    ] = None,
) -> None:
    """Start a fleet. It goes on without this command, and ends by itself when nothing is left to fetch."""
    from phasa.collection import Collection
    from phasa.fleet.fleet import start as start_fleet

    _tell(directory, start_fleet(Collection.open(directory), workers=workers, address=address))


@app.command(epilog="Example:  phasa fleet status thai-web --json")
def status(
    directory: _Directory,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Who is at work, with how many shards of the sites, and when each was heard last."""
    from phasa.collection import Collection
    from phasa.fleet.fleet import status as fleet_status

    found = fleet_status(Collection.open(directory))
    if as_json:
        print_json(found)
    else:
        _tell(directory, found)


@app.command(epilog="Example:  phasa fleet scale thai-web 16")
def scale(
    directory: _Directory,
    workers: Annotated[int, typer.Argument(min=1, help="Workers from now on.")],
) -> None:
    """More or fewer workers, while the fleet goes on."""
    from phasa.collection import Collection
    from phasa.fleet.fleet import scale as scale_fleet

    order = scale_fleet(Collection.open(directory), workers)
    print(f"{directory}: fleet {order.name} has {order.workers} workers from now on")


@app.command(epilog="Example:  phasa fleet stop thai-web")
def stop(
    directory: _Directory,
    seconds: Annotated[float, typer.Option("--seconds", min=0, help="Wait so long for pages under way.")] = 60.0,
) -> None:
    """End a fleet in good order; start goes on where it stopped."""
    from phasa.collection import Collection
    from phasa.fleet.fleet import stop as stop_fleet

    order = stop_fleet(Collection.open(directory), seconds=seconds)
    print(f"{directory}: fleet {order.name} has ended: {order.ended}")


def _tell(directory: Path, found: FleetStatus) -> None:
    order = found.order
    state = f"ended: {order.ended}" if order.ended else "stopping" if order.stop else f"on {order.cluster}"
    print(f"{directory}: fleet {order.name}, {order.workers} workers, {state}")
    print(f"  {found.pages:,} pages, {found.left:,} URLs left")
    said = {one.number: one for one in found.processes}
    for worker in found.workers:
        process = said.get(worker.number)
        lives = f", life {process.lives}" if process is not None else ""
        heard = "lost" if worker.lost else "alive"
        print(f"  worker {worker.number}: {heard}, {worker.shards} shards, {worker.place}{lives}")
    if found.problem:
        print(f"  {found.problem}")
