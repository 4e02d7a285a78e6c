"""What `keywords` and `overview` read: pages by file or URL, a whole site, or the pages of a collection in groups."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from phasa.cli.progress import bar, counted
from phasa.cli.sources import page_fetcher, read_source, web_address
from phasa.errors import CollectionError, InputError

if TYPE_CHECKING:
    from phasa.archive.reader import Stored
    from phasa.overview.collection import Choice
    from phasa.overview.overview import Reading


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


class Making(NamedTuple):
    """How an overview is made: extractor, weight, and the engine that cuts words ('' = the language's own)."""

    extractor: str
    weigh: str
    segmenter: str


def making(extractor: str, weigh: Weigh, segmenter: str, as_published: bool) -> Making:
    """What the options say together; `--as-published` is the thesis from end to end."""
    return Making("thesis", Weigh.AMTF, "longest-first") if as_published else Making(extractor, weigh, segmenter)


EXTRACT = Annotated[str, typer.Option("--extract", help="How key content is found: phasa, thesis, or ./mine.py:mine.")]
WEIGH = Annotated[
    Weigh,
    typer.Option(help="What makes a keyword: phasa's own, or a published weight to compare; amtf-…: other readings."),
]
SEGMENTER = Annotated[
    str, typer.Option("--segmenter", metavar="ENGINE", help="Who cuts words (phasa segment --help); by language.")
]
AS_PUBLISHED = Annotated[
    bool, typer.Option("--as-published", help="As the thesis did it: its extraction, its segmenter, AMTF and KID.")
]


class Grouping(StrEnum):
    """How the pages of a collection are put together."""

    ALL = "all"
    HOST = "host"
    SEGMENT = "segment"
    LANGUAGE = "language"
    MONTH = "month"


def page_reading(name: str, method: str, language: str | None, allow_private: bool = False) -> Reading:
    """One page by file, URL or `-`."""
    from phasa.overview.overview import read_content

    source = read_source(name, allow_private=allow_private)
    return read_content(source.body, source.name, method=method, language=language)


def site_readings(name: str, method: str, language: str | None, most: int, allow_private: bool) -> list[Reading]:
    """The page of that address and the pages of its host that it links to."""
    from phasa.overview import site

    fetcher = page_fetcher(allow_private=allow_private)
    with bar("fetching pages") as show:
        return site.site_readings(
            fetcher, web_address(name), most=most, method=method, language=language, progress=show
        )


def collection_readings(
    directory: Path, by: Grouping, method: str, language: str | None, most: int
) -> dict[str, list[Reading]]:
    """The newest pages of a collection by group, groups with most pages first."""
    from phasa.collection import Collection
    from phasa.overview.overview import read_content

    archive = Collection.open(directory).path / "archive"
    groups: dict[str, list[Reading]] = {}
    for stored in counted(islice(_pages(archive), most), None, "reading pages"):
        try:
            reading = read_content(stored.content, stored.url, method=method, language=language)
        except InputError:
            continue  # kept in the archive, but no page of text
        groups.setdefault(_group(by, stored, reading), []).append(reading)
    if not groups:
        raise CollectionError(f"{directory}: no page to read; crawl first: phasa crawl {directory}")
    return dict(sorted(groups.items(), key=lambda group: -len(group[1])))


def chosen_readings(directory: Path, choice: Choice, method: str, most: int) -> list[Reading]:
    """The pages of one host, segment, language or month of a collection, found by its index."""
    from phasa.collection import Collection
    from phasa.overview.collection import collection_readings as chosen

    return chosen(Collection.open(directory), choice, most=most, method=method)


def _pages(archive: Path) -> Iterator[Stored]:
    from phasa.archive.reader import read_archive, resolve
    from phasa.web.http import PAGE_TYPES

    for stored in read_archive(archive):
        if stored.status == 200 and not stored.revisit and stored.mime in PAGE_TYPES:
            yield resolve(archive, stored)


def _group(by: Grouping, stored: Stored, reading: Reading) -> str:
    from phasa.web.url import host, parse, segment_key

    url = parse(stored.url)
    match by:
        case Grouping.HOST:
            return host(url) if url else "other"
        case Grouping.SEGMENT:
            return segment_key(url) if url else "other"
        case Grouping.LANGUAGE:
            return reading.language
        case Grouping.MONTH:
            return stored.time.strftime("%Y-%m")
        case Grouping.ALL:
            return "all"
