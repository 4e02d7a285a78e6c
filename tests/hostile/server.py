"""A web server that behaves as badly as servers can, on raw sockets: the regression kit of everything that fetches.

    async with HostileServer() as server:
        await fetcher.fetch(server.url("/gzip-bomb"))

Every path is one kind of misbehaviour; `MISDEEDS` lists them. `server.requests` has what was asked, in order.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import zlib
from collections.abc import Awaitable, Callable, Iterator
from urllib.parse import parse_qs, urlsplit

import brotlicffi
import zstandard

from phasa.web.url import Url

MEGABYTE = 1024 * 1024

Misdeed = Callable[["Caller"], Awaitable[None]]
MISDEEDS: dict[str, Misdeed] = {}


class Caller:
    """One request: what was asked, and a way to answer as one likes."""

    def __init__(self, target: str, head: bytes, writer: asyncio.StreamWriter, server: HostileServer) -> None:
        self.target = target
        self.head = head
        self.query = {name: values[-1] for name, values in parse_qs(urlsplit(target).query).items()}
        self.writer = writer
        self.server = server

    async def send(self, *pieces: bytes) -> None:
        for piece in pieces:
            self.writer.write(piece)
            await self.writer.drain()

    async def answer(self, body: bytes, *headers: str, status: str = "200 OK", kind: str = "text/html") -> None:
        lines = [f"HTTP/1.1 {status}", f"Content-Type: {kind}", f"Content-Length: {len(body)}", *headers, "", ""]
        await self.send("\r\n".join(lines).encode("latin-1") + body)

    async def stream(self, pieces: Iterator[bytes], *headers: str, kind: str = "text/html", pause: float = 0) -> None:
        """Chunked, piece by piece, for as long as the other side listens."""
        lines = ["HTTP/1.1 200 OK", f"Content-Type: {kind}", "Transfer-Encoding: chunked", *headers, "", ""]
        await self.send("\r\n".join(lines).encode("latin-1"))
        for piece in pieces:
            await self.send(b"%x\r\n%s\r\n" % (len(piece), piece))
            if pause:
                await asyncio.sleep(pause)
        await self.send(b"0\r\n\r\n")


class HostileServer:
    """Listens on loopback; `pause` is the time between two bytes of the slow misdeeds."""

    def __init__(self, pause: float = 1.0, listen: str = "127.0.0.1") -> None:
        self.pause = pause
        self.listen = listen
        self.robots: dict[str, bytes] = {}
        """robots.txt files by host; every other host has a page there."""
        self.requests: list[str] = []
        self.heads: list[bytes] = []
        self.port = 0
        self._server: asyncio.Server | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    def url(self, path: str, host: str = "127.0.0.1") -> Url:
        return Url(f"http://{host}:{self.port}{path}")

    async def __aenter__(self) -> HostileServer:
        self._server = await asyncio.start_server(self._serve, self.listen, 0, limit=MEGABYTE, backlog=1024)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if self._server:
            self._server.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        if task:
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                target = head.split(b" ", 2)[1].decode("latin-1")
                self.requests.append(target)
                self.heads.append(head)
                caller = Caller(target, head, writer, self)
                if target == "/robots.txt" and (rules := self.robots.get(_host(head))) is not None:
                    await caller.answer(rules, kind="text/plain")
                    continue
                misdeed = MISDEEDS.get(urlsplit(target).path, _fine)
                await misdeed(caller)
        writer.close()


def _host(head: bytes) -> str:
    """The host that was asked for."""
    host = next((line[5:] for line in head.split(b"\r\n") if line[:5].lower() == b"host:"), b"")
    return host.strip().partition(b":")[0].decode("latin-1")


def _misdeed(path: str) -> Callable[[Misdeed], Misdeed]:
    def register(misdeed: Misdeed) -> Misdeed:
        MISDEEDS[path] = misdeed
        return misdeed

    return register


async def _fine(caller: Caller) -> None:
    await caller.answer(f"<title>{caller.target}</title>".encode("latin-1", "replace"))


@functools.cache
def gzip_bomb(megabytes: int = 1024) -> bytes:
    """Members of ten megabytes of nothing, one after another."""
    packer = zlib.compressobj(9, zlib.DEFLATED, zlib.MAX_WBITS | 16)
    member = packer.compress(bytes(10 * MEGABYTE)) + packer.flush()
    return member * (megabytes // 10)


@functools.cache
def brotli_bomb(megabytes: int = 64) -> bytes:
    packer = brotlicffi.Compressor(quality=5)
    return b"".join([*(packer.process(bytes(MEGABYTE)) for _ in range(megabytes)), packer.finish()])


@functools.cache
def zstd_bomb(megabytes: int = 64) -> bytes:
    packer = zstandard.ZstdCompressor().compressobj()
    return b"".join([*(packer.compress(bytes(MEGABYTE)) for _ in range(megabytes)), packer.flush()])


@_misdeed("/gzip-bomb")
async def _gzip(caller: Caller) -> None:
    await caller.answer(gzip_bomb(), "Content-Encoding: gzip")


@_misdeed("/brotli-bomb")
async def _brotli(caller: Caller) -> None:
    await caller.answer(brotli_bomb(), "Content-Encoding: br")


@_misdeed("/zstd-bomb")
async def _zstd(caller: Caller) -> None:
    await caller.answer(zstd_bomb(), "Content-Encoding: zstd")


@_misdeed("/nested-bomb")
async def _nested(caller: Caller) -> None:
    packer = zlib.compressobj(9, zlib.DEFLATED, zlib.MAX_WBITS | 16)
    await caller.answer(packer.compress(gzip_bomb()) + packer.flush(), "Content-Encoding: gzip, gzip")


@_misdeed("/not-gzip")
async def _not_gzip(caller: Caller) -> None:
    await caller.answer(b"<p>plain", "Content-Encoding: gzip")


@_misdeed("/endless")
async def _endless(caller: Caller) -> None:
    block = b"x" * 65536
    await caller.stream(iter(lambda: block, b""))


@_misdeed("/drip")
async def _drip(caller: Caller) -> None:
    await caller.stream(iter(lambda: b"x", b""), pause=caller.server.pause)


@_misdeed("/drip-header")
async def _drip_header(caller: Caller) -> None:
    await caller.send(b"HTTP/1.1 200 OK\r\nX-Slow: ")
    while True:
        await caller.send(b"x")
        await asyncio.sleep(caller.server.pause)


@_misdeed("/silence")
async def _silence(caller: Caller) -> None:
    await asyncio.sleep(3600)


@_misdeed("/stall")
async def _stall(caller: Caller) -> None:
    await caller.send(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n<p>some")
    await asyncio.sleep(3600)


@_misdeed("/long-header")
async def _long_header(caller: Caller) -> None:
    await caller.send(b"HTTP/1.1 200 OK\r\nX-Long: ", *(b"x" * MEGABYTE for _ in range(10)), b"\r\n\r\nbody")


@_misdeed("/many-headers")
async def _many_headers(caller: Caller) -> None:
    lines = b"".join(b"X-%d: x\r\n" % number for number in range(10_000))
    await caller.send(b"HTTP/1.1 200 OK\r\n", *(lines for _ in range(100)), b"Content-Length: 0\r\n\r\n")


@_misdeed("/crlf-header")
async def _crlf_header(caller: Caller) -> None:
    await caller.send(b"HTTP/1.1 200 OK\r\nX-Split: a\rSet-Cookie: b=c\r\nContent-Length: 2\r\n\r\nhi")


@_misdeed("/nul-header")
async def _nul_header(caller: Caller) -> None:
    await caller.send(b"HTTP/1.1 200 OK\r\nX-Nul: a\x00b\r\nContent-Length: 2\r\n\r\nhi")


@_misdeed("/garbage")
async def _garbage(caller: Caller) -> None:
    await caller.send(b"\x00\x01\x02 this is not HTTP at all\r\n\r\n" * 10)
    caller.writer.close()


@_misdeed("/no-answer")
async def _no_answer(caller: Caller) -> None:
    caller.writer.close()


@_misdeed("/half-header")
async def _half_header(caller: Caller) -> None:
    await caller.send(b"HTTP/1.1 200 OK\r\nContent-Ty")
    caller.writer.close()


@_misdeed("/short")
async def _short(caller: Caller) -> None:
    await caller.send(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n<p>short")
    caller.writer.close()


@_misdeed("/broken-chunks")
async def _broken_chunks(caller: Caller) -> None:
    await caller.send(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\nzz\r\n")
    caller.writer.close()


@_misdeed("/loop")
async def _loop(caller: Caller) -> None:
    await caller.answer(b"", "Location: /loop/again", status="302 Found")


@_misdeed("/loop/again")
async def _loop_again(caller: Caller) -> None:
    await caller.answer(b"", "Location: /loop", status="302 Found")


@_misdeed("/chain")
async def _chain(caller: Caller) -> None:
    number = int(caller.query.get("n", "0"))
    await caller.answer(b"next", f"Location: /chain?n={number + 1}", status="301 Moved Permanently")


@_misdeed("/to")
async def _to(caller: Caller) -> None:
    await caller.answer(b"", f"Location: {caller.query['where']}", status="302 Found")


@_misdeed("/no-location")
async def _no_location(caller: Caller) -> None:
    await caller.answer(b"", status="302 Found")


@_misdeed("/huge/robots.txt")
async def _huge_robots(caller: Caller) -> None:
    block = b"Disallow: /private/\n" * 3276
    pieces = (b"User-agent: *\n" if number == 0 else block for number in range(16 * 1024))
    await caller.stream(pieces, kind="text/plain")


@_misdeed("/sitemap.xml")
async def _sitemap(caller: Caller) -> None:
    own = caller.server.url("/sitemap.xml")
    await caller.answer(
        f"<sitemapindex><sitemap><loc>{own}</loc></sitemap><sitemap><loc>{own}?2</loc></sitemap></sitemapindex>".encode(),
        kind="application/xml",
    )


@_misdeed("/deep")
async def _deep(caller: Caller) -> None:
    await caller.answer(b"<div>" * 100_000 + b"<a href=x>deep</a>" + b"</div>" * 100_000)


@_misdeed("/million-links")
async def _million(caller: Caller) -> None:
    pieces = (
        b"".join(b'<a href="/p%d">l%d</a>\n' % (number, number) for number in range(start, start + 1000))
        for start in range(0, 1_000_000, 1000)
    )
    await caller.stream(pieces)
