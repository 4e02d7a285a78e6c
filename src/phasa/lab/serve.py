"""A world over real HTTP on the loopback: for demos, durability tests, benches, and the live experiment E9.

All sites answer on one port and are told apart by the Host header. `Names` is the resolver that leads the fetcher
there: it gives every host of the world the loopback address and the port of the server.
"""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Protocol, TypeVar

from aiohttp import web
from aiohttp.abc import AbstractResolver, ResolveResult

from phasa.lab.chance import key, unit_at
from phasa.lab.extras import STATUS
from phasa.lab.feed_posts import write_feed
from phasa.lab.links import Flaw
from phasa.lab.markup import has_feed, is_page, write_page
from phasa.lab.world import World

SLOW_SECONDS = 0.2
ROBOTS = "User-agent: *\nDisallow: /private/\n"


class Names(AbstractResolver):
    """Resolves the hosts of a world, and no others, to its server."""

    def __init__(self, world: World, port: int, address: str = "127.0.0.1") -> None:
        self._hosts = world.site_of_host
        self._port = port
        self._address = address

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        """The address of a host. Raises OSError for a host that the world does not have, as a resolver does."""
        if host not in self._hosts:
            raise OSError(None, f"{host}: no such host in this world")
        return [
            ResolveResult(hostname=host, host=self._address, port=self._port, family=socket.AF_INET, proto=0, flags=0)
        ]

    async def close(self) -> None:
        """Nothing to let go."""


class Served(Protocol):
    """What answers the requests to a web."""

    async def __call__(self, request: web.BaseRequest) -> web.StreamResponse: ...


S = TypeVar("S", bound=Served)


class Answers:
    """What the sites of a world answer to a request."""

    def __init__(self, world: World, now: Callable[[], float] = time.time) -> None:
        self.world = world
        self.requests = 0
        self._now = now

    async def __call__(self, request: web.BaseRequest) -> web.StreamResponse:
        self.requests += 1
        host = (request.host or "").partition(":")[0]
        site = self.world.site_of_host.get(host)
        if site is None:
            return web.Response(status=404, text=f"no site {host} in this world\n")
        if unit_at(key(self.world.seed, "slow"), site) < self.world.recipe.flaws.slow:
            await asyncio.sleep(SLOW_SECONDS)
        return self.answer(host, site, request.path_qs)

    def answer(self, host: str, site: int, path: str) -> web.Response:
        """The answer to one path of one site."""
        world = self.world
        if path == "/robots.txt":
            return web.Response(text=ROBOTS)
        if path == "/feed.xml" and has_feed(world, site):
            return web.Response(
                body=write_feed(world, site, int(self._now())).encode(), content_type="application/rss+xml"
            )
        page = world.find(f"http://{host}{path}")
        if page < 0:
            return web.Response(status=404, text="not found\n")
        if is_page(world, page):
            written = write_page(world, page)
            # Most servers of the time sent no charset; the page declares it.
            return web.Response(body=written.body, headers={"Content-Type": "text/html"})
        return self._flawed(page - len(world.pages))

    def _flawed(self, extra: int) -> web.Response:
        kind = Flaw(int(self.world.extras.kind[extra]))
        if kind is Flaw.MOVED:
            goal = self.world.url(int(self.world.extras.moved[extra]))
            return web.Response(status=301, headers={"Location": goal})
        if kind is Flaw.FILE:
            return web.Response(body=b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n", content_type="application/pdf")
        if kind is Flaw.CLOSED:
            return web.Response(body=b"<html><title>private</title>robots.txt says no</html>", content_type="text/html")
        return web.Response(status=STATUS[kind], text=f"{kind.name.lower()}\n")


@asynccontextmanager
async def serving(
    world: World, port: int = 0, now: Callable[[], float] = time.time
) -> AsyncIterator[tuple[int, Answers]]:
    """Serve a world on the loopback while the block runs; gives the port and the answers (with their count).

    `now` is the time by which its feeds post.
    """
    async with answering(Answers(world, now), port) as found:
        yield found


@asynccontextmanager
async def answering(answers: S, port: int = 0) -> AsyncIterator[tuple[int, S]]:
    """Answer requests on the loopback while the block runs."""
    runner = web.ServerRunner(web.Server(answers))
    await runner.setup()
    try:
        site = web.TCPSite(runner, "127.0.0.1", port)
        await site.start()
        yield int(runner.addresses[0][1]), answers
    finally:
        await runner.cleanup()
