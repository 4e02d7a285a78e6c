"""A small web on the loopback that writes down who asked for what, when; and collections that crawl it."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import msgspec
from aiohttp import web

from phasa.collection import Collection, CollectionSettings
from phasa.frontier.budgets import Budgets
from phasa.frontier.politeness import Politeness
from phasa.settings import write_settings

THAI = "ภาษาไทยเป็นภาษาที่มีผู้พูดมากในประเทศไทย ข่าววันนี้มีเรื่องน่าสนใจมากมาย "
ENGLISH = "This page tells a story in plain English about nothing in particular. "


class Arrival(NamedTuple):
    """One request as the server saw it."""

    time: float
    host: str
    path: str


Handler = Callable[[str, str], web.Response]


class SmallWeb:
    """`pages` pages on `hosts` hosts; page n links to 2n+1, 2n+2 and a few others, so that page 0 leads to all."""

    listens = "127.0.0.1"

    def __init__(self, pages: int, hosts: int, handler: Handler | None = None, seconds: float = 0.0) -> None:
        self.pages = pages
        self.hosts = hosts
        self.arrivals: list[Arrival] = []
        self.answered: list[Arrival] = []
        self.port = 0
        self.open = self.most_open = 0
        self.seconds = seconds
        self.counts_answers = False
        self._handler = handler or self.answer

    def url(self, number: int) -> str:
        return f"http://h{number % self.hosts}.example/p/{number}.html"

    def urls(self) -> set[str]:
        return {self.url(number) for number in range(self.pages)}

    def answer(self, host: str, path: str) -> web.Response:
        if path == "/robots.txt":
            return web.Response(text="User-agent: *\nDisallow: /private/\n")
        number = int(path.removeprefix("/p/").removesuffix(".html"))
        links = [number * 2 + 1, number * 2 + 2, number // 3, (number * 7) % self.pages]
        body = "".join(f'<a href="{self.url(to)}">หน้า {to}</a> ' for to in links if to < self.pages)
        # Its own word on every page: a template without new content would be taken for a trap.
        own = "".join(chr(ord("a") + int(digit)) for digit in str(number))
        text = (THAI if number % 3 else ENGLISH) * (3 + number % 5) + own
        return web.Response(
            text=f"<html><title>{number}</title><p>{text}{number}</p>{body}</html>", content_type="text/html"
        )

    async def _serve(self, request: web.BaseRequest) -> web.StreamResponse:
        host = (request.host or "").partition(":")[0]
        self.arrivals.append(Arrival(time.monotonic(), host, request.path_qs))
        self.open += 1
        self.most_open = max(self.most_open, self.open)
        try:
            if self.seconds:
                await asyncio.sleep(self.seconds)
            response = self._handler(host, request.path_qs)
            if self.counts_answers:
                # Prepared and written here, so that a request whose client is gone is not counted as answered.
                await response.prepare(request)
                await response.write_eof()
                self.answered.append(self.arrivals[-1]._replace(host=host, path=request.path_qs))
            return response
        finally:
            self.open -= 1

    @contextmanager
    def serving(self) -> Iterator[SmallWeb]:
        """Serve from a thread while the block runs."""
        loop = asyncio.new_event_loop()
        started = threading.Event()

        async def start() -> web.ServerRunner:
            runner = web.ServerRunner(web.Server(self._serve))
            await runner.setup()
            await web.TCPSite(runner, self.listens, 0, backlog=1024).start()
            self.port = int(runner.addresses[0][1])
            started.set()
            return runner

        def run() -> None:
            asyncio.set_event_loop(loop)
            runner = loop.run_until_complete(start())
            loop.run_forever()
            loop.run_until_complete(runner.cleanup())
            loop.close()

        thread = threading.Thread(target=run, daemon=True)
        thread.start()
        assert started.wait(30.0)
        try:
            yield self
        finally:
            loop.call_soon_threadsafe(loop.stop)
            thread.join(30.0)


class LoopbackHosts(SmallWeb):
    """The same on hosts that are real ones: each has an address of its own in 127.0.0.0/8, and its own connections."""

    listens = "0.0.0.0"

    def url(self, number: int) -> str:
        host = number % self.hosts
        return f"http://127.1.{host // 250}.{1 + host % 250}:{self.port}/p/{number}.html"


QUICK = Politeness(delay=0.0, address_delay=0.0, backoff=0.2, backoff_limit=1.0)


def collection_for(path: Path, small: SmallWeb, *, seeds: list[str] | None = None, **changes: object) -> Collection:
    """A collection whose every request goes to the small web."""
    made = Collection.create(path, language="th")
    values: dict[str, object] = {
        "allow_private": True,
        "server": f"127.0.0.1:{small.port}",
        "strategy": "bfs",
        "warc_megabytes": 0.03,
        "politeness": QUICK,
        "budgets": Budgets(free_disk_megabytes=0.0, idle_seconds=20.0),
        **changes,
    }
    settings: CollectionSettings = msgspec.structs.replace(made.settings, **values)
    made.settings_file.write_text(write_settings(settings), encoding="utf-8")
    (path / Collection.SEEDS).write_text("\n".join(seeds if seeds is not None else [small.url(0)]) + "\n")
    return Collection.open(path)


def command(*words: str | Path, **options: object) -> subprocess.Popen[str]:
    """Start the phasa command in a process of its own."""
    return subprocess.Popen(  # type: ignore[call-overload,no-any-return]
        [sys.executable, "-m", "phasa", *map(str, words)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **options,
    )


def finish(process: subprocess.Popen[str], timeout: float = 120.0) -> tuple[int, str, str]:
    """Wait for a command: (exit code, standard output, standard error)."""
    out, err = process.communicate(timeout=timeout)
    return process.returncode, out, err
