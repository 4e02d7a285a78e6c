"""`phasa archive`: finished archive files and their storage."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from phasa.cli.outputs import print_json
from phasa.cli.progress import bar

app = typer.Typer(
    help="Ship finished archive files to the storage of a collection, and verify what is there (docs/storage.md).",
    epilog="Example:  phasa archive ship thai-web",
)


@app.command(epilog="Example:  phasa archive ship thai-web")
def ship(
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="The collection.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print the files that were shipped as JSON.")] = False,
) -> None:
    """Ship now what is finished: upload, read back, compare digests; then local copies go, if the settings say so.

    Works next to a running crawl. What was interrupted is begun again. A file that a killed crawl left open is finished
    by the next crawl, or by `phasa repair`.
    """
    from phasa.archive.manifest import Shipped
    from phasa.collection import Collection
    from phasa.crawl.run.shipping import ship_now

    collection = Collection.open(directory)
    shipper = ship_now(collection)
    rows: list[Shipped] = []
    total, done = 2.0 * sum(path.stat().st_size for path in shipper.waiting()), 0.0
    with bar("bytes", total) as show:

        def step(size: int) -> None:
            nonlocal done
            done += size
            show(done, max(total, done))

        shipper.ship_all(step, rows.append)
    if as_json:
        print_json(rows)
        return
    for row in rows:
        print(f"{row.name}: {row.size:,} bytes, {row.records:,} records, sha256 {row.sha256}")
    print(f"{directory}: {len(rows)} files shipped to {collection.settings.storage.url}")


@app.command(epilog="Example:  phasa archive find thai-web")
def find(
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="The collection.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print the files that were found as JSON.")] = False,
) -> None:
    """Learn of files that other machines shipped to the same storage, so that commands here read them, too.

    Fetches their index, not their pages. Also what makes a lost manifest again.
    """
    from phasa.archive.manifest import Shipped
    from phasa.collection import Collection
    from phasa.crawl.run.shipping import ship_now

    collection = Collection.open(directory)
    rows: list[Shipped] = []
    ship_now(collection).find(rows.append)
    if as_json:
        print_json(rows)
        return
    records = sum(row.records for row in rows)
    print(f"{directory}: {len(rows)} files with {records:,} records found in {collection.settings.storage.url}")


@app.command(epilog="Example:  phasa archive verify thai-web --json")
def verify(
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="The collection.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print every file as JSON.")] = False,
) -> None:
    """Read every shipped file back and compare it with its digest in the manifest, and local copies too.

    Exit code 1 when a file is gone or has other bytes; each is named. One that this disk still has is shipped again by
    the next `phasa archive ship`.
    """
    from phasa.archive.manifest import read_manifest
    from phasa.archive.shipping import verify as verified
    from phasa.collection import Collection

    collection = Collection.open(directory)
    total, done = float(sum(row.size for row in read_manifest(collection.archive_folder).values())), 0.0
    with bar("bytes", total) as show:

        def step(size: int) -> None:
            nonlocal done
            done += size
            show(done, max(total, done))

        found = list(verified(collection.archive_folder, step))
    if as_json:
        print_json([one._asdict() for one in found])
    else:
        whole = [one for one in found if not one.problem]
        print(
            f"{directory}: {len(whole)} of {len(found)} shipped files are whole, {sum(o.size for o in whole):,} bytes"
        )
    for one in found:
        if one.problem:
            print(f"phasa: {one.problem}", file=sys.stderr)
    if any(one.problem for one in found):
        raise typer.Exit(1)
