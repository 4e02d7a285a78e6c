"""The task of an overview job (phasa.service.job_process): the cloud of a page, a site, or a part of the collection.

Writes the self-contained page of the order, and beside it `fragment.html` (the same as part of our page) and
`overview.json` (an `OverviewData`).
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import msgspec

from phasa.collection import Collection
from phasa.errors import InputError
from phasa.overview.collection import Choice, collection_overview
from phasa.overview.making import Making, making_of
from phasa.overview.overview import Overview, direction_of
from phasa.overview.reading import MOST_PAGES
from phasa.overview.site import site_readings
from phasa.service.formatting import encode, plain
from phasa.service.job_process import Order, Tell
from phasa.web.fetch import Fetcher, user_agent
from phasa.web.url import parse

FRAGMENT = "fragment.html"
DATA = "overview.json"
MOST_KEYWORDS = 300
CONTEXTS = 8
LONGEST_TITLE = 200


class Context(msgspec.Struct, frozen=True):
    """One place of a keyword in a text."""

    page: str
    before: str
    term: str
    after: str


class CloudWord(msgspec.Struct, frozen=True):
    """A keyword with its weight."""

    term: str
    weight: float


class OverviewData(msgspec.Struct, frozen=True):
    """An overview as data. `chart`: (percentage of unique weights, number of keywords)."""

    title: str
    language: str
    direction: str
    pages: int
    chart: list[tuple[int, int]]
    keywords: list[CloudWord]
    contexts: dict[str, list[Context]]


def run(order: Order, tell: Tell) -> str:
    """Make the overview. Raises PhasaError when no page came, or none with text."""
    collection, options = Collection.open(Path(order.collection)), order.options
    how = making_of(collection)
    most = how.pages or MOST_PAGES
    tell(0, None, "reading pages")
    if options.get("source") == "web":
        made = _of_the_web(collection, options["url"], most if options.get("multi") else 1, how, tell)
    else:
        fields = {name: options.get(name, "") for name in Choice._fields}
        made = collection_overview(collection, Choice(**fields), most=most, how=how)
    # A title comes from a page: it is shown as a line, whatever it is.
    made = replace(made, title=plain(made.title, LONGEST_TITLE))
    if not made.lists[100]:
        raise InputError("no keyword was found: the pages hold hardly any text")
    out = Path(order.out)
    out.write_text(made.html(target=how.target), encoding="utf-8", errors="replace")
    out.with_name(FRAGMENT).write_text(made.fragment(target=how.target), encoding="utf-8", errors="replace")
    out.with_name(DATA).write_bytes(_data(made))
    return f"{len(made.pages):,} pages, {len(made.lists[100]):,} keywords"


def _of_the_web(collection: Collection, address: str, most: int, how: Making, tell: Tell) -> Overview:
    url = parse(address)
    if url is None:
        raise InputError(f"{plain(address, 200)}: not a usable web address")
    settings = collection.settings
    fetcher = Fetcher(
        settings.limits,
        user_agent(settings.contact),
        allow_private=settings.allow_private,
        server=settings.server,
        ca_file=collection.ca_file,
    )
    return how.overview(
        site_readings(
            fetcher, url, most=most, recipe=how.recipe, progress=lambda done, of: tell(done, of, "fetching pages")
        )
    )


def _data(made: Overview) -> bytes:
    heaviest = sorted(made.lists[100], key=lambda keyword: -keyword.weight)[:MOST_KEYWORDS]
    contexts = {
        keyword.term: [Context(*context) for context in made.contexts(keyword.term, most=CONTEXTS)]
        for keyword in heaviest
    }
    keywords = [CloudWord(*keyword) for keyword in heaviest]
    chart = [(percent, count) for percent, count in made.lists.chart()]
    direction = direction_of(made.language)
    data = OverviewData(made.title, made.language, direction, len(made.pages), chart, keywords, contexts)
    return encode(data)
