"""Fetching: one address in, one `Exchange` out, every limit kept, nothing raised for what a server did.

aiohttp carries the requests; redirects, decoding, time and size are ours, since each must be bounded and recorded.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path

import aiohttp
from aiohttp import hdrs
from msgspec.structs import replace

from phasa import __version__
from phasa.web import url as urls
from phasa.web.exchange import Exchange, Hop, Outcome
from phasa.web.guard import Lookup, one_server
from phasa.web.http import REDIRECTS
from phasa.web.inflate import ACCEPT as ACCEPT_ENCODING
from phasa.web.limits import Limits
from phasa.web.pool import Pool
from phasa.web.request import TROUBLES, Request, TimedResolver
from phasa.web.room import Idle, Room, file_room, give_memory_back
from phasa.web.tls import tls_context
from phasa.web.url import Url

ACCEPT = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"


def user_agent(contact: str) -> str:
    """Who we are: the product with its version, and who answers for the crawl."""
    return f"phasa/{__version__} (+{contact})" if contact else f"phasa/{__version__}"


class Fetcher:
    """A pool of connections with one set of limits. Use it as an asynchronous context.

    `resolver` maps a host name to its addresses (the lab maps every name to loopback, with `allow_private`).
    `server` (address:port) sends every request to one server, as `phasa lab serve` needs it.
    `ca_file` (PEM) holds authorities to trust besides the system's. Raises SettingsError for one that is none.
    `before`, to be set before it is opened, is called when a request is about to be sent, and may stop it by raising.
    """

    def __init__(
        self,
        limits: Limits | None = None,
        user_agent: str = "phasa",
        *,
        allow_private: bool = False,
        resolver: Lookup | None = None,
        server: str = "",
        verify_tls: bool = True,
        ca_file: Path | None = None,
        languages: str | None = None,
        connections: int = 512,
    ) -> None:
        self.limits = limits or Limits()
        self.user_agent = user_agent
        self.tls = tls_context(ca_file, verify=verify_tls)
        self.connections = connections
        self.room = Room(self.limits.bodies_megabytes * 1024 * 1024)
        self.server = server
        if server:
            self.resolver = TimedResolver(server=one_server(server))
        else:
            self.resolver = TimedResolver(resolver, allow_private=allow_private)
        self.headers: dict[str, str] = {
            hdrs.USER_AGENT: user_agent,
            hdrs.ACCEPT: ACCEPT,
            hdrs.ACCEPT_ENCODING: ACCEPT_ENCODING,
        }
        if languages:
            self.headers[hdrs.ACCEPT_LANGUAGE] = languages
        self.before: Callable[[], None] = lambda: None
        self._session: aiohttp.ClientSession | None = None
        self._pool: Pool | None = None

    async def __aenter__(self) -> Fetcher:
        files = file_room()
        give_memory_back()
        connections = min(self.connections, max(files // 2, 1))
        connector = aiohttp.TCPConnector(
            resolver=self.resolver,
            use_dns_cache=False,
            limit=connections,
            keepalive_timeout=30,
            ssl=self.tls,
            socket_factory=self.resolver.open_socket,
        )
        self._session = aiohttp.ClientSession(
            connector=connector,
            cookie_jar=aiohttp.DummyCookieJar(),
            auto_decompress=False,
            requote_redirect_url=False,
            timeout=aiohttp.ClientTimeout(total=None, connect=None, sock_connect=None, sock_read=None),
            max_line_size=self.limits.header_bytes,
            max_field_size=self.limits.header_bytes,
            max_headers=max(128, self.limits.header_bytes // 64),
            skip_auto_headers=(hdrs.USER_AGENT,),
        )
        idle = Idle(min(self.limits.idle_connections, files - connections))
        self._pool = Pool(connector, self.limits, idle, one_server=bool(self.server), before=self.before)
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._session:
            await self._session.close()

    async def address(self, host: str) -> str | None:
        """The first address of a host as the fetcher would connect to it; None when it has none or is refused."""
        try:
            return (await self.resolver.addresses(host))[0]
        except OSError:
            return None

    async def fetch(
        self,
        address: Url,
        etag: str | None = None,
        modified: str | None = None,
        accept: Sequence[str] | None = None,
        limits: Limits | None = None,
        validated: Url | None = None,
        inflated: bool = True,
    ) -> Exchange:
        """Fetch an address, following redirects. `accept` lists media types (`text/` for all of them) worth reading.
        Not `inflated`, the body stays as it came, for somebody else to unpack.

        `etag` and `modified` are validators of the representation at `validated` (by default the address itself): they
        go to that hop and no other, for elsewhere they mean nothing or, worse, something else (RFC 9110 §8.8, §13).
        """
        limits = limits or self.limits
        conditions: dict[str, str] = {}
        if etag:
            conditions[hdrs.IF_NONE_MATCH] = etag
        if modified:
            conditions[hdrs.IF_MODIFIED_SINCE] = modified
        deadline = asyncio.get_running_loop().time() + limits.total_seconds
        hops: list[Hop] = []
        seen = {address}
        target = address
        while True:
            asked = conditions if target == (validated or address) else {}
            exchange = await self._hop(target, asked, accept, limits, deadline, inflated)
            location = exchange.header("location") if exchange.status in REDIRECTS else None
            if exchange.outcome != "ok" or exchange.status not in REDIRECTS:
                break
            following = urls.join(target, location) if location else None
            failure: Outcome | None = None
            if following is None or len(following) > limits.url_length:
                failure = "bad_redirect"
            elif following in seen:
                failure = "redirect_loop"
            elif len(hops) >= limits.redirects:
                failure = "redirect_limit"
            if failure or following is None:
                exchange = replace(exchange, outcome=failure, detail=f"to {location!r}"[:300])
                break
            # A redirect is kept as a plain hop: what became of it is that it was followed.
            hops.append(_plain(exchange))
            seen.add(following)
            target = following
        if not hops:
            return exchange
        return replace(exchange, url=address, final_url=target, redirects=tuple(hops))

    async def _hop(
        self,
        target: Url,
        conditions: dict[str, str],
        accept: Sequence[str] | None,
        limits: Limits,
        deadline: float,
        inflated: bool,
    ) -> Exchange:
        request = Request(target, limits, deadline, self.room, inflated=inflated)
        headers = {**self.headers, **conditions} if conditions else self.headers
        try:
            return await request.run(self.pool, headers, accept, bool(conditions))
        except TROUBLES as trouble:
            return request.failed(trouble)

    @property
    def session(self) -> aiohttp.ClientSession:
        """The open session, for requests other than GET. Raises RuntimeError outside of the context."""
        if self._session is None:
            raise RuntimeError(_NOT_OPEN)
        return self._session

    @property
    def pool(self) -> Pool:
        """The open connections. Raises RuntimeError outside of the context."""
        if self._pool is None:
            raise RuntimeError(_NOT_OPEN)
        return self._pool


_NOT_OPEN = "the fetcher is not open: use `async with Fetcher(…)`"


def _plain(hop: Hop) -> Hop:
    return Hop(
        url=hop.url,
        started=hop.started,
        status=hop.status,
        reason=hop.reason,
        headers=hop.headers,
        request_head=hop.request_head,
        response_head=hop.response_head,
        wire_body=hop.wire_body,
        address=hop.address,
        timings=hop.timings,
        truncated=hop.truncated,
    )
