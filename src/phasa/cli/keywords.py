"""`phasa keywords`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated

import typer

from phasa.cli.inputs import tell_trouble, write_text
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
    grouped_readings,
    making_for,
)
from phasa.errors import PhasaError
from phasa.overview_choices import Weigh

if TYPE_CHECKING:
    from phasa.overview.keywords import Keyword, KeywordLists

app = typer.Typer()

MOST_PAGES = 10_000


@app.command(epilog="Example:  phasa keywords --json page.html   ·   phasa keywords thai-web --by month")
def keywords(
    pages: Annotated[
        list[str],
        typer.Argument(metavar="FILE|URL|DIR...", help="Pages, folders of pages, WARC files, or a collection."),
    ],
    weigh: WEIGH = None,
    percent: Annotated[
        int | None, typer.Option(min=5, max=100, help="Top share of the unique weights, 5, 10 … 100.")
    ] = None,
    top: Annotated[int | None, typer.Option(min=1, help="At most so many keywords, the heaviest.")] = None,
    by: Annotated[Grouping, typer.Option(help="A collection's keywords by what.")] = Grouping.ALL,
    group: Annotated[
        str | None, typer.Option(help="Only this host, segment, language or month; all otherwise, the largest first.")
    ] = None,
    most: Annotated[int | None, typer.Option("--pages", min=1, help="At most so many pages; 10,000 otherwise.")] = None,
    extractor: EXTRACT = None,
    logic: LOGIC = None,
    form: FORM = None,
    scope: SCOPE = None,
    segmenter: SEGMENTER = None,
    urls: URLS = None,
    together: Annotated[bool, typer.Option("--together", help="All pages named as one set.")] = False,
    as_published: AS_PUBLISHED = None,
    lang: Annotated[str | None, typer.Option("--lang", metavar="CODE", help="Language; detected otherwise.")] = None,
    allow_private: Annotated[
        bool, typer.Option("--allow-private", help="Fetch from private and loopback addresses too.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object per page or group.")] = False,
) -> None:
    """Print the words that say what pages are about, heaviest first.

    By default fifteen; of a published weight, whose words share weights, the list whose size is nearest to fifteen.
    What no option says, the section `overview` of its collection.toml says.
    """
    given = Options(extractor, logic, form, weigh, scope, segmenter, pages=most, as_published=as_published)
    well = True
    for names in [pages] if together else [[page] for page in pages]:
        name = ", ".join(names)
        how = making_for(names, given, lang)
        at_most = 15 if how.weigh == Weigh.PHASA and top is None and percent is None else top
        try:
            if group is None:
                groups = grouped_readings(names, by, how, how.pages or MOST_PAGES, urls, private=allow_private)
            else:
                read = group_readings(names, by, group, how, how.pages or MOST_PAGES, urls, private=allow_private)
                groups = dict([read])
        except (PhasaError, OSError) as problem:
            well = tell_trouble(name, problem)
            continue
        for key, readings in groups.items():
            file = name if by is Grouping.ALL else key
            lists = how.overview(readings).lists
            chosen = sorted(_chosen(lists, percent, at_most), key=lambda keyword: -keyword.weight)[:at_most]
            if as_json:
                rows = [{"term": word.term, "weight": round(word.weight, 6)} for word in chosen]
                write_text(json.dumps({"file": file, "keywords": rows}, ensure_ascii=False) + "\n")
            else:
                title = f"{file}\n" if len(pages) > 1 or by is not Grouping.ALL else ""
                write_text(title + "".join(f"{word.weight:.3f}\t{word.term}\n" for word in chosen))
    if not well:
        raise typer.Exit(1)


def _chosen(lists: KeywordLists, percent: int | None, top: int | None) -> list[Keyword]:
    from phasa.overview.keywords import recommend

    if percent is None:
        percent = 100 if top else recommend(lists.chart(), 15)
    return list(lists[percent // 5 * 5])
