"""The live web: one lease in, one answer out, robots.txt obeyed, pages read (in the sandbox: phasa.sandbox)."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from functools import partial

from msgspec.structs import replace

from phasa.crawl.anchors import Anchors
from phasa.crawl.answer import NO_LINKS, Answer, Kind, OutLinks
from phasa.crawl.contexts import Contexts
from phasa.errors import ParserCrashedError
from phasa.frontier.protocol import Lease, Story
from phasa.frontier.scope import ScopeSettings
from phasa.sandbox.pool import Pool
from phasa.web.body import NO_BODY, BodyReading, read_body, read_needs
from phasa.web.country import country_of
from phasa.web.exchange import Exchange, Truncated
from phasa.web.fetch import Fetcher
from phasa.web.html import PAGE_TAGS, Link, PackedLinks, Page, unpack_late
from phasa.web.http import HTML_TYPES, PAGE_TYPES, REDIRECTS
from phasa.web.limits import Limits
from phasa.web.robots import Group, RobotsCache, read_rules, robots_fetch
from phasa.web.sitemap import GZIP_TYPES
from phasa.web.url import Url, host, join, origin, thesis_form

_LOG = logging.getLogger(__name__)
_BUSY = frozenset((429, 503))
_BYTE_SECONDS = 1e-8  # processor time for a byte that comes and is kept
_NAMING = ("text/css", *PAGE_TYPES)
_NO_FOLLOW = frozenset(("nofollow", "none"))
_CUT: dict[str, Truncated] = {"bomb": "length", "too_large": "length"}
_GONE_WRONG = frozenset(("bad_url", "blocked_address", "bad_redirect", "redirect_loop", "wrong_type", "not_modified"))


class LiveWeb:
    """Fetches and reads. `agent` is the name that robots.txt files know us by; '' when they are not to be obeyed.

    Of the scope it needs how links are spelled and whether the sitemaps that robots.txt files name are wanted; of the
    frontier, with `story`, how a URL was come by, so that a chain of redirects has an end. Pages that were seen before
    are asked for only if they changed, but in full at each visit `full_every`; 0: always in full. With `requisites`
    pages say what they need to be seen.
    """

    def __init__(
        self,
        fetcher: Fetcher,
        pool: Pool,
        limits: Limits,
        *,
        agent: str = "phasa",
        language: str | None = None,
        scope: ScopeSettings | None = None,
        story: Callable[[Url], Story | None] = lambda url: None,
        full_every: int = 0,
        requisites: bool = False,
    ) -> None:
        scope = scope or ScopeSettings()
        self._fetcher = fetcher
        self._pool = pool
        self._story = story
        self._full_every = full_every
        self._limits = limits
        # Redirects go through the frontier, so that scope, manners and memory apply to where they lead.
        self._one_hop = replace(limits, redirects=0)
        self._form = thesis_form if scope.form == "thesis" else None
        self._sitemaps = scope.sitemaps
        tags = PAGE_TAGS | {"img"} if scope.images else PAGE_TAGS
        # What is said of every page is said to the sandbox once.
        self._body_reader = partial(read_body, hint=language, limits=limits, tags=tags, requisites=requisites)
        self._fetch_robots = robots_fetch(fetcher, limits)
        self._robots = RobotsCache(self._ask, agent, read=self._read_rules) if agent else None
        self._asked: dict[str, Exchange] = {}

    async def _ask(self, url: Url) -> Exchange:
        exchange = self._asked[origin(url)] = await self._fetch_robots(url)
        return exchange

    async def _read_rules(self, url: Url, body: bytes, agent: str) -> tuple[tuple[Group, ...], tuple[str, ...]]:
        # An account of its own: cheap rules say nothing of what the pages will cost.
        return await self._pool.call_for(url, read_rules, body, agent)

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
        if lease.is_requisite:
            exchange = await self._fetcher.fetch(lease.url, limits=self._one_hop, inflated=False)
            return await self._read(lease, exchange, delay, begun)
        etag, modified = self._validators(lease)
        exchange = await self._fetcher.fetch(
            lease.url, etag=etag, modified=modified, accept=accept, limits=self._one_hop, inflated=False
        )
        return await self._read(lease, exchange, delay, begun)

    def _validators(self, lease: Lease) -> tuple[str | None, str | None]:
        """What a page that was seen before is asked with: it need not come when it has not changed. Now and then it is
        asked for in full, because servers err, and some lie."""
        seen = lease.seen
        if seen is None or not self._full_every or seen.visits % self._full_every == 0:
            return None, None
        return seen.etag or None, seen.modified or None

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

    async def _read(self, lease: Lease, exchange: Exchange, delay: float, begun: float) -> Answer:
        kind, reason, target = _kind(exchange)
        if target is not None and (problem := self._too_far(lease, target)):
            kind, reason, target = Kind.OTHER, problem, None
        body, needs = NO_BODY, list[Url]()
        if kind is Kind.PAGE and lease.is_requisite:
            kind, needs = Kind.REQUISITE, await self._read_needs(exchange)
        elif kind is Kind.PAGE:
            try:
                body = await self._read_body(exchange)
            except ParserCrashedError as crash:
                _LOG.warning("%s: %s", exchange.url, crash)
                kind, reason = Kind.OTHER, str(crash)
            else:
                if body.problem:
                    exchange = replace(exchange, outcome=body.problem, truncated=_CUT.get(body.problem, ""))
                kind, reason, _ = _kind(exchange)
                if body.listed is not None:
                    kind, reason = Kind.SITEMAP, f"sitemap of {len(body.listed):,} addresses"
                elif body.page is None and kind is Kind.PAGE:
                    kind = Kind.OTHER  # whole, but of a type that is not read
        page = unpack_late(body.page) if body.page is not None else None
        needs = body.page.needs if body.page is not None else needs
        # What a host costs is charged to it: whoever's pages take long is asked less often.
        cost = self._pool.cost(host(exchange.url)) + _BYTE_SECONDS * len(exchange.wire_body)
        rest = self._limits.cost_rest * cost if cost > self._limits.dear_seconds else 0.0
        return Answer(
            kind,
            reason,
            status=exchange.status,
            mime=exchange.content_type,
            size=len(exchange.wire_body),
            address=exchange.address,
            country=country_of(exchange.address),
            seconds=time.monotonic() - begun,
            crawl_delay=max(delay, rest),
            retry_after=exchange.retry_after() or 0.0 if kind is Kind.BUSY else 0.0,
            target=target,
            listed=body.listed or (),
            changed=body.changed,
            needs=needs,
            page=page,
            links=out_links(page, self._form) if page is not None else NO_LINKS,
            follow=page is None or not page.robots & _NO_FOLLOW,
            exchange=exchange,
        )

    async def _read_body(self, exchange: Exchange) -> BodyReading:
        """What the body is, as the sandbox sees it. Raises ParserCrashedError."""
        return await self._pool.call_for(
            host(exchange.url),
            self._body_reader,
            exchange.wire_body,
            exchange.header("content-encoding") or "",
            exchange.url,
            exchange.header("content-type") or "",
            whole=exchange.outcome == "ok",
        )

    async def _read_needs(self, exchange: Exchange) -> list[Url]:
        """What a requisite names in its turn: nothing when it ends the process that reads it."""
        if exchange.content_type not in _NAMING:
            return []
        asked = exchange.header("content-encoding") or "", exchange.url, exchange.header("content-type") or ""
        try:
            return await self._pool.call_for(host(exchange.url), read_needs, exchange.wire_body, *asked, self._limits)
        except ParserCrashedError as crash:
            _LOG.warning("%s: %s", exchange.url, crash)
            return []

    def _too_far(self, lease: Lease, target: Url) -> str:
        """Why a redirect is not followed: its target is too long, or too many led to it in a row; '' when it is."""
        if len(target) > self._limits.url_length:
            return "bad_redirect"
        source, hops = Url(lease.source), 1
        while source and hops <= self._limits.redirect_chain:
            before = self._story(source)
            if before is None or before.visit is None or before.visit.status not in REDIRECTS:
                return ""
            source, hops = Url(before.source), hops + 1
        return "redirect_limit" if hops > self._limits.redirect_chain else ""


def _kind(exchange: Exchange) -> tuple[Kind, str, Url | None]:
    """What an exchange is to the loop, why, and where it leads; PAGE means that its body may be one."""
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
            return Kind.PAGE, str(status), None
        return Kind.OTHER, str(status) if outcome == "ok" else outcome, None
    return (Kind.OTHER if outcome in _GONE_WRONG else Kind.FAILED), outcome, None


def out_links(page: Page, form: Callable[[Url], Url] | None = None) -> OutLinks:
    """The links of a page, each address once, where it stands first; addresses in other languages last.

    `form` spells each address in another way than the standard's.
    """
    links: Sequence[Link] = page.links
    if isinstance(links, PackedLinks):
        urls, told = links.packed.urls, links.packed.told
    else:
        urls = [link.url for link in links]
        told = {place: link.language for place, link in enumerate(links) if link.language}
    if form is not None:
        urls = list(map(form, urls))
    places = dict(zip(urls, range(len(urls)), strict=True))
    if len(places) < len(urls):  # of some we have the last place now
        places.update(zip(reversed(urls), reversed(range(len(urls))), strict=True))
    places.pop(page.url, None)
    urls, numbers = list(places), list(places.values())
    hints = [told.get(number, "") for number in numbers] if told or page.alternates else []
    anchors: Sequence[str]
    if isinstance(links, PackedLinks):
        anchors = Anchors(links, numbers)
    else:
        anchors = [links[number].anchor for number in numbers]
    contexts = Contexts(links, places=numbers)
    if page.alternates:
        by_url = {form(url) if form is not None else url: language for language, url in page.alternates}
        hints = [told or by_url.get(Url(url), "") for told, url in zip(hints, urls, strict=True)]
        others = [url for url in by_url if url not in places and url != page.url]
        urls += others
        hints += [by_url[url] for url in others]
        anchors = [*anchors, *[""] * len(others)]
        contexts = Contexts([*(links[number] for number in numbers), *(Link(url, "link") for url in others)])
    return OutLinks(urls, anchors, contexts, hints if any(hints) else ())
