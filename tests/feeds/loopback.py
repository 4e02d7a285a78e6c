"""A real HTTP server on loopback that does what its script says, and judges every request by the rules of manners.

It keeps its own books, apart from the daemon's: when each place may be asked again (`rests`, told by the test) and
which validators it has given out. A request that comes too early, that leaves out a validator the place has given, or
that brings one it has never given, is a breach.
"""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from email.utils import formatdate

from aiohttp import web
from tests.feeds.paper_server import document

Answer = Callable[[web.Request], Awaitable[web.Response]]


@dataclass(frozen=True)
class Asked:
    path: str
    at: float
    headers: dict[str, str]
    host: str = ""


@dataclass
class Loopback:
    """`pages`: documents by path, given with an ETag (304 when it is known); `scripts`: answers of one's own.

    Places are named by path, or by host and path (`a.example/feed`) when hosts matter. `rests`: seconds for which a
    place must be left alone after each answer, or a function from the moment of the answer to the next allowed one.
    """

    pages: dict[str, bytes] = field(default_factory=dict)
    headers: dict[str, dict[str, str]] = field(default_factory=dict)
    scripts: dict[str, Answer] = field(default_factory=dict)
    rests: dict[str, float | Callable[[float], float]] = field(default_factory=dict)
    requests: list[Asked] = field(default_factory=list)
    breaches: list[str] = field(default_factory=list)
    now: Callable[[], float] = time.time
    pause: float = 0.01
    at_once: int = 0
    most_at_once: int = 0
    base: str = ""
    _closed: dict[str, float] = field(default_factory=dict)
    _given: dict[str, dict[str, str]] = field(default_factory=dict)
    _ever: dict[str, set[str]] = field(default_factory=dict)

    async def __aenter__(self) -> Loopback:
        app = web.Application()
        app.router.add_route("*", "/{path:.*}", self._serve)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        self.base = f"http://127.0.0.1:{self._runner.addresses[0][1]}"
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._runner.cleanup()

    def asked(self, path: str) -> list[Asked]:
        return [request for request in self.requests if path in (request.path, request.host + request.path)]

    def times(self, path: str) -> list[float]:
        return [request.at for request in self.asked(path)]

    def _place(self, request: web.Request) -> str:
        full = request.host + request.path
        return full if full in self.pages or full in self.scripts else request.path

    async def _serve(self, request: web.Request) -> web.Response:
        now, place = self.now(), self._place(request)
        self.requests.append(Asked(request.path, now, dict(request.headers), request.host))
        self._judge(request, place, now)
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        try:
            await asyncio.sleep(self.pause)
            answer = await self._answer(request, place)
        finally:
            self.at_once -= 1
        answer.headers.setdefault("Date", formatdate(now, usegmt=True))
        self._book(place, answer, now)
        return answer

    async def _answer(self, request: web.Request, place: str) -> web.Response:
        if place in self.scripts:
            return await self.scripts[place](request)
        body = self.pages[place]
        tag = f'"{hashlib.sha256(body).hexdigest()[:8]}"'
        headers = {"ETag": tag, "Content-Type": "application/rss+xml", **self.headers.get(place, {})}
        if request.headers.get("If-None-Match") == headers["ETag"]:
            return web.Response(status=304, headers=headers)
        return web.Response(body=body, headers=headers)

    def _judge(self, request: web.Request, place: str, now: float) -> None:
        early = self._closed.get(place, 0.0) - now
        if early > 1e-6:
            self.breaches.append(f"{place}: {early:.0f} s too early")
        for header, value in self._given.get(place, {}).items():
            if request.headers.get(header) != value:
                self.breaches.append(f"{place}: {header} left out or wrong, {value} was given")
        for header in ("If-None-Match", "If-Modified-Since"):
            value = request.headers.get(header, "")
            if value and value not in self._ever.get(place, ()):
                self.breaches.append(f"{place}: {header} {value} was never given here")

    def _book(self, place: str, answer: web.Response, now: float) -> None:
        if answer.status in (200, 304):
            given = {} if answer.status == 200 else self._given.get(place, {})
            for header, condition in (("ETag", "If-None-Match"), ("Last-Modified", "If-Modified-Since")):
                if value := answer.headers.get(header):
                    given[condition] = value
                    self._ever.setdefault(place, set()).add(value)
            self._given[place] = given
        elif answer.status in (301, 302, 303, 307, 308):
            # What it gave before stands for nothing that is kept any more.
            self._given.pop(place, None)
        rest = self.rests.get(place, 0.0)
        self._closed[place] = rest(now) if callable(rest) else now + rest


def status(code: int, **headers: str) -> Answer:
    """Always this status with these headers (underscores are dashes)."""

    async def answer(_: web.Request) -> web.Response:
        return web.Response(status=code, headers={name.replace("_", "-"): value for name, value in headers.items()})

    return answer


def news(count: int, now: float) -> bytes:
    """A document of so many posts of the last minutes."""
    return document([(f"n{k}", now - 60 * k) for k in range(count)])
