"""`phasa export`."""

from __future__ import annotations

import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
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
    language: Annotated[str, typer.Option("--lang", metavar="L", help="Text: only pages in this language.")] = "",
    wanted: Annotated[bool, typer.Option("--wanted", help="Text: only pages that the crawl judged wanted.")] = False,
    min_score: Annotated[
        float, typer.Option("--min-score", min=0, max=1, help="Text: least score of the language.")
    ] = 0.0,
    clean: Annotated[bool, typer.Option("--clean", help="Text: the main content of pages, without menus.")] = False,
    as_of: Annotated[
        str,
        typer.Option("--as-of", metavar="TIME", help="jsonl, parquet: pages as they were; 2026-08-31[T12:00]."),
    ] = "",
    all_captures: Annotated[
        bool, typer.Option("--all-captures", help="jsonl, parquet: every capture of a page, not only its last.")
    ] = False,
) -> None:
    """Write a collection in a form that other programs read.

    The text is raw: all that a page shows, of every language, duplicates too. --clean, --lang and --wanted take some of
    that out; `phasa corpus` makes a clean and deduplicated corpus.
    """
    from phasa.archive.repository import export_repository
    from phasa.archive.shelf import has_pages
    from phasa.archive.text import page_text, read_texts, write_jsonl, write_parquet
    from phasa.archive.wacz import export_wacz
    from phasa.collection import Collection
    from phasa.corpus.export import clean_text, only
    from phasa.language.profile import load_profile

    if (language or wanted or min_score or clean) and to not in (Format.jsonl, Format.parquet):
        raise InputError(f"--lang, --wanted, --min-score and --clean are about text; {to} has whole pages")
    if (as_of or all_captures) and to not in (Format.jsonl, Format.parquet):
        raise InputError(f"--to {to}: has all captures with their times; --as-of and --all-captures are for texts")
    code = load_profile(language).code if language else ""
    collection = Collection.open(directory)
    archive = collection.archive_folder
    if not has_pages(archive):
        raise CollectionError(f"{directory}: no page to export; crawl first: phasa crawl {directory}")
    _finish_files(collection, whole=to is Format.wacz)
    target = out or directory.with_name(f"{directory.name}{'-pages' if to is Format.repository else '.' + to}")
    if target == Path("-"):
        if to is not Format.jsonl:
            raise InputError(f"-o -: {to} is no stream; name a file, or export jsonl")
        target = Path("/dev/stdout")
    read = read_texts(archive, clean_text if clean else page_text, _moment(as_of), every=all_captures)
    texts = counted(only(read, code, min_score, _judged(collection) if wanted else None), None, "pages")
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
    if to in (Format.jsonl, Format.parquet) and not clean:
        print("raw text, with menus and duplicates; a clean one: phasa corpus", file=sys.stderr)


def _judged(collection: Collection) -> Callable[[str], bool]:
    """Whether the crawl judged an address wanted."""
    from phasa.frontiers import read_frontier
    from phasa.web.url import parse

    frontier = read_frontier(collection)

    def wanted(address: str) -> bool:
        url = parse(address)
        story = frontier.story(url) if url is not None else None
        return story is not None and story.visit is not None and bool(story.visit.wanted)

    return wanted


def _moment(said: str) -> datetime | None:
    """A time of the command line, UTC unless it says otherwise; a day is meant to its end."""
    if not said:
        return None
    try:
        found = datetime.fromisoformat(said)
    except ValueError:
        raise InputError(f"--as-of {said}: not a time; write it like 2026-08-31 or 2026-08-31T12:00") from None
    if len(said) == len("2026-08-31"):
        found += timedelta(days=1, microseconds=-1)
    return found if found.tzinfo is not None else found.replace(tzinfo=UTC)


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
