"""Sites of a list crawled breadth-first, so many pages of each: what a topic is learned from (§4.3)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from phasa.archive.reader import read_warc
from phasa.archive.shelf import finished_files
from phasa.collection import Collection
from phasa.crawl.run.runs import run_collection
from phasa.crawl.run.upkeep import Watch
from phasa.errors import CollectionError
from phasa.frontier.budgets import Budgets
from phasa.frontier.scope import ScopeSettings
from phasa.settings import write_settings
from phasa.web.apart import try_page
from phasa.web.html import Page
from phasa.web.url import Url, host, parse


def crawl_sites(
    folder: Path,
    sites: Sequence[str],
    *,
    language: str,
    pages_per_site: int,
    server: str = "",
    allow_private: bool = False,
    watch: Watch | None = None,
) -> Collection:
    """A collection of the first pages of each site, breadth-first from the addresses given. One that is there already
    goes on where it stood, when it was made for these sites. Raises CollectionError when it was not."""
    names = tuple(sorted({host(Url(site)) for site in sites}))
    if (folder / Collection.SETTINGS).is_file():
        collection = Collection.open(folder)
        if collection.settings.scope.domains != names:
            raise CollectionError(f"{folder}: is a collection of other sites; choose another folder for these")
    else:
        made = Collection.create(folder, language=language, server=server)
        (folder / Collection.SEEDS).write_text("".join(f"{site}\n" for site in sites), encoding="utf-8")
        settings = msgspec.structs.replace(
            made.settings,
            strategy="bfs",
            allow_private=allow_private,
            scope=ScopeSettings(domains=names),
            budgets=Budgets(pages_per_host=pages_per_site),
        )
        made.settings_file.write_text(write_settings(settings), encoding="utf-8")
        collection = Collection.open(folder)
    with collection.locked():
        run_collection(collection, watch)
    return collection


def pages_of_sites(collection: Collection, sites: Sequence[str]) -> Iterator[Page]:
    """The pages of these sites in a collection, in the order of their fetch."""
    wanted = {host(Url(site)) for site in sites}
    for file in finished_files(collection.archive_folder):
        for stored in read_warc(file):
            url = parse(stored.url)
            if url is None or stored.revisit or stored.status != 200 or host(url) not in wanted:
                continue
            page = try_page(stored.content, url, header=stored.content_type)
            if page is not None:
                yield page
