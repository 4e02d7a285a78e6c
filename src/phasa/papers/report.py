"""A published table beside ours."""

from __future__ import annotations

from dataclasses import dataclass

Cell = str | float | int | None


@dataclass(frozen=True, slots=True)
class Report:
    """A table: `columns` name the cells of each row; `notes` explain what differs from the source and why."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    notes: tuple[str, ...] = ()
