"""The published experiments, repeated: one sub-package per specification, found by name, imported when run.

A module of `EXPERIMENTS` has `run(options: Options) -> Result`. To add an experiment, write the module and add a line.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from importlib import import_module
from typing import cast

from phasa.errors import InputError
from phasa.lab.result import Result
from phasa.papers.options import Options

log = logging.getLogger(__name__)

# name -> (module with `run`, the line that `phasa lab reproduce list` shows)
EXPERIMENTS: dict[str, tuple[str, str]] = {
    "language-crawl": ("phasa.papers.language_crawling.experiments", "E1–E9 of specs/language-specific-crawling.md"),
    "overview": ("phasa.papers.content_overview.experiments", "E1–E5 and E11–E15 of specs/content-overview.md"),
    "persian": ("phasa.papers.persian_crawling.experiments", "E0–E5 of specs/persian-crawling.md"),
    "segment": ("phasa.papers.segment_crawling.experiments", "experiments 1–5 of specs/segment-focused-crawling.md"),
    "feeds": ("phasa.papers.feed_scheduling.experiments", "E0–E4 of specs/feed-retrieval-scheduling.md"),
    "segmentation": (
        "phasa.papers.content_overview.segmentation",
        "Thai words on BEST or a small free corpus: refinement, names, dictionary (E6–E10)",
    ),
}


def reproduce(name: str, options: Options) -> Result:
    """Run the experiments of that name. Raises InputError for an unknown name, or when data they need is missing."""
    if name not in EXPERIMENTS:
        raise InputError(f"experiment {name!r}: there is none of that name; there are {', '.join(EXPERIMENTS)}")
    run = cast(Callable[[Options], Result], import_module(EXPERIMENTS[name][0]).run)
    log.info("%s begins: worlds %s of %d pages, quick: %s", name, options.seeds, options.pages, options.quick)
    result = run(options)
    log.info("%s: %d of %d claims hold", name, sum(claim.holds for claim in result.claims), len(result.claims))
    return result
