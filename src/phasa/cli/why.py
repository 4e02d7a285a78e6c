"""`phasa why`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from phasa.cli.outputs import plain, print_json

app = typer.Typer()


@app.command(epilog="Example:  phasa why thai-web http://www.ku.ac.th/help.html")
def why(
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="The collection.")],
    url: Annotated[str, typer.Argument(metavar="URL", help="The address, in any spelling.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """The whole story of one URL: how it was found, where it stands, what came of it, and why."""
    import msgspec

    from phasa.collection import Collection
    from phasa.crawl.run.explain import explain

    told = explain(Collection.open(directory), url, thorough=True)
    if as_json:
        print_json(told)
        return
    for name, value in msgspec.structs.asdict(told).items():
        if value not in (None, "", ()):
            print(f"{name.replace('_', ' '):<10} {_plain(value)}")


def _plain(value: object) -> str:
    return "\n           ".join(str(line) for line in value) if isinstance(value, (list, tuple)) else plain(value)
