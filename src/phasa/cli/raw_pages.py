"""Pages as `overview` and `keywords` take them: files, addresses, folders of HTML files, WARC files, collections."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from phasa.cli.sources import is_address, read_source
from phasa.errors import InputError

if TYPE_CHECKING:
    from phasa.archive.reader import Stored
    from phasa.overview.reading import RawPage

SETTINGS_FILE = "collection.toml"
_PAGES = (".html", ".htm", ".xhtml", ".shtml")
_ARCHIVES = (".warc", ".warc.gz", ".arc", ".arc.gz")


def raw_pages(
    names: Iterable[str],
    *,
    private: bool = False,
    wanted: frozenset[str] | None = None,
    most: int = 300,
    by_month: bool = False,
) -> Iterator[RawPage]:
    """The pages of all that is named, at most `most`. Of an address that was captured more than once the newest (of
    each month, if so asked). `wanted`: only these addresses. Raises InputError, OSError for what cannot be read."""
    found = (page for name in names for page in _of(name, private, wanted, most, by_month))
    return islice((page for page in found if wanted is None or page.name in wanted), most)


def _of(name: str, private: bool, wanted: frozenset[str] | None, most: int, by_month: bool) -> Iterator[RawPage]:
    from phasa.overview.reading import RawPage

    path = Path(name)
    if is_address(name) or not (path.is_dir() or name.lower().endswith(_ARCHIVES)):
        source = read_source(name, allow_private=private)
        yield RawPage(source.body, source.name, source.content_type)
    elif (path / SETTINGS_FILE).is_file():
        yield from _of_collection(path, wanted, most, by_month)
    elif path.is_dir():
        inside = sorted(file for file in path.rglob("*") if file.name.lower().endswith((*_PAGES, *_ARCHIVES)))
        if not inside:
            raise InputError(f"{name}: neither a collection nor a folder with HTML or WARC files")
        for file in inside:
            yield from _of(str(file), private, wanted, most, by_month)
    else:
        yield from _of_archive(path, by_month)


def _of_collection(path: Path, wanted: frozenset[str] | None, most: int, by_month: bool) -> Iterator[RawPage]:
    """The pages of a collection's archive by its index, a sample spread over all of it where there are more."""
    from phasa.archive.cdxj import lookup
    from phasa.collection import Collection
    from phasa.overview.collection import Choice, choose_entries, newest, stored_pages

    archive = Collection.open(path).archive_folder
    if wanted is not None:
        entries = [entry for address in sorted(wanted) for entry in lookup(archive, address)]
    else:
        entries = list(choose_entries(archive, Choice(), most))
    months = sorted({entry.timestamp[:6] for entry in entries}) if by_month else [""]
    for month in months:
        yield from stored_pages(archive, newest(entry for entry in entries if entry.timestamp.startswith(month)))


def _of_archive(path: Path, by_month: bool) -> Iterator[RawPage]:
    """The pages of a WARC file, read twice: which capture of an address is the newest is known at the end."""
    from phasa.archive.reader import read_warc
    from phasa.overview.collection import raw_page

    def key(stored: Stored) -> tuple[str, str]:
        return stored.url, stored.time.strftime("%Y%m") if by_month else ""

    last: dict[tuple[str, str], int] = {}
    for number, stored in enumerate(read_warc(path)):
        if _is_page(stored):
            last[key(stored)] = number
    for number, stored in enumerate(read_warc(path)):
        if last.get(key(stored)) == number:
            yield raw_page(stored)


def _is_page(stored: Stored) -> bool:
    from phasa.web.http import PAGE_TYPES

    return stored.status == 200 and not stored.revisit and stored.mime in PAGE_TYPES
