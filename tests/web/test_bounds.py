"""Work is bounded before it is done: what servers and pages may make us spend (issue 16)."""

from __future__ import annotations

import asyncio
import gc
import gzip
import time
import tracemalloc
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from phasa.web import robots
from phasa.web.fetch import Fetcher
from phasa.web.guard import is_public
from phasa.web.html import read_page
from phasa.web.inflate import inflate
from phasa.web.limits import Limits
from phasa.web.room import FREE, Idle, Room, Share
from phasa.web.url import Url, surt

HERE = Url("http://a.example/dir/page.html")
LIMITS = Limits()
MEGABYTE = 1024 * 1024


# ── pages ────────────────────────────────────────────────────────────────────────────────────────


def test_anchors_that_hold_each_other_are_read_once() -> None:
    html = "<svg>" + "<a href=x>" * 500 + "ก" * 500_000
    tracemalloc.start()
    page = read_page(html, HERE)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(page.links) == 500
    assert peak < 20 * len(html), "500 copies of the text would be 1000 times its length"


def test_a_base_longer_than_an_address_may_be_is_none() -> None:
    links = "".join(f"<a href={number}>x</a>" for number in range(5000))
    page = read_page(f"<base href='/{'b' * 400_000}/'>{links}", HERE)
    assert page.links[1].url == "http://a.example/dir/1"
    assert sum(len(link.url) for link in page.links) <= LIMITS.link_bytes


def test_the_addresses_of_a_page_have_a_bound_together() -> None:
    links = "".join(f"<a href={number}>x</a>" for number in range(5000))
    page = read_page(f"<base href='/{'b' * 2000}/'>{links}", HERE)
    assert 0 < sum(len(link.url) for link in page.links) <= LIMITS.link_bytes
    assert page.truncated


def test_an_address_that_is_too_long_is_not_a_link() -> None:
    long = "x" * LIMITS.url_length
    page = read_page(f"<link rel=canonical href=/{long}><a href=/{long}>x</a><a href=/y>y</a>", HERE)
    assert [link.url for link in page.links] == ["http://a.example/y"]
    assert page.canonical is None


def test_so_many_tags_are_parsed_and_no_more() -> None:
    page = read_page("<p>x" * 1000, HERE, limits=Limits(page_tags=10))
    assert page.text.split() == ["x"] * 10
    assert page.truncated


@pytest.mark.parametrize(
    "html",
    [
        "<blockquote>" * 300 + "<p>x" * 300,
        "<table>" + f"<tr><td>{'w' * 3000}<td>x" + "<tr><td>x<td>y" * 300 + "</table>",
        "<ol start=999999999999>" + "<li>x" * 300 + "</ol>",
        "<table><td>" * 30 + "x",
    ],
    ids=["quotations", "columns", "numbers", "tables"],
)
def test_a_page_is_not_longer_than_its_source(html: str) -> None:
    assert len(read_page(html, HERE).text) <= len(html)


TAGS = [
    "p",
    "div",
    "blockquote",
    "table",
    "tr",
    "td",
    "th",
    "ol",
    "ul",
    "li",
    "pre",
    "b",
    "a",
    "br",
    "hr",
    "dl",
    "dt",
    "dd",
    "svg",
    "h1",
    "caption",
    "select",
    "option",
    "textarea",
    "q",
]
MARKUP = st.lists(st.sampled_from([f"<{tag}>" for tag in TAGS] + [f"</{tag}>" for tag in TAGS] + ["x", " ", "\n", "ก"]))


@given(MARKUP)
def test_no_page_is_longer_than_its_source(pieces: list[str]) -> None:
    html = "".join(pieces)
    assert len(read_page(html, HERE).text) <= len(html)


def test_links_in_tables_have_a_place_in_the_text() -> None:
    page = read_page("<table><tr><td>before <a href=x>here</a> after</table>", HERE)
    assert (page.links[0].before, page.links[0].anchor, page.links[0].after) == ("before ", "here", " after")


# ── packed bodies ────────────────────────────────────────────────────────────────────────────────


def test_so_many_members_are_unpacked_and_no_more() -> None:
    member = gzip.compress(b"x")
    assert inflate(member * 500, "gzip", Limits(packed_members=500)) == (b"x" * 500, "")
    assert inflate(member * 501, "gzip", Limits(packed_members=500)).problem == "bomb"


def test_the_cost_of_members_grows_with_their_number_not_with_its_square() -> None:
    member = gzip.compress(b"")
    many = Limits(packed_members=10**9)

    def cost(count: int) -> float:
        wire = member * count
        begun = time.process_time()
        inflate(wire, "gzip", many)
        return time.process_time() - begun

    cost(1000)
    assert cost(80_000) < 40 * max(cost(10_000), 0.005), "eight times as many; the square is 64 times as dear"


@given(st.lists(st.binary(max_size=3000), min_size=1, max_size=6), st.binary(max_size=5))
def test_members_come_out_one_after_another(parts: list[bytes], padding: bytes) -> None:
    wire = b"".join(map(gzip.compress, parts)) + b"\0" + padding
    assert inflate(wire, "gzip", LIMITS) == (b"".join(parts), "")


def test_a_large_stream_comes_out_whole() -> None:
    body = b"".join(b"%d," % number for number in range(400_000))
    bare = zlib.compressobj(wbits=-15)
    for wire, name in (
        (gzip.compress(body), "gzip"),
        (zlib.compress(body), "deflate"),
        (bare.compress(body) + bare.flush(), "deflate"),
    ):
        assert inflate(wire, name, LIMITS) == (body, "")


# ── robots.txt ───────────────────────────────────────────────────────────────────────────────────


def rules_cost(body: bytes, path: str) -> float:
    begun = time.process_time()
    robots.parse(body).allowed(Url("http://a.example/" + path), "phasa")
    return time.process_time() - begun


def test_rules_of_many_stars_cost_no_more_than_as_many_letters() -> None:
    stars = b"User-agent: *\n" + b"".join(b"Disallow: /%s%d\n" % (b"*a" * 8000, number) for number in range(32))
    plain = b"User-agent: *\n" + b"".join(b"Disallow: /%s%d\n" % (b"aa" * 8000, number) for number in range(32))
    rules_cost(plain, "a" * 1900)
    assert rules_cost(stars, "a" * 1900) < 100 * max(rules_cost(plain, "a" * 1900), 0.005)


def test_so_many_rules_count_and_no_more() -> None:
    body = b"User-agent: *\n" + b"".join(b"Disallow: /*%d$\n" % number for number in range(robots.RULES + 1))
    rules = robots.parse(body)
    assert not rules.allowed(Url(f"http://a.example/{robots.RULES - 1}"), "phasa")
    assert rules.allowed(Url(f"http://a.example/p/{robots.RULES}q"), "phasa")
    assert len(rules._matcher("phasa").wild) == robots.RULES


@pytest.mark.parametrize(
    ("written", "seconds"),
    [
        ("5", 5.0),
        ("999999999", robots.DELAY),
        ("1000000000", robots.DELAY),
        ("1e30", robots.DELAY),
        ("inf", robots.DELAY),
        ("9" * 5000, robots.DELAY),
        ("-1", None),
        ("nan", None),
        ("soon", None),
    ],
)
def test_a_crawl_delay_is_a_time_of_at_most_a_day(written: str, seconds: float | None) -> None:
    assert robots.parse(f"User-agent: *\nCrawl-delay: {written}\n".encode()).delay("phasa") == seconds


# ── memory and files ─────────────────────────────────────────────────────────────────────────────


async def test_bodies_share_their_memory_and_one_always_goes_on() -> None:
    room = Room(10)
    first, second, third = Share(room), Share(room), Share(room)
    assert not await first.grow(6)
    assert not await second.grow(6), "over the bound, but somebody must come to an end"
    waiting = asyncio.ensure_future(third.grow(1))
    await asyncio.sleep(0)
    assert not waiting.done()
    assert not await second.grow(0)
    del second
    gc.collect()
    assert await waiting is True
    assert room.used == 7


async def test_a_body_that_gives_up_leaves_the_queue() -> None:
    room = Room(1)
    first, second, third = Share(room), Share(room), Share(room)
    await first.grow(5)
    impatient = asyncio.ensure_future(second.grow(1))
    patient = asyncio.ensure_future(third.grow(1))
    await asyncio.sleep(0)
    impatient.cancel()
    await asyncio.sleep(0)
    del first
    assert await patient


async def test_many_large_bodies_at_once_stay_within_their_memory() -> None:
    size = 4 * MEGABYTE
    most = [0]

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n" % size)
        for _ in range(64):
            writer.write(bytes(size // 64))
            await writer.drain()
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    limits = Limits(bodies_megabytes=10, total_seconds=20)
    async with server, Fetcher(limits, allow_private=True) as fetcher:

        async def one(number: int) -> str:
            exchange = await fetcher.fetch(Url(f"http://127.0.0.1:{port}/{number}"))
            most[0] = max(most[0], fetcher.room.used)
            assert len(exchange.wire_body) == size
            return exchange.outcome

        assert await asyncio.gather(*map(one, range(40))) == ["ok"] * 40
        gc.collect()
        assert fetcher.room.used == 0
    assert FREE < most[0] <= 10 * MEGABYTE + size


class Transport(asyncio.BaseTransport):
    closed = False

    def close(self) -> None:
        self.closed = True


def test_the_connection_that_was_idle_longest_is_closed() -> None:
    idle, transports = Idle(2), [Transport() for _ in range(4)]
    for transport in transports[:3]:
        idle.add(transport)
    idle.remove(transports[1])
    idle.add(transports[3])
    assert [transport.closed for transport in transports] == [True, False, False, False]
    assert len(idle) == 2


# ── answers before the answer ────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(("count", "outcome"), [(10, "ok"), (11, "closed_early"), (200_000, "closed_early")])
async def test_interim_answers_have_an_end(count: int, outcome: str) -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await reader.readuntil(b"\r\n\r\n")
            for _ in range(0, count, 1000):
                writer.write(b"HTTP/1.1 100 Continue\r\n\r\n" * min(count, 1000))
                await writer.drain()
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi")
            await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    async with server, Fetcher(LIMITS, allow_private=True) as fetcher:
        exchange = await fetcher.fetch(Url(f"http://127.0.0.1:{port}/"))
    assert exchange.outcome == outcome
    if outcome != "ok":
        assert exchange.detail == "more than 10 interim answers"


# ── addresses ────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "address",
    [
        "192.0.0.1",
        "192.0.0.9",
        "192.0.0.170",
        "192.0.0.255",
        "3fff::1",
        "3fff:fff::1",
        "5f00::1",
        "100::1",
        "100:0:0:1::1",
        "2001:2::1",
        "2001:10::1",
        "2001:db8::1",
        "2001::1",
        "2002:a00:1::1",
        "64:ff9b::808:808",
        "64:ff9b:1::1",
        "::ffff:8.8.8.8",
        "fec0::1",
        "fe80::1",
        "fc00::1",
        "ff02::1",
        "4000::1",
        "192.88.99.1",
        "192.31.196.1",
        "255.255.255.255",
        "240.0.0.1",
        "0.0.0.0",
        "198.19.0.1",
        "100.127.255.255",
    ],
)
def test_special_addresses_are_not_public(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize(
    "address", ["8.8.8.8", "192.0.1.1", "192.1.0.1", "100.128.0.1", "2606:4700::1", "2001:4860:4860::8888"]
)
def test_the_addresses_beside_them_are(address: str) -> None:
    assert is_public(address)


@pytest.mark.parametrize(
    ("address", "key"),
    [
        ("http://www./", "www)/"),
        ("http://www1./x", "www1)/x"),
        ("http://www.ku.ac.th/", "th,ac,ku)/"),
        ("http://xwww.example/", "example,xwww)/"),
        ("http://./", ")/"),
    ],
)
def test_every_address_has_a_surt(address: str, key: str) -> None:
    assert surt(Url(address)) == key
