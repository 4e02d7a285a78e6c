"""Fetching from a server that behaves as badly as servers can: every end is a recorded outcome, never an exception."""

from __future__ import annotations

import asyncio
import gzip
import zlib
from collections.abc import AsyncIterator
from urllib.parse import quote

import brotlicffi
import pytest
import zstandard
from tests.hostile.server import MISDEEDS, Caller, HostileServer, brotli_bomb, gzip_bomb, zstd_bomb

from phasa.errors import CollectionError
from phasa.web.exchange import Exchange
from phasa.web.fetch import Fetcher
from phasa.web.http import HTML_TYPES
from phasa.web.limits import Limits
from phasa.web.url import Url

QUICK = Limits(
    connect_seconds=1,
    first_byte_seconds=1,
    read_seconds=1,
    total_seconds=10,
    rate_after_seconds=0.2,
    bytes_per_second=1000,
    body_bytes=2 * 1024 * 1024,
    decoded_bytes=4 * 1024 * 1024,
)


@pytest.fixture
async def server() -> AsyncIterator[HostileServer]:
    for make in (gzip_bomb, brotli_bomb, zstd_bomb):
        make()  # packing takes longer than the server may be silent
    async with HostileServer(pause=0.05) as hostile:
        yield hostile


@pytest.fixture
async def fetcher() -> AsyncIterator[Fetcher]:
    async def everything_is_here(_: str) -> list[str]:
        return ["127.0.0.1"]

    async with Fetcher(QUICK, "phasa/test", allow_private=True, resolver=everything_is_here) as opened:
        yield opened


@pytest.mark.parametrize(
    ("path", "outcome", "truncated"),
    [
        ("/fine", "ok", ""),
        ("/gzip-bomb", "too_large", "length"),
        ("/brotli-bomb", "bomb", "length"),
        ("/zstd-bomb", "bomb", "length"),
        ("/nested-bomb", "bomb", "length"),
        ("/not-gzip", "bad_encoding", ""),
        ("/endless", "too_large", "length"),
        ("/drip", "too_slow", "time"),
        ("/drip-header", "timeout_first_byte", ""),
        ("/silence", "timeout_first_byte", ""),
        ("/stall", "timeout_read", "time"),
        ("/long-header", "header_too_large", ""),
        ("/many-headers", "header_too_large", ""),
        ("/crlf-header", "bad_header", ""),
        ("/nul-header", "bad_header", ""),
        ("/garbage", "protocol_error", ""),
        ("/no-answer", "closed_early", ""),
        ("/half-header", "closed_early", ""),
        ("/short", "closed_early", "disconnect"),
        ("/broken-chunks", "protocol_error", ""),
        ("/loop", "redirect_loop", ""),
        ("/chain", "redirect_limit", ""),
        ("/no-location", "bad_redirect", ""),
        ("/to?where=file:///etc/passwd", "bad_redirect", ""),
        ("/huge/robots.txt", "too_large", "length"),
        ("/million-links", "too_large", "length"),
    ],
)
async def test_every_misdeed_has_its_outcome(
    server: HostileServer, fetcher: Fetcher, path: str, outcome: str, truncated: str
) -> None:
    exchange = await fetcher.fetch(server.url(path))
    assert (exchange.outcome, exchange.truncated) == (outcome, truncated), exchange.detail
    assert len(exchange.wire_body) <= QUICK.body_bytes
    assert len(exchange.body) <= QUICK.decoded_bytes


async def test_all_misdeeds_at_once_leave_the_fetcher_in_order(server: HostileServer, fetcher: Fetcher) -> None:
    exchanges = await asyncio.gather(*(fetcher.fetch(server.url(path)) for path in MISDEEDS))
    assert all(isinstance(exchange, Exchange) for exchange in exchanges)
    assert (await fetcher.fetch(server.url("/fine"))).ok


async def test_the_total_time_bounds_everything(server: HostileServer, fetcher: Fetcher) -> None:
    limits = Limits(total_seconds=0.3, bytes_per_second=0)
    exchange = await fetcher.fetch(server.url("/drip"), limits=limits)
    assert (exchange.outcome, exchange.truncated, exchange.status) == ("timeout_total", "time", 200)
    assert 0 < len(exchange.body) < 20
    assert (await fetcher.fetch(server.url("/silence"), limits=limits)).outcome == "timeout_total"


async def test_an_exchange_holds_what_an_archive_needs(server: HostileServer, fetcher: Fetcher) -> None:
    async def answer(caller: Caller) -> None:
        body = gzip.compress(b"<p>hello")
        await caller.stream(iter([body[:5], body[5:]]), "Content-Encoding: gzip", "X-Twice: 1", "x-twice: 2")

    MISDEEDS["/archive"] = answer
    exchange = await fetcher.fetch(server.url("/archive", host="news.example"))
    assert exchange.ok
    assert exchange.request_head.startswith(b"GET /archive HTTP/1.1\r\nHost: news.example:")
    assert exchange.request_head == server.heads[-1]
    assert exchange.response_head == (
        b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\nContent-Encoding: gzip\r\n"
        b"X-Twice: 1\r\nx-twice: 2\r\n\r\n"
    )
    assert gzip.decompress(exchange.wire_body) == exchange.body == b"<p>hello"
    assert exchange.header("X-TWICE") == "1, 2"
    assert exchange.content_type == "text/html"
    assert exchange.address == "127.0.0.1"
    assert 0 < exchange.timings.connect <= exchange.timings.first_byte <= exchange.timings.total
    assert exchange.started > 1_700_000_000


async def test_every_redirect_is_kept(server: HostileServer, fetcher: Fetcher) -> None:
    start = server.url("/to?where=" + quote("/to?where=/fine#part"))
    exchange = await fetcher.fetch(start)
    assert exchange.url == start
    assert exchange.final_url == server.url("/fine")
    assert [hop.status for hop in exchange.hops] == [302, 302, 200]
    assert [hop.url for hop in exchange.redirects] == [start, server.url("/to?where=/fine")]
    assert all(hop.response_head.startswith(b"HTTP/1.1 302 Found\r\n") for hop in exchange.redirects)
    assert exchange.redirects[0].request_head == server.heads[0]


async def test_credentials_stay_with_their_host(server: HostileServer, fetcher: Fetcher) -> None:
    target = quote(server.url("/fine", host="other.example"))
    address = Url(server.url(f"/to?where={target}", host="a.example").replace("//", "//user:secret@", 1))
    exchange = await fetcher.fetch(address)
    assert exchange.ok
    assert b"Authorization" in server.heads[0]
    assert b"Authorization" not in server.heads[1]


async def test_cookies_are_not_kept(server: HostileServer, fetcher: Fetcher) -> None:
    async def answer(caller: Caller) -> None:
        await caller.answer(b"", "Set-Cookie: a=b")

    MISDEEDS["/cookie"] = answer
    await fetcher.fetch(server.url("/cookie"))
    await fetcher.fetch(server.url("/cookie"))
    assert b"Cookie" not in server.heads[1]


async def test_a_conditional_request_may_be_answered_with_not_modified(server: HostileServer, fetcher: Fetcher) -> None:
    async def answer(caller: Caller) -> None:
        if b'If-None-Match: "tag"' in caller.head:
            await caller.send(b'HTTP/1.1 304 Not Modified\r\nETag: "tag"\r\n\r\n')
        else:
            await caller.answer(b"new", 'ETag: "tag"', "Last-Modified: Sun, 15 Nov 2026 10:00:00 GMT")

    MISDEEDS["/conditional"] = answer
    first = await fetcher.fetch(server.url("/conditional"))
    assert (first.outcome, first.etag, first.modified) == ("ok", '"tag"', "Sun, 15 Nov 2026 10:00:00 GMT")
    second = await fetcher.fetch(server.url("/conditional"), etag=first.etag, modified=first.modified)
    assert (second.outcome, second.status, second.body) == ("not_modified", 304, b"")
    assert b"If-Modified-Since: Sun, 15 Nov 2026" in server.heads[1]


async def test_an_unwanted_type_is_not_read(server: HostileServer, fetcher: Fetcher) -> None:
    async def video(caller: Caller) -> None:
        await caller.stream(iter(lambda: b"x" * 1000, b""), kind="video/mp4")

    MISDEEDS["/video"] = video
    exchange = await fetcher.fetch(server.url("/video"), accept=HTML_TYPES)
    assert (exchange.outcome, exchange.detail, exchange.wire_body) == ("wrong_type", "video/mp4", b"")
    assert (await fetcher.fetch(server.url("/fine"), accept=HTML_TYPES)).ok
    assert (await fetcher.fetch(server.url("/to?where=/fine"), accept=["image/"])).outcome == "wrong_type"


@pytest.mark.parametrize(
    ("encoding", "packed"),
    [
        ("gzip", gzip.compress(b"text" * 100)),
        ("GZIP", gzip.compress(b"text" * 50) + gzip.compress(b"text" * 50) + b"\0" * 10),
        ("deflate", zlib.compress(b"text" * 100)),
        ("deflate", zlib.compress(b"text" * 100)[2:-4]),
        ("br", brotlicffi.compress(b"text" * 100)),
        ("zstd", zstandard.compress(b"text" * 100)),
        ("gzip, br", brotlicffi.compress(gzip.compress(b"text" * 100))),
        ("identity", b"text" * 100),
        ("UTF-8", b"text" * 100),
        ("", b"text" * 100),
    ],
    ids=["gzip", "members", "zlib", "bare deflate", "brotli", "zstd", "stacked", "identity", "no packing", "none"],
)
async def test_every_encoding_is_undone(server: HostileServer, fetcher: Fetcher, encoding: str, packed: bytes) -> None:
    async def answer(caller: Caller) -> None:
        await caller.answer(packed, f"Content-Encoding: {encoding}")

    MISDEEDS["/packed"] = answer
    exchange = await fetcher.fetch(server.url("/packed"))
    assert (exchange.outcome, exchange.body, exchange.wire_body) == ("ok", b"text" * 100, packed)


async def test_connections_are_reused(server: HostileServer, fetcher: Fetcher) -> None:
    first = await fetcher.fetch(server.url("/one"))
    second = await fetcher.fetch(server.url("/two"))
    assert first.timings.connect > 0
    assert second.timings.connect == 0
    assert second.address == "127.0.0.1"


@pytest.mark.parametrize(
    ("value", "seconds"),
    [("120", 120.0), ("Sun, 15 Nov 2026 10:00:30 GMT", 30.0), ("soon", None), ("", None), ("-5", None)],
)
def test_retry_after_in_seconds_or_as_a_date(value: str, seconds: float | None) -> None:
    exchange = Exchange(url=Url("http://a.example/"), headers=(("Retry-After", value),))
    assert exchange.retry_after(now=1794736800.0) == seconds


async def test_what_cannot_be_reached_says_why(fetcher: Fetcher) -> None:
    assert (await fetcher.fetch(Url("http://127.0.0.1:1/"))).outcome == "connect_error"

    async def no_such_name(host: str) -> list[str]:
        raise OSError(f"{host}: no such name")

    async with Fetcher(QUICK, allow_private=True, resolver=no_such_name) as lost:
        assert (await lost.fetch(Url("http://nowhere.example/"))).outcome == "dns_error"

    async def slow_name(_: str) -> list[str]:
        await asyncio.sleep(60)
        return []

    async with Fetcher(QUICK, allow_private=True, resolver=slow_name) as slow:
        assert (await slow.fetch(Url("http://slow.example/"))).outcome == "timeout_connect"


async def test_plain_text_on_a_tls_port_is_a_tls_error(fetcher: Fetcher) -> None:
    async def plain(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        await writer.drain()
        writer.close()

    listening = await asyncio.start_server(plain, "127.0.0.1", 0)
    exchange = await fetcher.fetch(Url(f"https://127.0.0.1:{listening.sockets[0].getsockname()[1]}/"))
    listening.close()
    assert (exchange.outcome, exchange.status) == ("tls_error", 0), exchange.detail


async def test_cancelling_a_fetch_cancels_it(server: HostileServer, fetcher: Fetcher) -> None:
    task = asyncio.ensure_future(fetcher.fetch(server.url("/silence")))
    await asyncio.sleep(0.05)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert (await fetcher.fetch(server.url("/fine"))).ok


async def test_validators_go_to_the_hop_that_gave_them_and_no_other(server: HostileServer, fetcher: Fetcher) -> None:
    asked: list[tuple[str, bool]] = []

    async def first(caller: Caller) -> None:
        asked.append(("first", b'"tag"' in caller.head))
        await caller.send(b"HTTP/1.1 302 Found\r\nLocation: /second\r\nContent-Length: 0\r\n\r\n")

    async def second(caller: Caller) -> None:
        asked.append(("second", b'"tag"' in caller.head))
        if b'If-None-Match: "tag"' in caller.head:
            await caller.send(b"HTTP/1.1 304 Not Modified\r\n\r\n")
        else:
            await caller.send(b'HTTP/1.1 200 OK\r\nETag: "tag"\r\nContent-Length: 1\r\n\r\nx')

    MISDEEDS["/first"], MISDEEDS["/second"] = first, second
    whole = await fetcher.fetch(server.url("/first"))
    again = await fetcher.fetch(server.url("/first"), etag=whole.etag, validated=whole.final_url)
    assert (again.outcome, again.status, again.final_url) == ("not_modified", 304, server.url("/second"))
    assert [hop.status for hop in again.redirects] == [302]
    await fetcher.fetch(server.url("/first"), etag=whole.etag)
    assert asked[:2] == [("first", False), ("second", False)]
    assert asked[2:4] == [("first", False), ("second", True)]
    assert asked[4:] == [("first", True), ("second", False)]


async def test_a_request_that_may_not_be_sent_any_more_is_not(server: HostileServer) -> None:
    asked = 0

    def before() -> None:
        nonlocal asked
        asked += 1
        if asked > 2:
            raise CollectionError("somebody else asks this host now")

    fetcher = Fetcher(QUICK, "phasa/test", allow_private=True)
    fetcher.before = before
    async with fetcher:
        for _ in range(2):
            assert (await fetcher.fetch(Url(server.url("/fine")))).outcome == "ok"
        requests = len(server.requests)
        with pytest.raises(CollectionError, match="somebody else"):
            await fetcher.fetch(Url(server.url("/fine")))
        await asyncio.sleep(0.1)
    assert len(server.requests) == requests
