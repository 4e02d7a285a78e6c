"""`phasa lab reproduce overview`: the experiments of specs/content-overview.md that generated pages allow.

E6 to E10 are about words: `phasa lab reproduce segmentation`.
"""

from __future__ import annotations

from dataclasses import replace

from phasa.lab.result import Cell, Result, Section, Table
from phasa.papers.content_overview.extraction import extraction_part
from phasa.papers.content_overview.keywords import keyword_part
from phasa.papers.options import Options

READINGS: tuple[tuple[str, str, str], ...] = (
    ("§4.4, §8.A1", "anchor ratio and title rule are joined by or", "--logic and"),
    ("§4.2", "a form is dropped with all in it", "--form tag_only"),
    ("§4.6, §8.A4", "ECM: noise is on 3 % of the pages and on two at least", ""),
    ("§4.9, §8.A8", "AMTF: the average runs over all elements of the page", "--weigh amtf-containing, amtf-total"),
    ("§4.9, §8.A6", "AMTF: the maximum is the element's own", "--scope page"),
    ("§4.9", "lists: shares of the unique weights, rounded to the nearest; ties enter together", ""),
    ("§4.10", "TFIDF: an element is a document, averaged over the elements with the term", ""),
    ("§4.10", "TLTF: total over the page", "--weigh tltf-mean"),
    ("§4.12", "styles are rounded to the nearest; equal weights all have style 7", ""),
    ("E11, E13", "gold: the topic words that the generator wrote a page with stand for its author's tags", ""),
)
"""(where the source leaves it open, how it is read here, the option for another reading)."""


def _readings() -> Section:
    rows: list[list[Cell]] = [list(reading) for reading in READINGS]
    return Section(
        "Readings", "Where the source can be read in more than one way.", [Table("", ["", "read as", "else"], rows)]
    )


def run(options: Options) -> Result:
    """Extraction from single pages and sites, keywords of both, published tables next to ours."""
    if options.quick:
        options = replace(options, seeds=options.seeds[:1], pages=4000)
    sections, claims = extraction_part(options)
    keyword_sections, keyword_claims, files = keyword_part(options)
    return Result(
        "overview",
        "Content overview: extraction, keywords and the variable tag cloud",
        "Generated Thai pages with exact gold stand for the live pages of 2012, which are gone. Keywords against the "
        "tags of real publishers, on pages that nobody shaped: bench/keywords.py.",
        [_readings(), *sections, *keyword_sections],
        [*claims, *keyword_claims],
        files,
    )
