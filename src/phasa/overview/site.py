"""The Initial Page and the pages it links to on the same host: two levels, fetched side by side (§4.1)."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable
from typing import NamedTuple

from phasa.errors import InputError
from phasa.overview.reading import MOST_PAGES, RawPage, Reading, Recipe, match_readings, read_pages
from phasa.web.apart import try_page
from phasa.web.exchange import Exchange
from phasa.web.fetch import Fetcher
from phasa.web.http import PAGE_TYPES
from phasa.web.robots import RobotsCache, robots_fetch
from phasa.web.url import Url, host

log = logging.getLogger(__name__)

AT_ONCE = 8


class Fetched(NamedTuple):
    """A page that came."""

    url: Url
    body: bytes
    content_type: str


def site_readings(
    fetcher: Fetcher,
    initial: Url,
    *,
    most: int = MOST_PAGES,
    recipe: Recipe = Recipe(),  # noqa: B008 - immutable
    progress: Callable[[int, int], None] = lambda done, of: None,
) -> list[Reading]:
    """The key content of the Initial Page and of the pages of its host that it links to, at most `most` in all.

    What repeats from page to page is taken out; pages without text are left out. `progress` is called with the number
    of pages that came, of how many. Raises InputError when no page with text came.
    """
    readings = []
    came = asyncio.run(_fetch_site(fetcher, initial, most, progress))
    for raw, reading in read_pages((RawPage(page.body, page.url, page.content_type) for page in came), recipe):
        if reading is not None:
            readings.append(reading)
        else:
            log.info("%s: came, but is not a page of text", raw.name)
    if not readings:
        raise InputError(f"{initial}: there is no text on it; try another page of the site")
    return match_readings(readings)


async def _fetch_site(fetcher: Fetcher, initial: Url, most: int, progress: Callable[[int, int], None]) -> list[Fetched]:
    async with fetcher:
        robots = RobotsCache(robots_fetch(fetcher), "phasa")
        pages = await gather(fetcher, robots, initial, most=most, progress=progress)
        if not pages:
            answer = await fetcher.fetch(initial)
            what = f"answered {answer.status}" if answer.outcome == "ok" else f"{answer.outcome} {answer.detail}"
            raise InputError(f"{initial}: no page came: {what.strip()}; check the address")
    return pages


def same_site_links(page: bytes, url: Url, content_type: str = "") -> list[Url]:
    """The addresses a page links to on its own host, each once, in their order; itself left out."""
    read = try_page(page, url, header=content_type or None)
    links = read.links if read is not None else ()
    unique: dict[Url, None] = {
        link.url: None for link in links if link.tag in ("a", "area") and host(link.url) == host(url)
    }
    unique.pop(url, None)
    return list(unique)


async def gather(
    fetcher: Fetcher,
    robots: RobotsCache,
    initial: Url,
    *,
    most: int = MOST_PAGES,
    at_once: int = AT_ONCE,
    progress: Callable[[int, int], None] = lambda done, of: None,
) -> list[Fetched]:
    """The Initial Page, then the pages it links to, in the order of the links whatever the order of arrival.

    Pages that robots.txt refuses, that fail or that are not HTML are left out; no Initial Page gives an empty list.
    """
    first = _page(await fetcher.fetch(initial))
    if first is None:
        return []
    links = same_site_links(first.body, first.url, first.content_type)[: most - 1]
    slots = asyncio.Semaphore(at_once)
    done = 0

    async def one(link: Url) -> Fetched | None:
        nonlocal done
        async with slots:
            page = _page(await fetcher.fetch(link)) if (await robots.ruling(link)).allowed else None
        done += 1
        progress(done, len(links))
        return page if page and host(page.url) == host(first.url) else None

    others = await asyncio.gather(*map(one, links))
    return [first, *_each_once(first.url, others)]


def _page(exchange: Exchange) -> Fetched | None:
    mime = (exchange.header("content-type") or "text/html").split(";")[0].strip().lower()
    if not exchange.ok or mime not in PAGE_TYPES:
        return None
    return Fetched(exchange.final_url, exchange.body, exchange.header("content-type") or "")


def _each_once(first: Url, pages: Iterable[Fetched | None]) -> list[Fetched]:
    unique: dict[Url, Fetched] = {}
    for page in pages:
        if page and page.url != first:
            unique.setdefault(page.url, page)
    return list(unique.values())
