"""The ear for hubs: a small HTTP server at the callback address, and the function that posts to hubs."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Protocol

import aiohttp
from aiohttp import web

from phasa.errors import InputError
from phasa.feeds.websub import Poster, Reply, Subscriber

MOST_BYTES = 10 * 1024 * 1024
POST_SECONDS = 30.0

Delivered = Callable[[int, bytes, str], Awaitable[None]]


class Sessions(Protocol):
    """What is needed of `phasa.web.fetch.Fetcher`: a session whose connections are guarded."""

    @property
    def session(self) -> aiohttp.ClientSession: ...


def poster(fetcher: Sessions, user_agent: str) -> Poster:
    """Posts a form and gives the status, 0 when no answer came. Private addresses are refused as for every request."""

    async def post(url: str, form: Mapping[str, str]) -> int:
        try:
            async with asyncio.timeout(POST_SECONDS):
                answer = await fetcher.session.post(
                    url, data=dict(form), headers={"User-Agent": user_agent}, allow_redirects=False
                )
                async with answer:
                    return int(answer.status)
        except (TimeoutError, aiohttp.ClientError, OSError, ValueError):
            return 0

    return post


def parse_listen(text: str) -> tuple[str, int]:
    """Host and port of `address:port`. Raises InputError."""
    host, _, port = text.rpartition(":")
    if not host or not port.isdigit() or not 0 <= int(port) < 65536:
        raise InputError(f"{text}: give an address and a port, for example 127.0.0.1:8090")
    return host.strip("[]"), int(port)


class Callback:
    """Serves GET (verification) and POST (delivery) of `/…/<token>`; tells `delivered` of genuine documents."""

    def __init__(self, subscriber: Subscriber, now: Callable[[], float], delivered: Delivered) -> None:
        self._subscriber = subscriber
        self._now = now
        self._delivered = delivered
        self._runner: web.AppRunner | None = None

    async def start(self, host: str, port: int) -> int:
        """Listen; the port, of use when 0 was asked for. Raises InputError when the address is taken."""
        app = web.Application(client_max_size=MOST_BYTES)
        app.router.add_get("/{path:.*}", self._get)
        app.router.add_post("/{path:.*}", self._post)
        self._runner = web.AppRunner(app, access_log=None)
        await self._runner.setup()
        site = web.TCPSite(self._runner, host, port)
        try:
            await site.start()
        except OSError as trouble:
            await self._runner.cleanup()
            raise InputError(f"{host}:{port}: cannot listen there ({trouble.strerror}); choose another port") from None
        return int(self._runner.addresses[0][1])

    async def stop(self) -> None:
        if self._runner:
            await self._runner.cleanup()

    async def _get(self, request: web.Request) -> web.Response:
        return _answer(self._subscriber.verify(_token(request), request.query, self._now()))

    async def _post(self, request: web.Request) -> web.Response:
        body = await request.read()
        signature = request.headers.get("X-Hub-Signature")
        reply = self._subscriber.deliver(_token(request), signature, body, self._now())
        if reply.feed is not None:
            await self._delivered(reply.feed, body, request.headers.get("Content-Type", ""))
        return _answer(reply)


def _token(request: web.Request) -> str:
    return request.path.rpartition("/")[2]


def _answer(reply: Reply) -> web.Response:
    return web.Response(status=reply.status, text=reply.text, content_type="text/plain")
