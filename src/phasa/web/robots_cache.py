"""The robots.txt of every host that is visited: fetched once, kept a day, and what to do when it cannot be had.

RFC 9309 §2.3.1: an answer of 4xx means there are no rules; 5xx or no answer means wait, with the last known rules if
there are any; redirects are followed, up to five.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from typing import NamedTuple

from msgspec.structs import replace

from phasa.web import url as urls
from phasa.web.exchange import Exchange
from phasa.web.fetch import Fetcher
from phasa.web.limits import Limits
from phasa.web.robots import BYTES, Robots, parse
from phasa.web.url import Url

DAY = 24 * 3600.0
RETRY = 600.0  # seconds until a host whose rules could not be had is asked again

Fetch = Callable[[Url], Awaitable[Exchange]]
_LOG = logging.getLogger(__name__)

# These say that something is there but not now; everything else without an answer of its own means there are no rules.
_SILENT = (
    "dns_error connect_error tls_error timeout_connect timeout_first_byte timeout_read timeout_total too_slow "
    "closed_early protocol_error bad_header header_too_large"
)
_UNREACHABLE = frozenset(_SILENT.split())


class Ruling(NamedTuple):
    """Whether an address may be fetched. `wait` is set when that is not known yet: ask again in so many seconds."""

    allowed: bool
    wait: float | None
    delay: float | None  # Crawl-delay
    reason: str


class _Known(NamedTuple):
    robots: Robots | None  # None: nothing may be fetched for now
    expires: float
    reason: str


def robots_fetch(fetcher: Fetcher, limits: Limits | None = None) -> Fetch:
    """How a robots.txt is fetched: the fetcher with the size and the redirects of RFC 9309."""
    bounded = replace(limits or fetcher.limits, body_bytes=BYTES, decoded_bytes=BYTES, redirects=5)

    async def fetch(address: Url) -> Exchange:
        return await fetcher.fetch(address, limits=bounded)

    return fetch


class RobotsCache:
    """Rules per origin for one crawler name. `fetch` gets a robots.txt; one request at a time per origin."""

    def __init__(
        self,
        fetch: Fetch,
        agent: str,
        *,
        seconds: float = DAY,
        retry: float = RETRY,
        most: int = 20_000,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.fetch = fetch
        self.agent = agent
        self.seconds = seconds
        self.retry = retry
        self.most = most
        self.clock = clock
        self._known: dict[str, _Known] = {}
        self._pending: dict[str, asyncio.Task[_Known]] = {}

    async def ruling(self, u: Url) -> Ruling:
        """May this address be fetched? Fetches the host's robots.txt when it is not known or a day old."""
        known = await self._of(u)
        if known.robots is None:
            return Ruling(False, max(0.0, known.expires - self.clock()), None, known.reason)
        allowed = known.robots.allowed(u, self.agent)
        reason = known.reason if allowed else "robots.txt"
        return Ruling(allowed, None, known.robots.delay(self.agent), reason)

    async def sitemaps(self, u: Url) -> tuple[Url, ...]:
        """The sitemaps that the host's robots.txt names, made absolute."""
        known = await self._of(u)
        found = (urls.join(Url(urls.origin(u) + "/"), raw) for raw in (known.robots.sitemaps if known.robots else ()))
        return tuple(dict.fromkeys(sitemap for sitemap in found if sitemap))

    async def _of(self, u: Url) -> _Known:
        origin = urls.origin(u)
        known = self._known.get(origin)
        if known is not None and known.expires > self.clock():
            return known
        task = self._pending.get(origin)
        if task is None:
            task = self._pending[origin] = asyncio.ensure_future(self._ask(origin, known))
            task.add_done_callback(lambda _: self._pending.pop(origin, None))
        return await asyncio.shield(task)

    async def _ask(self, origin: str, before: _Known | None) -> _Known:
        exchange = await self.fetch(Url(origin + "/robots.txt"))
        known = self._judge(exchange, before)
        self._remember(origin, known)
        return known

    def _judge(self, exchange: Exchange, before: _Known | None) -> _Known:
        now = self.clock()
        status, outcome = exchange.status, exchange.outcome
        if outcome == "blocked_address":
            return _Known(None, now + self.seconds, "blocked address")
        if 200 <= status < 300 and (outcome in ("ok", "too_large", "bomb", "bad_encoding") or exchange.body):
            # What was cut by the size limit or by a lost connection still counts as far as it came.
            return _Known(parse(exchange.body), now + self.seconds, "robots.txt")
        if status >= 500 or status == 429 or outcome in _UNREACHABLE:
            wait = min(max(exchange.retry_after(now) or self.retry, 1.0), self.seconds)
            reason = f"robots.txt: {status or outcome}"
            _LOG.info("%s: %s; asked again in %.0f seconds", exchange.url, status or outcome, wait)
            # RFC 9309 §2.4: old rules may be used while new ones cannot be had.
            return _Known(before.robots if before else None, now + wait, reason)
        return _Known(Robots(), now + self.seconds, f"no robots.txt: {status or outcome}")

    def _remember(self, origin: str, known: _Known) -> None:
        self._known.pop(origin, None)
        if len(self._known) >= self.most:
            for name in list(self._known)[: self.most // 10 + 1]:
                del self._known[name]
        self._known[origin] = known
