"""The training crawl of §4.8.1 in a crawl that is recorded: pages that link to targets, and what is near them."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence

from phasa.crawl.strategy import JudgedPage
from phasa.web.url import authority


def citing(pages: Iterable[JudgedPage], targets: Iterable[str]) -> list[str]:
    """Hop 0: the pages that link to one of the targets, and are on another website than it."""
    wanted = set(targets)
    found = []
    for page in pages:
        site = authority(page.url)
        if any(authority(url) != site for url in wanted.intersection(page.links.urls)):
            found.append(page.url)
    return found


def within_hops(pages: Sequence[JudgedPage], starts: Iterable[str], hops: int) -> dict[str, int]:
    """How many links each page is from the nearest start, for those that are at most `hops` away; in the order in
    which a breadth-first crawl meets them."""
    by_url = {page.url: page for page in pages}
    found = {url: 0 for url in starts if url in by_url}
    waiting = deque(found)
    while waiting:
        url = waiting.popleft()
        if found[url] == hops:
            continue
        for to in by_url[url].links.urls:
            if to in by_url and to not in found:
                found[to] = found[url] + 1
                waiting.append(to)
    return found
