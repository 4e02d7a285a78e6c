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
from phasa.overview_choices import FormPolicy, Logic, Scope, Style, Weigh

if TYPE_CHECKING:
    from phasa.overview.making import Making
    from phasa.overview.reading import RawPage, Reading


class Options(NamedTuple):
    """The options that say how an overview is made, as they were given; None for what was not."""

    extract: str | None = None
    logic: Logic | None = None
    form: FormPolicy | None = None
    weigh: Weigh | None = None
    scope: Scope | None = None
    segmenter: str | None = None
    style: Style | None = None
    target: int | None = None
    pages: int | None = None
    as_published: bool | None = None


def making_for(names: Sequence[str], given: Options, lang: str | None) -> Making:
    """How the overview of these names is made: as the options say, else as the first of the names that is a collection
    does it. Raises InputError for options that contradict each other, CollectionError and SettingsError for a
    collection that cannot be opened."""
    import msgspec

    from phasa.overview.making import making, settings_of
    from phasa.overview_settings import OverviewSettings

    settings, model = OverviewSettings(), "default"
    if inside := [name for name in names if is_collection(name)]:
        from phasa.collection import Collection

        collection = Collection.open(Path(inside[0]))
        settings, model = settings_of(collection), collection.word_model
    chosen = {option: value for option, value in given._asdict().items() if value is not None}
    return making(msgspec.structs.replace(settings, **chosen), language=lang, model=model)


EXTRACT = Annotated[
    str | None,
    typer.Option(
        "--extract", envvar="PHASA_EXTRACT", help="How key content is found: phasa, thesis, or ./mine.py:mine."
    ),
]
WEIGH = Annotated[
    Weigh | None,
    typer.Option(
        envvar="PHASA_WEIGH",
        help="What makes a keyword: phasa's own, or a published weight to compare; amtf-…: other readings.",
    ),
]
SCOPE = Annotated[
    Scope | None, typer.Option(envvar="PHASA_SCOPE", help="amtf: whose maximum divides, the element's or the page's.")
]
SEGMENTER = Annotated[
    str | None,
    typer.Option(
        "--segmenter",
        envvar="PHASA_SEGMENTER",
        metavar="ENGINE",
        help="Who cuts words (phasa segment --help); by language.",
    ),
]
LOGIC = Annotated[
    Logic | None, typer.Option(envvar="PHASA_LOGIC", help="thesis: join anchor ratio and title rule by or, and.")
]
FORM = Annotated[
    FormPolicy | None,
    typer.Option("--form", envvar="PHASA_FORM", help="thesis: drop a form with all in it, or only its tag."),
]
AS_PUBLISHED = Annotated[
    bool | None,
    typer.Option(help="As the thesis did it: extraction with ECM, segmenter, AMTF and KID, styles."),
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
    names: Sequence[str], by: Grouping, how: Making, most: int, urls: Path | None = None, *, private: bool = False
) -> dict[str, list[Reading]]:
    """The pages of files, addresses, folders, WARC files and collections, at most `most`, by group, groups with most
    pages first; what repeats from page to page of a site, or of a folder, is taken out. Raises InputError when there is
    no page of text."""
    from phasa.overview.reading import match_by_host, read_pages

    groups: dict[str, list[Reading]] = {}
    month = by is Grouping.MONTH
    pages = raw_pages(names, private=private, wanted=_addresses(urls), most=most, by_month=month)
    for raw, reading in counted(read_pages(pages, how.recipe), None, "reading pages"):
        if reading is not None:
            groups.setdefault(_group(by, raw, reading), []).append(reading)
    if not groups:
        what = f"crawl first: phasa crawl {names[0]}" if is_collection(names[0]) else "is it HTML?"
        raise InputError(f"{', '.join(names)}: no page of text to read; {what}")
    matched = {group: match_by_host(readings) for group, readings in groups.items()}
    return dict(sorted(matched.items(), key=lambda group: -len(group[1])))


def site_readings(name: str, how: Making, most: int, *, private: bool = False) -> list[Reading]:
    """The page of that address and the pages of its host that it links to."""
    from phasa.overview import site

    fetcher = page_fetcher(allow_private=private)
    with bar("fetching pages") as show:
        return site.site_readings(fetcher, web_address(name), most=most, recipe=how.recipe, progress=show)


def group_readings(
    names: Sequence[str],
    by: Grouping,
    group: str | None,
    how: Making,
    most: int,
    urls: Path | None = None,
    *,
    private: bool = False,
) -> tuple[str, list[Reading]]:
    """The pages of one host, segment, language or month, and its name: of the largest when none is named. Of a
    collection they are found by its index, as the application finds them. Raises InputError when there are none."""
    if by is not Grouping.ALL and len(names) == 1 and is_collection(names[0]) and urls is None:
        if group is None:
            group = next(iter(grouped_readings(names, by, how, most)))
        readings = _chosen_readings(Path(names[0]), by, group, how, most)
    else:
        groups = grouped_readings(names, by, how, most, urls, private=private)
        group = group or next(iter(groups))
        readings = groups.get(group, [])
    if not readings:
        raise InputError(f"{names[0]}: no {by} '{group}'; see which there are: phasa keywords {names[0]} --by {by}")
    return group, readings


def _chosen_readings(directory: Path, by: Grouping, group: str, how: Making, most: int) -> list[Reading]:
    from phasa.collection import Collection
    from phasa.overview.collection import Choice, collection_readings

    choice = Choice(**{by.value: group})
    return collection_readings(Collection.open(directory), choice, most=most, recipe=how.recipe)


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
