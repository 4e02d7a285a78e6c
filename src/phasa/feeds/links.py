"""Between feeds and the crawl: new posts go to the crawl's frontier ahead of all else; feeds on crawled pages join.

The crawl is imported where posts are handed over: a watch that leaves it alone does not load it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from phasa.archive.reader import read_warc
from phasa.archive.shelf import size_of, warc_files
from phasa.collection import Collection
from phasa.errors import CollectionError
from phasa.feeds.store import FeedStore
from phasa.web.apart import try_page
from phasa.web.html import FeedLink
from phasa.web.http import PAGE_TYPES
from phasa.web.url import Url, parse

# Above what any strategy gives a link it has only found: news goes stale.
AHEAD = 1000.0


def send_links(collection: Collection, links: Iterable[str], source: str) -> int:
    """Offer addresses of new posts to the crawl, ahead of what waits; how many were new to it.

    A crawl that is running is given them as seeds, which it plants within seconds; else the frontier takes them itself.
    """
    urls = list(dict.fromkeys(url for link in links if (url := parse(link)) is not None))
    if not urls:
        return 0
    try:
        with collection.locked():
            return _offer(collection, urls, source)
    except CollectionError:
        from phasa.crawl.run.control import add_seeds

        return len(add_seeds(collection, urls).added)


def _offer(collection: Collection, urls: Sequence[Url], source: str) -> int:
    from phasa.crawl.run.assembly import rules_of, strategy_of
    from phasa.crawl.strategy import Seed
    from phasa.frontier.protocol import Offer, OfferResult
    from phasa.frontiers import open_frontier

    strategy = strategy_of(collection, collection.profile)
    # The strategy's own note comes with the offer, as it would with a seed.
    ranked = strategy.start([Seed(url) for url in urls])
    frontier = open_frontier(collection, rules_of(collection, strategy))
    try:
        offers = [
            Offer(url, AHEAD + float(ranked.priorities[place]), 1, source, ranked.note(place))
            for place, url in enumerate(urls)
        ]
        return sum(result is OfferResult.NEW for result in frontier.offer(offers))
    finally:
        frontier.close()


def feeds_of_archive(folder: Path, scanned: dict[str, int]) -> Iterator[tuple[str, int, list[FeedLink]]]:
    """(file, bytes, feeds named by its pages) of each WARC file that has grown since it was scanned."""
    for path in warc_files(folder):
        name, size = path.name.removesuffix(".open"), size_of(path)
        if scanned.get(name) == size:
            continue
        found: dict[str, FeedLink] = {}
        for stored in read_warc(path):
            address = parse(stored.url)
            if stored.status != 200 or stored.mime not in PAGE_TYPES or stored.revisit or address is None:
                continue
            page = try_page(stored.content, address)
            for link in page.feeds if page is not None else ():
                found.setdefault(str(link.url), link)
        yield name, size, list(found.values())


def discover(collection: Collection, store: FeedStore, now: float) -> list[str]:
    """Register the feeds that pages of the collection announce; the addresses that were not known."""
    added: list[str] = []
    for name, size, links in feeds_of_archive(collection.archive_folder, store.scanned()):
        added += [str(link.url) for link in links if store.add(str(link.url), now, title=link.title)]
        store.mark_scanned(name, size)
    return added
