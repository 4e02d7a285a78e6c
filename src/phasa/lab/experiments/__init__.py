"""The published experiments, repeated: one module each, found by name, imported when run.

A module of `EXPERIMENTS` has `run(data: Path) -> list[Report]`, where `data` is the folder of real data. A module of
`ON_WORLDS` has `run(options: Options) -> Result` and makes the webs it needs. To add an experiment, write the module
and add one line.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import cast

from phasa.errors import InputError
from phasa.lab.experiment import Options, Result, Section, Table
from phasa.lab.experiments.report import Report

# name -> (module with `run`, the one line that `phasa lab reproduce --help` shows)
EXPERIMENTS: dict[str, tuple[str, str]] = {
    "feeds": ("phasa.lab.experiments.feeds", "E0–E4 of specs/feed-retrieval-scheduling.md"),
    "segmentation": (
        "phasa.lab.experiments.segmentation",
        "Thai words on BEST: refinement, names, dictionary (E6–E10)",
    ),
}

ON_WORLDS: dict[str, tuple[str, str]] = {
    "language-crawl": ("phasa.lab.experiments.language_crawl", "E1–E9 of specs/language-specific-crawling.md"),
    "overview": ("phasa.lab.experiments.overview", "E1–E5 and E11–E15 of specs/content-overview.md"),
    "persian": ("phasa.lab.experiments.persian", "E0–E5 of specs/persian-crawling.md"),
    "segment": ("phasa.lab.experiments.segment", "experiments 1–5 of specs/segment-focused-crawling.md"),
}


def reproduce_on_worlds(name: str, options: Options) -> Result:
    """Run the experiments of that name on generated worlds. Raises InputError for an unknown name."""
    if name not in ON_WORLDS:
        raise InputError(f"experiment {name!r}: there is none of that name; there are {', '.join(ON_WORLDS)}")
    run = cast(Callable[[Options], Result], import_module(ON_WORLDS[name][0]).run)
    return run(options)


def as_result(name: str, reports: Sequence[Report]) -> Result:
    """Tables beside the published ones as a result that `phasa.lab.report` can write."""
    sections = [
        Section(one.title, "\n\n".join(one.notes), [Table(one.title, one.columns, one.rows)]) for one in reports
    ]
    return Result(name, EXPERIMENTS[name][1], "", sections)


def reproduce(name: str, data: Path) -> list[Report]:
    """Run the experiment of that name on the real data. Raises InputError for an unknown name or absent data."""
    if name not in EXPERIMENTS:
        raise InputError(f"experiment {name!r}: there is none of that name; there are {', '.join(EXPERIMENTS)}")
    if not data.is_dir():
        raise InputError(f"{data}: no folder of data there; say where it is with --data or PHASA_DATA")
    run = cast(Callable[[Path], list[Report]], import_module(EXPERIMENTS[name][0]).run)
    return run(data)
