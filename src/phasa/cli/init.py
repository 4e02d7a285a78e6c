"""`phasa init`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from phasa.collection import Collection

app = typer.Typer()

_SHOWN = 10


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
    if seeds is not None:
        _tell_seeds_that_stay_out(collection)
    first = "" if collection.seeds() else f"put addresses into {seeds_file}, one per line, then "
    print(f"Next: {first}phasa crawl {collection.path}")


def _tell_seeds_that_stay_out(collection: Collection) -> None:
    """Warn of seeds that are no addresses, or that the scope refuses: the crawl would pass them over."""
    from phasa.crawl.seeds import read_seeds
    from phasa.frontier.scope import Scope
    from phasa.web.url import Url

    file, scope = collection.path / collection.SEEDS, Scope(collection.settings.scope)
    found = read_seeds(file)
    refused = [(seed.url, why) for seed in found.seeds if (why := scope.refuses(Url(seed.url)))]
    out = [f"{file}:{junk.line}: {junk.text}: {junk.why}" for junk in found.junk]
    out += [f"{file}: {url}: out of scope: {why}" for url, why in refused]
    for line in out[:_SHOWN]:
        typer.echo(line, err=True)
    if out:
        more = f" ({len(out) - _SHOWN} more like these)" if len(out) > _SHOWN else ""
        typer.echo(f"{len(out)} seeds would not be fetched{more}; change them, or [scope] in the settings", err=True)
