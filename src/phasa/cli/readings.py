"""What `keywords` and `overview` read: pages by file or URL, a whole site, or the pages of a collection in groups."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from phasa.cli.progress import bar, counted
from phasa.cli.raw_pages import SETTINGS_FILE, raw_pages
from phasa.cli.sources import page_fetcher, web_address
from phasa.errors import InputError
from phasa.overview.extract.method import FormPolicy, Logic, Method

if TYPE_CHECKING:
    from phasa.overview.collection import Choice
    from phasa.overview.reading import RawPage, Reading, Recipe


class Weigh(StrEnum):
    """How a term's weight is made: phasa's own, the published ones in each of their readings, plain frequency."""

    PHASA = "phasa"
    AMTF = "amtf"
    AMTF_CONTAINING = "amtf-containing"
    AMTF_TOTAL = "amtf-total"
    AMTF_PAGE = "amtf-page"
    TLTF = "tltf"
    TLTF_MEAN = "tltf-mean"
    TFIDF = "tfidf"
    TF = "tf"


class Style(StrEnum):
    """How a cloud looks: calm, or as published."""

    CALM = "calm"
    PUBLISHED = "published"


class Scope(StrEnum):
    """Whose maximum divides in AMTF (§8.A6): the element's own, or the page's."""

    ELEMENT = "element"
    PAGE = "page"


class Options(NamedTuple):
    """The options that say how an overview is made, as they were given."""

    extractor: str
    weigh: str
    scope: str
    segmenter: str
    logic: str
    form: str
    lang: str | None
    as_published: bool
    private: bool


class Making(NamedTuple):
    """How an overview is made: from pages to readings, the weight, and who cuts words ('' = the language's own)."""

    recipe: Recipe
    weigh: str
    segmenter: str
    private: bool
    as_published: bool


def making(given: Options) -> Making:
    """What the options say together; `--as-published` is the thesis from end to end. Raises InputError for a scope
    with a weight that has none."""
    from phasa.overview.extract.thesis import Rules
    from phasa.overview.reading import Recipe

    weigh = Weigh.AMTF if given.as_published else given.weigh
    if given.scope == Scope.PAGE:
        if weigh not in (Weigh.AMTF, Weigh.AMTF_PAGE):
            raise InputError(f"--scope page: the weight {weigh} knows no scope; give --weigh amtf")
        weigh = Weigh.AMTF_PAGE
    method = Method.THESIS if given.as_published else given.extractor
    rules = Rules(logic=Logic(given.logic), form_policy=FormPolicy(given.form))
    segmenter = given.segmenter or ("longest-first" if given.as_published else "")
    return Making(Recipe(method, given.lang, rules), weigh, segmenter, given.private, given.as_published)


EXTRACT = Annotated[
    str,
    typer.Option(
        "--extract", envvar="PHASA_EXTRACT", help="How key content is found: phasa, thesis, or ./mine.py:mine."
    ),
]
WEIGH = Annotated[
    Weigh,
    typer.Option(
        envvar="PHASA_WEIGH",
        help="What makes a keyword: phasa's own, or a published weight to compare; amtf-…: other readings.",
    ),
]
SCOPE = Annotated[
    Scope, typer.Option(envvar="PHASA_SCOPE", help="amtf: whose maximum divides, the element's or the page's.")
]
SEGMENTER = Annotated[
    str,
    typer.Option(
        "--segmenter",
        envvar="PHASA_SEGMENTER",
        metavar="ENGINE",
        help="Who cuts words (phasa segment --help); by language.",
    ),
]
LOGIC = Annotated[
    Logic, typer.Option(envvar="PHASA_LOGIC", help="thesis: join anchor ratio and title rule by or, and.")
]
FORM = Annotated[
    FormPolicy,
    typer.Option("--form", envvar="PHASA_FORM", help="thesis: drop a form with all in it, or only its tag."),
]
AS_PUBLISHED = Annotated[
    bool,
    typer.Option("--as-published", help="As the thesis did it: extraction with ECM, segmenter, AMTF and KID, styles."),
]
URLS = Annotated[
    Path | None,
    typer.Option("--urls", metavar="FILE", help="Of a collection or a WARC file only these addresses, one a line."),
]


class Grouping(StrEnum):
    """How the pages of a collection are put together."""

    ALL = "all"
    HOST = "host"
    SEGMENT = "segment"
    LANGUAGE = "language"
    MONTH = "month"


def grouped_readings(
    names: Sequence[str], by: Grouping, how: Making, most: int, urls: Path | None = None
) -> dict[str, list[Reading]]:
    """The pages of files, addresses, folders, WARC files and collections, at most `most`, by group, groups with most
    pages first; what repeats from page to page of a site, or of a folder, is taken out. Raises InputError when there is
    no page of text."""
    from phasa.overview.reading import match_by_host, read_pages

    groups: dict[str, list[Reading]] = {}
    month = by is Grouping.MONTH
    pages = raw_pages(names, private=how.private, wanted=_addresses(urls), most=most, by_month=month)
    for raw, reading in counted(read_pages(pages, how.recipe), None, "reading pages"):
        if reading is not None:
            groups.setdefault(_group(by, raw, reading), []).append(reading)
    if not groups:
        what = f"crawl first: phasa crawl {names[0]}" if is_collection(names[0]) else "is it HTML?"
        raise InputError(f"{', '.join(names)}: no page of text to read; {what}")
    matched = {group: match_by_host(readings) for group, readings in groups.items()}
    return dict(sorted(matched.items(), key=lambda group: -len(group[1])))


def site_readings(name: str, how: Making, most: int) -> list[Reading]:
    """The page of that address and the pages of its host that it links to."""
    from phasa.overview import site

    fetcher = page_fetcher(allow_private=how.private)
    with bar("fetching pages") as show:
        return site.site_readings(fetcher, web_address(name), most=most, recipe=how.recipe, progress=show)


def chosen_readings(directory: Path, choice: Choice, how: Making, most: int) -> list[Reading]:
    """The pages of one host, segment, language or month of a collection, found by its index."""
    from phasa.collection import Collection
    from phasa.overview.collection import collection_readings as chosen

    return chosen(Collection.open(directory), choice, most=most, recipe=how.recipe)


def is_collection(name: str) -> bool:
    """Whether a name is that of a folder that holds a collection."""
    return (Path(name) / SETTINGS_FILE).is_file()


def _addresses(urls: Path | None) -> frozenset[str] | None:
    if urls is None:
        return None
    from phasa.cli.inputs import read_bytes

    lines = read_bytes(str(urls)).decode("utf-8", "replace").splitlines()
    return frozenset(web_address(line.strip()) for line in lines if line.strip() and not line.startswith("#"))


def _group(by: Grouping, page: RawPage, reading: Reading) -> str:
    from phasa.web.url import host, parse, segment_key

    url = parse(page.name)
    match by:
        case Grouping.HOST:
            return host(url) if url else "other"
        case Grouping.SEGMENT:
            return segment_key(url) if url else "other"
        case Grouping.LANGUAGE:
            return reading.language
        case Grouping.MONTH:
            return page.time[:7] or "undated"
        case Grouping.ALL:
            return "all"
