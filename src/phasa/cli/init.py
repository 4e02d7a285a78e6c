"""`phasa init`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer()


@app.command(epilog="Example:  phasa init thai-web --lang th --seeds my-seeds.txt")
def init(
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="The folder to make.")],
    lang: Annotated[
        str, typer.Option("--lang", metavar="CODE", help="Language: a code as th or fa, or your own profile (.toml).")
    ] = "th",
    seeds: Annotated[
        Path | None, typer.Option("--seeds", metavar="FILE", help="Addresses to start from, one per line.")
    ] = None,
    contact: Annotated[
        str, typer.Option("--contact", metavar="URL|MAIL", help="Who answers for the crawl; sent to every server.")
    ] = "",
    server: Annotated[
        str,
        typer.Option(
            "--server", metavar="ADDRESS:PORT", envvar="PHASA_SERVER", help="A web on this machine: phasa lab serve."
        ),
    ] = "",
) -> None:
    """Make a collection: a folder with its settings and seeds."""
    from phasa.collection import Collection

    collection = Collection.create(directory, language=lang, seeds=seeds, contact=contact, server=server)
    seeds_file = collection.path / Collection.SEEDS
    made = f"made for {collection.profile.code}, {len(collection.seeds())} seeds"
    print(f"{collection.path}: {made}. Settings: {collection.settings_file}")
    first = "" if collection.seeds() else f"put addresses into {seeds_file}, one per line, then "
    print(f"Next: {first}phasa crawl {collection.path}")
