"""The reports that archivists know: by host, by status, by media type, by language, and what became of the seeds."""

from __future__ import annotations

from pathlib import Path

from phasa.collection import Collection
from phasa.errors import InputError
from phasa.files import replace_file
from phasa.frontier.reader import REPORTS, Report
from phasa.frontiers import read_frontier


def read_report(collection: Collection, name: str, limit: int = -1) -> Report:
    """One report with at most so many rows; -1 gives all. Raises InputError that lists the names."""
    if name not in REPORTS:
        raise InputError(f"no report '{name}'; there are {', '.join((*REPORTS, 'segments'))}")
    with read_frontier(collection) as frontier:
        return frontier.report(name, limit)


def write_reports(collection: Collection, folder: Path) -> None:
    """Every report as NAME.tsv in a folder."""
    with read_frontier(collection) as frontier:
        for name in REPORTS:
            replace_file(folder / f"{name}.tsv", _tab_separated(frontier.report(name)))


def _tab_separated(report: Report) -> str:
    """A heading line first."""
    lines = ["\t".join(report.columns), *("\t".join(_cell(cell) for cell in row) for row in report.rows)]
    return "\n".join(lines) + "\n"


def _cell(value: object) -> str:
    return str("" if value is None else value).replace("\t", " ").replace("\n", " ")
