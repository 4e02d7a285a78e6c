"""`phasa overview`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

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
    chosen_readings,
    grouped_readings,
    is_collection,
    making_for,
    site_readings,
)
from phasa.cli.sources import is_address
from phasa.errors import InputError
from phasa.overview_choices import Style

if TYPE_CHECKING:
    from phasa.overview.making import Making
    from phasa.overview.reading import Reading

app = typer.Typer()

MOST_PAGES = 300


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
    given = Options(extractor, logic, form, weigh, scope, segmenter, style, target, most, as_published)
    how = making_for(pages, given, lang)
    most = how.pages or MOST_PAGES
    readings = _readings(pages, multi, by, group, how, most, urls, allow_private)
    title = (group or ("" if is_address(pages[0]) else Path(pages[0]).stem)) if len(readings) > 1 else ""
    made = how.overview(readings, title)
    out.write_text(made.html(target=how.target), encoding="utf-8")
    shown = made.opens_with(how.target)
    more = f" (--pages takes more than {most})" if len(readings) == most else ""
    print(f"{out}: {_said(len(readings), 'page')}{more}, {len(made.lists[100]):,} keywords, {shown:,} shown at first")


def _said(number: int, what: str) -> str:
    return f"{number:,} {what}" + "s" * (number != 1)


def _readings(
    pages: list[str],
    multi: bool,
    by: Grouping,
    group: str | None,
    how: Making,
    most: int,
    urls: Path | None,
    private: bool,
) -> list[Reading]:
    if multi:
        if len(pages) != 1 or not is_address(pages[0]):
            raise InputError(f"{', '.join(pages)}: --multi follows links, so it needs one web address")
        return site_readings(pages[0], how, most, private=private)
    if group is not None and by is not Grouping.ALL and len(pages) == 1 and is_collection(pages[0]) and urls is None:
        from phasa.overview.collection import Choice

        chosen = chosen_readings(Path(pages[0]), Choice(**{by.value: group}), how, most)
    else:
        groups = grouped_readings(pages, by, how, most, urls, private=private)
        chosen = next(iter(groups.values())) if group is None else groups.get(group, [])
    if not chosen:
        name = pages[0]
        raise InputError(f"{name}: no {by} '{group}'; see which there are: phasa keywords {name} --by {by}")
    return chosen
