"""`phasa lab reproduce overview`: the experiments of specs/content-overview.md that generated pages allow.

E6 to E10 are about words: `phasa lab reproduce segmentation`.
"""

from __future__ import annotations

from dataclasses import replace

from phasa.lab.result import Result
from phasa.papers.content_overview.extraction import extraction_part
from phasa.papers.content_overview.keywords import keyword_part
from phasa.papers.options import Options


def run(options: Options) -> Result:
    """Extraction from single pages and sites, keywords of both, published tables next to ours."""
    if options.quick:
        options = replace(options, seeds=options.seeds[:1], pages=4000)
    sections, claims = extraction_part(options)
    keyword_sections, keyword_claims, files = keyword_part(options)
    return Result(
        "overview",
        "Content overview: extraction, keywords and the variable tag cloud",
        "Generated Thai pages with exact gold stand for the live pages of 2012, which are gone.",
        [*sections, *keyword_sections],
        [*claims, *keyword_claims],
        files,
    )
