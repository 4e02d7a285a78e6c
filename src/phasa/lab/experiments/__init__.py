"""The published experiments, repeated: one module each, found by name, imported when run.

A module has `run(data: Path) -> list[Report]`, where `data` is the folder of real data. To add an experiment, write the
module and add one line to `EXPERIMENTS`.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import cast

from phasa.errors import InputError
from phasa.lab.experiments.report import Report

# name -> (module with `run`, the one line that `phasa lab reproduce --help` shows)
EXPERIMENTS: dict[str, tuple[str, str]] = {
    "segmentation": (
        "phasa.lab.experiments.segmentation",
        "Thai words on BEST: refinement, names, dictionary (E6–E10)",
    ),
}


def reproduce(name: str, data: Path) -> list[Report]:
    """Run the experiment of that name on the real data. Raises InputError for an unknown name or absent data."""
    if name not in EXPERIMENTS:
        raise InputError(f"experiment {name!r}: there is none of that name; there are {', '.join(EXPERIMENTS)}")
    if not data.is_dir():
        raise InputError(f"{data}: no folder of data there; say where it is with --data or PHASA_DATA")
    run = cast(Callable[[Path], list[Report]], import_module(EXPERIMENTS[name][0]).run)
    return run(data)
