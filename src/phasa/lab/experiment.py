"""What an experiment gives: tables beside the published ones, curves, and claims that hold or do not.

Every module under `experiments/` has `run(options) -> Result`; the command line finds them by name and `report`
writes them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from phasa.lab.chart import Chart

Cell = str | int | float | None


@dataclass(frozen=True)
class Options:
    """How large to repeat an experiment."""

    seeds: tuple[int, ...] = (1, 2, 3, 4, 5)
    """Seeds of the worlds."""
    pages: int = 100_000
    """Pages of a world."""
    quick: bool = False
    """A small version that shows the shape in seconds, for a look and for tests."""
    workers: int = 1
    data: Path | None = None
    """Folder of real data, for the experiments that can use it."""
    progress: Callable[[str], None] = field(default=lambda step: None)
    """Told what is being done."""


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
    """One experiment of a document."""

    title: str
    text: str
    tables: Sequence[Table] = ()
    charts: Sequence[Chart] = ()


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
