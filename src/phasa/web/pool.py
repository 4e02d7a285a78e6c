"""The connections to all servers, kept open between requests, and a request sent over one of them.

aiohttp finds or opens the connection (names, addresses, TLS, how many there may be) and parses what comes. The request
itself is written here: a session of aiohttp makes a dozen objects for each, which costs as much as reading the page.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import NamedTuple

import aiohttp
from aiohttp import ClientRequest, StreamReader, hdrs
from aiohttp.connector import Connection
from aiohttp.helpers import is_ip_address, strip_auth_from_url
from aiohttp.http_parser import RawResponseMessage
from yarl import URL

from phasa.web.limits import Limits
from phasa.web.room import Idle
from phasa.web.url import Url

_PATIENT = aiohttp.ClientTimeout(total=None, connect=None, sock_connect=None, sock_read=None)


class Response(NamedTuple):
    """An answer that has begun: its head, its body to be read, and the connection, to be closed if that is not."""

    message: RawResponseMessage
    content: StreamReader
    connection: Connection
    asked: bytes
    """The request as it went over the wire."""


class _Server(NamedTuple):
    """What is known of a server before a request: whom aiohttp connects to, and what every request to it says."""

    request: ClientRequest
    headers: str


class Pool:
    """Connections to all servers, kept open for a next request as far as `idle` has room. With `one_server` names alone
    are looked up, so that a literal address must be given a name to be led there, too. `before` is called when all is
    ready and a request is about to be sent; what it raises is raised, and nothing is sent."""

    MOST = 10_000  # servers that are remembered

    def __init__(
        self,
        connector: aiohttp.BaseConnector,
        limits: Limits,
        idle: Idle,
        *,
        one_server: bool = False,
        before: Callable[[], None] = lambda: None,
    ) -> None:
        self._before = before
        self._connector = connector
        self._header_bytes = limits.header_bytes
        self._interim_answers = limits.interim_answers
        self._idle = idle
        self._one_server = one_server
        self._servers: dict[str, _Server] = {}

    async def ask(
        self, target: Url, headers: Mapping[str, str], sent: Callable[[asyncio.BaseTransport], None]
    ) -> Response:
        """Send a GET request and read the head of the answer; `sent` hears when and over what it went out. Once more if
        the server hangs up without a word: it may have given up the connection just then. Raises what aiohttp raises.
        """
        end = target.index("/", 8)
        server = self._servers.get(target[:end]) or self._remember(target[:end])
        lines = "".join([f"{name}: {value}\r\n" for name, value in headers.items()])
        if lines.count("\r") + lines.count("\n") != 2 * len(headers):
            raise ValueError("line break in a request header")
        asked = f"GET {target[end:]} HTTP/1.1\r\n{server.headers}{lines}\r\n".encode("utf-8", "surrogateescape")
        try:
            return await self._ask(server.request, asked, sent)
        except aiohttp.ClientConnectorError:
            raise
        except (aiohttp.ClientOSError, aiohttp.ServerDisconnectedError):
            return await self._ask(server.request, asked, sent)

    async def _ask(
        self, request: ClientRequest, asked: bytes, sent: Callable[[asyncio.BaseTransport], None]
    ) -> Response:
        connection = await self._connector.connect(request, [], _PATIENT)
        try:
            protocol, transport = connection.protocol, connection.transport
            if protocol is None or transport is None:
                raise aiohttp.ServerDisconnectedError
            self._idle.remove(transport)
            size = self._header_bytes
            protocol.set_response_params(
                read_until_eof=True,
                auto_decompress=False,
                max_line_size=size,
                max_field_size=size,
                max_headers=max(128, size // 64),
            )
            self._before()
            transport.write(asked)
            sent(transport)
            for _ in range(self._interim_answers + 1):
                message, content = await protocol.read()
                if not 100 <= message.code < 200 or message.code == 101:
                    break
            else:
                raise aiohttp.ClientPayloadError(f"more than {self._interim_answers} interim answers")
        except BaseException:
            connection.close()
            raise

        def free() -> None:
            connection.release()
            if not transport.is_closing():
                self._idle.add(transport)

        # When the body has come to its end, the connection is free for the next request.
        content.on_eof(free)
        return Response(message, content, connection, asked)

    def _remember(self, origin: str) -> _Server:
        url, auth = strip_auth_from_url(URL(f"{origin}/", encoded=True))
        request = ClientRequest(hdrs.METH_GET, url, auth=auth, loop=asyncio.get_running_loop())
        names = (hdrs.HOST, hdrs.AUTHORIZATION)
        headers = "".join(f"{name}: {request.headers[name]}\r\n" for name in names if name in request.headers)
        if self._one_server and is_ip_address(url.host):
            named = url.with_host("address.invalid")
            request = ClientRequest(hdrs.METH_GET, named, loop=asyncio.get_running_loop())
        if len(self._servers) >= self.MOST:
            self._servers.clear()
        server = self._servers[origin] = _Server(request, headers)
        return server
