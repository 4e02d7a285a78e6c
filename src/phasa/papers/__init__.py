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
from phasa.papers.report import Report

# name -> (module with `run`, the one line that `phasa lab reproduce --help` shows)
EXPERIMENTS: dict[str, tuple[str, str]] = {
    "feeds": ("phasa.papers.feed_scheduling.experiments", "E0–E4 of specs/feed-retrieval-scheduling.md"),
    "segmentation": (
        "phasa.papers.content_overview.segmentation",
        "Thai words on BEST: refinement, names, dictionary (E6–E10)",
    ),
}

ON_WORLDS: dict[str, tuple[str, str]] = {
    "language-crawl": ("phasa.papers.language_crawling.experiments", "E1–E9 of specs/language-specific-crawling.md"),
    "overview": ("phasa.papers.content_overview.experiments", "E1–E5 and E11–E15 of specs/content-overview.md"),
    "persian": ("phasa.papers.persian_crawling.experiments", "E0–E5 of specs/persian-crawling.md"),
    "segment": ("phasa.papers.segment_crawling.experiments", "experiments 1–5 of specs/segment-focused-crawling.md"),
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
