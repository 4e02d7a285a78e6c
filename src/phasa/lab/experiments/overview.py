"""`phasa lab reproduce overview`: the experiments of specs/content-overview.md that generated pages allow."""

from __future__ import annotations

from phasa.lab.experiment import Options, Result
from phasa.lab.experiments.overview_keywords import keyword_part


def run(options: Options) -> Result:
    """Keywords of single pages and of sites, published tables beside ours."""
    small = Options(
        seeds=options.seeds[:1] if options.quick else options.seeds,
        pages=4000 if options.quick else options.pages,
        workers=options.workers,
        data=options.data,
        progress=options.progress,
    )
    sections, claims, files = keyword_part(small)
    return Result(
        "overview",
        "Content overview: keywords and the variable tag cloud",
        "Generated Thai pages with exact gold stand for the live pages of 2012, which are gone.",
        sections,
        claims,
        files,
    )
