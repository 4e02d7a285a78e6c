"""The result of experiments as one self-contained HTML page, as CSV files, as lines for the terminal and as data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from html import escape
from pathlib import Path
from textwrap import fill

import msgspec
import numpy as np

from phasa.lab.chart import draw
from phasa.lab.result import Cell, Claim, Result, Section, Table

STYLE = """
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; margin: 0 auto; padding: 0 12px 48px; max-width: 860px; }
h1 { font-size: 1.5rem; line-height: 1.25; } h2 { font-size: 1.2rem; margin-top: 2.2rem; }
.scroll { overflow-x: auto; } table { border-collapse: collapse; font-size: .86rem; margin: .6rem 0; }
caption { text-align: left; font-weight: 600; padding: .3rem 0; }
th, td { border-bottom: 1px solid #8886; padding: .2rem .55rem; text-align: right; white-space: nowrap; }
th:first-child, td:first-child { text-align: left; } .claims th, .claims td { text-align: left; }
.claims td { white-space: normal; } .claims td:first-child { white-space: nowrap; }
.note { font-size: .86rem; opacity: .8; } .yes { color: #08783e; font-weight: 600; }
.no { color: #b3261e; font-weight: 600; }
@media (prefers-color-scheme: dark) { .yes { color: #5fd38d; } .no { color: #ff8a80; } }
@media (max-width: 640px) {
  .claims tr:first-child { display: none; }
  .claims tr { display: block; border-bottom: 1px solid #8886; padding: .5rem 0; }
  .claims td { display: block; border: 0; padding: 0; }
  .claims td:nth-child(1), .claims td:nth-child(3) { display: inline-block; margin-right: .8rem; }
  .claims td:last-child { font-size: .8rem; opacity: .85; }
}
.charts { display: grid; gap: 12px; grid-template-columns: repeat(auto-fit, minmax(min(100%, 330px), 1fr)); }
figure { margin: 0; } figcaption { font-weight: 600; font-size: .92rem; }
svg { width: 100%; max-width: 36rem; height: auto; }
"""


def write_html(result: Result) -> str:
    """The page. It needs no network and no script."""
    parts = [
        '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{escape(result.title)}</title><style>{STYLE}</style></head><body><main>",
        f"<h1>{escape(result.title)}</h1><p>{escape(result.summary)}</p>",
    ]
    if result.claims:
        parts.append("<h2>Published claims</h2>" + _claims(result.claims))
    parts += [_section(section) for section in result.sections]
    return "\n".join(parts) + "</main></body></html>\n"


def write_files(result: Result, folder: Path) -> list[Path]:
    """The page and the CSV files in a folder, which is made if need be; what was written."""
    folder.mkdir(parents=True, exist_ok=True)
    page = folder / f"{result.name}.html"
    page.write_text(write_html(result), encoding="utf-8")
    written = [page]
    for name, text in result.csv.items():
        path = folder / name
        path.write_text(text, encoding="utf-8")
        written.append(path)
    return written


def write_text(result: Result) -> str:
    """Tables and claims for the terminal."""
    lines = [result.title, "=" * len(result.title)]
    for section in result.sections:
        lines += ["", write_tables(section)]
    if result.claims:
        lines += ["", "published claims"]
        for claim in result.claims:
            verdict = "holds         " if claim.holds else "DOES NOT HOLD "
            lines.append(f"  {verdict} {claim.source}: {claim.text}  [{claim.detail}]")
    return "\n".join(lines)


def write_tables(section: Section) -> str:
    """Title, text and tables of a section for the terminal."""
    lines = [section.title, *(fill(part, 100) for part in section.text.split("\n\n") if part)]
    for table in section.tables:
        lines += ["", *_text_table(table, section.title)]
    return "\n".join(lines)


def as_data(result: Result) -> dict[str, object]:
    """Tables and claims for other programs: plain values that JSON can hold."""
    tables = [
        {"section": section.title, "text": section.text, **asdict(table), "rows": _plain_rows(table)}
        for section in result.sections
        for table in section.tables
    ]
    claims = [asdict(claim) | {"holds": bool(claim.holds)} for claim in result.claims]
    about = {"experiment": result.name, "title": result.title, "summary": result.summary}
    return {**about, "tables": tables, "claims": claims}


def write_data(result: Result, folder: Path) -> Path:
    """The same as a JSON file in a folder, which is made if need be: what the Lab page of the application shows."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{result.name}.json"
    path.write_bytes(msgspec.json.encode(as_data(result)))
    return path


def _plain_rows(table: Table) -> list[list[Cell]]:
    """Numbers of numpy as those of Python."""
    return [[cell.item() if isinstance(cell, np.generic) else cell for cell in row] for row in table.rows]


def _claims(claims: Sequence[Claim]) -> str:
    rows = []
    for claim in claims:
        verdict = '<span class="yes">holds</span>' if claim.holds else '<span class="no">does not hold</span>'
        rows.append(
            f"<tr><td>{escape(claim.source)}</td><td>{escape(claim.text)}</td><td>{verdict}</td>"
            f"<td>{escape(claim.detail)}</td></tr>"
        )
    head = "<tr><th>where</th><th>claim</th><th>here</th><th>figures (mean ± 95 %)</th></tr>"
    return f'<div class="scroll" tabindex="0"><table class="claims">{head}{"".join(rows)}</table></div>'


def _section(section: Section) -> str:
    parts = [f"<h2>{escape(section.title)}</h2>"]
    parts += [f"<p>{escape(line)}</p>" for line in section.text.split("\n\n") if line]
    if section.charts:
        drawn = [f"<figure><figcaption>{escape(one.title)}</figcaption>{draw(one)}</figure>" for one in section.charts]
        parts.append('<div class="charts">' + "".join(drawn) + "</div>")
    parts += [_table(table, section.title) for table in section.tables]
    return "\n".join(parts)


def _table(table: Table, under: str) -> str:
    head = "".join(f"<th>{escape(name)}</th>" for name in table.header)
    body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in _shown(table))
    note = f'<p class="note">{escape(table.note)}</p>' if table.note else ""
    caption = f"<caption>{escape(table.title)}</caption>" if table.title != under else ""
    return f'<div class="scroll" tabindex="0"><table>{caption}<tr>{head}</tr>{body}</table></div>{note}'


def _text_table(table: Table, under: str) -> list[str]:
    rows = [list(table.header), *_shown(table)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(table.header))]
    lines = [table.title] if table.title != under else []
    for row in rows:
        cells = [row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))]
        lines.append("  " + "  ".join(cells))
    return [*lines, f"  {table.note}"] if table.note else lines


def _shown(table: Table) -> list[list[str]]:
    """The cells as text, the numbers of a column with as many decimals as one another."""
    columns = [[cell for cell in column if isinstance(cell, float)] for column in zip(*table.rows, strict=True)]
    decimals = [_decimals(column) for column in columns]
    return [[_text(cell, places) for cell, places in zip(row, decimals, strict=True)] for row in table.rows]


def _decimals(numbers: list[float]) -> int:
    """Four; fewer in a column of large numbers, but never so few that a share in it would read as 0."""
    sizes = [abs(number) for number in numbers if number]
    if not sizes or max(sizes) < 10 or min(sizes) < 1:
        return 4
    return 3 if max(sizes) < 100 else 1


def _text(cell: Cell, decimals: int) -> str:
    if cell is None:
        return "–"
    if isinstance(cell, float):
        return f"{cell:,.{decimals}f}"
    return f"{cell:,}" if isinstance(cell, int) else cell
