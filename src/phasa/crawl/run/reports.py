"""The reports that archivists know: by host, by status, by media type, by language, and what became of the seeds."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from phasa.frontier.sqlite import SqliteFrontier


class Report(NamedTuple):
    """A table with the names of its columns."""

    name: str
    columns: tuple[str, ...]
    rows: list[tuple[object, ...]]

    def text(self) -> str:
        """Tab-separated, a heading line first."""
        lines = ["\t".join(self.columns), *("\t".join(_cell(cell) for cell in row) for row in self.rows)]
        return "\n".join(lines) + "\n"


_QUERIES: dict[str, tuple[tuple[str, ...], str]] = {
    "hosts": (
        ("host", "pages", "wanted", "bytes", "failures", "address"),
        "SELECT h.name, h.done, sum(coalesce(v.wanted, 0)), sum(coalesce(v.size, 0)), h.failures, h.address"
        " FROM visit v JOIN url u ON u.id = v.id JOIN host h ON h.id = u.host GROUP BY h.id"
        " ORDER BY h.done DESC, h.name",
    ),
    "status": (
        ("status", "urls", "bytes"),
        "SELECT status, count(*), sum(size) FROM visit GROUP BY status ORDER BY count(*) DESC",
    ),
    "mime": (
        ("media type", "urls", "bytes"),
        "SELECT mime, count(*), sum(size) FROM visit GROUP BY mime ORDER BY count(*) DESC",
    ),
    "languages": (
        ("language", "pages", "wanted", "words"),
        "SELECT language, count(*), sum(wanted), sum(words) FROM visit WHERE wanted IS NOT NULL"
        " GROUP BY language ORDER BY count(*) DESC",
    ),
    "seeds": (
        ("seed", "state", "reason", "status"),
        "SELECT u.url, CASE u.state WHEN 0 THEN 'waiting' WHEN 1 THEN 'done' WHEN 2 THEN 'dropped'"
        " ELSE 'quarantined' END, coalesce(u.reason, ''), coalesce(v.status, '')"
        " FROM url u LEFT JOIN visit v ON v.id = u.id"
        " WHERE u.source IS NULL AND u.depth = 0 ORDER BY u.id",
    ),
    "dropped": (
        ("reason", "urls"),
        "SELECT CASE WHEN instr(reason, ':') > 0 THEN substr(reason, 1, instr(reason, ':') - 1) ELSE reason END AS why,"
        " count(*) FROM url WHERE state IN (2, 3) GROUP BY why ORDER BY count(*) DESC",
    ),
}
NAMES = tuple(_QUERIES)


def query_of(name: str) -> tuple[tuple[str, ...], str]:
    """The columns of a report and the query that makes it, without a limit of rows."""
    return _QUERIES[name]


def write_reports(frontier: SqliteFrontier, folder: Path) -> None:
    """Every report as reports/NAME.tsv."""
    for name in NAMES:
        columns, query = query_of(name)
        text = Report(name, columns, frontier.ask(query)).text()
        (folder / f"{name}.tsv").write_text(text, encoding="utf-8", errors="backslashreplace")


def _cell(value: object) -> str:
    return str("" if value is None else value).replace("\t", " ").replace("\n", " ")
