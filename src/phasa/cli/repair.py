"""`phasa repair`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from phasa.cli.outputs import print_json
from phasa.cli.progress import bar

app = typer.Typer()


@app.command(epilog="Example:  phasa repair thai-web   ·   phasa repair thai-web --frontier --json")
def repair(
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="The collection.")],
    frontier: Annotated[
        bool,
        typer.Option("--frontier", help="Make frontier.db again from the archive; the old one is kept beside it."),
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print what was done as JSON.")] = False,
) -> None:
    """Check every file of a collection, and make again what can be made from others: index, digests, log, counts.

    Exit code 1 when there is damage that could not be mended; each piece is named with file and place.
    """
    from phasa.collection import Collection
    from phasa.crawl.run.repairs import repair_collection

    collection = Collection.open(directory)
    with collection.locked(), bar("files") as show:
        done = repair_collection(collection, rebuild_frontier=frontier, show=show)
    if as_json:
        print_json(done)
    else:
        for repaired in done.repaired:
            print(f"{repaired.file}: {repaired.what}")
        print(f"{directory}: {done.records:,} records are whole; {len(done.repaired)} things mended")
    for damage in done.damage:
        print(f"phasa: {damage.file}: {damage.what}", file=sys.stderr)
    if done.damage:
        raise typer.Exit(1)
