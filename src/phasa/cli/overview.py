"""`phasa overview`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from phasa.cli.readings import (
    AS_PUBLISHED,
    EXTRACT,
    FORM,
    LOGIC,
    SCOPE,
    SEGMENTER,
    URLS,
    WEIGH,
    Grouping,
    Options,
    group_readings,
    making_for,
    site_readings,
)
from phasa.cli.sources import is_address
from phasa.errors import InputError
from phasa.overview_choices import Style

app = typer.Typer()


@app.command(epilog="Example:  phasa overview https://www.thaigov.go.th/ --multi -o cloud.html")
def overview(
    pages: Annotated[
        list[str],
        typer.Argument(metavar="FILE|URL|DIR...", help="Pages, folders of pages, WARC files, or a collection."),
    ],
    out: Annotated[Path, typer.Option("--out", "-o", metavar="FILE", help="The page to write.")] = Path("cloud.html"),
    multi: Annotated[bool, typer.Option("--multi", help="Also the pages of the same host that it links to.")] = False,
    by: Annotated[Grouping, typer.Option(help="A collection's pages by what; see --group.")] = Grouping.ALL,
    group: Annotated[
        str | None, typer.Option(help="Which host, segment, language or month; the largest otherwise.")
    ] = None,
    target: Annotated[int | None, typer.Option(min=1, help="Keywords shown at first; about fifty otherwise.")] = None,
    most: Annotated[int | None, typer.Option("--pages", min=1, help="At most so many pages; 300 otherwise.")] = None,
    weigh: WEIGH = None,
    extractor: EXTRACT = None,
    logic: LOGIC = None,
    form: FORM = None,
    scope: SCOPE = None,
    segmenter: SEGMENTER = None,
    style: Annotated[
        Style | None, typer.Option(envvar="PHASA_STYLE", help="The cloud's look: calm, or as published.")
    ] = None,
    urls: URLS = None,
    as_published: AS_PUBLISHED = None,
    lang: Annotated[str | None, typer.Option("--lang", metavar="CODE", help="Language; detected otherwise.")] = None,
    allow_private: Annotated[
        bool, typer.Option("--allow-private", help="Reach addresses of this machine and its network.")
    ] = False,
) -> None:
    """Write the variable tag cloud of a page, a site or a collection as one self-contained page.

    What no option says, the section `overview` of its collection.toml says.
    """
    from phasa.overview.reading import MOST_PAGES

    given = Options(extractor, logic, form, weigh, scope, segmenter, style, target, most, as_published)
    how = making_for(pages, given, lang)
    most = how.pages or MOST_PAGES
    if multi:
        if len(pages) != 1 or not is_address(pages[0]):
            raise InputError(f"{', '.join(pages)}: --multi follows links, so it needs one web address")
        name, readings = pages[0], site_readings(pages[0], how, most, private=allow_private)
    else:
        name, readings = group_readings(pages, by, group, how, most, urls, private=allow_private)
    title = name if by is not Grouping.ALL else "" if is_address(pages[0]) else Path(pages[0]).stem
    title = title if len(readings) > 1 else ""
    made = how.overview(readings, title)
    out.write_text(made.html(target=how.target), encoding="utf-8")
    shown = made.opens_with(how.target)
    more = f" (--pages takes more than {most})" if len(readings) == most else ""
    read = _said(len(readings), "page") + (f" of {name}" if by is not Grouping.ALL else "")
    print(f"{out}: {read}{more}, {len(made.lists[100]):,} keywords, {shown:,} shown at first")


def _said(number: int, what: str) -> str:
    return f"{number:,} {what}" + "s" * (number != 1)
