"""`phasa frontier`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from phasa.cli.progress import bar

app = typer.Typer(
    no_args_is_help=True,
    help="Where the frontier of a collection is kept.",
    epilog="Example:  phasa frontier move thai-web --to postgresql://phasa@db.example/crawls",
)


@app.callback()
def frontier() -> None:
    """Where the frontier of a collection is kept."""


@app.command(
    epilog="Example:  phasa frontier move thai-web --to 'postgresql://phasa@db/crawls?schema=thai_web'   ·   "
    "phasa frontier move thai-web --to sqlite"
)
def move(
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="The collection.")],
    to: Annotated[str, typer.Option("--to", metavar="WHERE", help="postgresql://… for a server, or sqlite.")],
    drop: Annotated[
        bool, typer.Option("--drop", help="To sqlite: take the tables away from the server afterwards.")
    ] = False,
) -> None:
    """Move the frontier to a PostgreSQL server, or back into frontier.db, and change the setting `frontier`.

    All or nothing: rows are counted on both sides before the setting is changed. frontier.db is kept as
    frontier.db.moved. A move that was interrupted is made again with the same command.
    """
    from phasa.collection import Collection
    from phasa.frontiers import move_frontier

    collection = Collection.open(directory)
    with collection.locked(), bar("rows") as show:
        urls = move_frontier(collection, to, drop=drop, show=show)
    print(f"{directory}: {urls:,} URLs are {'in frontier.db' if to == 'sqlite' else 'on the server'} now")
