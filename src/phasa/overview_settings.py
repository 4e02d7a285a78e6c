"""How overviews of a collection are made and look: section [overview] of collection.toml."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from phasa.overview_choices import FormPolicy, Logic, Scope, Style, Weigh
from phasa.settings import Settings


class OverviewSettings(Settings, frozen=True, kw_only=True):
    """What the options of `phasa overview` and `phasa keywords` say, for one collection."""

    extract: Annotated[
        str, Meta(description="How key content is found: phasa, thesis, or an extractor of your own, ./mine.py:mine.")
    ] = "phasa"
    logic: Annotated[
        Logic, Meta(description="Extractor thesis: anchor ratio and title rule are joined by or, and.")
    ] = Logic.OR
    form: Annotated[
        FormPolicy, Meta(description="Extractor thesis: a form is dropped with all in it, or only its tag.")
    ] = FormPolicy.SUBTREE
    weigh: Annotated[
        Weigh, Meta(description="What makes a keyword: phasa's own weight, or a published one to compare.")
    ] = Weigh.PHASA
    scope: Annotated[Scope, Meta(description="Weight amtf: whose maximum divides, the element's or the page's.")] = (
        Scope.ELEMENT
    )
    segmenter: Annotated[
        str,
        Meta(description="The engine that cuts words (phasa segment --help), or ./mine.py:Mine; empty = by language."),
    ] = ""
    style: Annotated[Style, Meta(description="The look of a cloud: calm, or as published.")] = Style.CALM
    target: Annotated[
        int, Meta(ge=0, description="Words that a cloud opens with; 0 = fifty (published look: a sixth of all).")
    ] = 0
    pages: Annotated[
        int,
        Meta(
            ge=0,
            description="At most so many pages are read; 0 = 300 for overview, 10,000 for keywords, 100 in the web "
            "application.",
        ),
    ] = 0
    as_published: Annotated[
        bool, Meta(description="The thesis from end to end: its extraction, segmenter, weight and look.")
    ] = False
