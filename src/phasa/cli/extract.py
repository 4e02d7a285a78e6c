"""`phasa extract`."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from phasa.overview.method import FormPolicy, Logic, Method

app = typer.Typer()


class Format(StrEnum):
    """What is printed for a page."""

    TEXT = "text"
    JSON = "json"


@app.command(epilog="Example:  phasa extract --json page.html other.html")
def extract(
    pages: Annotated[list[str], typer.Argument(metavar="FILE|URL|-...", help="Pages; - is standard input.")],
    form: Annotated[Format, typer.Option("--format", help="Print the text, or a JSON object per page.")] = Format.TEXT,
    as_json: Annotated[bool, typer.Option("--json", help="The same as --format json.")] = False,
    method: Annotated[
        Method, typer.Option(help="phasa: judge blocks by their features; thesis: the published rules.")
    ] = Method.PHASA,
    match: Annotated[
        bool, typer.Option("--match", help="The pages are of one site: drop what repeats from page to page.")
    ] = False,
    logic: Annotated[Logic, typer.Option(help="thesis: join anchor ratio and title rule by or, and.")] = Logic.OR,
    form_policy: Annotated[
        FormPolicy, typer.Option(help="thesis: drop a form with all in it, or only its tag.")
    ] = FormPolicy.SUBTREE,
    allow_private: Annotated[
        bool, typer.Option("--allow-private", help="Fetch from private and loopback addresses too.")
    ] = False,
) -> None:
    """Print the key content of pages: the text without menus, advertisements, comments and footers."""
    from phasa.cli.extraction import print_contents
    from phasa.overview.extract.thesis import Rules

    if not print_contents(
        pages,
        as_json=as_json or form is Format.JSON,
        method=method,
        rules=Rules(logic=logic, form_policy=form_policy),
        match=match,
        allow_private=allow_private,
    ):
        raise typer.Exit(1)
