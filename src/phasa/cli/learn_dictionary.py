"""`phasa learn dictionary`: the related words of a country."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from phasa.cli.inputs import read_bytes, read_lines
from phasa.cli.outputs import print_json


def dictionary(
    output: Annotated[Path, typer.Option("--output", "-o", help="The dictionary to write: .txt, or .txt.zst.")],
    shipped: Annotated[
        str,
        typer.Option(metavar="NAME", help="From the sources of a shipped dictionary: thailand."),
    ] = "",
    country: Annotated[str, typer.Option(help="ISO 3166 code: its places from GeoNames and ISO 3166-2.")] = "",
    terms: Annotated[list[str], typer.Option("--list", help="Terms one a line, written by hand.")] = [],  # noqa: B006
    names: Annotated[list[str], typer.Option(help="Names one a line, harvested; bad ones are skipped.")] = [],  # noqa: B006
    page: Annotated[list[str], typer.Option(help="Saved 'List of …' page: its anchor texts.")] = [],  # noqa: B006
    votes: Annotated[list[str], typer.Option(help="Term, tab, 0 or 1 per annotator: the majority.")] = [],  # noqa: B006
    needed: Annotated[int | None, typer.Option(min=1, help="Votes needed instead of a majority.")] = None,
    short_forms: Annotated[bool, typer.Option(help="Add 'samui' beside 'koh samui'.")] = True,
    lang: Annotated[str, typer.Option(help="Frequent words of this language are no names by themselves.")] = "en",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Build the related-word dictionary of a country from gazetteers, list pages, votes and lists.

    Single words that are short or frequent in the language are left out unless a list or a vote names them. When both
    pages and votes are given, the votes decide which anchor texts stay.
    """

    from phasa.crawl.segments.builder import Builder, ambiguous, country_names, shipped_sources, voted
    from phasa.crawl.segments.matcher import frequent_words

    if shipped:
        own = shipped_sources(shipped)
        terms, names, country = [*map(str, own.lists), *terms], [*map(str, own.names), *names], country or own.country
    builder = Builder()
    for name in terms:
        builder.add_list(read_lines(name), f"{Path(name).name} (list)")
    chosen: set[str] | None = None
    for name in votes:
        lines = list(read_lines(name))
        builder.add_votes(lines, f"{Path(name).name} (votes)", needed)
        chosen = (chosen or set()) | voted(lines, name, needed)
    asked_for = frozenset(builder.terms)
    for name in page:
        builder.add_page(read_bytes(name), f"{Path(name).name} (list page)", chosen)
    for name in names:
        builder.add_names(read_lines(name), f"{Path(name).name} (names)")
    if country:
        for source, found in country_names(country).items():
            builder.add_names(found, source)
    if short_forms:
        builder.add_short_forms()
    common = ambiguous(builder.terms, frequent_words(lang), asked_for)
    made = builder.dictionary(common)
    made.save(output)
    if as_json:
        print_json({"terms": len(made), "refused": builder.refused, "ambiguous": len(common), "sources": made.sources})
        return
    print(f"{output}: {len(made)} terms, {len(made.sounds)} Soundex codes, longest {made.longest} words")
    print(f"left out: {len(common)} short or frequent words, {builder.refused} names not in Latin letters")
    for source in made.sources:
        print(f"  {source}")
