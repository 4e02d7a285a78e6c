"""One HTTP request under way: how far it came, what it has read, and what its failure means."""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from typing import Any

import aiohttp
from aiohttp import hdrs
from aiohttp.abc import ResolveResult
from aiohttp.http_exceptions import HttpProcessingError, LineTooLong

from phasa.web.deadline import Deadline
from phasa.web.exchange import Exchange, Headers, Outcome, Timings, Truncated
from phasa.web.guard import BlockedAddressError, GuardedResolver
from phasa.web.http import REDIRECTS
from phasa.web.inflate import inflate
from phasa.web.limits import Limits
from phasa.web.pool import Pool, Response
from phasa.web.room import FREE, Room, Share
from phasa.web.url import Url

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
        self.timer: Deadline | None = None
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
        with Deadline(self._until(limits.connect_seconds)) as self.timer:
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
            self.timer.move(self._until(seconds))

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
            self.timer.move(None)
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
