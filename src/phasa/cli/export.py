"""`phasa export`."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from phasa.cli.progress import counted
from phasa.errors import CollectionError, InputError

app = typer.Typer()


class Format(StrEnum):
    """What `phasa export` can write."""

    wacz = "wacz"
    jsonl = "jsonl"
    parquet = "parquet"
    repository = "repository"


@app.command(epilog="Example:  phasa export thai-web --to wacz -o thai-web.wacz")
def export(
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="The collection.")],
    to: Annotated[Format, typer.Option("--to", help="wacz: replay file; jsonl, parquet: text; repository: pages.")],
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="FILE", help="Where to; beside the collection when not given."),
    ] = None,
) -> None:
    """Write a collection in a form that other programs read."""
    from phasa.archive.repository import export_repository
    from phasa.archive.text import page_text, read_texts, write_jsonl, write_parquet
    from phasa.archive.wacz import export_wacz
    from phasa.collection import Collection

    archive = Collection.open(directory).archive_folder
    if not any(archive.glob("*.warc.gz*")):
        raise CollectionError(f"{directory}: no page to export; crawl first: phasa crawl {directory}")
    target = out or directory.with_name(f"{directory.name}{'-pages' if to is Format.repository else '.' + to}")
    if target == Path("-"):
        if to is not Format.jsonl:
            raise InputError(f"-o -: {to} is no stream; name a file, or export jsonl")
        target = Path("/dev/stdout")
    texts = counted(read_texts(archive, page_text), None, "pages")
    match to:
        case Format.wacz:
            count = export_wacz(archive, target, title=directory.name)
        case Format.jsonl:
            count = write_jsonl(texts, target)
        case Format.parquet:
            count = write_parquet(texts, target)
        case Format.repository:
            count = export_repository(archive, target)
    print(f"{target}: {count:,} pages", file=sys.stderr if target == Path("/dev/stdout") else sys.stdout)
