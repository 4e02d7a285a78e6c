"""How much the application takes on at a time: requests at work, requests that wait, bytes that are held."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

import msgspec
from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from phasa.service.section import Problem
from phasa.service_settings import ServiceSettings

PIECE = 65_536
"""Answers leave in pieces of this size, so that one whose client does not read is not written out ahead of it."""


class Gate:
    """ASGI middleware. A body is taken in before its request counts as work, so that slow senders keep nobody out;
    a request is at work until its answer begins. What is too much is refused (413, 503) and costs nothing more."""

    def __init__(self, app: ASGIApp, bounds: ServiceSettings) -> None:
        self.app = app
        self._bounds = bounds
        self._at_work = asyncio.Semaphore(bounds.requests)
        self._waiting = 0
        self._held = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        visit = _Visit(self, scope, receive, send)
        try:
            await visit.run()
        finally:
            visit.leave()

    def take(self, count: int) -> bool:
        """Hold so many more bytes; False when that would be too much."""
        if self._held + count > self._bounds.held_bytes:
            return False
        self._held += count
        return True

    def give_back(self, count: int) -> None:
        self._held -= count

    def has_room(self) -> bool:
        """Whether one more may wait for its turn."""
        return not self._at_work.locked() or self._waiting < self._bounds.waiting

    async def begin_work(self) -> None:
        self._waiting += 1
        try:
            await self._at_work.acquire()
        finally:
            self._waiting -= 1

    def end_work(self) -> None:
        self._at_work.release()

    @property
    def body_bytes(self) -> int:
        return self._bounds.body_bytes


class _Visit:
    """One request on its way through the gate."""

    def __init__(self, gate: Gate, scope: Scope, receive: Receive, send: Send) -> None:
        self._gate = gate
        self._scope = scope
        self._receive = receive
        self._send = send
        self._body: bytes | None = None
        self._start: Message | None = None
        self._held = 0
        self._working = False
        self._refused = False

    async def run(self) -> None:
        refusal = await self._take_body()
        if refusal is None and not self._gate.has_room():
            refusal = self._refusal(503, "too many requests at a time; try again in a moment")
        if refusal is not None:
            await refusal(self._scope, self._receive, self._send)
        elif self._body is not None:
            await self._gate.begin_work()
            self._working = True
            await self._gate.app(self._scope, self._replay, self._answer)

    def leave(self) -> None:
        self._end_work()
        self._gate.give_back(self._held)
        self._held = 0

    def _end_work(self) -> None:
        if self._working:
            self._working = False
            self._gate.end_work()

    def _take(self, count: int) -> bool:
        taken = self._gate.take(count)
        self._held += count if taken else 0
        return taken

    async def _take_body(self) -> Response | None:
        """Receive the body; the refusal where it is too large. A client that has gone leaves no body and no answer."""
        most = self._gate.body_bytes
        declared = Headers(scope=self._scope).get("content-length", "")
        too_large = self._refusal(413, f"more than {most:,} bytes (service.body_bytes in collection.toml)")
        if declared.isascii() and declared.isdigit() and (len(declared) > 18 or int(declared) > most):
            return too_large
        parts: list[bytes] = []
        more = True
        while more:
            message = await self._receive()
            if message["type"] != "http.request":
                return None
            part, more = message.get("body", b""), message.get("more_body", False)
            parts.append(part)
            if self._held + len(part) > most:
                return too_large
            if not self._take(len(part)):
                return self._refusal(503, "too much is being sent at a time; try again in a moment")
        self._body = b"".join(parts)
        return None

    async def _replay(self) -> Message:
        if self._body is None:
            return await self._receive()
        body, self._body = self._body, None
        return {"type": "http.request", "body": body, "more_body": False}

    async def _answer(self, message: Message) -> None:
        if self._refused:
            return
        if message["type"] == "http.response.start":
            self._start = message  # goes out with the first of its body, when it is known whether that can be held
            return
        body = message.get("body", b"")
        self._end_work()
        if not self._take(len(body)):
            self._refused = True
            busy = self._refusal(503, "too many answers are on their way; try again in a moment")
            if self._start is not None:
                await busy(self._scope, self._receive, self._send)
            return
        if self._start is not None:
            start, self._start = self._start, None
            await self._send(start)
        for piece, more in _pieces(body, message.get("more_body", False)):
            await self._send({"type": "http.response.body", "body": piece, "more_body": more})
        self._gate.give_back(len(body))
        self._held -= len(body)

    def _refusal(self, status: int, message: str) -> Response:
        headers = {"retry-after": "1"} if status == 503 else {}
        if str(self._scope["path"]).startswith("/api/"):
            body = msgspec.json.encode(Problem(message))
            return Response(body, status, headers, media_type="application/json")
        return PlainTextResponse(message + "\n", status, headers)


def _pieces(body: bytes, more: bool) -> Iterable[tuple[bytes, bool]]:
    """The body in pieces, each with whether something follows it."""
    last = max(0, (len(body) - 1) // PIECE)
    view = memoryview(body)
    return ((bytes(view[k * PIECE : (k + 1) * PIECE]), more or k < last) for k in range(last + 1))
