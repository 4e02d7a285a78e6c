"""`phasa overview`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from phasa.cli.readings import (
    AS_PUBLISHED,
    EXTRACT,
    SEGMENTER,
    WEIGH,
    Grouping,
    Weigh,
    chosen_readings,
    collection_readings,
    making,
    page_reading,
    site_readings,
)
from phasa.cli.sources import is_address
from phasa.errors import InputError
from phasa.overview.extract.method import Method

if TYPE_CHECKING:
    from phasa.overview.overview import Reading

app = typer.Typer()


@app.command(epilog="Example:  phasa overview https://www.thaigov.go.th/ --multi -o cloud.html")
def overview(
    page: Annotated[str, typer.Argument(metavar="FILE|URL|DIR", help="A page, or a collection.")],
    out: Annotated[Path, typer.Option("--out", "-o", metavar="FILE", help="The page to write.")] = Path("cloud.html"),
    multi: Annotated[bool, typer.Option("--multi", help="Also the pages of the same host that it links to.")] = False,
    by: Annotated[Grouping, typer.Option(help="A collection's pages by what; see --group.")] = Grouping.ALL,
    group: Annotated[
        str | None, typer.Option(help="Which host, segment, language or month; the largest otherwise.")
    ] = None,
    target: Annotated[int | None, typer.Option(min=1, help="Keywords shown at first; about fifty otherwise.")] = None,
    most: Annotated[int, typer.Option("--pages", min=1, help="At most so many pages.")] = 300,
    weigh: WEIGH = Weigh.PHASA,
    extractor: EXTRACT = Method.PHASA,
    segmenter: SEGMENTER = "",
    as_published: AS_PUBLISHED = False,
    lang: Annotated[str | None, typer.Option("--lang", metavar="CODE", help="Language; detected otherwise.")] = None,
    allow_private: Annotated[
        bool, typer.Option("--allow-private", help="Reach addresses of this machine and its network.")
    ] = False,
) -> None:
    """Write the variable tag cloud of a page, a site or a collection as one self-contained page."""
    from phasa.overview.overview import overview_of

    how = making(extractor, weigh, segmenter, as_published)
    readings = _readings(page, multi, by, group, how.extractor, lang, most, allow_private)
    title = group or "" if len(readings) > 1 else ""
    made = overview_of(readings, title=title, weigh=how.weigh, segmenter=how.segmenter)
    out.write_text(made.html(target=target), encoding="utf-8")
    shown = made.opens_with(target)
    more = f" (--pages takes more than {most})" if len(readings) == most else ""
    print(f"{out}: {_said(len(readings), 'page')}{more}, {len(made.lists[100]):,} keywords, {shown:,} shown at first")


def _said(number: int, what: str) -> str:
    return f"{number:,} {what}" + "s" * (number != 1)


def _readings(
    page: str,
    multi: bool,
    by: Grouping,
    group: str | None,
    extractor: str,
    lang: str | None,
    most: int,
    private: bool,
) -> list[Reading]:
    if Path(page).is_dir():
        from phasa.overview.collection import Choice

        if group is not None and by is not Grouping.ALL:
            chosen = chosen_readings(Path(page), Choice(**{by.value: group}), extractor, most)
            if not chosen:
                raise InputError(f"{page}: no {by} '{group}'; see which there are: phasa keywords {page} --by {by}")
            return chosen
        return next(iter(collection_readings(Path(page), by, extractor, lang, most).values()))
    if multi:
        if not is_address(page):
            raise InputError(f"{page}: --multi follows links, so it needs a web address")
        return site_readings(page, extractor, lang, most, private)
    return [page_reading(page, extractor, lang, private)]
