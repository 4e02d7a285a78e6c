"""One HTTP request under way: how far it came, what it has read, and what its failure means; and the pool of
connections, kept open between requests, that it goes over.

aiohttp finds or opens the connection (names, addresses, TLS, how many there may be) and parses what comes. The request
itself is written here: a session of aiohttp makes a dozen objects for each, which costs as much as reading the page.
"""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import Callable, Mapping, Sequence
from contextvars import ContextVar
from typing import Any, NamedTuple

import aiohttp
from aiohttp import ClientRequest, StreamReader, hdrs
from aiohttp.abc import ResolveResult
from aiohttp.connector import Connection
from aiohttp.helpers import is_ip_address, strip_auth_from_url
from aiohttp.http_exceptions import HttpProcessingError, LineTooLong
from aiohttp.http_parser import RawResponseMessage
from yarl import URL

from phasa.web.exchange import Exchange, Headers, Outcome, Timings, Truncated
from phasa.web.guard import BlockedAddressError, GuardedResolver
from phasa.web.http import REDIRECTS
from phasa.web.inflate import inflate
from phasa.web.limits import Limits
from phasa.web.room import FREE, Idle, Room, Share
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


TROUBLES = (TimeoutError, aiohttp.ClientError, HttpProcessingError, OSError, ValueError, RuntimeError)
"""What a request may end in, for what a server did."""

_REDIRECT_BYTES = 64 * 1024
_HEARD = 0.5  # seconds between two resets of the clock that waits for silence
_PHASES: dict[str, Outcome] = {
    "connect": "timeout_connect",
    "first byte": "timeout_first_byte",
    "read": "timeout_read",
    "total": "timeout_total",
}


class Request:
    """One request under way: remembers how far it came, so that a failure can be told precisely."""

    def __init__(self, target: Url, limits: Limits, deadline: float, room: Room, *, inflated: bool = True) -> None:
        self.target = target
        self.room = room
        self.inflated = inflated
        self.share: Share | None = None
        self.limits = limits
        self.deadline = deadline
        self.loop = asyncio.get_running_loop()
        self.started = time.time()
        self.begun = time.perf_counter()
        self.connect = self.first_byte = 0.0
        self.clock = _Clock()
        self.address = ""
        self.phase = "connect"
        self.timer: asyncio.Timeout | None = None
        self.wire = b""
        self.head: dict[str, Any] = {}

    async def run(
        self,
        pool: Pool,
        headers: Mapping[str, str],
        accept: Sequence[str] | None,
        conditional: bool,
    ) -> Exchange:
        """Ask and read the answer. Raises one of `TROUBLES`; `failed` says then what became of it."""
        limits = self.limits
        _CURRENT.set(self.clock)
        async with asyncio.timeout_at(self._until(limits.connect_seconds)) as self.timer:
            response = await pool.ask(self.target, headers, self.sent)
            try:
                self.first_byte = time.perf_counter() - self.begun
                problem = self._read_head(response)
                if problem:
                    return self._exchange(problem)
                status = response.message.code
                if status == 304 and conditional:
                    return self._exchange("not_modified")
                kind = (response.message.headers.get(hdrs.CONTENT_TYPE) or "").partition(";")[0].strip().lower()
                redirect = status in REDIRECTS
                if accept is not None and kind and not redirect and not kind.startswith(tuple(accept)):
                    return self._exchange("wrong_type", kind[:100])
                ended = await self._read_body(response.content, _REDIRECT_BYTES if redirect else limits.body_bytes)
                if ended == "too_large" and redirect:
                    return self._exchange("ok", truncated="length")
                if ended:
                    return self._exchange(ended, truncated="length" if ended == "too_large" else "time")
            finally:
                # Free already when the body has come to its end; of no use to others when not.
                response.connection.close()
        return self._exchange("ok")

    def _until(self, seconds: float) -> float:
        return min(self.loop.time() + seconds, self.deadline)

    def sent(self, transport: asyncio.BaseTransport) -> None:
        """The request went out on this connection: the wait for the answer begins."""
        if self.clock.connecting is not None:
            self.connect = time.perf_counter() - self.clock.connecting
        peer = transport.get_extra_info("peername")
        self.address = str(peer[0]) if peer else ""
        self._enter("first byte", self.limits.first_byte_seconds)

    def _enter(self, phase: str, seconds: float) -> None:
        self.phase = phase
        if self.timer:
            self.timer.reschedule(self._until(seconds))

    def _read_head(self, response: Response) -> Outcome | None:
        message = response.message
        raw, version, reason = message.raw_headers, message.version, message.reason or ""
        first = f"HTTP/{version.major}.{version.minor} {message.code} {reason}"
        lines = [first.encode("utf-8", "surrogateescape")]
        lines += [name + b": " + value for name, value in raw]
        block = b"\r\n".join(lines)
        self.head = {
            "status": message.code,
            "reason": reason,
            "headers": tuple(
                (name.decode("utf-8", "surrogateescape"), value.decode("utf-8", "surrogateescape"))
                for name, value in raw
            ),
            "response_head": block + b"\r\n\r\n",
            "request_head": response.asked,
            "address": self.address,
        }
        if len(block) > self.limits.header_bytes:
            return "header_too_large"
        if block.count(b"\r") + block.count(b"\n") + block.count(b"\0") != 2 * (len(lines) - 1):
            self.head |= {"headers": (), "response_head": b"", "reason": ""}
            return "bad_header"
        return None

    async def _read_body(self, content: aiohttp.StreamReader, most: int) -> Outcome | None:
        """Read to the end or to a limit; what came is in `self.wire` either way."""
        pieces: list[bytes] = []
        size = 0
        begun = heard = self.loop.time()
        slowest = self.limits.bytes_per_second
        self._enter("read", self.limits.read_seconds)
        try:
            while piece := await content.readany():
                pieces.append(piece)
                size += len(piece)
                if size > most:
                    return "too_large"
                now = self.loop.time()
                if size > FREE and await self._grow(size):
                    # Time that a body had to wait for memory is not the server's.
                    waited = self.loop.time() - now
                    begun, now = begun + waited, now + waited
                    self.deadline += waited
                    self._enter("read", self.limits.read_seconds)
                if now - begun > self.limits.rate_after_seconds and size < slowest * (now - begun):
                    return "too_slow"
                if now - heard > _HEARD:
                    heard = now
                    self._enter("read", self.limits.read_seconds)
        finally:
            self.wire = pieces[0] if len(pieces) == 1 else b"".join(pieces)
            if size > most:
                self.wire = self.wire[:most]
        return None

    async def _grow(self, size: int) -> bool:
        """Have memory for a body of that size; whether that took a wait, for which all clocks stand still."""
        if self.share is None:
            self.share = Share(self.room)
        more = size - FREE - self.share.size
        if more <= 0:
            return False
        if self.timer and self.room.full:
            self.timer.reschedule(None)
        return await self.share.grow(more)

    def failed(self, trouble: BaseException) -> Exchange:
        """The exchange that ended in an exception of the transport or of the clock."""
        outcome, truncated = _judge(trouble, self.phase, self.loop.time() >= self.deadline)
        if self.address and not self.head:
            self.head = {"address": self.address}
        return self._exchange(outcome, str(trouble)[:300] or type(trouble).__name__, truncated if self.wire else "")

    def _exchange(self, outcome: Outcome, detail: str = "", truncated: Truncated = "") -> Exchange:
        body = self.wire
        head = self.head
        encoding = ""
        headers: Headers = head.get("headers", ())
        if body:
            encoding = ",".join(value for name, value in headers if name.lower() == "content-encoding")
        if encoding and self.inflated:
            body, problem = inflate(body, encoding, self.limits)
            # A body that was cut does not decode to its end; that is no news.
            if problem and outcome == "ok" and not truncated:
                outcome = problem
                truncated = "length" if problem in ("bomb", "too_large") else ""
        return Exchange(
            url=self.target,
            final_url=self.target,
            started=self.started,
            wire_body=self.wire,
            body=body,
            timings=Timings(
                dns=self.clock.dns,
                connect=self.connect,
                first_byte=self.first_byte,
                total=time.perf_counter() - self.begun,
            ),
            truncated=truncated,
            outcome=outcome,
            detail=detail,
            share=self.share,
            **head,
        )


class _Clock:
    """When a connection was begun, and how long its name took. A connection lives on with the context that it was made
    in: so this is what the context has, and not the request with its body."""

    dns = 0.0
    connecting: float | None = None


_CURRENT: ContextVar[_Clock | None] = ContextVar("clock", default=None)


class TimedResolver(GuardedResolver):
    """The guard, telling the request under way how long a lookup took and when connecting began."""

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        began = time.perf_counter()
        try:
            return await super().resolve(host, port, family)
        finally:
            if clock := _CURRENT.get():
                clock.dns = time.perf_counter() - began

    def open_socket(self, info: tuple[Any, ...]) -> socket.socket:
        clock = _CURRENT.get()
        if clock and clock.connecting is None:
            clock.connecting = time.perf_counter()
        return super().open_socket(info)


def _judge(trouble: BaseException, phase: str, late: bool) -> tuple[Outcome, Truncated]:
    """What an exception means."""
    seen: BaseException | None = trouble
    while seen is not None:
        if isinstance(seen, BlockedAddressError):
            return "blocked_address", ""
        if isinstance(seen, LineTooLong):
            return "header_too_large", ""
        seen = seen.__cause__ or getattr(seen, "os_error", None)
    if isinstance(trouble, asyncio.TimeoutError):
        return _PHASES["total" if late else phase], "time"
    if isinstance(trouble, (aiohttp.ClientConnectorCertificateError, aiohttp.ClientSSLError)):
        return "tls_error", ""
    if isinstance(trouble, aiohttp.ClientConnectorDNSError):
        return "dns_error", ""
    if isinstance(trouble, (aiohttp.InvalidURL, aiohttp.NonHttpUrlClientError)):
        return "bad_url", ""
    if isinstance(trouble, aiohttp.ClientConnectorError):
        return "connect_error", ""
    if isinstance(trouble, aiohttp.ClientPayloadError):
        return "closed_early", "disconnect"
    if isinstance(trouble, (aiohttp.ClientResponseError, HttpProcessingError)):
        text = str(trouble).lower()
        if "too many headers" in text or "got more than" in text:
            return "header_too_large", ""
        return ("bad_header" if "header" in text else "protocol_error"), ""
    if isinstance(trouble, (aiohttp.ServerDisconnectedError, aiohttp.ClientOSError, OSError)):
        return ("closed_early" if phase != "connect" else "connect_error"), "disconnect"
    if isinstance(trouble, ValueError):
        return "bad_url", ""
    return "protocol_error", ""
