"""Connections to servers, kept open between requests, and the way of one request over one of them.

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
from aiohttp.helpers import strip_auth_from_url
from aiohttp.http_parser import RawResponseMessage
from yarl import URL

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
    """`header_bytes` is the longest head that is read."""

    MOST = 10_000  # servers that are remembered

    def __init__(self, connector: aiohttp.BaseConnector, header_bytes: int) -> None:
        self._connector = connector
        self._header_bytes = header_bytes
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
            size = self._header_bytes
            protocol.set_response_params(
                read_until_eof=True,
                auto_decompress=False,
                max_line_size=size,
                max_field_size=size,
                max_headers=max(128, size // 64),
            )
            transport.write(asked)
            sent(transport)
            while True:
                message, content = await protocol.read()
                if not 100 <= message.code < 200 or message.code == 101:
                    break
        except BaseException:
            connection.close()
            raise
        # When the body has come to its end, the connection is free for the next request.
        content.on_eof(connection.release)
        return Response(message, content, connection, asked)

    def _remember(self, origin: str) -> _Server:
        url, auth = strip_auth_from_url(URL(f"{origin}/", encoded=True))
        request = ClientRequest(hdrs.METH_GET, url, auth=auth, loop=asyncio.get_running_loop())
        names = (hdrs.HOST, hdrs.AUTHORIZATION)
        headers = "".join(f"{name}: {request.headers[name]}\r\n" for name in names if name in request.headers)
        if len(self._servers) >= self.MOST:
            self._servers.clear()
        server = self._servers[origin] = _Server(request, headers)
        return server
