"""`phasa serve`."""

from __future__ import annotations

import secrets
from contextlib import suppress
from pathlib import Path
from typing import Annotated

import typer

from phasa.errors import InputError

app = typer.Typer()


@app.command(epilog="Example:  phasa serve thai-web --port 8080")
def serve(
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="The collection.")],
    address: Annotated[
        str, typer.Option("--host", metavar="ADDRESS", help="Address to listen on; others need a token.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", min=0, max=65535, help="Port to listen on; 0 = any free one.")] = 8080,
    token: Annotated[
        str | None,
        typer.Option(
            "--token", envvar="PHASA_TOKEN", metavar="SECRET", help="What others must know; made up where it is needed."
        ),
    ] = None,
    name: Annotated[
        list[str] | None, typer.Option("--name", metavar="HOST", help="A host name it is reached by; may be repeated.")
    ] = None,
    replay: Annotated[
        str, typer.Option("--replay", metavar="URL", help="A pywb with the same archive, to link pages to.")
    ] = "",
) -> None:
    """Serve the web application of a collection: overview, crawl, feeds, pages and reports, with a JSON API."""
    from phasa.collection import Collection
    from phasa.service.guards import is_loopback
    from phasa.service.people import FILE, People
    from phasa.service.server import run

    if replay and not replay.startswith(("http://", "https://")):
        raise InputError(f"{replay}: --replay takes an http address, such as http://127.0.0.1:8090/thai-web")
    collection = Collection.open(directory)
    if token is None and not is_loopback(address) and not People(collection.path / FILE).anybody():
        token = secrets.token_urlsafe(24)
        print(f"token: {token}", flush=True)
    with suppress(KeyboardInterrupt):  # that is how it is meant to end
        run(collection, address=address, port=port, token=token, names=name or [], replay=replay, ready=_ready)


def _ready(link: str) -> None:
    print(f"phasa is at {link} (Ctrl-C ends it)", flush=True)
