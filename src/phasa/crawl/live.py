"""The live web: one lease in, one answer out, robots.txt obeyed, pages read."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import overload

from msgspec.structs import replace

from phasa.crawl.answer import NO_LINKS, Answer, Kind, OutLinks
from phasa.frontier.protocol import Lease
from phasa.frontier.scope import ScopeSettings
from phasa.web.country import country_of
from phasa.web.exchange import Exchange
from phasa.web.fetch import Fetcher
from phasa.web.html import PAGE_TAGS, Link, Page, read_page
from phasa.web.http import HTML_TYPES, PAGE_TYPES, READABLE_TYPES, REDIRECTS
from phasa.web.limits import Limits
from phasa.web.robots import RobotsCache, robots_fetch
from phasa.web.sitemap import GZIP_TYPES, is_sitemap, listed
from phasa.web.url import Url, host, join, origin, thesis_form

_BUSY = frozenset((429, 503))
_GONE_WRONG = frozenset(("bad_url", "blocked_address", "bad_redirect", "redirect_loop", "wrong_type", "not_modified"))


class LiveWeb:
    """Fetches and reads. `agent` is the name that robots.txt files know us by; '' when they are not to be obeyed.

    Of the scope it needs how links are spelled and whether the sitemaps that robots.txt files name are wanted.
    """

    def __init__(
        self,
        fetcher: Fetcher,
        limits: Limits,
        *,
        agent: str = "phasa",
        language: str | None = None,
        scope: ScopeSettings | None = None,
    ) -> None:
        scope = scope or ScopeSettings()
        self._fetcher = fetcher
        self._limits = limits
        # Redirects go through the frontier, so that scope, manners and memory apply to where they lead.
        self._one_hop = replace(limits, redirects=0)
        self._language = language
        self._form = thesis_form if scope.form == "thesis" else None
        self._sitemaps = scope.sitemaps
        self._fetch_robots = robots_fetch(fetcher, limits)
        self._robots = RobotsCache(self._ask, agent) if agent else None
        self._asked: dict[str, Exchange] = {}

    async def _ask(self, url: Url) -> Exchange:
        exchange = self._asked[origin(url)] = await self._fetch_robots(url)
        return exchange

    async def address(self, lease: Lease) -> str:
        return await self._fetcher.address(host(lease.url)) or ""

    async def get(self, lease: Lease) -> Answer:
        begun = time.monotonic()
        delay = 0.0
        if self._robots is not None:
            refused, delay = await self._ask_first(self._robots, lease.url, begun)
            if refused is not None:
                return refused
        accept = (*HTML_TYPES, *GZIP_TYPES) if lease.url.endswith(".xml.gz") else HTML_TYPES
        exchange = await self._fetcher.fetch(lease.url, accept=accept, limits=self._one_hop)
        return self._read(exchange, delay, time.monotonic() - begun)

    async def _ask_first(self, robots: RobotsCache, url: Url, begun: float) -> tuple[Answer | None, float]:
        """What robots.txt says: an answer when the page is not to be fetched now, and the delay that it asks for."""
        ruling = await robots.ruling(url)
        # The rules were fetched just now: that was this host's turn, the page comes with its next.
        asked = self._asked.pop(origin(url), None)
        delay = ruling.delay or 0.0
        if ruling.wait is not None:
            kind, reason = Kind.FAILED, ruling.reason
        elif not ruling.allowed:
            kind, reason = Kind.REFUSED, "robots.txt does not allow it"
        elif asked is not None:
            kind, reason = Kind.FIRST, ruling.reason
        else:
            return None, delay
        wanted = self._sitemaps and asked is not None and ruling.wait is None
        answer = Answer(
            kind,
            reason,
            address=asked.address if asked is not None else "",
            crawl_delay=delay,
            retry_after=ruling.wait or 0.0,
            seconds=time.monotonic() - begun,
            listed=await robots.sitemaps(url) if wanted else (),
            exchange=asked,
        )
        return answer, delay

    def _read(self, exchange: Exchange, delay: float, seconds: float) -> Answer:
        kind, reason, target = _kind(exchange)
        page: Page | None = None
        links, follow = NO_LINKS, True
        addresses: Sequence[Url] = ()
        if kind is Kind.PAGE:
            page = read_page(
                exchange.body,
                exchange.url,
                header=exchange.header("content-type"),
                hint=self._language,
                limits=self._limits,
                tags=PAGE_TAGS,
            )
            links = out_links(page, self._form)
            follow = "nofollow" not in page.robots and "none" not in page.robots
        elif kind is Kind.SITEMAP:
            addresses = listed(exchange.body, exchange.url, self._limits)
            reason = f"sitemap of {len(addresses):,} addresses"
        return Answer(
            kind,
            reason,
            status=exchange.status,
            mime=exchange.content_type,
            size=len(exchange.wire_body),
            address=exchange.address,
            country=country_of(exchange.address),
            seconds=seconds,
            crawl_delay=delay,
            retry_after=exchange.retry_after() or 0.0 if kind is Kind.BUSY else 0.0,
            target=target,
            listed=addresses,
            page=page,
            links=links,
            follow=follow,
            exchange=exchange,
        )


def _kind(exchange: Exchange) -> tuple[Kind, str, Url | None]:
    """What an exchange is to the loop, why, and where it leads."""
    status, outcome = exchange.status, exchange.outcome
    if status in REDIRECTS:
        location = exchange.header("location")
        target = join(exchange.url, location) if location else None
        if target is None or target == exchange.url:
            return Kind.OTHER, "bad_redirect", None
        return Kind.MOVED, str(status), target
    if outcome in ("ok", "too_large", "wrong_type"):
        if status in _BUSY:
            return Kind.BUSY, str(status), None
        if 200 <= status < 300 and outcome != "wrong_type":
            if exchange.content_type not in PAGE_TYPES and is_sitemap(exchange):
                return Kind.SITEMAP, str(status), None
            if exchange.content_type in READABLE_TYPES:
                return Kind.PAGE, str(status), None
        return Kind.OTHER, str(status) if outcome == "ok" else outcome, None
    return (Kind.OTHER if outcome in _GONE_WRONG else Kind.FAILED), outcome, None


class _Contexts(Sequence[str]):
    """The text around each link, put together when somebody asks for it: few strategies do, for few links."""

    def __init__(self, links: list[Link]) -> None:
        self._links = links

    def __len__(self) -> int:
        return len(self._links)

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> list[str]: ...
    def __getitem__(self, place: int | slice) -> str | list[str]:
        if isinstance(place, slice):
            return [f"{link.before} {link.after}" for link in self._links[place]]
        link = self._links[place]
        return f"{link.before} {link.after}"


def out_links(page: Page, form: Callable[[Url], Url] | None = None) -> OutLinks:
    """The links of a page, each address once, where it stands first; addresses in other languages last.

    `form` spells each address in another way than the standard's.
    """
    places: dict[str, int] = {}
    for number, link in enumerate(page.links):
        places.setdefault(form(link.url) if form is not None else link.url, number)
    places.pop(page.url, None)
    links = [page.links[number] for number in places.values()]
    urls: list[str] = list(places)
    anchors = [link.anchor for link in links]
    contexts: Sequence[str] = _Contexts(links)
    hints = [link.language for link in links]
    if page.alternates:
        by_url = {form(url) if form is not None else url: language for language, url in page.alternates}
        hints = [told or by_url.get(Url(url), "") for told, url in zip(hints, urls, strict=True)]
        others = [url for url in by_url if url not in places and url != page.url]
        urls += others
        hints += [by_url[url] for url in others]
        anchors += [""] * len(others)
        contexts = [*contexts, *([""] * len(others))]
    return OutLinks(urls, anchors, contexts, hints if any(hints) else ())
