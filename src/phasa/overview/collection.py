"""What a collection is about: the overview of one address, a host, a segment, a month, a language, or all of it.

The pages are found through the index of the archive, so the time depends on the number of pages read and not on the
size of the collection. What a choice leaves open is sampled evenly over the index.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final, NamedTuple

from phasa.archive.capture import ArchiveError
from phasa.archive.cdxj import REVISIT, Entry, lookup, sample, search
from phasa.archive.reader import Stored, read_entry, resolve
from phasa.collection import Collection
from phasa.errors import CollectionError
from phasa.overview.making import Making, making_of
from phasa.overview.overview import Overview
from phasa.overview.reading import MOST_PAGES, RawPage, Reading, Recipe, match_by_host, read_pages
from phasa.web import url as web_address
from phasa.web.http import PAGE_TYPES

log = logging.getLogger(__name__)

_PROBES: Final = 20  # index entries looked at per page wanted, where a choice cannot be looked up


class Choice(NamedTuple):
    """Which pages: those for which everything that is given here holds. `month` is written 2026-03."""

    url: str = ""
    host: str = ""
    segment: str = ""
    month: str = ""
    language: str = ""

    def __str__(self) -> str:
        return " ".join(part for part in self if part) or "everything"


def collection_overview(
    collection: Collection,
    choice: Choice = Choice(),  # noqa: B008 - immutable
    *,
    most: int = MOST_PAGES,
    how: Making | None = None,
) -> Overview:
    """The overview of at most `most` chosen pages, with what repeats from page to page of a host taken out; made as the
    settings of the collection say, or as `how` does.

    Raises CollectionError when no such page was archived.
    """
    how = how or making_of(collection)
    readings = collection_readings(collection, choice, most=most, recipe=how.recipe)
    if not readings:
        raise CollectionError(f"{collection.path}: no page of text for {choice}; crawl more, or choose another")
    title = readings[0].title if choice.url else str(choice) if any(choice) else collection.path.resolve().name
    return how.overview(readings, title)


def collection_readings(
    collection: Collection,
    choice: Choice = Choice(),  # noqa: B008 - immutable
    *,
    most: int = MOST_PAGES,
    recipe: Recipe = Recipe(),  # noqa: B008 - immutable
) -> list[Reading]:
    """The key content of the newest capture of at most `most` chosen pages."""
    archive = collection.archive_folder
    readings: list[Reading] = []
    for _, reading in read_pages(stored_pages(archive, newest(choose_entries(archive, choice, most))), recipe):
        if reading and (not choice.language or reading.language == choice.language):
            readings.append(reading)
            if len(readings) == most:
                break
    log.info("%s: %d pages of %s read", collection.path, len(readings), choice)
    return readings if choice.url else match_by_host(readings)


def raw_page(stored: Stored) -> RawPage:
    """A capture as a page to read."""
    return RawPage(stored.content, stored.url, stored.content_type, stored.time.strftime("%Y-%m-%d"))


def choose_entries(archive: Path, choice: Choice, most: int) -> Iterator[Entry]:
    """Index entries of pages the choice may mean, looked up where it names an address; the language is yet unknown."""
    if choice.url:
        found: Iterable[Entry] = lookup(archive, choice.url)
    elif choice.segment:
        found = _under(archive, web_address.parse(choice.segment), most)
    elif choice.host:
        found = _under(archive, web_address.parse(f"http://{choice.host}/"), most)
    else:
        found = sample(archive, most * (_PROBES if choice.month or choice.language else 2))
    for entry in found:
        if _is_page(entry) and _fits(entry, choice):
            yield entry


def newest(entries: Iterable[Entry]) -> list[Entry]:
    """The newest entry of each address, in the order of first mention."""
    latest: dict[str, Entry] = {}
    for entry in entries:
        if entry.surt not in latest or latest[entry.surt].timestamp <= entry.timestamp:
            latest[entry.surt] = entry
    return list(latest.values())


def _under(archive: Path, address: web_address.Url | None, most: int) -> Iterator[Entry]:
    """Entries at and below an address, on every port of its host."""
    if address is None:
        return
    key = web_address.surt(address)
    bare = key.endswith(")/")
    for prefix in (key[:-1], key[:-2] + ":") if bare else (key,):
        yield from search(archive, prefix, most * _PROBES)


def _is_page(entry: Entry) -> bool:
    return entry.mime == REVISIT or (entry.status == "200" and entry.mime in PAGE_TYPES)


def _fits(entry: Entry, choice: Choice) -> bool:
    if choice.month and entry.timestamp[:6] != choice.month.replace("-", ""):
        return False
    if not (choice.host or choice.segment):
        return True
    address = web_address.parse(entry.url)
    return (
        address is not None
        and (not choice.host or web_address.host(address) == choice.host)
        and (not choice.segment or web_address.segment_key(address) == choice.segment)
    )


def stored_pages(archive: Path, entries: Iterable[Entry]) -> Iterator[RawPage]:
    """The captures of these entries as pages to read; what is damaged or no page is left out."""
    for entry in entries:
        try:
            stored = resolve(archive, read_entry(archive, entry))
        except ArchiveError as problem:
            log.info("%s: in the index, but not to be read: %s", entry.url, problem)
            continue
        if stored.mime in PAGE_TYPES:
            yield raw_page(stored)
