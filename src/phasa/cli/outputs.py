"""What the commands print: for other programs, and in columns for people."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import NoReturn

from phasa.cli.inputs import write_text


def print_json(value: object) -> None:
    """Print a value as one line of JSON: UTF-8 whatever the terminal is set to, and in turn with what `print` wrote."""
    import msgspec

    sys.stdout.flush()
    write_text(msgspec.json.encode(value).decode() + "\n")


def print_table(columns: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Print rows under their headings, numbers to the right. Nothing is cut off, however narrow the terminal."""
    from rich.cells import cell_len  # Thai vowels stand above their consonants, Chinese takes two places

    table = [list(columns), *([plain(cell) for cell in row] for row in rows)]
    right = [any(_is_number(row[n]) for row in rows) for n in range(len(columns))]
    widths = [max(cell_len(line[n]) for line in table) for n in range(len(columns))]
    for line in table:
        padding = [" " * (width - cell_len(cell)) for cell, width in zip(line, widths, strict=True)]
        cells = [gap + cell if end else cell + gap for cell, gap, end in zip(line, padding, right, strict=True)]
        print("  ".join(cells).rstrip())


def plain(value: object) -> str:
    """A value as people write it: 12,345, yes, nothing for None."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:,}" if isinstance(value, int) else str(value)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def end_unread() -> NoReturn:
    """End well when the reader of our output went away (`phasa … | head`): nothing more can be written to it."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(0)
