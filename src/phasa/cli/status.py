"""`phasa status`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from phasa.cli.outputs import plain, print_json, print_table

app = typer.Typer()
_SHOWN = (
    *("language", "strategy", "state", "done", "pages", "wanted", "harvest", "harvest_last_100", "waiting", "leased"),
    *("dropped", "quarantined", "hosts", "ready_hosts", "resting_hosts", "megabytes", "words_per_megabyte"),
    *("pages_per_second", "run_seconds", "seconds_left", "near_duplicates", "requisites", "ended", "delays"),
    *("without_rules", "dropped_by_scope", "storage", "pages_not_shipped", "what_next"),
)
_SEGMENT = ("segment", "state", "degree", "pages", "wanted", "pending", "score", "run")


@app.command(epilog="Example:  phasa status thai-web --report hosts")
def status(
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="The collection.")],
    report: Annotated[
        str | None,
        typer.Option(
            "--report", metavar="NAME", help="hosts, status, mime, languages, duplicates, seeds, dropped or segments."
        ),
    ] = None,
    limit: Annotated[int, typer.Option("--limit", metavar="N", help="Rows of the report; -1 = all.")] = 20,
    quarantine: Annotated[bool, typer.Option("--quarantine", help="The URL templates in quarantine.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Where a collection stands: pages, harvest, queue, hosts. Works while it is being crawled."""
    from phasa.collection import Collection

    collection = Collection.open(directory)
    if quarantine:
        from phasa.frontiers import read_frontier

        with read_frontier(collection) as frontier:
            _print(["template", "evidence"], [list(row) for row in frontier.quarantined()], as_json)
    elif report == "segments":
        from phasa.crawl.run.segment_table import segment_table

        rows = segment_table(collection, limit)
        _print(list(_SEGMENT), [[getattr(row, name) for name in _SEGMENT] for row in rows], as_json)
    elif report is not None:
        from phasa.crawl.run.reports import read_report

        found = read_report(collection, report, limit)
        _print(list(found.columns), [list(row) for row in found.rows], as_json)
    else:
        import msgspec

        from phasa.crawl.run.status import dropped_by_scope, read_status

        numbers = msgspec.structs.replace(read_status(collection), dropped_by_scope=dropped_by_scope(collection))
        if as_json:
            print_json(numbers)
        else:
            for name in _SHOWN:
                value = getattr(numbers, name)
                if value is not None and value != "":
                    print(f"{name.replace('_', ' '):<22} {_plain(name, value)}")


def _plain(name: str, value: object) -> str:
    if name.startswith("harvest") and isinstance(value, float):
        return f"{value:.1%}"
    return f"{value:,.2f}" if isinstance(value, float) else plain(value)


def _print(columns: list[str], rows: list[list[object]], as_json: bool) -> None:
    if as_json:
        print_json([dict(zip(columns, row, strict=True)) for row in rows])
    else:
        print_table(columns, rows)
