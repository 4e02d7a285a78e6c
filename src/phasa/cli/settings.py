"""`phasa settings`: every key of collection.toml, from the code."""

from __future__ import annotations

from itertools import groupby
from typing import Annotated

import typer

from phasa.cli.inputs import write_text
from phasa.cli.outputs import print_json, print_table
from phasa.errors import InputError

app = typer.Typer()

_TOP = """# Settings

Every collection has a file `collection.toml`; `phasa init` writes it with a comment on each line. A key that is left
out has the value below. A key that does not exist is refused, and the nearest one that does is named. This page is made
from the code by `phasa settings --markdown > docs/settings.md`.
"""


@app.command(epilog="Example:  phasa settings politeness   ·   phasa settings budgets.pages")
def settings(
    part: Annotated[
        str, typer.Argument(metavar="KEY", help="A key or a section, e.g. politeness; nothing for all.")
    ] = "",
    markdown: Annotated[bool, typer.Option("--markdown", help="Print the page of the manual.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Print every setting of a collection with its kind, its default and what it does."""
    from phasa.collection import CollectionSettings
    from phasa.settings import describe

    if markdown:
        write_text(settings_page())
        return
    rows = [row for row in describe(CollectionSettings) if not part or f"{row[0]}.".startswith(f"{part}.")]
    if not rows:
        from difflib import get_close_matches

        known = {name for key, *_ in describe(CollectionSettings) for name in (key, key.partition(".")[0])}
        near = get_close_matches(part, sorted(known), n=1, cutoff=0.4)
        raise InputError(f"setting '{part}': there is none; " + (f"did you mean '{near[0]}'?" if near else "see all"))
    if as_json:
        print_json([dict(zip(("key", "kind", "default", "description"), row, strict=True)) for row in rows])
    else:
        print_table(["key", "default", "what it does"], [(key, default, text) for key, _, default, text in rows])


def settings_page() -> str:
    """docs/settings.md: one table for the top of the file, one for each section."""
    from phasa.collection import CollectionSettings
    from phasa.settings import describe

    parts = [_TOP]
    for section, rows in groupby(describe(CollectionSettings), key=lambda row: row[0].rpartition(".")[0]):
        parts.append(f"## `[{section}]`\n" if section else "## Top of the file\n")
        parts.append("| Key | Kind | Unless you say otherwise | What it does |\n|---|---|---|---|")
        for key, kind, default, description in rows:
            shown = f"`{default}`" if default else "not set"
            parts.append(f"| `{key.rpartition('.')[2]}` | {_plain(kind)} | {shown} | {_plain(description)} |")
        parts.append("")
    return "\n".join(parts)


def _plain(text: str) -> str:
    return text.replace("|", "\\|")
