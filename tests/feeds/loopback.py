"""A real HTTP server on loopback that does what its script says, and writes down every request with its time."""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from aiohttp import web
from tests.feeds.paper_server import document

Answer = Callable[[web.Request], Awaitable[web.Response]]


@dataclass(frozen=True)
class Asked:
    path: str
    at: float
    headers: dict[str, str]


@dataclass
class Loopback:
    """`pages`: documents by path, given with an ETag (304 when it is known); `scripts`: answers of one's own."""

    pages: dict[str, bytes] = field(default_factory=dict)
    headers: dict[str, dict[str, str]] = field(default_factory=dict)
    scripts: dict[str, Answer] = field(default_factory=dict)
    requests: list[Asked] = field(default_factory=list)
    at_once: int = 0
    most_at_once: int = 0
    base: str = ""

    async def __aenter__(self) -> Loopback:
        app = web.Application()
        app.router.add_route("*", "/{path:.*}", self._serve)
        self._runner = web.AppRunner(app, access_log=None)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        self.base = f"http://127.0.0.1:{self._runner.addresses[0][1]}"
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._runner.cleanup()

    def asked(self, path: str) -> list[Asked]:
        return [request for request in self.requests if request.path == path]

    async def _serve(self, request: web.Request) -> web.Response:
        self.requests.append(Asked(request.path, time.time(), dict(request.headers)))
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        try:
            await asyncio.sleep(0.01)
            if request.path in self.scripts:
                return await self.scripts[request.path](request)
            body = self.pages[request.path]
            tag = f'"{hashlib.sha256(body).hexdigest()[:8]}"'
            headers = {"ETag": tag, "Content-Type": "application/rss+xml", **self.headers.get(request.path, {})}
            if request.headers.get("If-None-Match") == tag:
                return web.Response(status=304, headers=headers)
            return web.Response(body=body, headers=headers)
        finally:
            self.at_once -= 1


def status(code: int, **headers: str) -> Answer:
    """Always this status with these headers (underscores are dashes)."""

    async def answer(_: web.Request) -> web.Response:
        return web.Response(status=code, headers={name.replace("_", "-"): value for name, value in headers.items()})

    return answer


def news(count: int, now: float) -> bytes:
    """A document of so many posts of the last minutes."""
    return document([(f"n{k}", now - 60 * k) for k in range(count)])
