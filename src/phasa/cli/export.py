"""`phasa export`."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from phasa.cli.progress import counted
from phasa.errors import CollectionError, InputError

if TYPE_CHECKING:
    from phasa.collection import Collection

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

    collection = Collection.open(directory)
    archive = collection.archive_folder
    if not any(archive.glob("*.warc.gz*")):
        raise CollectionError(f"{directory}: no page to export; crawl first: phasa crawl {directory}")
    _finish_files(collection, whole=to is Format.wacz)
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


def _finish_files(collection: Collection, *, whole: bool) -> None:
    """Finish and index what a killed crawl left. While one runs, or where nothing may be written, the archive is taken
    as it is; `whole`: say what is not in it then."""
    from phasa.archive.repair import mend_archive

    try:
        with collection.locked():
            mend_archive(collection.archive_folder)
            return
    except CollectionError:
        why = "a crawl is running"
    except PermissionError as problem:
        why = f"{problem.filename}: {problem.strerror}"
    if whole and (unfinished := list(collection.archive_folder.glob("*.warc.gz.open"))):
        names = ", ".join(path.name for path in unfinished[:3])
        print(f"phasa: {len(unfinished)} files are not finished and not in it ({why}): {names}", file=sys.stderr)
