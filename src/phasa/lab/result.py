"""The result of an experiment: tables, charts, and claims that hold or do not. `phasa.lab.report` writes it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from phasa.lab.chart import Chart

Cell = str | int | float | None


@dataclass(frozen=True)
class Table:
    """A table; numbers are shown with as many digits as they need."""

    title: str
    header: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    note: str = ""


@dataclass(frozen=True)
class Claim:
    """A published ordering or shape, and whether it holds here."""

    source: str
    text: str
    holds: bool
    detail: str
    """The figures, with their 95 % interval."""


@dataclass(frozen=True)
class Section:
    """One experiment: a text (paragraphs are separated by an empty line), its tables and its charts."""

    title: str
    text: str
    tables: Sequence[Table] = ()
    charts: Sequence[Chart] = ()


def table_section(title: str, header: Sequence[str], rows: Sequence[Sequence[Cell]], *notes: str) -> Section:
    """A section of one table; the notes are paragraphs above it."""
    return Section(title, "\n\n".join(notes), [Table(title, header, rows)])


@dataclass(frozen=True)
class Result:
    """Everything that a run of experiments found."""

    name: str
    title: str
    summary: str
    sections: Sequence[Section]
    claims: Sequence[Claim] = ()
    csv: dict[str, str] = field(default_factory=dict)
    """CSV text by file name."""
