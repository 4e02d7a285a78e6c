"""`phasa estimate`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from phasa.cli.outputs import print_json

app = typer.Typer()


@app.command(epilog="Example:  phasa estimate thai-web --draw 400")
def estimate(
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="The collection.")],
    draw: Annotated[
        int | None,
        typer.Option("--draw", metavar="N", help="Draw N addresses anew (200 are drawn when there were none)."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """How many of the addresses that wait are wanted pages, with bounds.

    Some of them are drawn by chance, and the crawl fetches those first, like any others. Each was as likely to be drawn
    as any, so what came of them holds for all."""
    from datetime import UTC, datetime

    from phasa.collection import Collection
    from phasa.crawl.run.estimate import USUAL, draw_sample, read_estimate
    from phasa.crawl.run.status import is_running

    collection = Collection.open(directory)
    found = read_estimate(collection)
    if draw is not None or found is None:
        draw_sample(collection, USUAL if draw is None else draw)
        found = read_estimate(collection)
    assert found is not None
    if as_json:
        print_json(found)
        return
    when = datetime.fromtimestamp(found.drawn, UTC).strftime("%Y-%m-%d %H:%M UTC")
    print(f"{found.asked:,} of {found.waiting:,} addresses that waited on {when}:")
    others = found.asked - found.open - found.wanted
    print(f"{found.wanted:,} were wanted pages, {others:,} were not, {found.open:,} wait.")
    if found.open:
        who = "the crawl that runs fetches them next" if is_running(collection) else f"phasa crawl {directory}"
        print(f"Not all were fetched yet: {who}.")
    if found.open < found.asked:
        print(
            f"Of all that waited then, about {found.pages:,} are wanted pages"
            f" (95 % sure: {found.at_least:,} to {found.at_most:,})."
        )
